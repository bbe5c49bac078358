/**
 * Full-text search on PostgreSQL: a table stores all prefixes of the words of each row as an array,
 * under a GIN index. A tsvector would store the same words, but at most 1 MiB of them.
 */

import type { MigrationStep, PlanExtent } from '../../schema/migration-plan.ts'
import { formatSearchColumns, isSearched, parseSearchColumns } from '../../schema/search-records.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { splitWords } from '../../search-words.ts'
import { bindRaw, quoted, type SearchDialect, type SqlDraft } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { shortenIdentifier } from './identifier.ts'
import { locks } from './migration-locks.ts'

export const postgresSearch: SearchDialect = {
  matches(draft: SqlDraft, table, identity, words) {
    const wanted = arraySql(bindRaw(draft, JSON.stringify(words)))
    const from = `${quoted(wordsName(table.name))} w where w."words" @> ${wanted}`
    return `${identity} in (select w."identity" from ${from})`
  },
  keep: (table, identity, words) => [
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

/** `_meta` records the columns of each index under this prefix and the table's name. */
const recordPrefix = 'search:'
const batchSize = 500

/** Creates, drops and fills the search indexes, within the caller's transaction. */
export async function updateSearchIndexes(
  connection: PostgresConnection,
  schema: Schema,
  extent: PlanExtent,
): Promise<void> {
  const { stale, lacking } = await searchDifference(connection, schema, extent)
  for (const name of stale) {
    for (const sql of dropSearchSql(name)) await connection.run(sql)
    const sql = 'delete from "_meta" where "name" = $1'
    await connection.rows({ sql, values: [recordPrefix + name] })
  }
  for (const table of lacking) {
    for (const sql of createSql(table)) await connection.run(sql)
    const sql = 'insert into "_meta" ("name", "value") values ($1, $2)'
    await connection.rows({ sql, values: [recordPrefix + table.name, formatRecord(table)] })
    await fill(connection, table)
  }
}

export interface SearchDifference {
  /** Names of tables whose index must be dropped. */
  readonly stale: readonly string[]
  /** Tables whose index must be created. */
  readonly lacking: readonly Table[]
}

/** Compares indexes with the schema. A start leaves those of unknown tables: another node may use them. */
export async function searchDifference(
  connection: PostgresConnection,
  schema: Schema,
  extent: PlanExtent,
): Promise<SearchDifference> {
  const present = await loadSearchRecords(connection)
  const wanted = Object.values(schema.tables).filter(({ search }) => search.length > 0)
  const fits = (table: Table) => present.get(table.name) === formatRecord(table)
  const fitting = new Set(wanted.filter(fits).map(({ name }) => name))
  const stale = [...present.keys()].filter((name) => !fitting.has(name))
  return {
    stale: extent === 'start' ? stale.filter((name) => isSearched(schema, name)) : stale,
    lacking: wanted.filter(({ name }) => !fitting.has(name)),
  }
}

/** Returns the indexed columns of each table. */
export async function searchedColumns(
  connection: Pick<PostgresConnection, 'run'>,
): Promise<ReadonlyMap<string, string>> {
  return parseSearchColumns(await loadSearchRecords(connection))
}

async function loadSearchRecords(
  connection: Pick<PostgresConnection, 'run'>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.run(
    `select "name", "value" from "_meta" where "name" like '${recordPrefix}%'`,
  )
  return new Map(
    rows.map(([name, columns]) => [String(name).slice(recordPrefix.length), String(columns)]),
  )
}

/**
 * Returns a step for each existing table whose search fields change, because nodes with the old definition
 * would not update the index. `names` maps present table names to new ones.
 */
export async function searchSteps(
  connection: PostgresConnection,
  schema: Schema,
  names: ReadonlyMap<string, string>,
): Promise<MigrationStep[]> {
  if (names.size === 0) return []
  const present = await searchedColumns(connection)
  return [...names].flatMap(([was, name]) => {
    const table = schema.tables[name]
    const wanted = table && formatSearchColumns(table)
    return table === undefined || present.get(was) === wanted ? [] : [searchStep(table)]
  })
}

function searchStep({ name, search }: Table): MigrationStep {
  const line =
    search.length > 0 ? `search ${name} by ${search.join(', ')}` : `stop searching ${name}`
  const lock = locks.reference
  return { line, effect: 'changes', obstacle: undefined, loss: undefined, lock, rows: 0, sql: [] }
}

/** Returns the statements that drop the search index of the table. */
export function dropSearchSql(table: string): readonly string[] {
  return [`drop table if exists ${quoted(wordsName(table))}`]
}

/** Includes the kind of index, so that an index of another kind is created again. */
function formatRecord({ search }: Table): string {
  return `beginnings of ${JSON.stringify(search)}`
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
