/**
 * A SQLite file that is copied into. References are not held against rows that come later; all of
 * them are looked at when the copy is finished.
 */

import type { Stored } from '../../../definition/model.ts'
import { type CopiedRow, type CopiedTable, copiedTables } from '../../copy/copied-table.ts'
import { type CopyMark, type Counters, type Destination, MARK } from '../../copy/copy-end.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { parseSqliteUrl } from '../connection/location.ts'
import { type HeldFile, holdFile } from '../open-sqlite.ts'
import { existingTables, isAny, rowsOf } from '../schema/existing-tables.ts'
import { checkReferences, migrateFile, planOf } from '../schema/migrate-file.ts'
import { fitSearches } from '../schema/search-tables.ts'
import { faultAt } from '../sqlite-failure.ts'
import { SqliteEnd } from './copy-end.ts'

/** Throws a StoreOpenError where a service has the file, or it holds something else than this copy. */
export async function openSqliteDestination(url: string, schema: Schema): Promise<Destination> {
  const location = parseSqliteUrl(url)
  if (!('file' in location)) {
    throw new StoreOpenError('A database in memory would be gone with the copy. Name a file.')
  }
  const held = holdFile(location)
  try {
    const destination = new SqliteDestination(held, schema)
    try {
      if (destination.mark() === undefined) prepare(destination, held, schema)
      return destination
    } catch (error) {
      destination.connection.close()
      throw error
    }
  } catch (error) {
    held.release()
    throw faultAt(location.file, error)
  }
}

/** Full text is left for the end, when it is made of all rows at once. */
function prepare(destination: SqliteDestination, { place }: HeldFile, schema: Schema): void {
  const { connection } = destination
  const begun = existingTables(connection).size > 0
  const tables = Object.values(schema.tables).map((table) => ({ ...table, search: [] }))
  const bare = { tables: Object.fromEntries(tables.map((table) => [table.name, table])) }
  const fits = [schema, bare].some((one) => begun && planOf(place, one).length === 0)
  if (begun && !fits) {
    throw new StoreOpenError(
      `The destination ${place.file} has tables of another definition. Name an empty one.`,
    )
  }
  if (begun && copiedTables(schema).some((table) => destination.rows(table, undefined, 1).length)) {
    throw new StoreOpenError(`The destination ${place.file} already holds data. Name an empty one.`)
  }
  migrateFile(place, bare, 'all')
}

class SqliteDestination extends SqliteEnd implements Destination {
  readonly #schema: Schema

  constructor(held: HeldFile, schema: Schema) {
    super(held, 'evolve')
    this.#schema = schema
  }

  mark(): CopyMark | undefined {
    const { connection } = this
    if (!isAny(connection, `select 1 from sqlite_schema where name = '_meta'`)) return undefined
    const [row] = rowsOf(connection, `select "value" from "_meta" where "name" = '${MARK}'`)
    return row && JSON.parse(String(row[0]))
  }

  keep({ name, columns }: CopiedTable, rows: readonly CopiedRow[], mark: CopyMark): void {
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const places = columns.map(() => '?').join(', ')
    const sql = `insert into ${quoted(name)} (${names}) values (${places})`
    this.#transacted(() => {
      const insert = this.connection.prepared(sql)
      for (const row of rows) insert.run(...row.map((value, at) => bound(columns[at]?.type, value)))
      this.#remember(mark)
    })
  }

  finish({ position, entries, revisions }: Counters, mark: CopyMark): void {
    const { database } = this.connection
    this.#transacted(() => {
      fitSearches(this.connection, this.#schema, 'all')
      checkReferences(this.connection, this.#schema, this.shown)
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

  #remember(mark: CopyMark): void {
    const newest = 'on conflict ("name") do update set "value" = excluded."value"'
    const sql = `insert into "_meta" ("name", "value") values ('${MARK}', ?) ${newest}`
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
