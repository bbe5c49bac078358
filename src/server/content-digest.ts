/** Content-Digest (RFC 9530 §2): whether the content has the digests that the request says. */

import { hash } from 'node:crypto'
import { hashNames, parseDigests } from '../http/digest.ts'
import { type Refusal, refuse } from '../refusal.ts'

/** Refuses 400 where the value of Content-Digest is malformed, or the content has another digest. */
export function requireContentDigest(fieldValue: string | undefined, octets: Uint8Array): void {
  if (fieldValue === undefined) return
  const digests = parseDigests(fieldValue)
  if (!digests) {
    throw refuse('malformed-request', { detail: 'The value of content-digest is not a list of digests.' })
  }
  for (const [algorithm, digest] of digests) {
    if (hash(hashNames[algorithm], octets, 'base64') !== digest) throw otherDigest()
  }
}

export function otherDigest(): Refusal {
  return refuse('malformed-content', { detail: 'The content has another digest than the request says.' })
}
