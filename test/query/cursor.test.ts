/** Cursors of pages: short, and the position that they were made from. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createCursorCodec } from '../../src/query/cursor.ts'
import { cases } from '../cases.ts'

const codec = createCursorCodec(new Uint8Array(32))
const id = '019a0b1c-2d3e-7f40-8a5b-6c7d8e9f0a1b'

test('a cursor is short: an id has 39 characters, a time and an id have 48', () => {
  assert.equal(codec.format('list', [id]).length, 39)
  assert.equal(codec.format('list', ['2026-11-02T09:00:00.000Z', id]).length, 48)
})

test('a cursor has the position that it was made from, whatever the values (random)', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.integer(),
    fc.constant(null),
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom('2026-02-30T00:00:00.000Z', '1969-12-31T23:59:59.999Z', 'line\nfeed', ''),
  )
  const property = fc.property(fc.array(value, { maxLength: 6 }), (position) => {
    assert.deepEqual(codec.parse('list', codec.format('list', position)), position)
  })
  fc.assert(property, { numRuns: cases(2000) })
})

test('a cursor of another list, and one with any other character, is refused', () => {
  const cursor = codec.format('list', ['a', id])
  assert.throws(() => codec.parse('lists', cursor), { type: 'invalid-cursor' })
  for (let at = 0; at < cursor.length; at += 1) {
    const other = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    assert.throws(() => codec.parse('list', other), { type: 'invalid-cursor' })
  }
})
