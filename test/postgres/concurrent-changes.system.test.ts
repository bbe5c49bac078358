/** Concurrent changes on PostgreSQL: each has its own outcome and stores what it would store alone. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { always, type Condition, equals, existsIn, not } from '../../src/store/condition.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import type { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Write, WriteOutcome } from '../../src/store/write.ts'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { postgres } from '../postgres.ts'
import { insert } from '../store/library.ts'
import { ref, row, schema, table, text } from '../store/tables.ts'
import { anyValues, notes, positive } from './every-column-type.ts'

const parts = table('parts', [ref('of', 'notes')])
const shelves = table('shelves', [text('code', { unique: true })])
/** Names that the statements use for their own parts. */
const rows = table(
  'rows',
  ['rows', 'free', 'changed', 'identity', '_t', '_r', 'unnest'].map((name) => text(name)),
)
const later = '2026-02-02T00:00:00.000Z'
const stale = { kind: 'refused', index: 0, reason: { kind: 'stale' } }

async function withStore(work: (store: PostgresStore) => Promise<void>): Promise<void> {
  const url = (await postgres()).freshUrl()
  const store = await openPostgresStore({
    url,
    schema: schema(notes, parts, shelves, rows),
    observe: () => undefined,
  })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** Opens a store with this many rows, `n0` and so on. */
const withRows = (count: number, work: (store: PostgresStore) => Promise<void>) =>
  withStore(async (store) => {
    await store.write(names(count).map((name) => insert('notes', plain(name))))
    await work(store)
  })

const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)
const plain = (identity: string, title = 'T') => row(identity, title, null, null, null, null)

function change(values: readonly Stored[], version = 1, guard: Condition = always): Write {
  const stamped = values.with(1, version + 1).with(3, later)
  const identity = String(values[0])
  return {
    kind: 'update',
    table: 'notes',
    identity,
    version,
    values: stamped,
    previous: values,
    conditionBefore: guard,
    conditionAfter: always,
  }
}

/** Starts all writes in one turn of the event loop. */
function changeAll(store: PostgresStore, writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
  return Promise.all(writes.map((write) => store.write([write])))
}

/** Runs the statement in another transaction; the function returned commits it. */
async function holding(store: PostgresStore, sql: string): Promise<() => Promise<void>> {
  const done = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = store.pool.use(async (connection) => {
    await connection.run('begin')
    await connection.run(sql)
    done.resolve()
    await released.promise
    await connection.run('commit')
  })
  await done.promise
  return () => {
    released.resolve()
    return transaction
  }
}

/** How many sessions wait for a lock. */
const waiting = (store: PostgresStore) =>
  store.pool.use(async (connection) => {
    const sql = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return Number((await connection.run(sql))[0]?.[0])
  })

const found = (store: PostgresStore, value: string) =>
  store.find({ table: 'notes', column: '_identity', value, evaluated: [] })

describe('concurrent changes', () => {
  it('of a hundred rows all succeed', () =>
    withRows(101, async (store) => {
      const written = await changeAll(
        store,
        names(101).map((name) => change(plain(name, `T ${name}`))),
      )
      assert.ok(written.every(({ kind }) => kind === 'done'))
      assert.deepEqual((await found(store, 'n57'))?.slice(0, 5), ['n57', 2, plain('n57')[2], later, 'T n57'])
    }))

  it('are each logged once, with the new version', () =>
    withRows(20, async (store) => {
      await changeAll(
        store,
        names(20).map((name) => change(plain(name))),
      )
      const changes = (await store.readChanges(20, 100)).map((one) => ({ ...one, position: 0 }))
      const expected = names(20).map((name) => ({
        position: 0,
        kind: 'updated',
        action: undefined,
        table: 'notes',
        identity: name,
        id: name,
        version: 2,
        at: later,
        actor: undefined,
        request: undefined,
        before: plain(name),
        after: plain(name).with(1, 2).with(3, later),
      }))
      const byName = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
      assert.deepEqual(changes.toSorted(byName), expected.toSorted(byName))
    }))

  it('store any values unchanged', () =>
    withRows(20, async (store) => {
      const rows = fc.array(anyValues, { minLength: 20, maxLength: 20 })
      let version = 0
      const property = fc.asyncProperty(rows, async (all) => {
        version += 1
        const named = all.map((fields, n) => row(`n${n}`, 'T', ...fields))
        const written = await changeAll(
          store,
          named.map((one) => change(one, version)),
        )
        assert.ok(written.every(({ kind }) => kind === 'done'))
        for (const [n, [body, stars, price, weight]] of all.entries()) {
          const stored = (await found(store, `n${n}`))?.slice(4)
          const shown = ['T', body, stars, price === null ? null : String(price), weight]
          assert.deepEqual(stored?.map(positive), shown.map(positive))
        }
      })
      await fc.assert(property, { numRuns: cases(100) })
    }))

  it('succeed beside changes that expect another version or a missing row', () =>
    withRows(3, async (store) => {
      const written = await changeAll(store, [
        change(plain('n0')),
        change(plain('n1'), 7),
        change(plain('nowhere')),
        change(plain('n2')),
      ])
      assert.deepEqual(written, [{ kind: 'done' }, stale, stale, { kind: 'done' }])
    }))

  it('of the same row succeed once, beside changes of other rows', () =>
    withRows(11, async (store) => {
      const written = await changeAll(store, [
        ...names(30).map((title) => change(plain('n0', title))),
        ...names(11)
          .slice(1)
          .map((name) => change(plain(name))),
      ])
      assert.equal(written.slice(0, 30).filter(({ kind }) => kind === 'done').length, 1)
      assert.ok(written.slice(30).every(({ kind }) => kind === 'done'))
      assert.equal((await found(store, 'n0'))?.[1], 2)
    }))

  it('do not wait for changes of other rows that are locked', () =>
    withRows(5, async (store) => {
      const release = await holding(
        store,
        `select 1 from "notes" where "_identity" in ('n1', 'n2') for update`,
      )
      const settled: string[] = []
      const writes = names(4).map((name) =>
        store.write([change(plain(name, 'Changed'))]).finally(() => settled.push(name)),
      )
      await Promise.all([writes[0], writes[3]])
      assert.deepEqual(await store.write([change(plain('n4'))]), { kind: 'done' })
      assert.deepEqual(settled.toSorted(), ['n0', 'n3'])
      await release()
      assert.ok((await Promise.all(writes)).every(({ kind }) => kind === 'done'))
    }))

  it('do not wait for a transaction that adds a reference to the row', () =>
    withRows(2, async (store) => {
      const release = await holding(
        store,
        `insert into "parts" ("_identity", "_version", "createdAt", "updatedAt", "of") values ('p', 1, '', '', 'n0')`,
      )
      await changeAll(
        store,
        names(2).map((name) => change(plain(name))),
      )
      await release()
    }))

  it('check the guard of each row', () =>
    withRows(3, async (store) => {
      const guard = (title: string) => equals(['title'], title)
      const written = await changeAll(store, [
        change(plain('n0', 'A'), 1, guard('T')),
        change(plain('n1', 'A'), 1, guard('other')),
        change(plain('n2', 'A'), 3, guard('T')),
      ])
      const forbidden = { kind: 'refused', index: 0, reason: { kind: 'forbidden' } }
      assert.deepEqual(written, [{ kind: 'done' }, forbidden, stale])
    }))

  it('of a unique field succeed', () =>
    withStore(async (store) => {
      const codes = ['A', 'B', 'C']
      await store.write(codes.map((code) => insert('shelves', row(code, code))))
      const written = await changeAll(
        store,
        codes.map((code) => ({ ...change(row(code, `${code} too`)), table: 'shelves' })),
      )
      assert.ok(written.every(({ kind }) => kind === 'done'))
    }))

  it('succeed beside one whose reference dangles', () =>
    withRows(1, async (store) => {
      const ids = ['p0', 'p1', 'p2']
      await store.write(ids.map((id) => insert('parts', row(id, 'n0'))))
      const refer = (to: readonly (string | null)[], version: number) =>
        changeAll(
          store,
          ids.map((id, at) => ({ ...change(row(id, to[at] ?? null), version), table: 'parts' })),
        )
      await refer([null, 'n0', null], 1)
      const dangling = { kind: 'refused', index: 0, reason: { kind: 'missing-reference', columns: ['of'] } }
      const done = { kind: 'done' }
      assert.deepEqual(await refer([null, 'gone', 'n0'], 2), [done, dangling, done])
    }))

  it('judge a condition on other rows as if one came after the other', () =>
    withRows(20, async (store) => {
      const first = not(existsIn('parts', always, [{ path: ['of'], column: 'of' }]))
      const part = (name: string, of: string): Write => ({
        kind: 'insert',
        table: 'parts',
        values: row(name, of),
        conditionAfter: first,
      })
      const forbidden = { kind: 'refused', index: 0, reason: { kind: 'forbidden' } }
      for (const note of names(20)) {
        const written = await Promise.all([1, 2, 3].map((n) => store.write([part(`${note}-${n}`, note)])))
        const refused = written.filter(({ kind }) => kind === 'refused')
        assert.deepEqual(refused, [forbidden, forbidden], note)
      }
    }))

  it('of a row that an open transaction requires wait until it has ended', () =>
    withRows(2, async (store) => {
      const release = await holding(store, `select 1 from "notes" where "_identity" = 'n1' for update`)
      const ended: string[] = []
      const lease: Write = { kind: 'require', table: 'notes', condition: equals(['_identity'], 'n0') }
      const fenced = store.write([lease, change(plain('n1'))]).finally(() => ended.push('fenced'))
      await eventually(async () => (await waiting(store)) === 1)
      const takeover = store.write([change(plain('n0'))]).finally(() => ended.push('takeover'))
      await eventually(async () => (await waiting(store)) === 2 || ended.length > 0)
      assert.deepEqual(ended, [])
      await release()
      assert.deepEqual(await Promise.all([fenced, takeover]), [{ kind: 'done' }, { kind: 'done' }])
    }))

  it('of several rows lock them by identity, whatever their order', () =>
    withRows(3, async (store) => {
      const release = await holding(store, `select 1 from "notes" where "_identity" = 'n0' for update`)
      const written = store.write([change(plain('n2')), change(plain('n1')), change(plain('n0'))])
      await eventually(async () => (await waiting(store)) === 1)
      const free = `select "_identity" from "notes" order by "_identity" for update skip locked`
      assert.deepEqual(await store.pool.use((connection) => connection.run(free)), [['n1'], ['n2']])
      await release()
      assert.deepEqual(await written, { kind: 'done' })
    }))

  it('of the same rows in crossing orders all end without a deadlock', () =>
    withRows(3, async (store) => {
      const deadlocks = async () =>
        store.pool.use(async (connection) => {
          await connection.run('select pg_stat_clear_snapshot()')
          const sql = 'select deadlocks::text from pg_stat_database where datname = current_database()'
          return Number((await connection.run(sql))[0]?.[0])
        })
      const before = await deadlocks()
      for (let version = 1; version <= cases(40); version += 1) {
        const orders = Array.from({ length: 10 }, (_, n) => (n % 2 ? names(3) : names(3).toReversed()))
        const written = await Promise.all(
          orders.map((order) => store.write(order.map((name) => change(plain(name), version)))),
        )
        assert.equal(written.filter(({ kind }) => kind === 'done').length, 1)
      }
      assert.equal(await deadlocks(), before)
    }))

  it('that lose a deadlock with another program are repeated', () =>
    withRows(2, async (store) => {
      const lockRow = (name: string) => `select 1 from "notes" where "_identity" = '${name}' for update`
      const written = await store.pool.use(async (connection) => {
        await connection.run(`begin; set local deadlock_timeout = '1h'; ${lockRow('n1')}`)
        const pending = store.write([change(plain('n0')), change(plain('n1'))])
        await eventually(async () => (await waiting(store)) === 1)
        // The server looks for deadlocks a second after the store has begun to wait, and ends its transaction.
        await connection.run(`${lockRow('n0')}; commit`)
        return pending
      })
      assert.deepEqual(written, { kind: 'done' })
    }))

  it('work with any name of collection and field', () =>
    withStore(async (store) => {
      const values = rows.columns.slice(4).map(({ name }) => name)
      await store.write(names(3).map((name) => insert('rows', row(name, ...values))))
      const written = await changeAll(
        store,
        names(3).map((name) => ({ ...change(row(name, ...values.toReversed())), table: 'rows' })),
      )
      assert.ok(written.every(({ kind }) => kind === 'done'))
      const stored = await store.find({
        table: 'rows',
        column: '_identity',
        value: 'n1',
        evaluated: [],
      })
      assert.deepEqual(stored?.slice(4), values.toReversed())
    }))

  it('finish before the store is closed', () =>
    withRows(300, async (store) => {
      const under = changeAll(
        store,
        names(300).map((name) => change(plain(name))),
      )
      const closed = store.close()
      assert.ok((await under).every(({ kind }) => kind === 'done'))
      await closed
    }))
})
