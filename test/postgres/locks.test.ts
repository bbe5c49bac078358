/** The locks that a plan announces are those that the server takes, compared while each step runs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { MigrationStep } from '../../src/store/schema/migration-plan.ts'
import { ownershipRecord } from '../../src/store/schema/ownership.ts'
import { planMigration } from '../../src/store/schema/run-migration.ts'
import { postgres } from '../postgres.ts'
import { filled } from '../store/migration-contract.ts'
import { decimal, integer, ref, row, schema, table, text } from '../store/tables.ts'

const before = schema(
  table('things', [text('a'), text('b'), integer('c', { required: true })], { indexes: [['a']] }),
  table('parts', [text('of'), ref('near', 'things'), text('x')]),
  table('empty', []),
)

/** Every kind of step. */
const after = schema(
  table(
    'items',
    [
      text('title', { formerly: ['a'], unique: true }),
      text('b', { required: true, default: 'd' }),
      text('new', { required: true, default: 'n' }),
    ],
    { formerly: ['things'], indexes: [['b']] },
  ),
  table('parts', [ref('of', 'items'), text('near'), decimal('x'), ref('also', 'others')]),
  table('others', [ref('item', 'items')]),
)

test('each step takes the lock that the plan announces, and no step rewrites a table', async (t) => {
  const url = (await postgres()).freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', null, 1), row('t2', 'y', 'z', 2)])
  await filled(url, before, 'parts', [row('p1', 't1', 't2', 'v')])
  const steps = await planMigration(url, after)
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await client.connect()
  try {
    await client.query(`set search_path = ${new URL(url).searchParams.get('schema')}`)
    const existing = [...(await filesOf(client)).keys()]
    for (const step of steps) await taken(client, step, existing)
    await recordOwnership(client)
  } finally {
    await client.end()
  }
  const planned = new Set(steps.map(({ lock }) => lock))
  t.diagnostic([...planned].join(' | '))
  assert.ok(planned.size >= 5, 'every kind of lock occurs')
  assert.deepEqual(await planMigration(url, after), [])
})

/** Records, as a migration does at its end, that the tables were not made by another program. */
async function recordOwnership(client: pg.Client): Promise<void> {
  const tables = Object.values(after.tables).map(({ name, columns }) => [
    name,
    { columns: columns.map((column) => column.name), indexes: [] },
  ])
  const owned = JSON.stringify(Object.fromEntries(tables))
  const { rowCount } = await client.query('update "_meta" set "value" = $1 where "name" = $2', [
    owned,
    ownershipRecord,
  ])
  assert.equal(rowCount, 1)
}

/** From the weakest to the strongest (PostgreSQL §13.3.1). */
const modes = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]
const words: Readonly<Record<string, string | undefined>> = {
  ShareLock: 'SHARE',
  ShareRowExclusiveLock: 'SHARE ROW EXCLUSIVE',
  AccessExclusiveLock: 'ACCESS EXCLUSIVE',
}

/** Only tables that existed before the plan count: no other session uses a new table. */
async function taken(
  client: pg.Client,
  { line, lock, sql }: MigrationStep,
  existing: readonly string[],
): Promise<void> {
  const files = await filesOf(client)
  await client.query('begin')
  for (const statement of sql) await client.query(statement)
  const { rows } = await client.query(locksSql, [existing])
  const strongest = Math.max(...rows.map(({ mode }) => modes.indexOf(mode)), 0)
  const found = words[modes[strongest]!]
  // Tables of the store's own, such as the log, are written to without a stronger lock.
  assert.equal(lock?.split(/:| on /)[0], found, `${line}: ${modes[strongest]}`)
  for (const [oid, file] of await filesOf(client)) {
    assert.equal(file, files.get(oid) ?? file, `${line} rewrites a table`)
  }
  await client.query('commit')
}

const locksSql = `select mode from pg_locks
where pid = pg_backend_pid() and locktype = 'relation' and granted and relation::text = any($1)`

/** The files of the existing tables, by the table's number. */
async function filesOf(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query(
    `select c.oid::text as oid, c.relfilenode::text as file from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and c.relname not like '\\_%'`,
  )
  return new Map(rows.map(({ oid, file }) => [oid, file]))
}
