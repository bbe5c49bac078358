/**
 * How chunks and backups are stored: compressed, and encrypted with AES-256-GCM where there is a key. Each has a
 * digest of its content, which names it and which is verified whenever it is read.
 */

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

export interface BackupEncoding {
  readonly isEncrypted: boolean
  /** The digest of the content, in hexadecimal. With a key, only its owner can compute it. */
  digest(content: Uint8Array): string
  encode(content: Uint8Array): Uint8Array
  /** Throws where the octets are damaged or were encoded with another key. */
  decode(encoded: Uint8Array): Uint8Array
}

/** Without encryption. */
export const plainEncoding: BackupEncoding = Object.freeze({
  isEncrypted: false,
  digest: (content: Uint8Array) => createHash('sha256').update(content).digest('hex'),
  encode: (content: Uint8Array) => zstdCompressSync(content),
  decode: (encoded: Uint8Array) => zstdDecompressSync(encoded),
})

const nonceLength = 12
const tagLength = 16

/** With a key of 32 octets, from which one key for encryption and one for digests are derived. */
export function createEncryption(key: Uint8Array): BackupEncoding {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `restwell backup ${purpose}`, 32))
  const [encryption, digests] = [derive('encryption'), derive('digests')]
  return {
    isEncrypted: true,
    digest: (content) => createHmac('sha256', digests).update(content).digest('hex'),
    encode(content) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', encryption, nonce)
      const encoded = Buffer.concat([cipher.update(zstdCompressSync(content)), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encoded])
    },
    decode(encoded) {
      const [nonce, tag] = [
        encoded.subarray(0, nonceLength),
        encoded.subarray(nonceLength, nonceLength + tagLength),
      ]
      const decipher = createDecipheriv('aes-256-gcm', encryption, nonce, { authTagLength: tagLength })
      decipher.setAuthTag(tag)
      const opened = [decipher.update(encoded.subarray(nonceLength + tagLength)), decipher.final()]
      return zstdDecompressSync(Buffer.concat(opened))
    },
  }
}
