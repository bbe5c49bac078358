/** What the Store promises of reads that see unsaved rows, of repeated reads, and of turns. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { always, equals } from '../../src/store/condition.ts'
import { foundIn } from '../../src/store/sql/repeat-reads.ts'
import type { RowQuery, Store } from '../../src/store/store.ts'
import type { RepeatedRead, RepeatRead } from '../../src/store/write.ts'
import { insert, type OpenStore } from './library.ts'
import { decimal, integer, real, ref, row, schema, table, text } from './tables.ts'

const tracker = schema(
  table('projects', [text('name', { required: true })]),
  table('tasks', [text('title'), ref('project', 'projects', 'cascade')]),
)

const order = [{ column: '_identity', descending: false }]
const query = (condition = always, more: Partial<RowQuery> = {}): RowQuery => ({
  table: 'tasks',
  condition,
  order,
  after: undefined,
  limit: 9,
  evaluated: [],
  ...more,
})

export function repeatContract(name: string, open: OpenStore): void {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open(tracker)
    try {
      await store.write([insert('projects', row('p1', 'One'))])
      await store.write([insert('tasks', row('t1', 'a', 'p1')), insert('tasks', row('t2', 'b', 'p1'))])
      await work(store)
    } finally {
      await store.close()
    }
  }
  const repeat = async (store: Store, read: RepeatedRead): Promise<RepeatRead> => {
    if (read.kind === 'count') {
      return { kind: 'repeat', read, found: String(await store.count(read.table, read.condition)) }
    }
    if (read.kind === 'list')
      return { kind: 'repeat', read, found: foundIn(read, await store.list(read.query)) }
    if (read.kind === 'aggregate')
      return { kind: 'repeat', read, found: foundIn(read, await store.aggregate(read.query)) }
    const found = await store.find(read.query)
    return { kind: 'repeat', read, found: foundIn(read, found ? [found] : []) }
  }
  const find = (value: string): RepeatedRead => ({
    kind: 'find',
    query: { table: 'tasks', column: '_identity', value, evaluated: [] },
  })

  describe(`${name}: unsaved rows`, () => {
    const unsaved = new Map([
      [
        'tasks',
        new Map([
          ['t1', undefined],
          ['t2', row('t2', 'changed', 'p2')],
          ['t3', row('t3', 'new', 'p2')],
        ]),
      ],
      ['projects', new Map([['p2', row('p2', 'Two')]])],
    ])

    it('are seen by lists, lookups and counts, in place of the stored ones', () =>
      using(async (store) => {
        const rows = await store.list(query(always, { unsaved }))
        assert.deepEqual(
          rows.map((one) => [one[0], one[4]]),
          [
            ['t2', 'changed'],
            ['t3', 'new'],
          ],
        )
        const lookup = { table: 'tasks', column: '_identity', evaluated: [] }
        assert.equal(await store.find({ ...lookup, value: 't1', unsaved }), undefined)
        assert.equal((await store.find({ ...lookup, value: 't3', unsaved }))?.[4], 'new')
        assert.equal(await store.count('tasks', equals(['project', 'name'], 'Two'), { unsaved }), 2)
        assert.equal(await store.count('tasks', always), 2)
      }))

    it('have the values of stored rows, in the same order, in columns of each type', async () => {
      const figures = schema(table('figures', [text('a'), integer('b'), real('c'), decimal('d')]))
      const rows = [
        row('f1', 'é"\\\u2028', 9_007_199_254_740_991, 0.1, '900719925474099100'),
        row('f2', '', -1, 5, '-5'),
        row('f3', '10', 0, 1e300, '10'),
        row('f4', null, null, null, null),
      ]
      const [stored, unsaved] = [await open(figures), await open(figures)]
      try {
        await stored.write(rows.map((values) => insert('figures', values)))
        const seen = new Map([['figures', new Map(rows.map((values) => [String(values[0]), values]))]])
        for (const column of ['_identity', 'a', 'b', 'c', 'd']) {
          const more = { table: 'figures', order: [{ column, descending: true }] }
          const expected = await stored.list(query(always, more))
          assert.equal(expected.length, 4)
          assert.deepEqual(await unsaved.list(query(always, { ...more, unsaved: seen })), expected, column)
        }
        for (const [column, value] of [
          ['a', '10'],
          ['b', -1],
          ['c', 0.1],
          ['d', '10'],
        ] as const) {
          assert.equal(await unsaved.count('figures', equals([column], value), { unsaved: seen }), 1, column)
        }
      } finally {
        await stored.close()
        await unsaved.close()
      }
    })

    it('may have more values than a statement may have parameters', () =>
      using(async (store) => {
        const rows = Array.from({ length: 12_000 }, (_, at) => row(`new${at}`, 'many', 'p1'))
        const many = new Map([['tasks', new Map(rows.map((values) => [String(values[0]), values]))]])
        assert.equal(await store.count('tasks', always, { unsaved: many }), 12_002)
      }))

    it('are seen by aggregates, by conditions on a row and by its preview', () =>
      using(async (store) => {
        const group = { groups: [], aggregates: [{ kind: 'count', column: undefined }] } as const
        const more = { table: 'tasks', condition: always, limit: 9, octets: 1000, ...group, unsaved }
        const [counted] = await store.aggregate({
          ...more,
          referringTo: { reference: 'project', to: ['p2'] },
        })
        assert.deepEqual(counted?.map(String), ['p2', '2'])
        const named = equals(['project', 'name'], 'Two')
        const other = row('t9', 'x', 'p2')
        assert.equal(await store.satisfies('tasks', other, named, unsaved), true)
        assert.equal(await store.satisfies('tasks', other, named), false)
        assert.equal((await store.previewRow('tasks', other, [named], unsaved)).at(-1), 1)
      }))
  })

  describe(`${name}: repeated reads`, () => {
    const stale = { kind: 'refused', index: 0, reason: { kind: 'stale' } }
    const title = equals(['title'], 'a')
    const reads: readonly (readonly [string, RepeatedRead])[] = [
      ['a list', { kind: 'list', query: query(equals(['project', 'name'], 'One')) }],
      ['a count', { kind: 'count', table: 'tasks', condition: title }],
      ['a row that exists', find('t1')],
      [
        'an aggregate',
        {
          kind: 'aggregate',
          query: {
            table: 'tasks',
            condition: always,
            referringTo: { reference: 'project', to: ['p1'] },
            groups: [],
            aggregates: [{ kind: 'count', column: undefined }],
            limit: 1,
            octets: 1000,
          },
        },
      ],
    ]
    for (const [what, read] of reads) {
      it(`${what}: accepted while nothing has changed, stale afterwards`, () =>
        using(async (store) => {
          const again = await repeat(store, read)
          assert.deepEqual(await store.write([again]), { kind: 'done' })
          const remove = {
            kind: 'delete',
            table: 'tasks',
            identity: 't1',
            version: 1,
            conditionBefore: always,
          } as const
          await store.write([{ ...remove, at: '2026-01-01T00:00:00.000Z' }])
          assert.deepEqual(await store.write([again, insert('tasks', row('t9', 'x', 'p1'))]), stale)
          assert.equal(await store.count('tasks', always), 1)
        }))
    }

    it('a row that is absent: stale once it exists', () =>
      using(async (store) => {
        const again = await repeat(store, find('t9'))
        assert.deepEqual(await store.write([again]), { kind: 'done' })
        await store.write([insert('tasks', row('t9', 'x', 'p1'))])
        assert.deepEqual(await store.write([again]), stale)
      }))

    it('a read after own writes sees them', () =>
      using(async (store) => {
        const own = row('t3', 'new', 'p1')
        const unsaved = new Map([['tasks', new Map([['t3', own]])]])
        const found = foundIn({ kind: 'list', query: query() }, await store.list(query(always, { unsaved })))
        const again: RepeatRead = { kind: 'repeat', read: { kind: 'list', query: query() }, found }
        assert.deepEqual(await store.write([insert('tasks', own), again]), { kind: 'done' })
      }))

    it('of concurrent writers that depend on the same list, one succeeds', () =>
      using(async (store) => {
        const again = await repeat(store, { kind: 'list', query: query() })
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, at) =>
            store.write([again, insert('tasks', row(`n${at}`, 'n', 'p1'))]),
          ),
        )
        assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1)
        assert.equal(await store.count('tasks', always), 3)
      }))

    it('has the states of all tables that it depends on, where they are cheap', () =>
      using(async (store) => {
        const read: RepeatedRead = { kind: 'list', query: query(equals(['project', 'name'], 'One')) }
        const tableStates = await store.tableStatesOf(read)
        const isCounted = (await store.revision('tasks')) !== undefined
        assert.deepEqual(
          tableStates?.map(({ table }) => table).toSorted(),
          isCounted ? ['projects', 'tasks'] : undefined,
        )
      }))

    it('is skipped while the states of its tables are unchanged, and repeated afterwards', () =>
      using(async (store) => {
        const tableStates = [{ table: 'tasks', state: await store.tableState('tasks') }]
        const wrong: RepeatRead = { kind: 'repeat', read: find('t1'), found: 'nothing', tableStates }
        if ((await store.revision('tasks')) === undefined) return
        assert.deepEqual(await store.write([wrong]), { kind: 'done' })
        await store.write([insert('tasks', row('t8', 'x', 'p1'))])
        assert.deepEqual(await store.write([wrong]), stale)
      }))
  })

  describe(`${name}: turns`, () => {
    it('work under one name runs one after the other; another name does not wait', () =>
      using(async (store) => {
        let running = 0
        let most = 0
        const work = async () => {
          running += 1
          most = Math.max(most, running)
          await store.count('tasks', always)
          running -= 1
          return 'done'
        }
        const turns = Array.from({ length: 5 }, () => store.withNamedLock('tasks', 5000, work))
        assert.deepEqual(await Promise.all(turns), Array(5).fill('done'))
        assert.equal(most, 1)
        const other = await store.withNamedLock('tasks', 5000, () =>
          store.withNamedLock('projects', 5000, work),
        )
        assert.equal(other, 'done')
      }))

    it('ends with failed work', () =>
      using(async (store) => {
        await assert.rejects(
          store.withNamedLock('tasks', 5000, () => Promise.reject(new Error('planted'))),
          /planted/,
        )
        assert.equal(await store.withNamedLock('tasks', 5000, async () => 'next'), 'next')
      }))
  })
}
