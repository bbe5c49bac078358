/** The tables, columns and indexes of a database file, from SQLite's catalogue. */

import type { Row } from '../../row.ts'
import { formatRows, maxNamedRows } from '../../schema/migration-plan.ts'
import type { PresentColumn, PresentIndex, PresentTable } from '../../schema/present-tables.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'

export interface SqliteTable extends PresentTable {
  readonly columns: ReadonlyMap<string, SqliteColumn>
  readonly empty: boolean
}

export interface SqliteColumn extends PresentColumn {
  /** An SQL expression. */
  readonly default: string | undefined
  /** Whether it is computed from other columns. */
  readonly generated: boolean
}

/** All tables but those of SQLite and the system tables, by name. */
export function existingTables(connection: SqliteConnection): Map<string, SqliteTable> {
  const columns = existingColumns(connection)
  const indexes = existingIndexes(connection)
  const names = connection.query(`select m."name" from ${userTables}`).map(([name]) => String(name))
  return new Map(
    names.map((name) => [
      name,
      {
        name,
        columns: new Map(columns.get(name)?.map((column) => [column.name, column])),
        indexes: indexes.get(name) ?? [],
        empty: !hasRows(connection, `select 1 from ${quoted(name)} limit 1`),
      },
    ]),
  )
}

/** As `m`. */
const userTables = `(select "name" from sqlite_schema where "type" = 'table'
  and substr("name", 1, 1) <> '_' and substr("name", 1, 7) <> 'sqlite_') m`

export function hasRows(connection: SqliteConnection, sql: string): boolean {
  return connection.query(sql).length > 0
}

export function countRows(connection: SqliteConnection, table: string, where = 'true'): number {
  const [row] = connection.query(`select count(*) from ${quoted(table)} where ${where}`)
  return Number(row?.[0])
}

/** `3 rows have (id1, id2, id3)`, for the rows that the SQL condition is true for. */
export function namedRows(connection: SqliteConnection, table: string, where: string): string {
  const sql = `select "_identity" from ${quoted(table)} where ${where} order by 1 limit ${maxNamedRows}`
  const names = connection.query(sql).map(([identity]) => String(identity))
  return formatRows(countRows(connection, table, where), names)
}

/** By table. */
function existingColumns(connection: SqliteConnection): ReadonlyMap<string, SqliteColumn[]> {
  const keys = `select m."name", f."from", f."table" from ${userTables}, pragma_foreign_key_list(m."name") f`
  const targets = new Map(
    connection.query(keys).map(([table, from, target]) => [`${table}\0${from}`, String(target)]),
  )
  const info = `select m."name", x."name", x."type", x."notnull", x."dflt_value", x."hidden"
    from ${userTables}, pragma_table_xinfo(m."name") x`
  const found = connection
    .query(info)
    .map(([table, name, type, required, initial, hidden]): [string, SqliteColumn] => {
      const target = targets.get(`${table}\0${name}`)
      const column = {
        name: String(name),
        type: String(type).toLowerCase(),
        required: required === 1,
        default: typeof initial === 'string' ? initial : undefined,
        hasDefault: typeof initial === 'string',
        generated: hidden !== 0,
        references: target === undefined ? undefined : { table: target },
      }
      return [String(table), column]
    })
  return groupByTable(found)
}

/** By table: the indexes of `create index`, so without that of the primary key. */
function existingIndexes(connection: SqliteConnection): ReadonlyMap<string, PresentIndex[]> {
  const sql = `select m."name", l."name", l."unique", i."name", i."seqno" from ${userTables},
    pragma_index_list(m."name") l, pragma_index_info(l."name") i where l."origin" = 'c'`
  const parts = Map.groupBy(connection.query(sql), ([table, name]) => `${table}\0${name}`)
  const found = [...parts.values()].map((columns): [string, PresentIndex] => {
    const [table, name, unique] = columns[0] as Row
    const ordered = columns.toSorted((a, b) => Number(a[4]) - Number(b[4]))
    const index = {
      name: String(name),
      unique: unique === 1,
      columns: ordered.map((column) => String(column[3])),
    }
    return [String(table), index]
  })
  return groupByTable(found)
}

function groupByTable<Part>(found: readonly (readonly [string, Part])[]): ReadonlyMap<string, Part[]> {
  const groups = Map.groupBy(found, ([table]) => table)
  return new Map([...groups].map(([table, pairs]) => [table, pairs.map(([, part]) => part)]))
}
