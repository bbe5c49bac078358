/** How PostgreSQL finds the rows of a tenant: by indexes alone. test/access has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { postgresDialect } from '../../src/store/postgres/postgres-dialect.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { accountOf, tenantLists, tenantSchema } from '../access/tenant-lists.ts'
import { postgres } from '../postgres.ts'
import { mostRead, nodesOf } from './plan-nodes.ts'

const tenants = 2000

/** The columns of the last public change, where a field has `visibleTo`. */
const publicChange = "1, '2026-01-01T00:00:00.000Z'"

/** Each tenant has one member, two projects with five tasks each, five notes and five profiles. */
const rows = [
  `insert into organisations select ${common('n')}, 'O' from ${numbers(tenants)}`,
  `insert into users select ${common('n')}, n || '@example.org', 'U', 'x', 'member', ${id('n')}, 0, ${publicChange}
    from ${numbers(tenants)}`,
  `insert into memberships select ${common('n')}, ${id('n')}, ${id('n')}, 'member' from ${numbers(tenants)}`,
  `insert into projects select ${common('n')}, 'P', ${id('1 + n % 2000')}, null, ${publicChange} from ${numbers(tenants * 2)}`,
  `insert into tasks select ${common('n')}, 'T', ${id('1 + n % 4000')}, 'open', null, '[]'
    from ${numbers(tenants * 10)}`,
  `insert into notes select ${common('n')}, 'N', ${id('1 + n % 2000')}, null from ${numbers(tenants * 5)}`,
  `insert into profiles select ${common('n')}, ${id('1 + n % 2000')}, 'P' from ${numbers(tenants * 5)}`,
]

/** As many tasks and notes again, all of the first tenant. */
const rowsOfOne = [
  `insert into tasks select ${common('n + 100000')}, 'T', ${id('2000')}, 'open', null, '[]'
    from ${numbers(tenants * 10)}`,
  `insert into notes select ${common('n + 100000')}, 'N', ${id('1')}, null from ${numbers(tenants * 5)}`,
  `insert into profiles select ${common('n + 100000')}, ${id('1')}, 'P' from ${numbers(tenants * 5)}`,
]

function common(number: string): string {
  return `${id(number)}, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
}

/** As `uuid` of test/access/rows.ts. */
function id(number: string): string {
  return `'01900000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0')`
}

function numbers(count: number): string {
  return `generate_series(1, ${count}) n`
}

/** Runs the lists of the accounts; returns the nodes of each plan. */
async function explainLists(statements: readonly string[], accounts: readonly number[]) {
  const url = (await postgres()).freshUrl()
  await (await openStore(url, tenantSchema, () => undefined)).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`)
    for (const sql of statements) await client.query(sql)
    await client.query('analyze')
    const { list } = createQueries(tenantSchema, postgresDialect)
    const plans = []
    for (const query of accounts.flatMap((one) => tenantLists(accountOf(one)))) {
      const { sql, values } = list(query)
      const plan = await client.query(`explain (analyze, format json) ${sql}`, [...values])
      const told = `${query.table}: ${JSON.stringify(plan.rows[0], null, 1)}`
      plans.push({ nodes: nodesOf(plan.rows[0]['QUERY PLAN'][0].Plan), told })
    }
    return plans
  } finally {
    await client.end()
  }
}

test("a list of a tenant's rows scans no table, with or without a filter, and with or()", async () => {
  for (const { nodes, told } of await explainLists(rows, [1])) {
    assert.ok(!nodes.some((node) => node['Node Type'] === 'Seq Scan'), told)
    const indexed = nodes.filter((node) => /Index.*Scan/.test(node['Node Type']))
    assert.ok(indexed.length > 0 && indexed.every((node) => node['Index Cond']), told)
  }
})

test('a page of a tenant with half the rows, or with few, reads few rows', async () => {
  for (const { nodes, told } of await explainLists([...rows, ...rowsOfOne], [1, 7])) {
    assert.ok(mostRead(nodes) < 200, told)
  }
})
