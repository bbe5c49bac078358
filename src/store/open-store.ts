/** Opens the store that a database URL names. */

import type { Observer } from '../observation.ts'
import { isPostgresUrl } from './postgres/connection/database-url.ts'
import type { Schema } from './schema/table-schema.ts'
import { parseSqliteUrl } from './sqlite/connection/database-url.ts'
import { openSqliteStore } from './sqlite/open-sqlite.ts'
import type { Store } from './store.ts'

/**
 * Opens `file:path/to.db`, `file::memory:` (deleted on close) or `postgres://…`. Throws
 * StoreOpenError where the database cannot be used or does not fit the schema.
 */
export async function openStore(
  url: string,
  schema: Schema,
  observe: Observer,
  replicas: readonly string[] = [],
): Promise<Store> {
  if (isPostgresUrl(url)) {
    // Loaded on demand, because the driver takes a tenth of the memory of the process.
    const { openPostgresStore } = await import('./postgres/open-postgres.ts')
    return openPostgresStore({ url, schema, observe, replicas })
  }
  return openSqliteStore({ ...parseSqliteUrl(url), schema, observe })
}
