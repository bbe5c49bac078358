/**
 * Cursors: a position in an ordered list, opaque to clients. A keyed digest makes each cursor valid only for
 * the collection, order and filter that it was issued for.
 */

import { hash } from 'node:crypto'
import type { Stored } from '../definition/model.ts'
import { refuse } from '../refusal.ts'

export interface CursorCodec {
  /** The cursor of a position in the list with this key. */
  format(list: string, position: readonly Stored[]): string
  /** The position; refuses a cursor of another list, or a forged one. */
  parse(list: string, cursor: string): readonly Stored[]
}

/** In characters of base64url: 132 bits. */
const digestLength = 22

export function createCursorCodec(key: Uint8Array): CursorCodec {
  const secret = Buffer.from(key).toString('hex')
  // A truncated digest hides 124 of 256 bits, which prevents length extension. The length of the
  // list key prevents two lists from having the same message.
  const keyedDigest = (list: string, payload: string) =>
    hash('sha256', `${secret}${list.length}:${list}${payload}`, 'base64url').slice(0, digestLength)
  return {
    format(list, position) {
      const payload = JSON.stringify(position)
      return keyedDigest(list, payload) + Buffer.from(payload).toString('base64url')
    },
    parse(list, cursor) {
      const payload = Buffer.from(cursor.slice(digestLength), 'base64url').toString()
      if (!isEqualInConstantTime(cursor.slice(0, digestLength), keyedDigest(list, payload))) {
        throw refuse('invalid-cursor', {
          detail: 'The cursor belongs to another collection, sort order or filter. Start again without it.',
        })
      }
      // The keyed digest is right, so `format` wrote the payload.
      return JSON.parse(payload) as Stored[]
    },
  }
}

/** Compares in a time that does not depend on the position of the first difference. */
function isEqualInConstantTime(given: string, right: string): boolean {
  if (given.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < right.length; at += 1) {
    difference |= given.charCodeAt(at) ^ right.charCodeAt(at)
  }
  return difference === 0
}
