/** What a database file has now: its tables, columns and indexes, as SQLite tells them. */

import type { PresentColumn, PresentIndex, PresentTable } from '../ownership.ts'
import { quoted } from '../sql.ts'
import type { Row } from '../store.ts'
import type { Connection } from './connection.ts'

export interface ExistingTable extends PresentTable {
  readonly columns: ReadonlyMap<string, ExistingColumn>
  readonly empty: boolean
}

export interface ExistingColumn extends PresentColumn {
  /** Its default as SQL. */
  readonly default: string | undefined
  /** It is computed from other columns. */
  readonly generated: boolean
}

/** All tables but SQLite's and the store's own. */
export function existingTables(connection: Connection): Map<string, ExistingTable> {
  const names = rowsOf(connection, `select name from sqlite_schema where type = 'table'`)
    .map(([name]) => String(name))
    .filter((name) => !name.startsWith('_') && !name.startsWith('sqlite_'))
  return new Map(names.map((name) => [name, existingTable(connection, name)]))
}

function existingTable(connection: Connection, name: string): ExistingTable {
  return {
    name,
    columns: existingColumns(connection, name),
    indexes: existingIndexes(connection, name),
    empty: !isAny(connection, `select 1 from ${quoted(name)} limit 1`),
  }
}

export function isAny(connection: Connection, sql: string): boolean {
  return rowsOf(connection, sql).length > 0
}

export function countRows(connection: Connection, table: string, where = 'true'): number {
  const [row] = rowsOf(connection, `select count(*) from ${quoted(table)} where ${where}`)
  return Number(row?.[0])
}

/** How many rows an obstacle names. */
const NAMED_ROWS = 5

/** `3 rows have (id1, id2, id3)`: the first of them by name. */
export function namedRows(connection: Connection, table: string, where: string): string {
  const count = countRows(connection, table, where)
  const sql = `select "_identity" from ${quoted(table)} where ${where} order by 1 limit ${NAMED_ROWS}`
  const names = rowsOf(connection, sql).map(([identity]) => String(identity))
  const more = count > NAMED_ROWS ? ', …' : ''
  return `${count === 1 ? '1 row has' : `${count} rows have`} (${names.join(', ')}${more})`
}

/** Not from the cache of statements: tables change under it. */
export function rowsOf(connection: Connection, sql: string): readonly Row[] {
  return connection.database.prepare(sql).all() as unknown as Row[]
}

function existingColumns(connection: Connection, table: string): Map<string, ExistingColumn> {
  const targets = new Map(
    rowsOf(connection, `select "from", "table" from pragma_foreign_key_list(${textOf(table)})`).map(
      ([from, target]) => [String(from), String(target)],
    ),
  )
  const info = `select "name", "type", "notnull", "dflt_value", "hidden" from pragma_table_xinfo(${textOf(table)})`
  const columns = rowsOf(connection, info).map(([name, type, required, initial, hidden]) => {
    const target = targets.get(String(name))
    return {
      name: String(name),
      type: String(type).toLowerCase(),
      required: required === 1,
      default: typeof initial === 'string' ? initial : undefined,
      hasDefault: typeof initial === 'string',
      generated: hidden !== 0,
      references: target === undefined ? undefined : { table: target },
    }
  })
  return new Map(columns.map((column) => [column.name, column]))
}

/** Those made by `create index`; the one behind the primary key is not ours to touch. */
function existingIndexes(connection: Connection, table: string): PresentIndex[] {
  const list = `select "name", "unique" from pragma_index_list(${textOf(table)}) where "origin" = 'c'`
  return rowsOf(connection, list).map(([name, unique]) => ({
    name: String(name),
    unique: unique === 1,
    columns: rowsOf(
      connection,
      `select "name" from pragma_index_info(${textOf(String(name))}) order by "seqno"`,
    ).map(([column]) => String(column)),
  }))
}

function textOf(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}
