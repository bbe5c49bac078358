/**
 * Versions of items and identities of events as clients see them: the number, encrypted together with what it
 * numbers. Each has one token, but tokens do not show how many others lie between them.
 */

import { createCipheriv, createDecipheriv, hash } from 'node:crypto'

export interface VersionCodec {
  format(identity: string, version: number): string
  /** The version; undefined where the text is no token of a version of this item. */
  parse(identity: string, token: string): number | undefined
  /** The identity of the event of the entry at this position of the log, the same for every reader. */
  formatEvent(position: number): string
}

/** Numbers the events. No item has this identity. */
const log = 'log'

/** One block holds the start of a digest of the identity, which makes guessing a token futile, and the version. */
const algorithm = 'aes-256-ecb'
const blockLength = 16
const digestLength = 8

export function createVersionCodec(key: Uint8Array): VersionCodec {
  function format(identity: string, number: number): string {
    const block = Buffer.alloc(blockLength)
    digestOf(identity).copy(block)
    block.writeBigUInt64BE(BigInt(number), digestLength)
    const cipher = createCipheriv(algorithm, key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
  }

  return {
    format,
    formatEvent: (position) => format(log, position),
    parse(identity, token) {
      const octets = Buffer.from(token, 'base64url')
      if (octets.length !== blockLength || octets.toString('base64url') !== token) return undefined
      const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(octets), decipher.final()])
      if (!block.subarray(0, digestLength).equals(digestOf(identity))) return undefined
      return Number(block.readBigUInt64BE(digestLength))
    },
  }
}

function digestOf(identity: string): Buffer {
  return hash('sha256', identity, 'buffer').subarray(0, digestLength)
}
