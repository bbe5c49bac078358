/** Authenticated encryption (AES-256-GCM) of small values under a key of the service. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** A sealed value belongs to one purpose, such as the row that stores it. */
export interface ValueSealing {
  seal(purpose: string, octets: Uint8Array): string
  /** The octets; throws where they were sealed for another purpose or with another key. */
  open(purpose: string, sealed: string): Buffer
}

export function createValueSealing(key: Uint8Array): ValueSealing {
  return {
    seal(purpose, octets) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose))
      const parts = [nonce, cipher.update(octets), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(parts).toString('base64url')
    },
    open(purpose, sealed) {
      const octets = Buffer.from(sealed, 'base64url')
      const nonce = octets.subarray(0, nonceLength)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(octets.subarray(-tagLength))
      return Buffer.concat([decipher.update(octets.subarray(nonceLength, -tagLength)), decipher.final()])
    },
  }
}
