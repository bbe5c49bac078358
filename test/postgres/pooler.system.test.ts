/** A pooler between a service and PostgreSQL: session mode serves, transaction mode is refused. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePostgresUrl } from '../../src/store/postgres/connection/database-url.ts'
import { requireDedicatedSession } from '../../src/store/postgres/connection/dedicated-session.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { outcomeOf } from '../commands/command.ts'
import { books } from '../operation/books.ts'
import { postgres } from '../postgres.ts'
import { serve } from '../service.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'

const skip = !hasPgbouncer() && 'PgBouncer is not installed: apt-get install pgbouncer'
const explanation = /is behind a pooler in transaction mode.*pool_mode = session.*direct connection\.$/m

test('a direct connection has a session of its own', async () => {
  const url = (await postgres()).freshUrl()
  await requireDedicatedSession(parsePostgresUrl(url))
})

test('behind PgBouncer in transaction mode a service refuses to start and explains why', {
  skip,
}, async () => {
  const cluster = await postgres()
  await using pooler = await startPgbouncer(cluster.port, 'transaction')
  const database = pooler.urlOf(cluster.freshUrl())
  for (const args of [
    ['serve', 'test/faults/fixtures/notes.ts', '--port', '0', '--database', database],
    ['migrate', 'test/faults/fixtures/notes.ts', '--database', database],
  ]) {
    const { code, stderr } = await outcomeOf(args)
    assert.equal(code, 1, stderr)
    assert.match(stderr, explanation)
    assert.doesNotMatch(stderr, /restwell:restwell/)
  }
})

test('transaction mode is detected while other clients use the pooler', { skip }, async () => {
  const cluster = await postgres()
  await using pooler = await startPgbouncer(cluster.port, 'transaction')
  const location = parsePostgresUrl(pooler.urlOf(cluster.freshUrl()))
  const checks = Array.from({ length: 10 }, () => requireDedicatedSession(location))
  for (const check of await Promise.allSettled(checks)) {
    assert.equal(check.status, 'rejected')
    assert.ok(check.reason instanceof StoreOpenError, String(check.reason))
  }
})

test('behind PgBouncer in session mode a service works', { skip }, async () => {
  const cluster = await postgres()
  await using pooler = await startPgbouncer(cluster.port, 'session')
  await using service = await serve(books, { database: pooler.urlOf(cluster.freshUrl()) })
  const created = await Promise.all(
    Array.from({ length: 50 }, (_, at) => service.request('POST /books', {}, { title: `Book ${at}` })),
  )
  assert.deepEqual([...new Set(created.map(({ status }) => status))], [201])
  assert.equal((await service.request('GET /books?limit=100')).json.length, 50)
})
