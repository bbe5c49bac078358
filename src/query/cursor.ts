/**
 * Cursors: a position in an ordered list, opaque to the client and sealed, so that one is good
 * only for the collection, order and filter it was made for.
 */

import { hash } from 'node:crypto'
import type { Stored } from '../definition/model.ts'
import { refuse } from '../refusal.ts'

export interface CursorCodec {
  /** The cursor of a position within the list that `list` names. */
  format(list: string, position: readonly Stored[]): string
  /** The position; refuses a cursor of another list, or one we never made. */
  parse(list: string, cursor: string): readonly Stored[]
}

/** Characters of base64url: 132 bits. */
const sealLength = 22

export function createCursorCodec(key: Uint8Array): CursorCodec {
  const secret = Buffer.from(key).toString('hex')
  // A cut digest of the secret and the message seals it: of 256 bits 124 are never shown, so that
  // nobody can go on from it, and the lengths keep one list's message from being another's.
  const seal = (list: string, payload: string) =>
    hash('sha256', `${secret}${list.length}:${list}${payload}`, 'base64url').slice(0, sealLength)
  return {
    format(list, position) {
      const payload = JSON.stringify(position)
      return seal(list, payload) + Buffer.from(payload).toString('base64url')
    },
    parse(list, cursor) {
      const payload = Buffer.from(cursor.slice(sealLength), 'base64url').toString()
      if (!isEqualInConstantTime(cursor.slice(0, sealLength), seal(list, payload))) {
        throw refuse('invalid-cursor', {
          detail: 'The cursor is not one of this collection, order and filter. Begin without it.',
        })
      }
      // Sealed by us: the payload is what `format` wrote.
      return JSON.parse(payload) as Stored[]
    },
  }
}

/** Whether two seals are the same, in a time that does not tell how far they are. */
function isEqualInConstantTime(given: string, right: string): boolean {
  if (given.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < right.length; at += 1) {
    difference |= given.charCodeAt(at) ^ right.charCodeAt(at)
  }
  return difference === 0
}
