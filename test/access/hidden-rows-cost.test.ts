/** What a caller's lists, counts and aggregates read does not depend on hidden rows. test/postgres has the same test. */

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
import { insertRows, schema, selective, type TaskRows, tenantStatements } from './hidden-rows.ts'

const statements = tenantStatements(createQueries(schema, sqliteDialect))

const skip = onPostgres && 'test/postgres has the same test.'

test('as many rows are read with 3,000 hidden rows as with one', { skip }, async (t) => {
  const alone = await readRows(t, { tenants: 2, own: 30, hidden: 1 })
  const among = await readRows(t, { tenants: 2, own: 30, hidden: 3000 })
  assert.deepEqual(among, alone)
})

test('a selective filter of a tenant with half the rows reads few of them', { skip }, async (t) => {
  const reads = await readRows(t, { tenants: 2, own: 3000, hidden: 3000 })
  for (const name of selective) {
    assert.ok((reads.get(name)?.read ?? Infinity) < 200, `${name}: ${reads.get(name)?.read}`)
  }
})

/** The number of rows that each statement returns and reads; the deadline is checked for each row. */
async function readRows(t: TestContext, rows: TaskRows) {
  using database = await openTasks(t)
  let read = 0
  database.function('tick', { deterministic: false }, () => {
    read += 1
    return 1
  })
  for (const sql of insertRows({ id, numbers }, rows)) database.exec(sql)
  for (const sql of indexSearch) database.exec(sql)
  return new Map(
    [...statements].map(([name, { sql, values }]) => {
      read = 0
      const found = database.prepare(sql).all(...(values as string[])).length
      return [name, { found, read }]
    }),
  )
}

async function openTasks(t: TestContext): Promise<DatabaseSync> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'tasks.db')
  await (await openStore(`file:${file}`, schema, () => {})).close()
  return new DatabaseSync(file)
}

const indexSearch = [
  `insert into "_documents:tasks" ("identity", "words") select "_identity", ' ' || "title" from tasks`,
  `insert into "_search:tasks" ("rowid", "words") select "doc", "words" from "_documents:tasks"`,
  `insert into "_members:tasks.labels" select "_identity", ${id('1')} from tasks`,
]

/** As `uuid` of rows.ts. */
function id(number: string): string {
  return `printf('01900000-0000-7000-8000-%012x', ${number})`
}

function numbers(first: number, last: number): string {
  return `(with recursive s(n) as (values (${first}) union all select n + 1 from s where n < ${last}) select n from s)`
}
