/**
 * How chunks and backups are stored: compressed, and encrypted with AES-256-GCM where there is a key. Each has a
 * digest of its content, which names it and which is verified whenever it is read.
 */

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

export interface Sealing {
  readonly isEncrypted: boolean
  /** The digest of the content, in hexadecimal. With a key, only its owner can compute it. */
  digest(content: Uint8Array): string
  seal(content: Uint8Array): Uint8Array
  /** Throws where the octets are damaged or were sealed with another key. */
  open(sealed: Uint8Array): Uint8Array
}

/** Without encryption. */
export const plainSealing: Sealing = Object.freeze({
  isEncrypted: false,
  digest: (content: Uint8Array) => createHash('sha256').update(content).digest('hex'),
  seal: (content: Uint8Array) => zstdCompressSync(content),
  open: (sealed: Uint8Array) => zstdDecompressSync(sealed),
})

const nonceLength = 12
const tagLength = 16

/** With a key of 32 octets, from which one key for encryption and one for digests are derived. */
export function createSealing(key: Uint8Array): Sealing {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `restwell backup ${purpose}`, 32))
  const [encryption, digests] = [derive('encryption'), derive('digests')]
  return {
    isEncrypted: true,
    digest: (content) => createHmac('sha256', digests).update(content).digest('hex'),
    seal(content) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', encryption, nonce)
      const sealed = Buffer.concat([cipher.update(zstdCompressSync(content)), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed) {
      const [nonce, tag] = [
        sealed.subarray(0, nonceLength),
        sealed.subarray(nonceLength, nonceLength + tagLength),
      ]
      const decipher = createDecipheriv('aes-256-gcm', encryption, nonce, { authTagLength: tagLength })
      decipher.setAuthTag(tag)
      const opened = [decipher.update(sealed.subarray(nonceLength + tagLength)), decipher.final()]
      return zstdDecompressSync(Buffer.concat(opened))
    },
  }
}

const keyLength = 32

/** The key in base64 or hexadecimal; undefined where the text is none. */
export function parseBackupKey(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  const isComplete = /^[0-9a-f]{64}$|^[\w+/-]{43}=?$/i.test(text)
  return isComplete && key.length === keyLength ? key : undefined
}
