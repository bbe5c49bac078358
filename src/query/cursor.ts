/**
 * Cursors: a position in an ordered list, opaque to the client and sealed, so that one is good
 * only for the collection, order and filter it was made for.
 */

import { hash, timingSafeEqual } from 'node:crypto'
import type { Stored } from '../declare/model.ts'
import { refuse } from '../refusal.ts'

export interface CursorSeal {
  /** The cursor of a position within the list that `list` names. */
  format(list: string, position: readonly Stored[]): string
  /** The position; refuses a cursor of another list, or one we never made. */
  parse(list: string, cursor: string): readonly Stored[]
}

const sealLength = 16

export function cursorSeal(key: Uint8Array): CursorSeal {
  const mac = messageSeal(key)
  const seal = (list: string, payload: string) =>
    mac(`${list.length}:${list}${payload}`).subarray(0, sealLength)
  return {
    format(list, position) {
      const payload = JSON.stringify(position)
      return Buffer.concat([seal(list, payload), Buffer.from(payload)]).toString('base64url')
    },
    parse(list, cursor) {
      const octets = Buffer.from(cursor, 'base64url')
      const payload = octets.subarray(sealLength).toString()
      const given = octets.subarray(0, sealLength)
      if (given.length < sealLength || !timingSafeEqual(given, seal(list, payload))) {
        throw refuse('invalid-cursor', {
          detail: 'The cursor is not one of this collection, order and filter. Begin without it.',
        })
      }
      // Sealed by us: the payload is what `format` wrote.
      return JSON.parse(payload) as Stored[]
    },
  }
}

/** Of a block of SHA-256. */
const blockLength = 64

/** HMAC-SHA-256 (RFC 2104) by two plain digests: Node's own makes an object of its own each time. */
function messageSeal(key: Uint8Array): (message: string) => Buffer {
  // The key is never longer than a block: the store makes it.
  const padded = (octet: number) => Buffer.alloc(blockLength).map((_, at) => (key[at] ?? 0) ^ octet)
  const [inner, outer] = [padded(0x36), padded(0x5c)]
  return (message) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(message)]), 'buffer')
    return hash('sha256', Buffer.concat([outer, digest]), 'buffer')
  }
}
