/** What a database file has now: its tables, columns and indexes, as SQLite tells them. */

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
  /** Its default as SQL. */
  readonly default: string | undefined
  /** It is computed from other columns. */
  readonly generated: boolean
}

/** All tables but SQLite's and the store's own. One statement for each question, however many there are. */
export function existingTables(connection: SqliteConnection): Map<string, SqliteTable> {
  const columns = existingColumns(connection)
  const indexes = existingIndexes(connection)
  const names = queryRows(connection, `select m."name" from ${ownTables}`).map(([name]) =>
    String(name),
  )
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

/** `m` is each of the tables. */
const ownTables = `(select "name" from sqlite_schema where "type" = 'table'
  and substr("name", 1, 1) <> '_' and substr("name", 1, 7) <> 'sqlite_') m`

export function hasRows(connection: SqliteConnection, sql: string): boolean {
  return queryRows(connection, sql).length > 0
}

export function countRows(connection: SqliteConnection, table: string, where = 'true'): number {
  const [row] = queryRows(connection, `select count(*) from ${quoted(table)} where ${where}`)
  return Number(row?.[0])
}

/** `3 rows have (id1, id2, id3)`, for the rows that the SQL condition is true for. */
export function namedRows(connection: SqliteConnection, table: string, where: string): string {
  const sql = `select "_identity" from ${quoted(table)} where ${where} order by 1 limit ${maxNamedRows}`
  const names = queryRows(connection, sql).map(([identity]) => String(identity))
  return formatRows(countRows(connection, table, where), names)
}

/** Not from the cache of statements: tables change under it. */
export function queryRows(connection: SqliteConnection, sql: string): readonly Row[] {
  return connection.database.prepare(sql).all() as unknown as Row[]
}

/** By table. */
function existingColumns(connection: SqliteConnection): ReadonlyMap<string, SqliteColumn[]> {
  const keys = `select m."name", f."from", f."table" from ${ownTables}, pragma_foreign_key_list(m."name") f`
  const targets = new Map(
    queryRows(connection, keys).map(([table, from, target]) => [
      `${table}\0${from}`,
      String(target),
    ]),
  )
  const info = `select m."name", x."name", x."type", x."notnull", x."dflt_value", x."hidden"
    from ${ownTables}, pragma_table_xinfo(m."name") x`
  const found = queryRows(connection, info).map(
    ([table, name, type, required, initial, hidden]): [string, SqliteColumn] => {
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
    },
  )
  return groupByTable(found)
}

/** By table: those made by `create index`; the one behind the primary key is not ours to touch. */
function existingIndexes(connection: SqliteConnection): ReadonlyMap<string, PresentIndex[]> {
  const sql = `select m."name", l."name", l."unique", i."name", i."seqno" from ${ownTables},
    pragma_index_list(m."name") l, pragma_index_info(l."name") i where l."origin" = 'c'`
  const parts = Map.groupBy(queryRows(connection, sql), ([table, name]) => `${table}\0${name}`)
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

function groupByTable<One>(found: readonly (readonly [string, One])[]): ReadonlyMap<string, One[]> {
  const groups = Map.groupBy(found, ([table]) => table)
  return new Map([...groups].map(([table, pairs]) => [table, pairs.map(([, one]) => one)]))
}
