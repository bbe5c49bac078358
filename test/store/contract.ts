/**
 * What the Store interface promises, as claims. Every driver is held against all of it:
 * `storeContract('SQLite', open)`.
 */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Stored } from '../../src/definition/model.ts'
import { all, always, any, type Condition, equals, never, not } from '../../src/store/condition.ts'
import type { RowText } from '../../src/store/row.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { noText } from '../../src/store/sql/row-text-sql.ts'
import type { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'
import { keepingContract } from './keeping-contract.ts'
import { logContract } from './log-contract.ts'
import { membersContract } from './members-contract.ts'
import { removalContract } from './removal-contract.ts'
import { repeatContract } from './repeat-contract.ts'
import { decimal, integer, LATER, real, ref, row, schema, table, text } from './tables.ts'

export type OpenStore = (schema: Schema) => Promise<Store>

const library = schema(
  table('authors', [text('name', { required: true, unique: true }), ref('mentor', 'authors')]),
  table('shelves', [text('code', { required: true, unique: true })], { idColumn: 'code' }),
  table('places', [ref('shelf', 'shelves'), integer('number')], {
    uniqueSets: [['shelf', 'number']],
  }),
  table('books', [
    text('title', { required: true }),
    ref('author', 'authors'),
    ref('shelf', 'shelves'),
    integer('pages'),
    decimal('price'),
    real('weight'),
    text('tags'),
  ]),
)

/** With texts that nothing bounds. */
const letters = schema(
  table('letters', [text('body', { limits: { kind: 'json', schema: {} } }), ref('answers', 'letters')]),
)

const byIdentity = [{ column: '_identity', descending: false }]

export function insert(name: string, values: readonly Stored[], result = always): Write {
  return { kind: 'insert', table: name, values, conditionAfter: result }
}

interface ReplaceOptions {
  readonly version?: number
  readonly guard?: Condition
  readonly result?: Condition
  readonly previous?: readonly Stored[]
  readonly action?: string
}

function replace(name: string, values: readonly Stored[], options: ReplaceOptions = {}): Write {
  const { version = 1, guard = always, result = always, previous = values, action } = options
  const stamped = values.with(1, version + 1).with(3, LATER)
  const identity = String(values[0])
  const change = { table: name, identity, version, values: stamped, previous, action }
  return { kind: 'update', ...change, conditionBefore: guard, conditionAfter: result }
}

function filled(): Write[] {
  return [
    insert('authors', row('a1', 'Ada', null)),
    insert('authors', row('a2', 'Grace', 'a1')),
    insert('shelves', row('s1', 'QA76')),
    insert('books', row('b1', 'Notes', 'a1', 's1', 100, 12345678901234567n, 0.1, '["x","y"]')),
    insert('books', row('b2', 'Compilers', 'a2', null, null, null, null, null)),
  ]
}

export function storeContract(name: string, open: OpenStore): void {
  const using = (work: (store: Store) => Promise<void>) => usingSchema(library, work)
  const usingSchema = async (tables: Schema, work: (store: Store) => Promise<void>) => {
    const store = await open(tables)
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const usingFilled = (work: (store: Store) => Promise<void>) =>
    using(async (store) => {
      assert.deepEqual(await store.write(filled()), { kind: 'done' })
      await work(store)
    })

  describe(`${name}: reading`, () => {
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
          const written = await store.list({ ...question, octets, text: noText })
          assert.deepEqual(written[1], ['', 'a11'])
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

    it('list gives rows as text, then the values of their order, then answers', () =>
      usingFilled(async (store) => {
        const text: RowText = {
          members: [
            { before: '{"id":', rowIndex: 0, encoding: 'quoted' },
            { before: ',"title":', rowIndex: 4, encoding: 'escaped' },
            { before: ',"shelf":', rowIndex: 11, encoding: 'escaped' },
            { before: ',"pages":', rowIndex: 7, encoding: 'plain' },
            { before: ',"few":', rowIndex: 7, encoding: 'boolean' },
          ],
          end: '}',
        }
        const order = [{ column: 'pages', descending: true }, ...byIdentity]
        const question = { table: 'books', condition: always, order, limit: 5, evaluated: [] }
        const rows = await store.list({ ...question, after: undefined, text })
        const first = '{"id":"b1","title":"Notes","shelf":"QA76","pages":100,"few":false}'
        assert.deepEqual(rows, [
          [first, 100, 'b1'],
          ['{"id":"b2","title":"Compilers"}', null, 'b2'],
        ])
        const [, ...rest] = await store.list({ ...question, after: undefined, text: noText })
        assert.deepEqual(rest, [['', null, 'b2']])
        const further = { ...question, after: [100, 'b1'], evaluated: [never], text: noText }
        assert.deepEqual(await store.list(further), [['', null, 'b2', 0]])
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

  describe(`${name}: log, revision, secret`, () => {
    it('each change has its entry, in order, with what its URI ended in', () =>
      usingFilled(async (store) => {
        await store.write([replace('shelves', row('s1', 'QA77'))])
        const changes = await store.readChanges(0, 100)
        assert.deepEqual(
          changes.map(({ kind, id, version }) => [kind, id, version]),
          [
            ['created', 'a1', 1],
            ['created', 'a2', 1],
            ['created', 'QA76', 1],
            ['created', 'b1', 1],
            ['created', 'b2', 1],
            ['updated', 'QA77', 2],
          ],
        )
        const last = changes.at(-1)
        assert.deepEqual([last?.table, last?.identity, last?.at], ['shelves', 's1', LATER])
        const positions = changes.map(({ position }) => position)
        assert.deepEqual(
          positions,
          positions.toSorted((a, b) => a - b),
        )
        const [third, fourth] = await store.readChanges(positions[1] ?? 0, 2)
        assert.deepEqual([third?.id, fourth?.id], ['QA76', 'b1'])
        assert.deepEqual(await store.readChanges(positions.at(-1) ?? 0, 100), [])
      }))

    it('a revision, where there is one, grows with each change of its table and nothing else', () =>
      usingFilled(async (store) => {
        const revisions = async () => [await store.revision('authors'), await store.revision('books')]
        const [authors, books] = await revisions()
        if (authors === undefined) return
        await store.write([replace('authors', row('a2', 'G', null))])
        const [authorsAfter = 0, booksAfter = 0] = await revisions()
        assert.ok(authorsAfter > authors)
        assert.equal(booksAfter, books)
        await store.write([replace('authors', row('a2', 'G', null))])
        assert.deepEqual(await revisions(), [authorsAfter, booksAfter])
      }))

    it('a first version is above every version a row has had', () =>
      using(async (store) => {
        const values = row('a1', 'Ada', null)
        await store.write([insert('authors', values)])
        for (let version = 1; version < 5; version += 1) {
          await store.write([replace('authors', values, { version })])
        }
        const [one, two] = [await store.firstVersion('authors'), await store.firstVersion('authors')]
        assert.ok(one > 5 && two > 5)
      }))

    it('what is done alone is done by one at a time', () =>
      using(async (store) => {
        let inside = 0
        const work = async () => {
          inside += 1
          await store.count('authors', always)
          assert.equal(inside, 1)
          inside -= 1
        }
        await store.withExclusiveLock(work)
        await store.withExclusiveLock(work)
      }))

    it('a secret is 32 octets, made once for each name', () =>
      using(async (store) => {
        const [one, two] = await Promise.all([store.loadSecret('cursor'), store.loadSecret('cursor')])
        assert.equal(one.length, 32)
        assert.deepEqual(one, two)
        assert.deepEqual(await store.loadSecret('cursor'), one)
        assert.notDeepEqual(await store.loadSecret('other'), one)
      }))

    it('a read sees everything acknowledged before it', () =>
      using(async (store) => {
        for (let n = 0; n < 50; n += 1) {
          await store.write([insert('authors', row(`a${n}`, `Name ${n}`, null))])
          assert.equal(await store.count('authors', always), n + 1)
        }
      }))

    it('close waits for the writes under way, and a later write is in trouble', async () => {
      const store = await open(library)
      const under = Array.from({ length: 20 }, (_, n) =>
        store.write([insert('authors', row(`a${n}`, `Name ${n}`, null))]),
      )
      await store.check()
      const closed = store.close()
      assert.deepEqual(new Set((await Promise.all(under)).map(({ kind }) => kind)), new Set(['done']))
      await closed
      await store.close()
      const away = { name: 'StoreUnavailable', reason: 'unreachable' }
      await assert.rejects(store.write([insert('authors', row('z', 'Z', null))]), away)
      await assert.rejects(async () => store.check(), away)
    })
  })

  logContract(name, open)
  membersContract(name, open)
  removalContract(name, open)
  repeatContract(name, open)
  keepingContract(name, open)
}
