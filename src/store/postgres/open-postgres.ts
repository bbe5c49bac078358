/** Opens a PostgreSQL store: migrates the tables, then creates the pool. */

import type { Observer } from '../../observation.ts'
import { observeKeptObjects } from '../schema/migration-plan.ts'
import type { Schema } from '../schema/table-schema.ts'
import { parsePostgresUrl } from './connection/database-url.ts'
import { continueLog } from './connection/instance.ts'
import { Pool } from './connection/pool.ts'
import { ServerClock } from './connection/server-clock.ts'
import { connect } from './connection/session.ts'
import { toOpenError } from './postgres-failure.ts'
import { PostgresStore } from './postgres-store.ts'
import { Replicas } from './read/replicas.ts'
import { migrateDatabase } from './schema/migrate-database.ts'

export interface PostgresOptions {
  readonly url: string
  readonly schema: Schema
  readonly observe: Observer
  /** URLs of standbys for reads that allow stale data. */
  readonly replicas?: readonly string[] | undefined
  /** The keys that encrypt the secrets; by default none. */
  readonly secretKeys?: readonly Uint8Array[] | undefined
}

/** Opens the database after migrating it to fit the schema. Throws a StoreOpenError if that fails. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, schema, observe } = options
  const location = parsePostgresUrl(url)
  try {
    const { kept } = await migrateDatabase(location, schema, 'start')
    observeKeptObjects(observe, kept)
  } catch (error) {
    throw toOpenError(location.displayUrl, error)
  }
  const clock = new ServerClock()
  const open = async () => {
    const connection = await connect(location)
    await clock.set(connection)
    await continueLog(connection, observe)
    return connection
  }
  const pool = new Pool({ size: location.pool, connect: open, observe })
  try {
    await pool.use((connection) => clock.set(connection))
  } catch (error) {
    await pool.close()
    throw toOpenError(location.displayUrl, error)
  }
  const { replicas: urls = [], secretKeys } = options
  const replicas =
    urls.length === 0 ? undefined : new Replicas({ urls, schema, primary: { pool, location }, observe })
  return new PostgresStore(pool, schema, observe, { replicas, clock, secretKeys })
}
