/** What a caller's lists, counts and aggregates read does not depend on hidden rows. test/access has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { postgresDialect } from '../../src/store/postgres/postgres-dialect.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { insertRows, schema, selective, type TaskRows, tenantStatements } from '../access/hidden-rows.ts'
import { postgres } from '../postgres.ts'
import { mostRead, nodesOf } from './plan-nodes.ts'

const statements = tenantStatements(createQueries(schema, postgresDialect))

test('few rows are read among 10,000 hidden rows', async () => {
  for (const [name, { read, plan }] of await readRows({ tenants: 500, own: 30, hidden: 10_000 })) {
    assert.ok(read < 200, `${name}: ${plan}`)
  }
})

test('a selective filter of a tenant with half the rows reads few of them', async () => {
  const reads = await readRows({ tenants: 500, own: 10_000, hidden: 10_000 })
  for (const name of selective) {
    const { read, plan } = reads.get(name) ?? assert.fail(name)
    // Up to 1,001 rows are counted before a search.
    assert.ok(read < 1500, `${name}: ${plan}`)
  }
})

/** The most rows that a node of the plan of each statement reads. */
async function readRows(rows: TaskRows) {
  const url = (await postgres()).freshUrl()
  await (await openStore(url, schema, () => undefined)).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`)
    for (const sql of [...insertRows({ id, numbers }, rows), ...indexSearch]) await client.query(sql)
    // The search index has pending entries until then.
    await client.query('vacuum analyze')
    const reads = new Map<string, { readonly read: number; readonly plan: string }>()
    for (const [name, { sql, values }] of statements) {
      const explained = await client.query(`explain (analyze, format json) ${sql}`, [...values])
      const read = mostRead(nodesOf(explained.rows[0]['QUERY PLAN'][0].Plan))
      reads.set(name, { read, plan: JSON.stringify(explained.rows[0], null, 1) })
    }
    return reads
  } finally {
    await client.end()
  }
}

const indexSearch = [
  `insert into "_words:tasks" select "_identity", array['w', 'wo', 'wor', 'word', split_part("title", ' ', 2)] from tasks`,
  `insert into "_members:tasks.labels" select "_identity", ${id('1')} from tasks`,
]

/** As `uuid` of test/access/rows.ts. */
function id(number: string): string {
  return `'01900000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0')`
}

function numbers(first: number, last: number): string {
  return `generate_series(${first}, ${last}) n`
}
