/** How PostgreSQL finds the rows of a tenant: by indexes alone. test/access has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { postgresDialect } from '../../src/store/postgres/postgres-dialect.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { accountOf, tenantLists, tenantSchema } from '../access/tenant-lists.ts'
import { postgres } from '../postgres.ts'

const tenants = 2000

/** Each tenant has one member, two projects with five tasks each, and five notes. */
const rows = [
  `insert into organisations select ${common(1)}, 'O' from generate_series(1, ${tenants}) n`,
  `insert into users select ${common(1)}, n || '@example.org', 'U', 'x', 'member', ${id('n')}
    from generate_series(1, ${tenants}) n`,
  `insert into memberships select ${common(1)}, ${id('n')}, ${id('n')}, 'member'
    from generate_series(1, ${tenants}) n`,
  `insert into projects select ${common(1)}, 'P', ${id('1 + n % 2000')}, null
    from generate_series(1, ${tenants * 2}) n`,
  `insert into tasks select ${common(1)}, 'T', ${id('1 + n % 4000')}, 'open', null
    from generate_series(1, ${tenants * 10}) n`,
  `insert into notes select ${common(1)}, 'N', ${id('1 + n % 2000')}, null
    from generate_series(1, ${tenants * 5}) n`,
]

function common(version: number): string {
  return `${id('n')}, ${version}, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
}

/** As `uuid` of test/access/rows.ts. */
function id(number: string): string {
  return `'01900000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0')`
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

test("a list of a tenant's rows scans no table, with or without a filter, and with or()", async () => {
  const url = (await postgres()).freshUrl()
  await (await openStore(url, tenantSchema, () => undefined)).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`)
    for (const sql of rows) await client.query(sql)
    await client.query('analyze')
    const { list } = createQueries(tenantSchema, postgresDialect)
    for (const query of tenantLists(accountOf(1))) {
      const { sql, values } = list(query)
      const plan = await client.query(`explain (format json) ${sql}`, [...values])
      const nodes = nodesOf(plan.rows[0]['QUERY PLAN'][0].Plan)
      const told = `${query.table}: ${JSON.stringify(plan.rows[0], null, 1)}`
      assert.ok(!nodes.some((node) => node['Node Type'] === 'Seq Scan'), told)
      const indexed = nodes.filter((node) => /Index.*Scan/.test(node['Node Type']))
      assert.ok(indexed.length > 0 && indexed.every((node) => node['Index Cond']), told)
    }
  } finally {
    await client.end()
  }
})
