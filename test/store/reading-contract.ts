/** What the Store interface promises on reading: rows, lists, counts, conditions. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { all, always, any, type Condition, equals, never, not } from '../../src/store/condition.ts'
import { byIdentity, insert, letters, type OpenStore, storeUsers } from './library.ts'
import { row } from './tables.ts'

export function readingContract(name: string, open: OpenStore): void {
  const { using, usingFilled, usingSchema } = storeUsers(open)

  describe(`${name}: reading`, () => {
    it('a closed store refuses to read as unreachable', () =>
      usingSchema(letters, async (store) => {
        const question = {
          table: 'letters',
          condition: always,
          order: byIdentity,
          after: undefined,
          limit: 1,
          evaluated: [],
        }
        assert.deepEqual(await store.list(question), [])
        await store.close()
        const reads = [
          () => store.list(question),
          () => store.list({ ...question, scan: true }),
          () => store.count('letters', always),
          () => store.readChanges(0, 1),
        ]
        for (const read of reads) {
          await assert.rejects(async () => read(), { name: 'StoreUnavailable', reason: 'unreachable' })
        }
      }))

    it('a list ends with the row that makes its octets too many, though not before the second', () =>
      usingSchema(letters, async (store) => {
        const long = 'é'.repeat(50_000)
        const rows = Array.from({ length: 30 }, (_, at) => insert('letters', row(`a${at + 10}`, long, null)))
        assert.deepEqual(await store.write(rows), { kind: 'done' })
        const question = {
          table: 'letters',
          condition: always,
          order: byIdentity,
          after: undefined,
          limit: 1000,
          evaluated: [],
        }
        const whole = await store.list(question)
        assert.equal(whole.length, 30)
        for (const [octets, least, most] of [
          [0, 2, 2],
          [1, 2, 2],
          // Stores may count characters or octets, of which each row has 50,000 or 100,000.
          [1_000_000, 10, 20],
          [10_000_000, 30, 30],
        ] as const) {
          const found = await store.list({ ...question, octets })
          assert.ok(found.length >= least && found.length <= most, `${octets}: ${found.length}`)
          assert.deepEqual(found, whole.slice(0, found.length))
          const asked = await store.list({ ...question, octets, evaluated: [never, always] })
          assert.deepEqual(asked[0], [...(whole[0] ?? []), 0, 1])
          const selected = await store.list({ ...question, octets, columns: ['_identity'] })
          assert.deepEqual(selected[1], ['a11'])
        }
        const after = { ...question, octets: 1, after: ['a20'] }
        assert.deepEqual(
          (await store.list(after)).map(([identity]) => identity),
          ['a21', 'a22'],
        )
        const mixed = {
          ...after,
          order: [{ column: 'answers', descending: true }, ...byIdentity],
          after: [null, 'a38'],
        }
        assert.deepEqual(
          (await store.list(mixed)).map(([identity]) => identity),
          ['a39'],
        )
      }))

    it('find gives the columns in order, then keys of references, then answers', () =>
      usingFilled(async (store) => {
        const asks = [equals(['author', 'name'], 'Ada'), never, always]
        const found = await store.find({
          table: 'books',
          column: '_identity',
          value: 'b1',
          evaluated: asks,
        })
        const stored = row('b1', 'Notes', 'a1', 's1', 100, '12345678901234567', 0.1, '["x","y"]')
        assert.deepEqual(found, [...stored, 'QA76', 1, 0, 1])
        const plain = { table: 'books', column: '_identity', value: 'b2', evaluated: [] }
        const absent = [null, null, null, null, null]
        assert.deepEqual(await store.find(plain), [...row('b2', 'Compilers', 'a2', ...absent), null])
      }))

    it('find answers undefined where no row has the value', () =>
      usingFilled(async (store) => {
        const evaluated: Condition[] = []
        const byName = { table: 'authors', column: 'name', evaluated }
        assert.equal((await store.find({ ...byName, value: 'Grace' }))?.[0], 'a2')
        assert.equal(await store.find({ ...byName, value: 'grace' }), undefined)
        assert.equal(await store.find({ ...byName, value: "' or 1=1 --" }), undefined)
      }))

    it('what is looked for at one time is found as it is alone', () =>
      using(async (store) => {
        const names = ['Ada', 'ada', 'NULL', '', '"', '\\', '{}', 'a,b', ' ', '\n', "it's", '\u{1f600}']
        const writes = names.map((name, n) => insert('authors', row(`a${n}`, name, null)))
        assert.deepEqual(await store.write(writes), { kind: 'done' })
        const byName = (value: string) => ({
          table: 'authors',
          column: 'name',
          value,
          evaluated: [],
        })
        const byIdentity = (value: string) => ({ ...byName(value), column: '_identity' })
        const questions = [
          ...['nobody', ...names, 'Ada\0', 'Ada', 'null', '{Ada}'].map(byName),
          ...['a1', 'a2', 'a1', 'a99'].map(byIdentity),
          { ...byIdentity('a1'), evaluated: [equals(['name'], 'ada')] },
          { ...byIdentity('a2'), evaluated: [equals(['name'], 'Ada')] },
        ]
        const together = await Promise.all(questions.map((question) => store.find(question)))
        for (const [at, question] of questions.entries()) {
          assert.deepEqual(together[at], await store.find(question), JSON.stringify(question))
        }
        assert.deepEqual(
          together.slice(0, 13).map((found) => found?.[4]),
          [undefined, ...names],
        )
      }))

    it('a name that is not in the schema is a bug, and reaches no database', () =>
      usingFilled(async (store) => {
        const find = (name: string, column: string) => async () =>
          store.find({ table: name, column, value: 'x', evaluated: [] })
        await assert.rejects(find('nothing', '_identity'), /no table 'nothing'/)
        await assert.rejects(find('__proto__', '_identity'), /no table '__proto__'/)
        await assert.rejects(find('books', 'title" or 1=1 --'), /no column/)
        const order = [{ column: 'rowid', descending: false }]
        const rest = { condition: always, after: undefined, limit: 1, evaluated: [] }
        await assert.rejects(async () => store.list({ table: 'books', order, ...rest }), /rowid/)
        const path = equals(['title', 'name'], 'x')
        await assert.rejects(async () => store.count('books', path), /no reference/)
        await assert.rejects(async () => store.revision('nothing'), /no table/)
      }))

    it('list gives what the condition is true for, in order, up to the limit', () =>
      usingFilled(async (store) => {
        const page = async (limit: number, condition: Condition) => {
          const order = byIdentity
          const question = {
            table: 'books',
            condition,
            order,
            after: undefined,
            limit,
            evaluated: [],
          }
          return (await store.list(question)).map(([identity]) => identity)
        }
        assert.deepEqual(await page(10, always), ['b1', 'b2'])
        assert.deepEqual(await page(1, always), ['b1'])
        assert.deepEqual(await page(10, not(equals(['pages'], 100))), ['b2'])
        assert.deepEqual(await page(10, never), [])
      }))

    it('list gives only the columns asked for, then answers', () =>
      usingFilled(async (store) => {
        const order = [{ column: 'pages', descending: true }, ...byIdentity]
        const question = { table: 'books', condition: always, order, limit: 5, evaluated: [] }
        const columns = ['title', '_identity']
        assert.deepEqual(await store.list({ ...question, after: undefined, columns }), [
          ['Notes', 'b1'],
          ['Compilers', 'b2'],
        ])
        const further = { ...question, after: [100, 'b1'], evaluated: [never], columns: ['pages'] }
        assert.deepEqual(await store.list(further), [[null, 0]])
        const whole = await store.list({ ...question, after: undefined })
        assert.deepEqual(
          whole.map((row) => row.length),
          [12, 12],
        )
      }))

    it('count counts what the condition is true for', () =>
      usingFilled(async (store) => {
        assert.equal(await store.count('books', always), 2)
        assert.equal(await store.count('books', equals(['pages'], 100)), 1)
        assert.equal(await store.count('books', never), 0)
      }))

    it('count ends at the number given', () =>
      usingFilled(async (store) => {
        assert.equal(await store.count('books', always, { atMost: 1 }), 1)
        assert.equal(await store.count('books', always, { atMost: 2 }), 2)
        assert.equal(await store.count('books', always, { atMost: 3 }), 2)
      }))

    it('aggregate groups rows and computes exact sums; keys follow the groups', () =>
      usingFilled(async (store) => {
        const sum = { kind: 'sum', column: 'pages' } as const
        const number = { kind: 'count', column: 'pages' } as const
        const question = {
          table: 'books',
          condition: always,
          aggregates: [sum, number],
          limit: 10,
          octets: 1000,
        }
        assert.deepEqual(await store.aggregate({ ...question, groups: [] }), [['100', 1]])
        const byShelf = { ...question, groups: [{ column: 'shelf', part: undefined }] }
        const rows = (await store.aggregate(byShelf)).map(([, ...rest]) => rest)
        assert.deepEqual(
          rows.toSorted((one) => (one[0] === null ? -1 : 1)),
          [
            [null, null, 0],
            ['QA76', '100', 1],
          ],
        )
        assert.equal((await store.aggregate({ ...byShelf, limit: 1 })).length, 1)
        const none = await store.aggregate({ ...question, condition: never, groups: [] })
        assert.deepEqual(none, [[null, 0]])
      }))

    it('wouldHold judges values that are not stored, references followed', () =>
      usingFilled(async (store) => {
        const book = row('new', 'T', 'a2', null, 5, 250n, 1.5, '["z"]')
        const holds = (condition: Condition) => store.satisfies('books', book, condition)
        assert.equal(await holds(equals(['author', 'mentor', 'name'], 'Ada')), true)
        assert.equal(await holds(equals(['author', 'name'], 'Ada')), false)
        assert.equal(await holds(equals(['price'], 250n)), true)
        assert.equal(await holds(equals(['price'], '250')), true)
        assert.equal(await holds(all([equals(['pages'], 5), not(equals(['shelf'], 's1'))])), true)
        assert.equal(await holds(any([never, equals(['weight'], 1.5)])), true)
      }))
  })
}
