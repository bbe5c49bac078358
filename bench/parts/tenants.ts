/**
 * Lists of one tenant among many: a page of 50 items by rules with `exists` in a table of a million rows, relative to
 * the same page in a table that has no other rows.
 */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Account } from '../../src/access/principal.ts'
import { rightsOf } from '../../src/access/rights.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { RowQuery, Store } from '../../src/store/store.ts'
import { startCluster } from '../../test/cluster.ts'
import { median } from '../rounds.ts'
import type { Run } from '../run.ts'
import definition from '../tenant-service.ts'

/** By store, then by list: microseconds of a page. */
export type TenantCosts = Readonly<Record<'SQLite' | 'PostgreSQL', Readonly<Record<string, number>>>>

/** The list that the others are compared with, by one rule. */
export const baseline = 'by one rule, alone in their table'
/** The most that a list of a tenant may cost, relative to the baseline. */
export const mostTimesAlone = 10

const rows = 1_000_000
const tenants = 20_000
const page = 50
const pagesPerRun = 20

const model = checkDefinition(definition)
const schema = schemaOf(model)

/** The first tenant is the customer of every second task; each other one has 50 tasks or fewer. */
const [large, small] = [0, 7]
const lists: Readonly<Record<string, RowQuery>> = {
  'without a rule, alone in their table': listOf('alone', 'all', small),
  [baseline]: listOf('alone', 'one', small),
  'a tenant of few rows': listOf('tasks', 'one', small),
  'a tenant of half the rows': listOf('tasks', 'one', large),
  'either of two rules, few rows': listOf('tasks', 'either', small),
  'either of two rules, half the rows': listOf('tasks', 'either', large),
  'through a reference, few rows': listOf('tasks', 'through', small),
  'through a reference, half the rows': listOf('tasks', 'through', large),
}

function listOf(table: string, role: string, tenant: number): RowQuery {
  const account: Account = {
    kind: 'account',
    identity: idOf(tenant),
    roles: new Set([role]),
    passwordMark: '',
    credential: { kind: 'password' },
  }
  const resource = model.resources.get(table)
  if (resource === undefined) throw new Error(`No resource '${table}'`)
  const order = [{ column: '_identity', descending: false }]
  const condition = rightsOf(resource, account).read
  return { table, condition, order, after: undefined, limit: page + 1, evaluated: [] }
}

function idOf(n: number): string {
  return `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

export async function measureTenants(run: Run): Promise<TenantCosts> {
  return {
    SQLite: await measureSqlite(run),
    PostgreSQL: await measurePostgres(run),
  }
}

async function measureSqlite({ folder, options }: Run) {
  const file = join(folder, 'tenants.db')
  const url = `file:${file}`
  await (await openStore(url, schema, () => {})).close()
  fillSqlite(file)
  return measureStore(await openStore(url, schema, () => {}), options.rounds)
}

function fillSqlite(file: string): void {
  using database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  // Indexes are filled in random order, which is slow beyond the cache.
  database.exec('pragma cache_size = -1000000; pragma synchronous = off')
  const numbers = (count: number) =>
    `(with recursive s(n) as (values (0) union all select n + 1 from s where n + 1 < ${count}) select n from s)`
  const id = (n: string) => `printf('01900000-0000-7000-8000-%012x', ${n})`
  for (const sql of fillSql(numbers, id)) database.exec(sql)
}

async function measurePostgres({ options }: Run) {
  const cluster = await startCluster()
  try {
    const url = cluster.freshUrl()
    await (await openStore(url, schema, () => {})).close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"`)
    // Without the checks of references, which take most of the time.
    await client.query('set session_replication_role = replica')
    const numbers = (count: number) => `generate_series(0, ${count - 1}) s(n)`
    const id = (n: string) => `'01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0')`
    for (const sql of fillSql(numbers, id)) await client.query(sql)
    await client.query('vacuum analyze')
    await client.end()
    return await measureStore(await openStore(url, schema, () => {}), options.rounds)
  } finally {
    await cluster.end()
  }
}

/** The statements that fill the tables, given the SQL for the first numbers and for an id. */
function fillSql(numbers: (count: number) => string, id: (n: string) => string): readonly string[] {
  const insert = (table: string, count: number, fields: Readonly<Record<string, string>>) => {
    const time = `'2026-01-01T00:00:00.000Z'`
    const all = { _identity: id('n'), _version: '1', createdAt: time, updatedAt: time, ...fields }
    const names = Object.keys(all).map((name) => `"${name}"`)
    return `insert into "${table}" (${names.join()}) select ${Object.values(all).join()} from ${numbers(count)}`
  }
  const some = `n % ${tenants}`
  return [
    insert('organisations', tenants, { name: `'O'` }),
    insert('users', tenants, { email: `n || '@example.org'`, password: `'x'`, role: `'one'` }),
    insert('memberships', tenants, { user: id('n'), organisation: id('n') }),
    insert('projects', tenants * 2, { organisation: id(some) }),
    insert('tasks', rows, {
      title: `'Task ' || n`,
      organisation: id(some),
      customer: id(`case when n % 2 = 0 then 0 else ${some} end`),
      // Projects n and n + tenants belong to the same tenant.
      project: id(`case when n % 2 = 0 then n / 2 % 2 * ${tenants} else n % ${tenants * 2} end`),
    }),
    insert('alone', page, {
      title: `'Task ' || n`,
      organisation: id(`${small}`),
      customer: id(`${small}`),
      project: id(`${small}`),
    }),
  ]
}

/** The lists in turns, so that other load affects all of them. */
async function measureStore(store: Store, rounds: number) {
  const costs = new Map(Object.keys(lists).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds * 10; round += 1) {
    for (const [name, query] of Object.entries(lists)) {
      const began = performance.now()
      for (let n = 0; n < pagesPerRun; n += 1) await store.list(query)
      costs.get(name)?.push(((performance.now() - began) * 1000) / pagesPerRun)
    }
  }
  await store.close()
  return Object.fromEntries([...costs].map(([name, all]) => [name, median(all)]))
}
