/** What the Store promises of sets of references: members, conditions on them, deletions. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Stored } from '../../src/definition/model.ts'
import { always, type Condition, equals, not, onReferenced } from '../../src/store/condition.ts'
import type { Store } from '../../src/store/store.ts'
import type { DeleteWrite, UpdateWrite } from '../../src/store/write.ts'
import { insert, type OpenStore } from './library.ts'
import { LATER, ref, refs, row, schema, table, text } from './tables.ts'

const tracker = schema(
  table('labels', [text('name')], { indexes: [['name']] }),
  table('places', [text('code', { required: true, unique: true })], { idColumn: 'code' }),
  table('tasks', [
    refs('labels', 'labels'),
    refs('blockers', 'tasks', 'restrict'),
    refs('places', 'places'),
    ref('within', 'labels', 'cascade'),
  ]),
)

const set = (...identities: string[]) => JSON.stringify(identities)
const label = (identity: string, name: string) => insert('labels', row(identity, name))
const taskRow = (identity: string, labels: string, blockers = '[]', places = '[]', within: Stored = null) =>
  row(identity, labels, blockers, places, within)
const task = (...given: Parameters<typeof taskRow>) => insert('tasks', taskRow(...given))
const done = { kind: 'done' }
const refused = (reason: object) => ({ kind: 'refused', index: 0, reason })

function replace(
  version: number,
  values: readonly Stored[],
  previous: readonly Stored[] = values,
): UpdateWrite {
  const identity = String(values[0])
  return {
    kind: 'update',
    table: 'tasks',
    identity,
    version,
    values,
    previous,
    conditionBefore: always,
    conditionAfter: always,
  }
}

function remove(name: string, identity: string): DeleteWrite {
  return { kind: 'delete', table: name, identity, version: 1, conditionBefore: always, at: LATER }
}

async function identitiesWhere(store: Store, condition: Condition): Promise<readonly unknown[]> {
  const order = [{ column: '_identity', descending: false }]
  const query = { table: 'tasks', condition, order, after: undefined, limit: 100, evaluated: [] }
  return (await store.list(query)).map(([identity]) => identity)
}

const labelled = (name: string) => onReferenced('labels', equals(['name'], name))
const has = (identity: string) => onReferenced('labels', equals(['_identity'], identity))
const empty: Condition = { kind: 'compare', path: ['labels'], operator: 'missing', values: [] }

async function find(store: Store, identity: string, evaluated: readonly Condition[] = []) {
  return store.find({ table: 'tasks', column: '_identity', value: identity, evaluated })
}

export function membersContract(name: string, open: OpenStore): void {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open(tracker)
    try {
      assert.deepEqual(await store.write([label('l1', 'bug'), label('l2', 'idea'), label('l3', 'bug')]), done)
      await work(store)
    } finally {
      await store.close()
    }
  }

  describe(`${name}: sets of references`, () => {
    it('lists find rows by a member, by a value of a member, and by an empty set', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1', 'l2')), task('t2', set('l2')), task('t3', '[]')])
        assert.deepEqual(await identitiesWhere(store, has('l2')), ['t1', 't2'])
        assert.deepEqual(await identitiesWhere(store, labelled('bug')), ['t1'])
        assert.deepEqual(await identitiesWhere(store, not(labelled('bug'))), ['t2', 't3'])
        assert.deepEqual(await identitiesWhere(store, empty), ['t3'])
        assert.equal(await store.count('tasks', not(empty)), 2)
        const contains = { kind: 'compare', path: ['name'], operator: 'contains', values: ['DE'] } as const
        assert.deepEqual(await identitiesWhere(store, onReferenced('labels', contains)), ['t1', 't2'])
      }))

    it('a row and a row that is not stored are judged alike', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1'))])
        const found = await find(store, 't1', [labelled('bug'), labelled('idea')])
        assert.deepEqual(found?.slice(-2), [1, 0])
        assert.equal(await store.satisfies('tasks', taskRow('t9', set('l2')), labelled('idea')), true)
        assert.equal(await store.satisfies('tasks', taskRow('t9', set('l2')), labelled('bug')), false)
      }))

    it('a replacement changes the members, and only to rows that exist', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1', 'l2'))])
        assert.deepEqual(await store.write([replace(1, taskRow('t1', set('l2', 'l3')))]), done)
        assert.deepEqual(await identitiesWhere(store, has('l1')), [])
        assert.deepEqual(await identitiesWhere(store, has('l3')), ['t1'])
        const dangling = refused({ kind: 'missing-reference', columns: ['labels'] })
        assert.deepEqual(await store.write([replace(2, taskRow('t1', set('l2', 'no')))]), dangling)
        assert.deepEqual(await store.write([task('t2', set('no'))]), dangling)
        assert.equal((await find(store, 't1'))?.[4], set('l2', 'l3'))
        assert.deepEqual(await identitiesWhere(store, has('l3')), ['t1'])
        assert.deepEqual(await store.write([replace(1, taskRow('t1', '[]'))]), refused({ kind: 'stale' }))
        assert.deepEqual(await identitiesWhere(store, has('l2')), ['t1'])
      }))

    it('a deleted row leaves the sets, whose rows get another version, time and log entry', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1', 'l2')), task('t2', set('l2'))])
        const before = (await store.readChanges(0, 99)).at(-1)?.position ?? 0
        assert.deepEqual(await store.write([remove('labels', 'l1')]), done)
        const [, version, , updatedAt, labels] = (await find(store, 't1')) ?? assert.fail('no row')
        assert.deepEqual([version, updatedAt, labels], [2, LATER, set('l2')])
        assert.equal((await find(store, 't2'))?.[1], 1)
        const changes = (await store.readChanges(before, 9)).map(({ kind, id, version: of }) => [
          kind,
          id,
          of,
        ])
        assert.deepEqual(changes, [
          ['updated', 't1', 2],
          ['deleted', 'l1', 1],
        ])
        assert.deepEqual(await identitiesWhere(store, has('l1')), [])
      }))

    it('the change log has the sets before and after each change', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1', 'l2'))])
        const before = (await store.readChanges(0, 99)).at(-2)?.position ?? 0
        const [first, second] = [taskRow('t1', set('l1', 'l2')), taskRow('t1', set('l2', 'l3')).with(1, 2)]
        await store.write([replace(1, second, first)])
        await store.write([remove('labels', 'l3')])
        await store.write([{ ...remove('tasks', 't1'), version: 3 }])
        const changes = (await store.readChanges(before, 9)).filter(({ table: of }) => of === 'tasks')
        assert.deepEqual(
          changes.map(({ kind, before: was, after: is }) => [kind, was?.[4], is?.[4]]),
          [
            ['created', undefined, set('l1', 'l2')],
            ['updated', set('l1', 'l2'), set('l2', 'l3')],
            ['updated', set('l2', 'l3'), set('l2')],
            ['deleted', set('l2'), undefined],
          ],
        )
      }))

    it('the revision increases when a set loses a member', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1'))])
        const before = await store.revision('tasks')
        await store.write([remove('labels', 'l2')])
        assert.equal(await store.revision('tasks'), before)
        await store.write([remove('labels', 'l1')])
        if (before !== undefined) assert.notEqual(await store.revision('tasks'), before)
      }))

    it('a restricting set refuses the deletion of its members, and names the row', () =>
      using(async (store) => {
        await store.write([task('t1', '[]')])
        await store.write([task('t2', '[]', set('t1'))])
        const by = [{ table: 'tasks', column: 'blockers', identity: 't2' }]
        assert.deepEqual(await store.write([remove('tasks', 't1')]), refused({ kind: 'referenced', by }))
        assert.deepEqual(await store.write([remove('tasks', 't2')]), done)
        assert.deepEqual(await store.write([remove('tasks', 't1')]), done)
      }))

    it('a row that has itself in its set, or goes along with a member, can be deleted', () =>
      using(async (store) => {
        await store.write([task('t1', set('l1'), '[]', '[]', 'l1')])
        assert.deepEqual(
          await store.write([replace(1, taskRow('t1', set('l1'), set('t1'), '[]', 'l1'))]),
          done,
        )
        assert.deepEqual(await store.write([remove('labels', 'l1')]), done)
        assert.equal(await store.count('tasks', always), 0)
      }))

    it('a set of references to rows with keys is read as their keys, in order', () =>
      using(async (store) => {
        const place = (identity: string, code: string) => insert('places', row(identity, code))
        await store.write([place('p1', 'b'), place('p2', 'a"é'), place('p3', 'c')])
        await store.write([task('t1', '[]', '[]', set('p1', 'p2')), task('t2', '[]')])
        assert.deepEqual((await find(store, 't1'))?.slice(6), [set('p1', 'p2'), null, '["a\\"é","b"]'])
        assert.equal((await find(store, 't2'))?.at(-1), '[]')
        const preview = await store.previewRow('tasks', taskRow('t3', '[]', '[]', set('p1', 'p3')), [])
        assert.equal(preview.at(-1), '["b","c"]')
      }))
  })
}
