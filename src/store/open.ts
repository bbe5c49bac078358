/** Opens the store that a database URL names. */

import type { Notice } from '../http/happening.ts'
import { isPostgresUrl } from './postgres/location.ts'
import type { Schema } from './schema.ts'
import { parseSqliteUrl } from './sqlite/location.ts'
import { openSqliteStore } from './sqlite/open.ts'
import type { Store } from './store.ts'

/** `file:path/to.db`, `file::memory:` for one that is gone when it closes, or `postgres://…`. */
export async function openStore(
  url: string,
  schema: Schema,
  notice: Notice,
  replicas: readonly string[] = [],
): Promise<Store> {
  if (isPostgresUrl(url)) {
    // A tenth of all memory, for those who use it.
    const { openPostgresStore } = await import('./postgres/open.ts')
    return openPostgresStore({ url, schema, notice, replicas })
  }
  return openSqliteStore({ ...parseSqliteUrl(url), schema, notice })
}
