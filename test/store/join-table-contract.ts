/** What a migration promises of sets of references, on every database. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refsKind } from '../../src/definition/kinds/refs.ts'
import { equals, onReferenced } from '../../src/store/condition.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { insert } from './library.ts'
import { type FreshUrl, rowsIn, withStore } from './migration-contract.ts'
import { limitsOf, refs, row, schema, table, text } from './tables.ts'

const labels = table('labels', [text('name')])
const withSet = schema(labels, table('tasks', [text('title'), refs('labels', 'labels')]))

async function fill(url: string): Promise<void> {
  await withStore(url, withSet, async (store) => {
    const rows = [
      insert('labels', row('l1', 'bug')),
      insert('labels', row('l2', 'idea')),
      insert('tasks', row('t1', 'x', '["l1","l2"]')),
      insert('tasks', row('t2', 'y', '[]')),
    ]
    assert.deepEqual(await store.write(rows), { kind: 'done' })
  })
}

async function countLabelled(store: Store, name: string, column: string, identity: string): Promise<number> {
  return store.count(name, onReferenced(column, equals(['_identity'], identity)))
}

export function joinTableContract(name: string, freshUrl: FreshUrl): void {
  describe(`${name}: migrations of sets of references`, () => {
    it('a start adds a set, which is empty', async () => {
      const url = await freshUrl()
      await withStore(url, schema(labels, table('tasks', [text('title')])), async (store) => {
        await store.write([insert('labels', row('l1', 'bug')), insert('tasks', row('t1', 'x'))])
      })
      await withStore(url, withSet, async (store) => {
        assert.equal((await rowsIn(store, 'tasks'))[0]?.[5], '[]')
        await store.write([insert('tasks', row('t2', 'y', '["l1"]'))])
        assert.equal(await countLabelled(store, 'tasks', 'labels', 'l1'), 1)
      })
      assert.deepEqual(await planMigration(url, withSet), [])
    })

    const renamed = schema(
      table('tags', [text('name')], { formerly: ['labels'] }),
      table('jobs', [text('title'), refs('tags', 'tags', 'clear', { formerly: ['labels'] })], {
        formerly: ['tasks'],
      }),
    )

    it('renamed collections and fields keep their members', async () => {
      const url = await freshUrl()
      await fill(url)
      await migrate(url, renamed, 'safe')
      assert.deepEqual(await planMigration(url, renamed), [])
      await withStore(url, renamed, async (store) => {
        assert.equal(await countLabelled(store, 'jobs', 'tags', 'l2'), 1)
        const removal = { kind: 'delete', table: 'tags', identity: 'l2', version: 1 } as const
        await store.write([
          { ...removal, conditionBefore: { kind: 'always' }, at: '2026-01-02T00:00:00.000Z' },
        ])
        assert.equal((await rowsIn(store, 'jobs'))[0]?.[5], '["l1"]')
      })
    })

    it('a removed set is a loss; afterwards its members can be deleted', async () => {
      const url = await freshUrl()
      await fill(url)
      const without = schema(labels, table('tasks', [text('title')]))
      await assert.rejects(migrate(url, without, 'safe'), /--allow-loss/)
      await migrate(url, without, 'all')
      const removal = { kind: 'delete', table: 'labels', identity: 'l1', version: 1 } as const
      await withStore(url, without, async (store) => {
        const write = {
          ...removal,
          conditionBefore: { kind: 'always' },
          at: '2026-01-02T00:00:00.000Z',
        } as const
        assert.deepEqual(await store.write([write]), { kind: 'done' })
      })
      await migrate(url, schema(table('tasks', [text('title')])), 'all')
    })

    it('a set of references to another collection needs empty sets', async () => {
      const url = await freshUrl()
      await fill(url)
      const places = table('places', [text('name')])
      const other: Schema = schema(labels, places, table('tasks', [text('title'), refs('labels', 'places')]))
      await assert.rejects(
        migrate(url, other, 'all'),
        /cannot let tasks\.labels have references to places: 1 row has \(t1\) a value/,
      )
      await withStore(url, withSet, async (store) => {
        const values = row('t1', 'x', '[]')
        const previous = await store.find({ table: 'tasks', column: '_identity', value: 't1', evaluated: [] })
        const change = { kind: 'update', table: 'tasks', identity: 't1', version: 1, values } as const
        const always = { kind: 'always' } as const
        await store.write([
          { ...change, previous: previous ?? [], conditionBefore: always, conditionAfter: always },
        ])
      })
      await migrate(url, other, 'all')
      assert.deepEqual(await planMigration(url, other), [])
    })

    it('a narrower limit names the sets that exceed it', async () => {
      const url = await freshUrl()
      await fill(url)
      const limits = limitsOf(refsKind, { type: 'array', maxItems: 1 })
      const column = refs('labels', 'labels', 'clear', { limits })
      const narrower = schema(labels, table('tasks', [text('title'), column]))
      await assert.rejects(migrate(url, narrower, 'safe'), /hold tasks\.labels to maxItems 1.*\(t1\)/)
    })

    it('a database whose sets refer to another collection does not fit a running node', async () => {
      const url = await freshUrl()
      await withStore(url, withSet, async (store) => {
        await store.check()
        await migrate(url, schema(labels, table('tasks', [text('title'), text('labels')])), 'all').then(
          () => assert.rejects(async () => store.check(), /do not fit|refers to another table/),
          // A SQLite file that is served cannot be migrated.
          (error: unknown) => assert.match(String(error), /another|serve|lock/i),
        )
      })
    })
  })
}
