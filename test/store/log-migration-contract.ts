/** The change log across definitions: it is kept, and its values stay readable. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { migrate } from '../../src/store/schema/run-migration.ts'
import { insert } from './library.ts'
import { type FreshUrl, withStore } from './migration-contract.ts'
import { decimal, integer, row, schema, table, text } from './tables.ts'

export function logMigrationContract(name: string, freshUrl: FreshUrl): void {
  describe(`${name}: migrating the change log`, () => {
    it('values follow renamed columns and another scale; values of another type are missing', async () => {
      const url = await freshUrl()
      const before = schema(table('things', [text('a'), decimal('price'), text('size'), text('gone')]))
      await withStore(url, before, async (store) => {
        await store.write([insert('things', row('t1', 'x', 1250n, 'large', 'g'))])
        await store.write([{ ...removal, identity: 't1' }])
      })
      const after = schema(
        table('items', [text('b', { formerly: ['a'] }), decimal('price', { scale: 4 }), integer('size')], {
          formerly: ['things'],
        }),
      )
      await migrate(url, after, 'all')
      await withStore(url, after, async (store) => {
        const [created, deleted] = await store.readChanges(0, 9)
        assert.deepEqual(created?.after, row('t1', 'x', '125000', null))
        assert.deepEqual(deleted?.before, row('t1', 'x', '125000', null))
      })
    })

    it('an entry of a table that was dropped has no values', async () => {
      const url = await freshUrl()
      const before = schema(table('things', [text('a')]), table('others', [text('a')]))
      await withStore(url, before, async (store) => {
        await store.write([insert('others', row('o1', 'x'))])
        await store.write([{ ...removal, table: 'others', identity: 'o1' }])
      })
      const after = schema(table('things', [text('a')]))
      await migrate(url, after, 'all')
      await withStore(url, after, async (store) => {
        const changes = await store.readChanges(0, 9)
        assert.deepEqual(
          changes.map(({ table, before, after }) => [table, before, after]),
          [
            ['others', undefined, undefined],
            ['others', undefined, undefined],
          ],
        )
      })
    })
  })
}

const removal = {
  kind: 'delete',
  table: 'things',
  version: 1,
  conditionBefore: { kind: 'always' },
  at: '2026-01-02T00:00:00.000Z',
} as const
