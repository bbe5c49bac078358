/**
 * Positions of the change log as clients see them. A token is one encrypted block of random octets and
 * the position: two tokens of one position differ, so that neither the number of changes between two
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

/** A block has random octets, zeros that only the key can produce, and the position. */
const algorithm = 'aes-256-ecb'
const blockLength = 16
const randomLength = 6
const checkLength = 4
const positionOffset = randomLength + checkLength
const positionLength = blockLength - positionOffset
/** An entry makes at most two changes for a caller, so one bit tells how many were read. */
const changesPerEntry = 2

/** Blocks are independent of each other, so one cipher encrypts all tokens. */
export function createPositionCodec(key: Uint8Array): PositionCodec {
  const cipher = createCipheriv(algorithm, key, null).setAutoPadding(false)
  const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false)
  const fillRandomly = createRandomOctets()
  const block = Buffer.alloc(blockLength)
  return {
    format({ position, changesRead }) {
      fillRandomly(block)
      block.writeUIntBE(position * changesPerEntry + changesRead, positionOffset, positionLength)
      return cipher.update(block).toString('base64url')
    },
    parse(token) {
      const octets = Buffer.from(token, 'base64url')
      // Decoding ignores characters that base64url does not have.
      if (octets.length !== blockLength || octets.toString('base64url') !== token) return undefined
      const content = decipher.update(octets)
      if (content.readUIntBE(randomLength, checkLength) !== 0) return undefined
      const number = content.readUIntBE(positionOffset, positionLength)
      return { position: Math.floor(number / changesPerEntry), changesRead: number % changesPerEntry }
    },
  }
}

/** Writes random octets to the start of a block. They are drawn many at a time: a call costs more than the encryption. */
function createRandomOctets(): (block: Buffer) => void {
  const drawn = Buffer.alloc(randomLength * 512)
  let used = drawn.length
  return (block) => {
    if (used === drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    drawn.copy(block, 0, used, used + randomLength)
    used += randomLength
  }
}
