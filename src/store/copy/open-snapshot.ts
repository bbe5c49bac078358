/** Opens one state of the database that a URL names; a service can still write to it. */

import { isPostgresUrl } from '../postgres/connection/database-url.ts'
import type { Schema } from '../schema/table-schema.ts'
import { openSqliteSnapshot } from '../sqlite/copy/snapshot-origin.ts'
import type { Snapshot } from './snapshot.ts'

/** Throws a StoreOpenError where the database cannot be read, or does not fit the schema. */
export async function openSnapshot(database: string, schema: Schema): Promise<Snapshot> {
  if (!isPostgresUrl(database)) return openSqliteSnapshot(database, schema)
  // Loaded on demand, because the driver takes a tenth of the memory of the process.
  const { openPostgresSnapshot } = await import('../postgres/copy/snapshot-origin.ts')
  return openPostgresSnapshot(database, schema)
}
