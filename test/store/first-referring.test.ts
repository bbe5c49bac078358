/** The first rows that refer to each of some rows: which they are, and that indexes lead to them. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { always, equals } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { postgresDialect } from '../../src/store/postgres/postgres-dialect.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts'
import type { RowQuery, Store } from '../../src/store/store.ts'
import { onPostgres, openTestStore } from '../database.ts'
import { insert } from './library.ts'
import { integer, ref, row, schema, table, text } from './tables.ts'

const groups = table('groups', [text('name')])
const things = table('things', [integer('size'), ref('group', 'groups')])
const tables = schema(groups, things)

const groupRows = ['g1', 'g2', 'g3', 'g4'].map((identity) => row(identity, identity))
/** Rows of g1 to g3 in turn; g4 has none. */
const thingRows = Array.from({ length: 30 }, (_, n) =>
  row(`t${String(n).padStart(2, '0')}`, n % 4, ['g1', 'g2', 'g3'][n % 3] ?? null),
)

let store: Store

before(async () => {
  store = await openTestStore(tables)
  await store.write([
    ...groupRows.map((one) => insert('groups', one)),
    ...thingRows.map((one) => insert('things', one)),
  ])
})

after(() => store.close())

const order = [{ column: '_identity', descending: false }]

function queryOf(to: readonly string[], most: number): RowQuery {
  const firstReferring = { reference: 'group', to, most }
  return {
    table: 'things',
    condition: always,
    order,
    after: undefined,
    limit: 100,
    evaluated: [],
    firstReferring,
  }
}

async function identities(query: RowQuery): Promise<unknown[]> {
  return (await store.list(query)).map(([identity]) => identity)
}

test('each row has its first referring rows, in the order of the list', async () => {
  assert.deepEqual(await identities(queryOf(['g1', 'g3', 'g4', 'none'], 2)), ['t00', 't02', 't03', 't05'])
  assert.deepEqual(await identities(queryOf([], 2)), [])
  assert.equal((await identities(queryOf(['g2'], 100))).length, 10)
})

test('only rows that satisfy the condition count, and the list continues after a position', async () => {
  const query = { ...queryOf(['g1', 'g2'], 2), condition: equals(['size'], 0) }
  assert.deepEqual(await identities(query), ['t00', 't04', 't12', 't16'])
  assert.deepEqual(await identities({ ...query, after: ['t04'], limit: 1 }), ['t12'])
  const evaluated = await store.list({
    ...query,
    limit: 1,
    evaluated: [equals(['size'], 0), equals(['size'], 1)],
  })
  assert.deepEqual(evaluated[0]?.slice(-2), [1, 0])
})

test('indexes lead to the rows', () => (onPostgres ? postgresPlan : sqlitePlan)(queryOf(['g1', 'g2'], 51)))

async function sqlitePlan(query: RowQuery): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'things.db')
  await (await openStore(`file:${file}`, tables, () => {})).close()
  using database = new DatabaseSync(file)
  database.function('tick', () => 1)
  const { sql, values } = createQueries(tables, sqliteDialect).list(query)
  const plan = database.prepare(`explain query plan ${sql}`).all(...(values as string[]))
  const steps = plan.map(({ detail }) => String(detail)).join('\n')
  assert.match(steps, /^SEARCH _t USING INDEX/m, steps)
  assert.match(steps, /^SEARCH _c USING COVERING INDEX.*"?group"?=\?/m, steps)
  assert.doesNotMatch(steps, /\bSCAN (?!json_each)/, steps)
}

async function postgresPlan(query: RowQuery): Promise<void> {
  const { postgres } = await import('../postgres.ts')
  const { default: pg } = await import('pg')
  const url = (await postgres()).freshUrl()
  await (await openStore(url, tables, () => undefined)).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`)
    const common = `1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
    await client.query(`insert into groups select 'g' || n, ${common}, 'G' from generate_series(1, 1000) n`)
    await client.query(
      `insert into things select 't' || n, ${common}, n, 'g' || (1 + n % 1000) from generate_series(1, 50000) n`,
    )
    await client.query('analyze')
    const { sql, values } = createQueries(tables, postgresDialect).list(query)
    const plan = await client.query(`explain ${sql}`, [...values])
    const steps = plan.rows.map((one) => one['QUERY PLAN']).join('\n')
    assert.doesNotMatch(steps, /Seq Scan/, steps)
  } finally {
    await client.end()
  }
}
