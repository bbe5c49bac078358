/** Opens the store that a database URL names. */

import type { Observer } from '../observation.ts'
import { isPostgresUrl } from './postgres/connection/database-url.ts'
import type { Schema } from './schema/table-schema.ts'
import type { Secrets } from './secrets.ts'
import { parseSqliteUrl } from './sqlite/connection/database-url.ts'
import { openSqliteStore } from './sqlite/open-sqlite.ts'
import { type Store, StoreUnavailable } from './store.ts'

export interface OpenStoreOptions {
  /** URLs of PostgreSQL standbys for reads that may be stale. */
  readonly replicas?: readonly string[] | undefined
  /** Keys that encrypt the secrets in the database: the first one, while all decrypt. By default they are not encrypted. */
  readonly secretKeys?: readonly Uint8Array[] | undefined
}

/**
 * Opens `file:path/to.db`, `file::memory:` (deleted on close) or `postgres://…`. Throws StoreOpenError where the database
 * cannot be used, does not fit the schema, or has secrets under another key.
 */
export async function openStore(
  url: string,
  schema: Schema,
  observe: Observer,
  options: OpenStoreOptions = {},
): Promise<Store> {
  const store = await openOf(url, schema, observe, options)
  try {
    await store.secrets.sealAll()
  } catch (cause) {
    // A disk may be full, while reads are served: the next start encrypts the secrets.
    if (cause instanceof StoreUnavailable) observe({ kind: 'task-failed', task: 'secrets', cause })
    else {
      await store.close()
      throw cause
    }
  }
  return store
}

async function openOf(
  url: string,
  schema: Schema,
  observe: Observer,
  { replicas, secretKeys }: OpenStoreOptions,
): Promise<Store & { readonly secrets: Secrets }> {
  if (isPostgresUrl(url)) {
    // Loaded on demand, because the driver takes a tenth of the memory of the process.
    const { openPostgresStore } = await import('./postgres/open-postgres.ts')
    return openPostgresStore({ url, schema, observe, replicas, secretKeys })
  }
  return openSqliteStore({ ...parseSqliteUrl(url), schema, observe, secretKeys })
}
