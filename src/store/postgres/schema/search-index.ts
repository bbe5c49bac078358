/**
 * Full-text search on PostgreSQL: a table stores all prefixes of the words of each row as an array,
 * under a GIN index. A tsvector would store the same words, but at most 1 MiB of them.
 */

import type { PlanExtent } from '../../schema/migration-plan.ts'
import { findSearchDifference, searchRecord } from '../../schema/search-records.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { splitWords } from '../../search-words.ts'
import { bindRaw, quoted, type SearchDialect, type SqlBuilder } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { shortenIdentifier } from './identifier.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

export const postgresSearch: SearchDialect = {
  findWords(builder: SqlBuilder, table, before, words) {
    const wanted = arraySql(bindRaw(builder, JSON.stringify(words)))
    return `select w."identity" from ${before}${quoted(wordsName(table.name))} w where w."words" @> ${wanted}`
  },
  hasWords(builder: SqlBuilder, table, identity, words) {
    const wanted = arraySql(bindRaw(builder, JSON.stringify(words)))
    const from = `${quoted(wordsName(table.name))} w where w."identity" = ${identity}`
    // The planner makes no join of a scalar subquery: it reads the words of this row only.
    return `(select w."words" @> ${wanted} from ${from})`
  },
  octets: (table, identity) =>
    `(select pg_column_size(w."words") from ${quoted(wordsName(table.name))} w where w."identity" = ${identity})`,
  storeWords: (table, identity, words) => [
    {
      sql: `insert into ${quoted(wordsName(table.name))} ("identity", "words") values ($1, ${arraySql('$2')}) on conflict ("identity") do update set "words" = excluded."words"`,
      values: [identity, JSON.stringify(listPrefixes(words))],
    },
  ],
}

/** Returns all distinct prefixes of the words: a search term matches one of them exactly. */
function listPrefixes(words: readonly string[]): readonly string[] {
  const prefixes = new Set<string>()
  for (const word of words) {
    let prefix = ''
    for (const character of word) {
      prefix += character
      prefixes.add(prefix)
    }
  }
  return [...prefixes]
}

function arraySql(list: string): string {
  return `array(select json_array_elements_text(${list}::json))`
}

function wordsName(table: string): string {
  return shortenIdentifier(`_words:${table}`)
}

const batchSize = 500

/** Creates, drops and fills the search indexes, within the caller's transaction. */
export async function updateSearchIndexes(
  connection: PostgresConnection,
  schema: Schema,
  extent: PlanExtent,
): Promise<void> {
  const records = await loadRecords(connection)
  const { stale, lacking } = findSearchDifference(records, { schema, extent })
  for (const name of stale) {
    for (const sql of dropSearchSql(name)) await connection.run(sql)
    const sql = 'delete from "_meta" where "name" = $1'
    await connection.rows({ sql, values: [searchRecord(name)] })
  }
  for (const table of lacking) {
    for (const sql of createSql(table)) await connection.run(sql)
    await saveRecord(connection, searchRecord(table.name), JSON.stringify(table.search))
    await fill(connection, table)
  }
}

/** Returns the statements that drop the search index of the table. */
export function dropSearchSql(table: string): readonly string[] {
  return [`drop table if exists ${quoted(wordsName(table))}`]
}

function createSql({ name }: Table): readonly string[] {
  const words = quoted(wordsName(name))
  const identity = `"identity" text collate "C" primary key references ${quoted(name)} ("_identity") on delete cascade`
  return [
    `create table ${words} (${identity}, "words" text[] collate "C" not null)`,
    `create index ${quoted(shortenIdentifier(`_words:${name}:index`))} on ${words} using gin ("words")`,
  ]
}

/** Indexes the existing rows in batches. */
async function fill(connection: PostgresConnection, table: Table): Promise<void> {
  const columns = ['_identity', ...table.search].map(quoted).join(', ')
  const sql = `select ${columns} from ${quoted(table.name)} where "_identity" > $1 order by "_identity" limit ${batchSize}`
  let last = ''
  for (;;) {
    const rows = await connection.rows({ sql, values: [last] })
    const pairs = rows.map(([identity, ...texts]) => [
      identity,
      listPrefixes(splitWords(texts.map((text) => text ?? '').join('\n'))),
    ])
    await connection.rows({ sql: fillSql(table), values: [JSON.stringify(pairs)] })
    last = String(rows.at(-1)?.[0] ?? '')
    if (rows.length < batchSize) return
  }
}

/** The parameter is a JSON array of pairs: an identity and its prefixes. */
function fillSql({ name }: Table): string {
  const pairs = `select p ->> 0, array(select json_array_elements_text(p -> 1)) from json_array_elements($1::json) p`
  return `insert into ${quoted(wordsName(name))} ("identity", "words") ${pairs}`
}
