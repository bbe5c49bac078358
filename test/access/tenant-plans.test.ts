/** How SQLite finds the rows of a tenant: by indexes alone. test/postgres has the same test. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts'
import { accountOf, tenantLists, tenantSchema } from './tenant-lists.ts'

test("a list of a tenant's rows scans no table, with or without a filter, and with or()", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'tenants.db')
  await (await openStore(`file:${file}`, tenantSchema, () => {})).close()
  using database = new DatabaseSync(file)
  database.function('tick', () => 1)
  const { list } = createQueries(tenantSchema, sqliteDialect)
  for (const query of tenantLists(accountOf(1))) {
    const { sql, values } = list(query)
    const plan = database.prepare(`explain query plan ${sql}`).all(...(values as string[]))
    const steps = plan.map(({ detail }) => String(detail)).join('\n')
    assert.match(steps, /^SEARCH _t USING (COVERING )?INDEX/m, `${query.table}\n${steps}`)
    assert.doesNotMatch(steps, /\bSCAN\b/, `${query.table}\n${steps}`)
  }
})
