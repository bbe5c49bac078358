/**
 * Positions of the change log as clients see them. A token is the position, encrypted with a fresh
 * nonce: two tokens of one position differ, so that neither the number of changes between two
 * tokens nor their equality can be seen.
 */

import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'

/** A place in the feed of a caller: after an entry, or within the changes that one entry makes. */
export interface FeedPosition {
  /** The position of the last entry that was read. */
  readonly position: number
  /** How many changes of that entry were read; 0: all of them. */
  readonly changesRead: number
}

export interface PositionCodec {
  format(position: FeedPosition): string
  /** The position; undefined where the text is no token of this service. */
  parse(token: string): FeedPosition | undefined
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
const contentLength = 8
/** An entry makes at most two changes for a caller, so one bit tells how many were read. */
const changesPerEntry = 2n

export function createPositionCodec(key: Uint8Array): PositionCodec {
  const nextNonce = createNonces()
  return {
    format({ position, changesRead }) {
      const nonce = nextNonce()
      const cipher = createCipheriv(algorithm, key, nonce)
      const content = Buffer.alloc(contentLength)
      content.writeBigUInt64BE(BigInt(position) * changesPerEntry + BigInt(changesRead))
      const sealed = [nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    parse(token) {
      const octets = Buffer.from(token, 'base64url')
      // Decoding ignores characters that base64url does not have.
      if (octets.length !== nonceLength + contentLength + tagLength) return undefined
      if (octets.toString('base64url') !== token) return undefined
      const content = decrypt(key, octets)
      if (content === undefined) return undefined
      const number = content.readBigUInt64BE()
      return { position: Number(number / changesPerEntry), changesRead: Number(number % changesPerEntry) }
    },
  }
}

/** Random nonces, drawn many at a time: a call for each costs as much as the encryption. */
function createNonces(): () => Buffer {
  const drawn = Buffer.alloc(nonceLength * 256)
  let used = drawn.length
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    used += nonceLength
    return drawn.subarray(used - nonceLength, used)
  }
}

/** The content; undefined where the token was not made with the key. */
function decrypt(key: Uint8Array, octets: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(algorithm, key, octets.subarray(0, nonceLength), {
    authTagLength: tagLength,
  })
  decipher.setAuthTag(octets.subarray(-tagLength))
  const content = decipher.update(octets.subarray(nonceLength, -tagLength))
  try {
    decipher.final()
    return content
  } catch {
    return undefined
  }
}
