/**
 * Public keys of passkeys as SubjectPublicKeyInfo (RFC 5280 §4.1): ES256 with P-256, and RS256. Safari gives no key for
 * EdDSA in this form, so that algorithm is not offered.
 */

import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** The identifiers of the algorithms (RFC 9053 §2, RFC 8812 §2), the preferred one first. */
export const offeredAlgorithms = [-7, -257] as const
export type OfferedAlgorithm = (typeof offeredAlgorithms)[number]

export interface SignatureKey {
  readonly key: KeyObject
  readonly algorithm: OfferedAlgorithm
}

/** The key; undefined for octets that are no key, and for a key of another algorithm or of a wrong size. */
export function findSignatureKey(octets: Buffer): SignatureKey | undefined {
  const key = findKeyObject(octets)
  const algorithm = key && findAlgorithm(key)
  return key && algorithm && { key, algorithm }
}

/** The octets of the key (DER), without any that may have followed. */
export function encodeSignatureKey({ key }: SignatureKey): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

/** Whether the key verifies the signature of the data. A signature of ES256 is in DER (WebAuthn §6.5.5). */
export function isSignature({ key }: SignatureKey, data: Buffer, signature: Buffer): boolean {
  return verify('sha256', data, key, signature)
}

function findAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): OfferedAlgorithm | undefined {
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? -7 : undefined
  if (asymmetricKeyType !== 'rsa') return undefined
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  return isModulusLength(modulusLength) && isExponent(publicExponent) ? -257 : undefined
}

/** In bits. The upper limit bounds the time that a verification takes. */
function isModulusLength(bits: number): boolean {
  return bits >= 2048 && bits <= 8192
}

/** An odd number from 3 on (FIPS 186-5 §A.1.1). The upper limit bounds the time; the usual exponent is 65537. */
function isExponent(exponent: bigint): boolean {
  return exponent >= 3n && exponent % 2n === 1n && exponent < 2n ** 32n
}

/** Undefined also for a point that is not on the curve. */
function findKeyObject(octets: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: octets, format: 'der', type: 'spki' })
  } catch {
    // node:crypto throws for every key that it refuses.
    return undefined
  }
}
