/** The search indexes that a file has, and those a definition wants: made, dropped, filled. */

import type { MigrationStep, PlanExtent } from '../../schema/migration-plan.ts'
import { formatSearchColumns, isSearched, parseSearchColumns } from '../../schema/search-records.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { splitWords } from '../../search-words.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { countRows, queryRows } from './existing-tables.ts'
import { createSearchSql, dropSearchSql, sqliteSearch } from './search-index.ts'

/** What an index was made of stands in `_meta`, under the table's name. */
const recordPrefix = 'search:'
const batchSize = 500

export function needSearchUpdate(
  connection: SqliteConnection,
  schema: Schema,
  extent: PlanExtent,
): boolean {
  const { stale, lacking } = difference(connection, schema, extent)
  return stale.length > 0 || lacking.length > 0
}

/** Within the caller's transaction. */
export function updateSearchIndexes(
  connection: SqliteConnection,
  schema: Schema,
  extent: PlanExtent,
): void {
  const { stale, lacking } = difference(connection, schema, extent)
  const { database } = connection
  for (const name of stale) {
    for (const sql of dropSearchSql(name)) database.exec(sql)
    database.prepare('delete from "_meta" where "name" = ?').run(recordPrefix + name)
  }
  for (const table of lacking) {
    for (const sql of createSearchSql(table)) database.exec(sql)
    database
      .prepare('insert into "_meta" ("name", "value") values (?, ?)')
      .run(recordPrefix + table.name, columnsOf(table))
    fill(connection, table)
  }
}

/**
 * Tables that are there and are to be searched by other fields: nodes with the former definition
 * would not keep the words. `names` has what tables that are there will be called.
 */
export function searchSteps(
  connection: SqliteConnection,
  schema: Schema,
  names: ReadonlyMap<string, string>,
): MigrationStep[] {
  const present = searchedColumns(connection)
  return [...names].flatMap(([was, name]) => {
    const table = schema.tables[name]
    const wanted = table && formatSearchColumns(table)
    if (table === undefined || present.get(was) === wanted) return []
    return [searchStep(table, wanted === undefined ? 0 : countRows(connection, was))]
  })
}

function searchStep({ name, search }: Table, rows: number): MigrationStep {
  const line =
    search.length > 0 ? `search ${name} by ${search.join(', ')}` : `stop searching ${name}`
  const lock = 'the table is read while writers wait'
  return { line, effect: 'changes', obstacle: undefined, loss: undefined, lock, rows, sql: [] }
}

interface Difference {
  /** Names of tables whose index is not, or no longer so, wanted. */
  readonly stale: readonly string[]
  readonly lacking: readonly Table[]
}

/** A start leaves the words of tables it does not know: another node may serve them. */
function difference(connection: SqliteConnection, schema: Schema, extent: PlanExtent): Difference {
  const present = knownSearches(connection)
  const wanted = Object.values(schema.tables).filter(({ search }) => search.length > 0)
  const fits = (table: Table) => present.get(table.name) === columnsOf(table)
  const fitting = new Set(wanted.filter(fits).map(({ name }) => name))
  const stale = [...present.keys()].filter((name) => !fitting.has(name))
  return {
    stale: extent === 'start' ? stale.filter((name) => isSearched(schema, name)) : stale,
    lacking: wanted.filter(({ name }) => !fitting.has(name)),
  }
}

/** By table: the columns that its index was made of. */
export function searchedColumns(connection: SqliteConnection): ReadonlyMap<string, string> {
  return parseSearchColumns(knownSearches(connection))
}

function knownSearches(connection: SqliteConnection): ReadonlyMap<string, string> {
  const sql = `select "name", "value" from "_meta" where "name" like '${recordPrefix}%'`
  return new Map(
    queryRows(connection, sql).map(([name, made]) => [
      String(name).slice(recordPrefix.length),
      String(made),
    ]),
  )
}

function columnsOf({ search }: Table): string {
  return JSON.stringify(search)
}

/** Rows that are there already get their words, a batch at a time. */
function fill(connection: SqliteConnection, table: Table): void {
  const columns = ['_identity', ...table.search].map(quoted).join(', ')
  const next = connection.database.prepare(
    `select ${columns} from ${quoted(table.name)} where "_identity" > ? order by "_identity" limit ${batchSize}`,
  )
  let last = ''
  for (;;) {
    // The connection gives rows as arrays.
    const rows = next.all(last) as unknown as readonly (string | null)[][]
    for (const [identity, ...texts] of rows) {
      const words = splitWords(texts.map((text) => text ?? '').join('\n'))
      for (const { sql, values } of sqliteSearch.keep(table, String(identity), words)) {
        connection.prepared(sql).run(...values)
      }
      last = String(identity)
    }
    if (rows.length < batchSize) return
  }
}
