/**
 * Cursors: a position in an ordered list, opaque to the client and sealed, so that one is good
 * only for the collection, order and filter it was made for.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
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
  const seal = (list: string, payload: string) =>
    createHmac('sha256', key)
      .update(`${list.length}:${list}${payload}`)
      .digest()
      .subarray(0, sealLength)
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
