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

/** In characters of base64url: 96 bits. */
const digestLength = 16

export function createCursorCodec(key: Uint8Array): CursorCodec {
  const secret = Buffer.from(key).toString('hex')
  // A truncated digest hides 160 of 256 bits, which prevents length extension. The length of the
  // list key prevents two lists from having the same message.
  const keyedDigest = (list: string, payload: string) =>
    hash('sha256', `${secret}${list.length}:${list}${payload}`, 'base64url').slice(0, digestLength)
  return {
    format(list, position) {
      const payload = Buffer.concat(position.map(encodeValue)).toString('base64url')
      return keyedDigest(list, payload) + payload
    },
    parse(list, cursor) {
      const payload = cursor.slice(digestLength)
      if (!isEqualInConstantTime(cursor.slice(0, digestLength), keyedDigest(list, payload))) {
        throw refuse('invalid-cursor', {
          detail: 'The cursor belongs to another collection, sort order or filter. Start again without it.',
        })
      }
      // The keyed digest is right, so `format` wrote the payload.
      return decodeValues(Buffer.from(payload, 'base64url'))
    },
  }
}

/** The first octet of a value. Ids and times, which most positions consist of, are short. */
const tags = { json: 0, uuid: 1, time: 2 } as const
const uuidLength = 16
const timeLength = 6
/** JSON has no line feed outside of a string, and escapes it inside. */
const endOfJson = 0x0a

function encodeValue(value: Stored): Uint8Array {
  if (typeof value === 'string') {
    if (uuid.test(value)) return Buffer.from([tags.uuid, ...Buffer.from(value.replaceAll('-', ''), 'hex')])
    const milliseconds = timestamp.test(value) ? Date.parse(value) : Number.NaN
    if (milliseconds >= 0 && new Date(milliseconds).toISOString() === value) {
      const octets = Buffer.from([tags.time, ...new Uint8Array(timeLength)])
      octets.writeUIntBE(milliseconds, 1, timeLength)
      return octets
    }
  }
  return Buffer.from([tags.json, ...Buffer.from(JSON.stringify(value)), endOfJson])
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function decodeValues(octets: Buffer): readonly Stored[] {
  const values: Stored[] = []
  for (let at = 0; at < octets.length; ) {
    const tag = octets[at]
    at += 1
    if (tag === tags.uuid) {
      const digits = octets.toString('hex', at, at + uuidLength)
      values.push(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
      at += uuidLength
    } else if (tag === tags.time) {
      values.push(new Date(octets.readUIntBE(at, timeLength)).toISOString())
      at += timeLength
    } else {
      const end = octets.indexOf(endOfJson, at)
      values.push(JSON.parse(octets.toString('utf8', at, end)) as Stored)
      at = end + 1
    }
  }
  return values
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
