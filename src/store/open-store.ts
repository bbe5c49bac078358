/** Opens the store that a database URL names. */

import type { Observer } from '../observation.ts'
import { isPostgresUrl } from './postgres/connection/location.ts'
import type { Schema } from './schema/table-schema.ts'
import { parseSqliteUrl } from './sqlite/connection/location.ts'
import { openSqliteStore } from './sqlite/open-sqlite.ts'
import type { Store } from './store.ts'

/** `file:path/to.db`, `file::memory:` for one that is gone when it closes, or `postgres://…`. */
export async function openStore(
  url: string,
  schema: Schema,
  observe: Observer,
  replicas: readonly string[] = [],
): Promise<Store> {
  if (isPostgresUrl(url)) {
    // A tenth of all memory, for those who use it.
    const { openPostgresStore } = await import('./postgres/open-postgres.ts')
    return openPostgresStore({ url, schema, observe, replicas })
  }
  return openSqliteStore({ ...parseSqliteUrl(url), schema, observe })
}
