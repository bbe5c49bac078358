/** A lock on a row: other writers of the row wait for it, on every node. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import type { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { eventually } from '../eventually.ts'
import { postgres } from '../postgres.ts'
import { insert, replace } from '../store/library.ts'
import { row, schema, table, text } from '../store/tables.ts'

const things = schema(table('things', [text('name', { unique: true })]))
const locked = { table: 'things', identity: 't1' }
const lookup = { table: 'things', column: '_identity', value: 't1', evaluated: [] }

async function withNodes(work: (nodes: readonly [PostgresStore, PostgresStore]) => Promise<void>) {
  const url = (await postgres()).freshUrl()
  const open = () => openPostgresStore({ url, schema: things, observe: () => undefined })
  const nodes = [await open(), await open()] as const
  try {
    await nodes[0].write([insert('things', row('t1', 'first')), insert('things', row('t2', 'taken'))])
    await work(nodes)
  } finally {
    for (const node of nodes) await node.close()
  }
}

const named = (name: string) => replace('things', row('t1', name))

describe('work under a lock on a row', () => {
  it('commits its first writes before those of another node that came later', () =>
    withNodes(async ([one, other]) => {
      const outcomes: string[] = []
      let later: Promise<void> | undefined
      await one.lockRow(locked, async (store) => {
        later = other.write([named('later')]).then(({ kind }) => void outcomes.push(`later ${kind}`))
        // The other write reaches the server before this one is sent.
        await other.find(lookup)
        outcomes.push(`locked ${(await store.write([named('locked')])).kind}`)
      })
      await later
      assert.deepEqual(outcomes, ['locked done', 'later refused'])
      assert.equal((await one.find(lookup))?.[4], 'locked')
    }))

  it('commits several changes of the row, and none where one of them is refused', () =>
    withNodes(async ([one]) => {
      const changes = (...names: readonly string[]) =>
        names.map((name, index) => replace('things', row('t1', name), { version: index + 1 }))
      const nameOf = async () => (await one.find(lookup))?.[4]
      await one.lockRow(locked, async (store) => {
        assert.equal((await store.write(changes('a', 'b', 'taken'))).kind, 'refused')
      })
      assert.equal(await nameOf(), 'first')
      await one.lockRow(locked, async (store) => {
        assert.equal((await store.write(changes('a', 'b', 'c'))).kind, 'done')
      })
      assert.equal(await nameOf(), 'c')
    }))

  it('may write nothing: the other node is free to do so', () =>
    withNodes(async ([one, other]) => {
      assert.equal(await one.lockRow(locked, async () => 'result'), 'result')
      assert.equal((await other.write([named('other')])).kind, 'done')
    }))

  it('tells why its writes are refused, and writes again', () =>
    withNodes(async ([one]) => {
      await one.lockRow(locked, async (store) => {
        const refused = await store.write([named('taken')])
        assert.deepEqual(refused, {
          kind: 'refused',
          index: 0,
          reason: { kind: 'duplicate', columns: ['name'] },
        })
        assert.equal((await store.write([named('free')])).kind, 'done')
      })
    }))

  it('that fails releases the lock', () =>
    withNodes(async ([one, other]) => {
      const work = () => Promise.reject(new Error('It failed'))
      await assert.rejects(one.lockRow(locked, work), /It failed/)
      assert.equal((await other.write([named('other')])).kind, 'done')
    }))

  it('reads and writes on its connection: it waits for no other, while writers of the row have all', () =>
    withNodes(async ([one]) => {
      const blocked: Promise<unknown>[] = []
      await one.lockRow(locked, async (store) => {
        for (let n = 0; n < 2 * one.pool.maxSize; n += 1) blocked.push(one.write([named(`later ${n}`)]))
        await eventually(() => one.pool.size === one.pool.maxSize)
        assert.equal((await store.find(lookup))?.[4], 'first')
        assert.equal((await store.write([named('locked')])).kind, 'done')
      })
      await Promise.all(blocked)
    }))
})
