/** A folder for one test's database files, removed when the test is over. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Observer } from '../../src/observation.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'

export function folderFor(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function openFile(
  file: string,
  schema: Schema,
  notice: Observer = () => undefined,
): Promise<SqliteStore> {
  return openSqliteStore({ file, schema, observe: notice })
}

/** Opens the file, works with it, and closes it whatever happens. */
export async function withFile<Result>(
  file: string,
  schema: Schema,
  work: (store: SqliteStore) => Promise<Result>,
  notice?: Observer,
): Promise<Result> {
  const store = await openFile(file, schema, notice)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
