/** Which database the tests run on: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`. */

import { openStore } from '../src/store/open.ts'
import type { Schema } from '../src/store/schema.ts'
import type { Store } from '../src/store/store.ts'

/** Loaded outside of every test, so that the server goes when all of them are over. */
const server = process.env.TEST_DATABASE === 'postgres' ? await import('./postgres.ts') : undefined

/** The URL of a database that nobody has used. */
export async function freshDatabase(): Promise<string> {
  if (server === undefined) return 'file::memory:'
  return (await server.postgres()).freshUrl()
}

export async function openTestStore(schema: Schema): Promise<Store> {
  return openStore(await freshDatabase(), schema, () => undefined)
}
