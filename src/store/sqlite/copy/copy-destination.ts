/** The SQLite file that a copy writes. References are checked when the copy is finished. */

import type { Stored } from '../../../definition/model.ts'
import { type CopiedRow, type CopiedTable, listCopiedTables } from '../../copy/copied-table.ts'
import {
  type CopyCounters,
  type CopyDestination,
  type CopyProgress,
  progressRecord,
} from '../../copy/copy-interfaces.ts'
import { requireFormat } from '../../schema/format-version.ts'
import type { Column, Schema } from '../../schema/table-schema.ts'
import { checkpointRecord } from '../../sql/audit-sql.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { parseSqliteUrl } from '../connection/database-url.ts'
import { type AcquiredFile, acquireFile } from '../open-sqlite.ts'
import { existingTables } from '../schema/existing-tables.ts'
import { createJoinTables } from '../schema/join-tables.ts'
import { isNewFile, loadPlan, migrateFile, requireReferences } from '../schema/migrate-database.ts'
import { updateSearchIndexes } from '../schema/search-tables.ts'
import { loadRecords, saveRecord } from '../schema/stored-records.ts'
import { toOpenError } from '../sqlite-failure.ts'
import { openAcquired, SqliteCopySide } from './copy-side.ts'

/** Throws a StoreOpenError where a service has the file, or it has other data than this copy. */
export async function openSqliteDestination(url: string, schema: Schema): Promise<CopyDestination> {
  const location = parseSqliteUrl(url)
  if (!('file' in location)) {
    throw new StoreOpenError('A database in memory ends with the copy. Name a file.')
  }
  const acquired = acquireFile(location)
  try {
    const destination = new SqliteDestination(acquired, schema)
    try {
      const { connection } = destination
      if (!isNewFile(connection)) requireFormat(`The database file ${location.file}`, loadRecords(connection))
      if (destination.loadProgress() === undefined) prepare(destination, acquired, schema)
      return destination
    } catch (error) {
      destination.connection.close()
      throw error
    }
  } catch (error) {
    acquired.release()
    throw toOpenError(location.file, error)
  }
}

/** Creates the tables. Full-text indexes and join tables are created at the end, from all rows. */
function prepare(destination: SqliteDestination, { databaseFile }: AcquiredFile, schema: Schema): void {
  const tables = Object.values(schema.tables).map((table) => ({
    ...table,
    search: [],
    columns: table.columns.map((column) => ({ ...column, elements: undefined }) satisfies Column),
  }))
  const bare = { tables: Object.fromEntries(tables.map((table) => [table.name, table])) }
  if (existingTables(destination.connection).size > 0) {
    if (![schema, bare].some((fitting) => loadPlan(databaseFile, fitting).length === 0)) {
      throw new StoreOpenError(
        `The destination ${databaseFile.file} has tables of another definition. Name an empty one.`,
      )
    }
    if (listCopiedTables(schema).some((table) => destination.count(table) > 0)) {
      throw new StoreOpenError(`The destination ${databaseFile.file} already holds data. Name an empty one.`)
    }
  }
  migrateFile(databaseFile, bare, 'all')
}

class SqliteDestination extends SqliteCopySide implements CopyDestination {
  readonly #schema: Schema

  constructor(acquired: AcquiredFile, schema: Schema) {
    super(openAcquired(acquired, 'migrate'))
    this.#schema = schema
  }

  loadProgress(): CopyProgress | undefined {
    const { connection } = this
    const text = isNewFile(connection) ? undefined : loadRecords(connection).get(progressRecord)
    return text === undefined ? undefined : JSON.parse(text)
  }

  saveBatch({ name, columns }: CopiedTable, rows: readonly CopiedRow[], progress: CopyProgress): void {
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const parameters = columns.map(() => '?').join(', ')
    const sql = `insert into ${quoted(name)} (${names}) values (${parameters})`
    this.#save(progress, () => {
      const insert = this.connection.cachedStatement(sql)
      for (const row of rows) {
        insert.run(...row.map((value, at) => bindValue(columns[at]?.type, value)))
      }
    })
  }

  finish({ position, entries, revisions, auditCheckpoint }: CopyCounters, progress: CopyProgress): void {
    const { connection } = this
    this.#save(progress, () => {
      updateSearchIndexes(connection, this.#schema, 'all')
      createJoinTables(connection, this.#schema, 'all')
      requireReferences(connection, this.#schema, this.displayName)
      const revise = connection.prepare('update "_collections" set "revision" = ? where "name" = ?')
      for (const name of Object.keys(this.#schema.tables)) {
        // Where the origin has no revision of the table: higher than in any entity tag.
        revise.run(revisions?.[name] ?? entries + 1, name)
      }
      connection.query(`delete from sqlite_sequence where "name" = '_changes'`)
      const sql = `insert into sqlite_sequence ("name", "seq") values ('_changes', ?)`
      connection.prepare(sql).run(position)
      if (auditCheckpoint !== undefined) saveRecord(connection, checkpointRecord, auditCheckpoint)
    })
  }

  /** Runs the work and stores the progress in one transaction. */
  #save(progress: CopyProgress, work: () => void): void {
    const { connection } = this
    this.translateErrors(() =>
      connection.transaction(() => {
        work()
        saveRecord(connection, progressRecord, JSON.stringify(progress))
      }),
    )
  }
}

/** Decimals are stored as scaled integers. */
function bindValue(type: CopiedTable['columns'][number]['type'] | undefined, value: CopiedRow[number]) {
  if (type === 'decimal' && typeof value === 'string') return BigInt(value)
  return value as Exclude<Stored, boolean> | Uint8Array
}
