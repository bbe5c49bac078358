/** One state of a SQLite file for a backup. The file is not locked, so a service can still write to it. */

import { existsSync, realpathSync } from 'node:fs'
import type { CopyCounters } from '../../copy/copy-interfaces.ts'
import type { Snapshot } from '../../copy/snapshot.ts'
import { requireFitting } from '../../copy/snapshot.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { StoreOpenError } from '../../store.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { parseSqliteUrl } from '../connection/database-url.ts'
import { requireSingleLink } from '../connection/file-identity.ts'
import { existingTables } from '../schema/existing-tables.ts'
import { isNewFile, requireUsableRecords } from '../schema/migrate-database.ts'
import { planMigration } from '../schema/plan-migration.ts'
import { loadRecords } from '../schema/stored-records.ts'
import { toOpenError } from '../sqlite-failure.ts'
import { loadCounters } from './copy-origin.ts'
import { SqliteCopySide } from './copy-side.ts'

/** Throws a StoreOpenError where there is no file, or it does not fit the schema. */
export async function openSqliteSnapshot(url: string, schema: Schema): Promise<Snapshot> {
  const location = parseSqliteUrl(url)
  if (!('file' in location) || !existsSync(location.file)) {
    throw new StoreOpenError(`There is no database file at ${url}. Name the one to back up with --database.`)
  }
  // SQLite finds the write-ahead log by the name that the service uses.
  const file = realpathSync(location.file)
  requireSingleLink(file)
  try {
    return openOn(file, schema)
  } catch (error) {
    throw toOpenError(file, error)
  }
}

function openOn(file: string, schema: Schema): Snapshot {
  const connection = new SqliteConnection({ file, use: 'read unmapped', temporary: false })
  try {
    // The first read begins the snapshot, which all later reads see.
    connection.database.exec('begin')
    if (isNewFile(connection)) throw new StoreOpenError(`${file} has no tables of a service.`)
    requireUsableRecords(loadRecords(connection), file)
    const steps = planMigration(connection, schema, existingTables(connection))
    return new SqliteSnapshot(connection, { file, schema, omitted: requireFitting(file, steps) })
  } catch (error) {
    connection.close()
    throw error
  }
}

interface SnapshotState {
  readonly file: string
  readonly schema: Schema
  readonly omitted: readonly string[]
}

class SqliteSnapshot extends SqliteCopySide implements Snapshot {
  readonly #state: SnapshotState

  constructor(connection: SqliteConnection, state: SnapshotState) {
    super({ connection, displayName: state.file, release: () => undefined })
    this.#state = state
  }

  get omitted(): readonly string[] {
    return this.#state.omitted
  }

  counters(): CopyCounters {
    return this.translateErrors(() => loadCounters(this.connection, this.#state.schema))
  }
}
