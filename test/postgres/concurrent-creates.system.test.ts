/** Concurrent creates on PostgreSQL: each has its own outcome and stores what it would store alone. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import type { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { postgres } from '../postgres.ts'
import { insert } from '../store/library.ts'
import { ref, row, schema, table, text } from '../store/tables.ts'
import { anyValues, notes, positive } from './every-column-type.ts'

const parts = table('parts', [ref('of', 'notes')])
const shelves = table('shelves', [text('code', { unique: true })], { idColumn: 'code' })

async function withStore(work: (store: PostgresStore) => Promise<void>): Promise<void> {
  const url = (await postgres()).freshUrl()
  const store = await openPostgresStore({
    url,
    schema: schema(notes, parts, shelves),
    observe: () => undefined,
  })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** Starts all writes in one turn of the event loop. */
function create(store: PostgresStore, rows: readonly (readonly Stored[])[]) {
  return Promise.allSettled(rows.map((values) => store.write([insert('notes', values)])))
}

function outcomes(settled: Awaited<ReturnType<typeof create>>): readonly string[] {
  return settled.map((one) => (one.status === 'fulfilled' ? one.value.kind : 'thrown'))
}

const plain = (identity: string, title = 'T', body: string | null = null) =>
  row(identity, title, body, null, null, null)
const many = (count: number) => Array.from({ length: count }, (_, n) => plain(`n${n}`))

const found = (store: PostgresStore, value: string) =>
  store.find({ table: 'notes', column: '_identity', value, evaluated: [] })

describe('concurrent creates', () => {
  it('are each logged once', () =>
    withStore(async (store) => {
      await create(store, many(50))
      await eventually(async () => (await store.readChanges(0, 100)).length >= 50)
      const changes = await store.readChanges(0, 100)
      assert.deepEqual(
        new Set(
          changes.map(({ kind, table, identity, id, version }) =>
            [kind, table, identity, id, version].join(),
          ),
        ),
        new Set(many(50).map(([identity]) => `created,notes,${identity},${identity},1`)),
      )
      assert.equal(changes.length, 50)
    }))

  it('store any values unchanged', () =>
    withStore(async (store) => {
      let created = 0
      const rows = fc.array(anyValues, { minLength: 2, maxLength: 20 })
      const property = fc.asyncProperty(rows, async (all) => {
        const named = all.map((fields) => row(`n${created++}`, 'T', ...fields))
        await create(store, named)
        for (const [at, [, stars, price, weight]] of all.entries()) {
          const stored = await found(store, `n${created - all.length + at}`)
          const sent = named[at]!
          const expected = [...sent.slice(0, 6), stars, price === null ? null : String(price), weight]
          assert.deepEqual(stored?.map(positive), expected.map(positive))
        }
      })
      await fc.assert(property, { numRuns: cases(300) })
    }))

  it('succeed beside one that is refused as a duplicate', () =>
    withStore(async (store) => {
      await create(store, [plain('taken')])
      const settled = await create(store, [plain('a'), plain('taken'), plain('b'), plain('b')])
      const [a, taken, ...both] = settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
      const duplicate = {
        kind: 'refused',
        index: 0,
        reason: { kind: 'duplicate', columns: ['_identity'] },
      }
      assert.deepEqual([a, taken], [{ kind: 'done' }, duplicate])
      assert.deepEqual(
        both.toSorted((one) => (one?.kind === 'done' ? -1 : 1)),
        [{ kind: 'done' }, duplicate],
      )
      // The log shows a change a moment after its commit.
      await eventually(async () => (await store.readChanges(0, 10)).length >= 3)
      assert.equal((await store.readChanges(0, 10)).length, 3)
    }))

  it('succeed beside one that the database cannot store', () =>
    withStore(async (store) => {
      const unindexable = plain('long', randomBytes(10_000).toString('base64'))
      const settled = await create(store, [plain('a'), unindexable, plain('b')])
      assert.deepEqual(outcomes(settled), ['done', 'thrown', 'done'])
      assert.equal(await found(store, 'long'), undefined)
    }))

  it('succeed beside one whose reference dangles', () =>
    withStore(async (store) => {
      await create(store, [plain('n')])
      const written = await Promise.all(
        ['n', 'gone', 'n'].map((of, n) => store.write([insert('parts', row(`p${n}`, of))])),
      )
      const dangling = {
        kind: 'refused',
        index: 0,
        reason: { kind: 'missing-reference', columns: ['of'] },
      }
      assert.deepEqual(written, [{ kind: 'done' }, dangling, { kind: 'done' }])
    }))

  it('with the same unique value: one succeeds', () =>
    withStore(async (store) => {
      const codes = ['A', 'B', 'A', 'C']
      const written = await Promise.all(
        codes.map((code, n) => store.write([insert('shelves', row(`s${n}`, code))])),
      )
      assert.deepEqual(written.map(({ kind }) => kind).toSorted(), ['done', 'done', 'done', 'refused'])
    }))

  it('finish before the store is closed', () =>
    withStore(async (store) => {
      const under = create(store, many(500))
      const closed = store.close()
      assert.deepEqual(new Set(outcomes(await under)), new Set(['done']))
      await closed
      assert.deepEqual(outcomes(await create(store, [plain('late')])), ['thrown'])
    }))

  it('are refused at once where a thousand callers wait for a connection', () =>
    withStore(async (store) => {
      // The connection of the start may be idle, so that the first caller does not wait.
      const settled = await create(store, many(1002))
      const refused = settled.map(
        (one) => one.status === 'rejected' && /^Too many requests/.test(one.reason.message),
      )
      assert.deepEqual(refused.slice(0, 1000), Array(1000).fill(false))
      assert.equal(refused.at(-1), true)
    }))
})
