/**
 * Positions of the change log as clients see them. A token is one encrypted block of random octets and
 * the position: two tokens of one position differ, so that neither the number of changes between two
 * tokens nor their equality can be seen. A digest of the rights of its reader follows: after a change of rights the
 * reader has to read the list again, because no entry of the log says which items appeared or vanished.
 */

import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from 'node:crypto'
import type { Rights } from '../../access/rights.ts'
import { memoizeByObject } from '../../tools/memoize.ts'

/** A place in the feed of a caller: after an entry, or within the changes that one entry makes. */
export interface FeedPosition {
  /** The position of the last entry that was read. */
  readonly position: number
  /** How many changes of that entry were read; 0: all of them. */
  readonly changesRead: number
}

/** A position that a client sent. */
export interface SentPosition extends FeedPosition {
  /** Of the reader to whom it was given; empty for a position without one. */
  readonly digest: string
}

export interface PositionCodec {
  /** A token for a reader with these rights to the resources that it follows; without them for no reader. */
  format(position: FeedPosition, rights?: readonly Rights[]): string
  /** The position; undefined where the text is no token of this service. */
  parse(token: string): SentPosition | undefined
  /** Whether a reader with these rights sees what the reader saw to whom the position was given. */
  isFor(position: SentPosition, rights: readonly Rights[]): boolean
}

/** A block has random octets, zeros that only the key can produce, and the position. */
const algorithm = 'aes-256-ecb'
const blockLength = 16
const randomLength = 6
const checkLength = 4
const positionOffset = randomLength + checkLength
const positionLength = blockLength - positionOffset
/** Characters of a block, and of the digest after it. */
const blockText = 22
const digestText = 8
/** An entry makes at most two changes for a caller, so one bit tells how many were read. */
const changesPerEntry = 2

/** Blocks are independent of each other, so one cipher encrypts all tokens. */
export function createPositionCodec(key: Uint8Array): PositionCodec {
  const cipher = createCipheriv(algorithm, key, null).setAutoPadding(false)
  const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false)
  const fillRandomly = createRandomOctets()
  const block = Buffer.alloc(blockLength)
  const digestOf = (text: string) =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, digestText)
  const digestOfRights = memoizeByObject((rights: Rights) => digestOf(formatShown(rights)))
  const digestOfAll = memoizeByObject((rights: readonly Rights[]) => {
    const [first, ...others] = rights.map(digestOfRights)
    return first !== undefined && others.length === 0 ? first : digestOf([first, ...others].join())
  })
  return {
    format({ position, changesRead }, rights) {
      fillRandomly(block)
      block.writeUIntBE(position * changesPerEntry + changesRead, positionOffset, positionLength)
      return cipher.update(block).toString('base64url') + (rights ? digestOfAll(rights) : '')
    },
    parse(token) {
      const [text, digest] = [token.slice(0, blockText), token.slice(blockText)]
      const octets = Buffer.from(text, 'base64url')
      // Decoding ignores characters that base64url does not have.
      if (octets.length !== blockLength || octets.toString('base64url') !== text) return undefined
      if (digest !== '' && !digestPattern.test(digest)) return undefined
      const content = decipher.update(octets)
      if (content.readUIntBE(randomLength, checkLength) !== 0) return undefined
      const number = content.readUIntBE(positionOffset, positionLength)
      const position = Math.floor(number / changesPerEntry)
      return { position, changesRead: number % changesPerEntry, digest }
    },
    isFor: ({ digest }, rights) => digest === '' || digest === digestOfAll(rights),
  }
}

const digestPattern = new RegExp(`^[\\w-]{${digestText}}$`)

/** The items and fields that the rights show. */
function formatShown({ resource, read, list, visibility }: Rights): string {
  const fields = [...visibility].map(([{ name }, condition]) => [name, condition])
  return JSON.stringify([resource.name, read, list, fields], (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
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
