/**
 * A SQLite file that is copied into. References are not held against rows that come later; all of
 * them are looked at when the copy is finished.
 */

import type { Stored } from '../../../definition/model.ts'
import { type CopiedRow, type CopiedTable, listCopiedTables } from '../../copy/copied-table.ts'
import {
  type CopyCounters,
  type CopyDestination,
  type CopyProgress,
  progressRecord,
} from '../../copy/copy-end.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { parseSqliteUrl } from '../connection/location.ts'
import { type AcquiredFile, acquireFile } from '../open-sqlite.ts'
import { existingTables, hasRows, queryRows } from '../schema/existing-tables.ts'
import { checkReferences, loadPlan, migrateFile } from '../schema/migrate-database.ts'
import { updateSearchIndexes } from '../schema/search-tables.ts'
import { toOpenError } from '../sqlite-failure.ts'
import { SqliteEnd } from './copy-end.ts'

/** Throws a StoreOpenError where a service has the file, or it holds something else than this copy. */
export async function openSqliteDestination(url: string, schema: Schema): Promise<CopyDestination> {
  const location = parseSqliteUrl(url)
  if (!('file' in location)) {
    throw new StoreOpenError('A database in memory would be gone with the copy. Name a file.')
  }
  const held = acquireFile(location)
  try {
    const destination = new SqliteDestination(held, schema)
    try {
      if (destination.loadProgress() === undefined) prepare(destination, held, schema)
      return destination
    } catch (error) {
      destination.connection.close()
      throw error
    }
  } catch (error) {
    held.release()
    throw toOpenError(location.file, error)
  }
}

/** Full text is left for the end, when it is made of all rows at once. */
function prepare(destination: SqliteDestination, { place }: AcquiredFile, schema: Schema): void {
  const { connection } = destination
  const begun = existingTables(connection).size > 0
  const tables = Object.values(schema.tables).map((table) => ({ ...table, search: [] }))
  const bare = { tables: Object.fromEntries(tables.map((table) => [table.name, table])) }
  const fits = [schema, bare].some((one) => begun && loadPlan(place, one).length === 0)
  if (begun && !fits) {
    throw new StoreOpenError(
      `The destination ${place.file} has tables of another definition. Name an empty one.`,
    )
  }
  if (
    begun &&
    listCopiedTables(schema).some((table) => destination.rows(table, undefined, 1).length)
  ) {
    throw new StoreOpenError(`The destination ${place.file} already holds data. Name an empty one.`)
  }
  migrateFile(place, bare, 'all')
}

class SqliteDestination extends SqliteEnd implements CopyDestination {
  readonly #schema: Schema

  constructor(held: AcquiredFile, schema: Schema) {
    super(held, 'evolve')
    this.#schema = schema
  }

  loadProgress(): CopyProgress | undefined {
    const { connection } = this
    if (!hasRows(connection, `select 1 from sqlite_schema where name = '_meta'`)) return undefined
    const [row] = queryRows(
      connection,
      `select "value" from "_meta" where "name" = '${progressRecord}'`,
    )
    return row && JSON.parse(String(row[0]))
  }

  saveBatch({ name, columns }: CopiedTable, rows: readonly CopiedRow[], mark: CopyProgress): void {
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const places = columns.map(() => '?').join(', ')
    const sql = `insert into ${quoted(name)} (${names}) values (${places})`
    this.#transacted(() => {
      const insert = this.connection.prepared(sql)
      for (const row of rows) insert.run(...row.map((value, at) => bound(columns[at]?.type, value)))
      this.#remember(mark)
    })
  }

  finish({ position, entries, revisions }: CopyCounters, mark: CopyProgress): void {
    const { database } = this.connection
    this.#transacted(() => {
      updateSearchIndexes(this.connection, this.#schema, 'all')
      checkReferences(this.connection, this.#schema, this.displayName)
      const revise = database.prepare('update "_collections" set "revision" = ? where "name" = ?')
      for (const name of Object.keys(this.#schema.tables)) {
        // Above whatever a tag was ever made of, where nobody counted for this table alone.
        revise.run(revisions?.[name] ?? entries + 1, name)
      }
      database.exec(`delete from sqlite_sequence where "name" = '_changes'`)
      database
        .prepare(`insert into sqlite_sequence ("name", "seq") values ('_changes', ?)`)
        .run(position)
      this.#remember(mark)
    })
  }

  #remember(mark: CopyProgress): void {
    const newest = 'on conflict ("name") do update set "value" = excluded."value"'
    const sql = `insert into "_meta" ("name", "value") values ('${progressRecord}', ?) ${newest}`
    this.connection.prepared(sql).run(JSON.stringify(mark))
  }

  #transacted(work: () => void): void {
    const { database } = this.connection
    this.told(() => {
      database.exec('begin immediate')
      try {
        work()
        database.exec('commit')
      } finally {
        if (database.isTransaction) database.exec('rollback')
      }
    })
  }
}

/** A decimal is kept as the integer it is. */
function bound(type: CopiedTable['columns'][number]['type'] | undefined, value: CopiedRow[number]) {
  if (type === 'decimal' && typeof value === 'string') return BigInt(value)
  return value as Exclude<Stored, boolean> | Uint8Array
}
