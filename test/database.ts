/** The database of the tests: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Observer } from '../src/observation.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Schema } from '../src/store/schema/table-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'
import type { Store } from '../src/store/store.ts'

export const onPostgres = process.env.TEST_DATABASE === 'postgres'

/** Loaded outside of every test, so that the server stops after the last one. */
const server = onPostgres ? await import('./postgres.ts') : undefined

/** Returns the URL of an unused database. */
export async function freshDatabase(): Promise<string> {
  if (server === undefined) return 'file::memory:'
  return (await server.postgres()).freshUrl()
}

/** Returns the URL of an unused database that a service can open again, until the test ends. */
export async function lastingDatabase(t: TestContext): Promise<string> {
  if (onPostgres) return freshDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'restwell-database-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return `file:${join(folder, 'service.db')}`
}

export interface StoreOptions {
  readonly notice?: Observer
  /** The time limit of a statement in milliseconds. */
  readonly statementLimit?: number
}

export async function openTestStore(schema: Schema, options: StoreOptions = {}): Promise<Store> {
  const { notice = () => undefined, statementLimit } = options
  if (server === undefined) return openSqliteStore({ temporary: true, schema, ...options, observe: notice })
  const limit = statementLimit === undefined ? '' : `&statement_timeout=${statementLimit}`
  return openStore(`${await freshDatabase()}${limit}`, schema, notice)
}
