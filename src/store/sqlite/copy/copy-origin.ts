/** The SQLite file that a copy reads. It is locked, so that no service writes to it. */

import { existsSync } from 'node:fs'
import { highestVersionSql } from '../../copy/copied-table.ts'
import type { CopyCounters, CopyOrigin } from '../../copy/copy-interfaces.ts'
import { hasOnlyEmptyDrops } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { checkpointRecord } from '../../sql/audit-sql.ts'
import { StoreOpenError } from '../../store.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { parseSqliteUrl } from '../connection/database-url.ts'
import { type AcquiredFile, acquireFile } from '../open-sqlite.ts'
import { loadPlan } from '../schema/migrate-database.ts'
import { loadRecords } from '../schema/stored-records.ts'
import { toOpenError } from '../sqlite-failure.ts'
import { openAcquired, SqliteCopySide } from './copy-side.ts'

/** Throws a StoreOpenError where there is no file, a service has it, or it does not fit the schema. */
export async function openSqliteOrigin(url: string, schema: Schema): Promise<CopyOrigin> {
  const location = parseSqliteUrl(url)
  if (!('file' in location) || !existsSync(location.file)) {
    throw new StoreOpenError(`There is no database file at ${url}. Name the one to copy from.`)
  }
  const acquired = acquireFile(location)
  try {
    if (!hasOnlyEmptyDrops(loadPlan(acquired.databaseFile, schema)))
      throw unfitting(acquired.databaseFile.file)
    return new SqliteOrigin(acquired, schema)
  } catch (error) {
    acquired.release()
    throw toOpenError(location.file, error)
  }
}

function unfitting(file: string): StoreOpenError {
  return new StoreOpenError(
    `The database file ${file} does not fit the definition. Name the definition it was last served with, or \`restwell migrate\` it first.`,
  )
}

class SqliteOrigin extends SqliteCopySide implements CopyOrigin {
  readonly #schema: Schema

  constructor(acquired: AcquiredFile, schema: Schema) {
    super(openAcquired(acquired, 'read'))
    this.#schema = schema
  }

  counters(): CopyCounters {
    return loadCounters(this.connection, this.#schema)
  }
}

/** The counters of the database that the connection reads. */
export function loadCounters(connection: SqliteConnection, schema: Schema): CopyCounters {
  const number = (sql: string) => Number(connection.query(sql)[0]?.[0])
  const collections = connection.query('select "name", "revision" from "_collections"')
  const revisions = Object.fromEntries(
    collections.map(([name, revision]) => [String(name), Number(revision)]),
  )
  const position = number(`select coalesce(max("seq"), 0) from sqlite_sequence where "name" = '_changes'`)
  const version = number(highestVersionSql(schema))
  const entries = Math.max(position, version, ...Object.values(revisions))
  const auditCheckpoint = loadRecords(connection).get(checkpointRecord)
  return { position, entries, revisions, auditCheckpoint }
}
