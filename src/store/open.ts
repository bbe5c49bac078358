/** Opens the store that a database URL names. */

import type { Notice } from '../http/happening.ts'
import type { Schema } from './schema.ts'
import { parseSqliteUrl } from './sqlite/location.ts'
import { openSqliteStore } from './sqlite/open.ts'
import type { Store } from './store.ts'

/** `file:path/to.db`, or `file::memory:` for one that is gone when it closes. */
export async function openStore(url: string, schema: Schema, notice: Notice): Promise<Store> {
  return openSqliteStore({ ...parseSqliteUrl(url), schema, notice })
}
