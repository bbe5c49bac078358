/** Authenticated encryption (AES-256-GCM) of small values under a key of the service. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** An encrypted value belongs to one purpose, such as the row that stores it. */
export interface ValueEncryption {
  encrypt(purpose: string, octets: Uint8Array): string
  /** The octets; throws where they were encrypted for another purpose or with another key. */
  decrypt(purpose: string, encrypted: string): Buffer
}

export function createValueEncryption(key: Uint8Array): ValueEncryption {
  return {
    encrypt(purpose, octets) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose))
      const parts = [nonce, cipher.update(octets), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(parts).toString('base64url')
    },
    decrypt(purpose, encrypted) {
      const octets = Buffer.from(encrypted, 'base64url')
      const nonce = octets.subarray(0, nonceLength)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(octets.subarray(-tagLength))
      return Buffer.concat([decipher.update(octets.subarray(nonceLength, -tagLength)), decipher.final()])
    },
  }
}

const keyLength = 32

/** A key in base64 or hexadecimal; undefined where the text is none. */
export function parseEncryptionKey(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  const isComplete = /^[0-9a-f]{64}$|^[\w+/-]{43}=?$/i.test(text)
  return isComplete && key.length === keyLength ? key : undefined
}
