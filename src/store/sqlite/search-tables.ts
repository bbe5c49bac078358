/** The search indexes that a file has, and those a definition wants: made, dropped, filled. */

import type { Schema, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import { wordsOf } from '../words.ts'
import type { Connection } from './connection.ts'
import { rowsOf } from './existing.ts'
import { createSearchSql, dropSearchSql, sqliteSearch } from './search.ts'

/** What an index was made of stands in `_meta`, under the table's name. */
const PREFIX = 'search:'
const BATCH = 500

export function searchesDiffer(connection: Connection, schema: Schema): boolean {
  const { stale, lacking } = difference(connection, schema)
  return stale.length > 0 || lacking.length > 0
}

/** Within the caller's transaction. */
export function fitSearches(connection: Connection, schema: Schema): void {
  const { stale, lacking } = difference(connection, schema)
  const { database } = connection
  for (const name of stale) {
    for (const sql of dropSearchSql(name)) database.exec(sql)
    database.prepare('delete from "_meta" where "name" = ?').run(PREFIX + name)
  }
  for (const table of lacking) {
    for (const sql of createSearchSql(table)) database.exec(sql)
    database
      .prepare('insert into "_meta" ("name", "value") values (?, ?)')
      .run(PREFIX + table.name, columnsOf(table))
    fill(connection, table)
  }
}

interface Difference {
  /** Names of tables whose index is not, or no longer so, wanted. */
  readonly stale: readonly string[]
  readonly lacking: readonly Table[]
}

function difference(connection: Connection, schema: Schema): Difference {
  const sql = `select "name", "value" from "_meta" where "name" like '${PREFIX}%'`
  const present = new Map(
    rowsOf(connection, sql).map(([name, made]) => [
      String(name).slice(PREFIX.length),
      String(made),
    ]),
  )
  const wanted = Object.values(schema.tables).filter(({ search }) => search.length > 0)
  const fits = (table: Table) => present.get(table.name) === columnsOf(table)
  const fitting = new Set(wanted.filter(fits).map(({ name }) => name))
  return {
    stale: [...present.keys()].filter((name) => !fitting.has(name)),
    lacking: wanted.filter(({ name }) => !fitting.has(name)),
  }
}

function columnsOf({ search }: Table): string {
  return JSON.stringify(search)
}

/** Rows that are there already get their words, a batch at a time. */
function fill(connection: Connection, table: Table): void {
  const columns = ['_identity', ...table.search].map(quoted).join(', ')
  const next = connection.database.prepare(
    `select ${columns} from ${quoted(table.name)} where "_identity" > ? order by "_identity" limit ${BATCH}`,
  )
  let last = ''
  for (;;) {
    // The connection gives rows as arrays.
    const rows = next.all(last) as unknown as readonly (string | null)[][]
    for (const [identity, ...texts] of rows) {
      const words = wordsOf(texts.map((text) => text ?? '').join('\n'))
      for (const { sql, values } of sqliteSearch.keep(table, String(identity), words)) {
        connection.prepared(sql).run(...values)
      }
      last = String(identity)
    }
    if (rows.length < BATCH) return
  }
}
