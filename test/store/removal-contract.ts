/** What the Store promises of removals: versions, guards, holders, cascades, tombstones. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { always, equals } from '../../src/store/condition.ts'
import type { Store } from '../../src/store/store.ts'
import type { DeleteWrite } from '../../src/store/write.ts'
import { insert, type OpenStore } from './library.ts'
import { decimal, LATER, ref, row, schema, table, text } from './tables.ts'

/** People own teams; teams and people hold each other in all the ways there are. */
const company = schema(
  table('people', [ref('boss', 'people', 'cascade'), ref('team', 'teams', 'cascade')]),
  table('teams', [ref('lead', 'people', 'cascade')]),
  table('tasks', [ref('by', 'people', 'restrict'), ref('within', 'teams', 'cascade')]),
  table('notes', [ref('about', 'people', 'clear'), ref('from', 'people', 'clear')]),
  table('cards', [text('code', { required: true }), text('pin', { secret: true }), decimal('due')], {
    idColumn: 'code',
    tombstones: true,
  }),
)

function remove(name: string, identity: string, options: Partial<DeleteWrite> = {}): DeleteWrite {
  return {
    kind: 'delete',
    table: name,
    identity,
    version: 1,
    conditionBefore: always,
    at: LATER,
    ...options,
  }
}

const refused = (reason: object) => ({ kind: 'refused', index: 0, reason })
const done = { kind: 'done' }

export function removalContract(name: string, open: OpenStore): void {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open(company)
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const people = (...rows: [string, string | null, string | null][]) =>
    rows.map(([identity, boss, team]) => insert('people', row(identity, boss, team)))

  describe(`${name}: removing`, () => {
    it('a removal expects the version and the guard', () =>
      using(async (store) => {
        await store.write(people(['p1', null, null]))
        const stale = refused({ kind: 'stale' })
        assert.deepEqual(await store.write([remove('people', 'p1', { version: 2 })]), stale)
        assert.deepEqual(await store.write([remove('people', 'p9')]), stale)
        const guard = equals(['boss'], 'p9')
        const forbidden = refused({ kind: 'forbidden' })
        assert.deepEqual(await store.write([remove('people', 'p1', { conditionBefore: guard })]), forbidden)
        assert.deepEqual(await store.write([remove('people', 'p1')]), done)
        assert.deepEqual(await store.write([remove('people', 'p1')]), stale)
        const [, last] = await store.readChanges(0, 9)
        const { position: _, ...change } = last ?? assert.fail('no entry')
        assert.deepEqual(change, {
          kind: 'deleted',
          action: undefined,
          actor: undefined,
          request: undefined,
          before: row('p1', null, null),
          after: undefined,
          table: 'people',
          identity: 'p1',
          id: 'p1',
          version: 1,
          at: LATER,
        })
      }))

    it('what is held by a restricting reference stays, and the first 100 holders are named', () =>
      using(async (store) => {
        await store.write(people(['p1', null, null]))
        const task = (n: number) => insert('tasks', row(`t${1000 + n}`, 'p1', null))
        await store.write(Array.from({ length: 101 }, (_, n) => task(n)))
        const written = await store.write([remove('people', 'p1')])
        assert.ok(written.kind === 'refused' && written.reason.kind === 'referenced')
        assert.equal(written.reason.by.length, 100)
        assert.deepEqual(written.reason.by[0], { table: 'tasks', column: 'by', identity: 't1000' })
        assert.equal(await store.count('people', always), 1)
      }))

    it('a holder that goes along does not hold', () =>
      using(async (store) => {
        const team = insert('teams', row('x', null))
        const lead = insert('people', row('p1', null, 'x'))
        await store.write([team, lead, insert('tasks', row('t1', 'p1', 'x'))])
        const by = [{ table: 'tasks', column: 'by', identity: 't1' }]
        assert.deepEqual(await store.write([remove('people', 'p1')]), refused({ kind: 'referenced', by }))
        assert.deepEqual(await store.write([remove('teams', 'x')]), done)
        for (const each of ['people', 'teams', 'tasks']) {
          assert.equal(await store.count(each, always), 0, each)
        }
      }))

    it('a cascade follows circles through several tables, each row logged once', () =>
      using(async (store) => {
        await store.write(people(['p1', null, null], ['p2', 'p1', null], ['p3', 'p2', null]))
        await store.write([insert('teams', row('x', 'p3'))])
        const circle = { kind: 'update', table: 'people', identity: 'p1', version: 1 } as const
        const values = row('p1', 'p3', 'x')
        const previous = row('p1', null, null)
        await store.write([{ ...circle, values, previous, conditionBefore: always, conditionAfter: always }])
        const before = (await store.readChanges(0, 99)).at(-1)?.position ?? 0
        assert.deepEqual(await store.write([remove('people', 'p2')]), done)
        const changes = await store.readChanges(before, 99)
        assert.deepEqual(changes.map(({ id }) => id).toSorted(), ['p1', 'p2', 'p3', 'x'])
        assert.ok(changes.every(({ kind, at }) => kind === 'deleted' && at === LATER))
        assert.equal(await store.count('people', always), 0)
        assert.deepEqual(
          await store.write(people(['p4', 'nobody', null])),
          refused({ kind: 'missing-reference', columns: ['boss'] }),
        )
      }))

    it('a cascade takes 1,000 rows along and refuses 1,001', () =>
      using(async (store) => {
        const under = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, n) =>
            insert('people', row(`q${from + n}`, n % 2 ? 'q0' : 'p0', null)),
          )
        await store.write(people(['p0', null, null], ['q0', 'p0', null]))
        await store.write(under(1, 1001))
        const tooMany = refused({ kind: 'too-many', limit: 1000 })
        assert.deepEqual(await store.write([remove('people', 'p0')]), tooMany)
        assert.equal(await store.count('people', always), 1002)
        assert.deepEqual(await store.write([remove('people', 'q1000')]), done)
        assert.deepEqual(await store.write([remove('people', 'p0')]), done)
        assert.equal(await store.count('people', always), 0)
      }))

    it('a removal is stale where a planned table still has a reference to clear', () =>
      using(async (store) => {
        await store.write(people(['p1', null, null], ['p2', 'p1', null], ['p3', null, null]))
        await store.write([insert('notes', row('n1', 'p2', null))])
        const planned = ['notes']
        const stale = refused({ kind: 'stale' })
        assert.deepEqual(await store.write([remove('people', 'p1', { clearedTables: planned })]), stale)
        assert.equal(await store.count('people', always), 3)
        assert.deepEqual(await store.write([remove('people', 'p3', { clearedTables: planned })]), done)
        assert.deepEqual(await store.write([remove('people', 'p1', { clearedTables: ['tasks'] })]), done)
      }))

    it('a clearing reference is emptied, as a change of its row, once however many go', () =>
      using(async (store) => {
        await store.write(people(['p1', null, null], ['p2', 'p1', null], ['p3', null, null]))
        await store.write([
          insert('notes', row('n1', 'p1', 'p2')),
          insert('notes', row('n2', 'p3', 'p2')),
          insert('notes', row('n3', 'p3', null)),
        ])
        const before = (await store.readChanges(0, 99)).at(-1)?.position ?? 0
        const revision = await store.revision('notes')
        const counted = (changes: number) => revision && revision + changes
        assert.deepEqual(await store.write([remove('people', 'p1')]), done)
        const order = [{ column: '_identity', descending: false }]
        const rest = { condition: always, after: undefined, limit: 9, evaluated: [] }
        const notes = await store.list({ table: 'notes', order, ...rest })
        assert.deepEqual(notes, [
          ['n1', 2, row('')[2], LATER, null, null],
          ['n2', 2, row('')[2], LATER, 'p3', null],
          ['n3', 1, row('')[2], row('')[3], 'p3', null],
        ])
        const changes = (await store.readChanges(before, 99)).filter(({ table: at }) => at === 'notes')
        assert.deepEqual(
          changes.map(({ kind, id, version }) => [kind, id, version]),
          [
            ['updated', 'n1', 2],
            ['updated', 'n2', 2],
          ],
        )
        assert.equal(await store.revision('notes'), counted(1))
        await store.write([insert('people', row('p4', null, null))])
        await store.write([remove('people', 'p4')])
        assert.equal(await store.revision('notes'), counted(1))
      }))

    it('a tombstone has the last values but the secret ones; the newest under an id counts', () =>
      using(async (store) => {
        assert.equal(await store.findTombstone('cards', 'K'), undefined)
        for (const identity of ['c1', 'c2']) {
          const due = identity === 'c1' ? 1n : 123456789012345678n
          await store.write([insert('cards', row(identity, 'K', '1234', due))])
          await store.write([remove('cards', identity, { at: `${identity} ${LATER}` })])
        }
        assert.deepEqual(await store.findTombstone('cards', 'K'), {
          identity: 'c2',
          at: `c2 ${LATER}`,
          values: row('c2', 'K', null, '123456789012345678'),
        })
        await store.write([...people(['p1', null, null]), remove('people', 'p1')])
        assert.equal(await store.findTombstone('people', 'p1'), undefined)
      }))
  })
}
