/** Which database the tests run on: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`. */

import type { Observer } from '../src/observation.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Schema } from '../src/store/schema/table-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'
import type { Store } from '../src/store/store.ts'

export const onPostgres = process.env.TEST_DATABASE === 'postgres'

/** Loaded outside of every test, so that the server goes when all of them are over. */
const server = onPostgres ? await import('./postgres.ts') : undefined

/** The URL of a database that nobody has used. */
export async function freshDatabase(): Promise<string> {
  if (server === undefined) return 'file::memory:'
  return (await server.postgres()).freshUrl()
}

export interface StoreOptions {
  readonly notice?: Observer
  /** Milliseconds that a statement may take. */
  readonly statementLimit?: number
}

export async function openTestStore(schema: Schema, options: StoreOptions = {}): Promise<Store> {
  const { notice = () => undefined, statementLimit } = options
  if (server === undefined)
    return openSqliteStore({ temporary: true, schema, ...options, observe: notice })
  const limit = statementLimit === undefined ? '' : `&statement_timeout=${statementLimit}`
  return openStore(`${await freshDatabase()}${limit}`, schema, notice)
}
