/** How SQLite finds the rows of a tenant: by indexes alone. test/postgres has the same test. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts'
import { onPostgres } from '../database.ts'
import { accountOf, tenantLists, tenantSchema } from './tenant-lists.ts'

const skip = onPostgres && 'test/postgres has the same test.'

test("a list of a tenant's rows scans no table, with or without a filter, and with or()", {
  skip,
}, async (t) => {
  using database = await openTenants(t)
  database.function('tick', () => 1)
  for (const query of tenantLists(accountOf(1))) {
    const { sql, values } = list(query)
    const plan = database.prepare(`explain query plan ${sql}`).all(...(values as string[]))
    const steps = plan.map(({ detail }) => String(detail)).join('\n')
    assert.match(steps, /^SEARCH _t USING (COVERING )?INDEX/m, `${query.table}\n${steps}`)
    assert.doesNotMatch(steps, /\bSCAN\b/, `${query.table}\n${steps}`)
  }
})

test('a page of a tenant with half the rows reads few rows, with or without a filter, and with or()', {
  skip,
}, async (t) => {
  using database = await openTenants(t)
  let read = 0
  database.function('tick', { deterministic: false }, () => {
    read += 1
    return 1
  })
  for (const sql of rows) database.exec(sql)
  for (const query of tenantLists(accountOf(1))) {
    const { sql, values } = list(query)
    read = 0
    const found = database.prepare(sql).all(...(values as string[]))
    assert.equal(found.length, large.has(query.table) ? 21 : 1, query.table)
    assert.ok(read < 200, `${query.table}: ${read} rows are read\n${sql}`)
  }
})

const { list } = createQueries(tenantSchema, sqliteDialect)

async function openTenants(t: TestContext): Promise<DatabaseSync> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'tenants.db')
  await (await openStore(`file:${file}`, tenantSchema, () => {})).close()
  return new DatabaseSync(file)
}

/** The tables in which each of two tenants has half the rows; in the others each has one. */
const large: ReadonlySet<string> = new Set(['tasks', 'notes', 'profiles'])

/** The columns of the last public change, where a field has `visibleTo`. */
const publicChange = "1, '2026-01-01T00:00:00.000Z'"

const rows = [
  `insert into organisations select ${common()}, 'O' from ${numbers(2)}`,
  `insert into users select ${common()}, n || '@example.org', 'U', 'x', 'member', ${id('n')}, 0, ${publicChange} from ${numbers(2)}`,
  `insert into memberships select ${common()}, ${id('n')}, ${id('n')}, 'member' from ${numbers(2)}`,
  `insert into projects select ${common()}, 'P', ${id('n')}, null, ${publicChange} from ${numbers(2)}`,
  `insert into tasks select ${common()}, 'T', ${id('1 + n % 2')}, 'open', null, '[]' from ${numbers(4000)}`,
  `insert into notes select ${common()}, 'N', ${id('1 + n % 2')}, null from ${numbers(4000)}`,
  `insert into profiles select ${common()}, ${id('1 + n % 2')}, 'P' from ${numbers(4000)}`,
]

function common(): string {
  return `${id('n')}, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
}

/** As `uuid` of test/access/rows.ts. */
function id(number: string): string {
  return `printf('01900000-0000-7000-8000-%012x', ${number})`
}

function numbers(count: number): string {
  return `(with recursive s(n) as (values (1) union all select n + 1 from s where n < ${count}) select n from s)`
}
