/** Digest fields (RFC 9530): parsing Content-Digest and Repr-Digest, and formatting them. */

/** The algorithms that are verified; all others are ignored (§2, §3). */
export type DigestAlgorithm = 'sha-256' | 'sha-512'

export type Digests = ReadonlyMap<DigestAlgorithm, string>

/** The names of the algorithms for node:crypto. */
export const hashNames: Readonly<Record<DigestAlgorithm, string>> = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
}

const lengths: Readonly<Record<DigestAlgorithm, number>> = { 'sha-256': 32, 'sha-512': 64 }

const member =
  /^[ \t]*(?<key>[a-z*][a-z0-9_.*-]*)=:(?<value>[A-Za-z0-9+/]*={0,2}):(?:; *[a-z*][a-z0-9_.*-]*(?:=[^,;]*)?)*[ \t]*$/

/**
 * The digests of known algorithms, in base64. Undefined where the value is not a Dictionary of Byte
 * Sequences (RFC 9651 §3.2), or where a digest does not have the length of its algorithm.
 */
export function parseDigests(fieldValue: string): Digests | undefined {
  const digests = new Map<DigestAlgorithm, string>()
  for (const text of fieldValue.split(',')) {
    const parts = member.exec(text)?.groups
    if (!parts) return undefined
    const { key, value = '' } = parts
    if (key !== 'sha-256' && key !== 'sha-512') continue
    const octets = Buffer.from(value, 'base64')
    if (octets.length !== lengths[key]) return undefined
    digests.set(key, octets.toString('base64'))
  }
  return digests
}

/** A member of a digest field, such as `sha-256=:…:`. */
export function formatDigest(algorithm: DigestAlgorithm, base64: string): string {
  return `${algorithm}=:${base64}:`
}
