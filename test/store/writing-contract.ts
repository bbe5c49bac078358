/** What the Store interface promises on inserting and replacing rows. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { always, type Condition, equals } from '../../src/store/condition.ts'
import { byIdentity, insert, type OpenStore, replace, storeUsers } from './library.ts'
import { LATER, row } from './tables.ts'

export function writingContract(name: string, open: OpenStore): void {
  const { using, usingFilled } = storeUsers(open)

  describe(`${name}: inserting and replacing`, () => {
    it('a write is all of its parts, or none and the place of the first that failed', () =>
      using(async (store) => {
        const twice = [insert('authors', row('a1', 'Ada', null)), insert('authors', row('a2', 'Ada', null))]
        const reason = { kind: 'duplicate', columns: ['name'] }
        assert.deepEqual(await store.write(twice), { kind: 'refused', index: 1, reason })
        assert.equal(await store.count('authors', always), 0)
        assert.deepEqual(await store.readChanges(0, 10), [])
        assert.ok(!(await store.revision('authors')), 'nothing was counted')
        assert.deepEqual(await store.write([]), { kind: 'done' })
      }))

    it('a set of columns is unique together, and a row that lacks one of them is exempt', () =>
      using(async (store) => {
        await store.write([insert('shelves', row('s1', 'A')), insert('shelves', row('s2', 'B'))])
        const others = [
          row('p1', 's1', 1),
          row('p2', 's1', 2),
          row('p3', 's2', 1),
          row('p4', null, 1),
          row('p5', null, 1),
          row('p6', 's1', null),
          row('p7', 's1', null),
        ]
        const written = await store.write(others.map((one) => insert('places', one)))
        assert.deepEqual(written, { kind: 'done' })
        const reason = { kind: 'duplicate', columns: ['shelf', 'number'] }
        const again = await store.write([insert('places', row('p8', 's1', 2))])
        assert.deepEqual(again, { kind: 'refused', index: 0, reason })
        assert.equal(await store.count('places', always), others.length)
      }))

    it('a repeated identity is a duplicate of that column', () =>
      usingFilled(async (store) => {
        const written = await store.write([insert('authors', row('a1', 'Other', null))])
        const reason = { kind: 'duplicate', columns: ['_identity'] }
        assert.deepEqual(written, { kind: 'refused', index: 0, reason })
      }))

    it('a reference to what is not there dangles, and each such column is named', () =>
      usingFilled(async (store) => {
        const fields = ['a9', 's9', null, null, null, null]
        const written = await store.write([insert('books', row('b9', 'T', ...fields))])
        const reason = { kind: 'missing-reference', columns: ['author', 'shelf'] }
        assert.deepEqual(written, { kind: 'refused', index: 0, reason })
        const moved = row('b1', 'Notes', 'a1', 'a1', 100, 5n, 0.1, null)
        assert.deepEqual(await store.write([replace('books', moved)]), {
          kind: 'refused',
          index: 0,
          reason: { kind: 'missing-reference', columns: ['shelf'] },
        })
      }))

    it('a row may refer to one made just before it in the same write, and to itself', () =>
      using(async (store) => {
        const writes = [insert('authors', row('a1', 'Ada', 'a1')), insert('authors', row('a2', 'Bo', 'a1'))]
        assert.deepEqual(await store.write(writes), { kind: 'done' })
      }))

    it('a row may not refer to one that is made after it', () =>
      using(async (store) => {
        const writes = [insert('authors', row('a1', 'Ada', 'a2')), insert('authors', row('a2', 'Bo', null))]
        const reason = { kind: 'missing-reference', columns: ['mentor'] }
        assert.deepEqual(await store.write(writes), { kind: 'refused', index: 0, reason })
      }))

    it('a result that does not hold is forbidden, before a duplicate is told', () =>
      usingFilled(async (store) => {
        const taken = row('a9', 'Ada', null)
        const forbidden = { kind: 'refused', index: 0, reason: { kind: 'forbidden' } }
        const no = equals(['name'], 'Bob')
        assert.deepEqual(await store.write([insert('authors', taken, no)]), forbidden)
        const renamed = row('a2', 'Ada', 'a1')
        const change = replace('authors', renamed, { result: no })
        assert.deepEqual(await store.write([change]), forbidden)
        assert.equal(await store.count('authors', always), 2)
      }))

    it('replace expects the version, keeps identity and creation, and counts the version up', () =>
      usingFilled(async (store) => {
        const values = row('a2', 'Grace H.', null)
        assert.deepEqual(await store.write([replace('authors', values)]), { kind: 'done' })
        const question = { table: 'authors', column: '_identity', value: 'a2', evaluated: [] }
        const stored = ['a2', 2, row('')[2], LATER, 'Grace H.', null]
        assert.deepEqual(await store.find(question), stored)
        const stale = { kind: 'refused', index: 0, reason: { kind: 'stale' } }
        assert.deepEqual(await store.write([replace('authors', values)]), stale)
        assert.deepEqual(await store.write([replace('authors', row('a7', 'No', null))]), stale)
      }))

    it('a guard is asked of the row as it was, a result of the row as it becomes', () =>
      usingFilled(async (store) => {
        const values = row('b2', 'Compilers', 'a1', null, null, null, null, null)
        const was = equals(['author', 'name'], 'Grace')
        const becomes = equals(['author', 'name'], 'Ada')
        const forbidden = { kind: 'refused', index: 0, reason: { kind: 'forbidden' } }
        const attempt = (guard: Condition, result: Condition) =>
          store.write([replace('books', values, { guard, result })])
        assert.deepEqual(await attempt(becomes, becomes), forbidden)
        assert.deepEqual(await attempt(was, was), forbidden)
        assert.deepEqual(await attempt(was, becomes), { kind: 'done' })
      }))

    it('of racing writes with one version exactly one succeeds', () =>
      usingFilled(async (store) => {
        const names = Array.from({ length: 50 }, (_, n) => `Name ${n}`)
        const racing = names.map((to) => store.write([replace('authors', row('a2', to, null))]))
        const kinds = (await Promise.all(racing)).map(({ kind }) => kind)
        assert.equal(kinds.filter((kind) => kind === 'done').length, 1)
        const changes = await store.readChanges(0, 100)
        assert.equal(changes.filter(({ kind }) => kind === 'updated').length, 1)
      }))

    it('all text comes back as it was, astral characters and quotes among it', () =>
      using(async (store) => {
        const name = `'"%_\\ ; -- 𝔘𝕟 \u{1F600} é e\u0301 \u{10FFFF} \t\r\n`
        await store.write([insert('authors', row('a1', name, null))])
        const found = await store.find({
          table: 'authors',
          column: 'name',
          value: name,
          evaluated: [],
        })
        assert.equal(found?.[4], name)
      }))

    it('decimals of 18 digits are exact, with either sign', () =>
      using(async (store) => {
        const large = [999999999999999999n, -999999999999999999n]
        const books = large.map((price, n) =>
          insert('books', row(`b${n}`, 'T', null, null, null, price, null, null)),
        )
        await store.write(books)
        const order = [{ column: 'price', descending: false }, ...byIdentity]
        const rest = { condition: always, after: undefined, limit: 9, evaluated: [] }
        const rows = await store.list({ table: 'books', order, ...rest })
        assert.deepEqual(
          rows.map((one) => one[8]),
          ['-999999999999999999', '999999999999999999'],
        )
      }))
  })
}
