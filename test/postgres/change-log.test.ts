/** The change log while transactions of several nodes overlap. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import type { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { postgres } from '../postgres.ts'
import { insert } from '../store/library.ts'
import { row, schema, table, text } from '../store/tables.ts'

const things = schema(table('things', [text('name')]))

async function withStores(work: (...stores: PostgresStore[]) => Promise<void>): Promise<void> {
  const url = (await postgres()).freshUrl()
  const open = () => openPostgresStore({ url, schema: things, observe: () => undefined })
  const stores = [await open(), await open()]
  try {
    await work(...stores)
  } finally {
    await Promise.all(stores.map((store) => store.close()))
  }
}

/** Begins a transaction that has logged a change; the function returned commits it. */
async function openTransaction(store: PostgresStore, id: string): Promise<() => Promise<void>> {
  const logged = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const columns = '"kind", "table", "identity", "id", "version", "at"'
  const transaction = store.pool.use(async (connection) => {
    await connection.run('begin')
    await connection.run(
      `insert into "_changes" (${columns}) values ('inserted', 'things', '${id}', '${id}', 1, 'then')`,
    )
    logged.resolve()
    await released.promise
    await connection.commit()
  })
  await logged.promise
  return () => {
    released.resolve()
    return transaction
  }
}

/** Reads on from where it stopped, as a subscriber does. */
function subscribe(store: PostgresStore) {
  const ids: string[] = []
  let position = 0
  return {
    ids,
    async read() {
      for (const entry of await store.readChanges(position, 100)) {
        assert.ok(entry.position > position, 'a position lies behind one that was read')
        position = entry.position
        ids.push(entry.id)
      }
    },
  }
}

const create = async (store: PostgresStore, id: string) =>
  assert.deepEqual(await store.write([insert('things', row(id, id))]), { kind: 'done' })

describe('change log', () => {
  it('shows no entry before one of a transaction that began earlier and is still open', () =>
    withStores(async (one, two) => {
      const reader = subscribe(two!)
      await create(one!, 'a')
      const commitLong = await openTransaction(one!, 'long')
      await create(two!, 'b')
      const commitLonger = await openTransaction(two!, 'longer')
      await create(one!, 'c')
      await reader.read()
      assert.deepEqual(reader.ids, ['a'])
      await commitLong()
      await reader.read()
      assert.deepEqual(reader.ids, ['a', 'long', 'b'])
      await commitLonger()
      await reader.read()
      assert.deepEqual(reader.ids, ['a', 'long', 'b', 'longer', 'c'])
    }))

  it('does not make writers wait for an open transaction', () =>
    withStores(async (one, two) => {
      const commit = await openTransaction(one!, 'long')
      await Promise.all(Array.from({ length: 20 }, (_, n) => create(n % 2 ? one! : two!, `n${n}`)))
      await commit()
      const reader = subscribe(one!)
      await reader.read()
      assert.equal(reader.ids.length, 21)
    }))

  it('is pruned by one node at a time, each entry once', () =>
    withStores(async (one, two) => {
      for (let n = 0; n < 30; n += 1) await create(one!, `n${n}`)
      const deleted = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? one! : two!).pruneLog({ before: '2027', after: '2028' }, 5),
        ),
      )
      const { entries } = await one!.logExtent()
      assert.equal(entries, 30 - deleted.reduce((sum, count) => sum + count, 0))
    }))
})
