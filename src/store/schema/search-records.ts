/**
 * The records of full-text indexes in `_meta`, under `search:` and the name of the table: the
 * searched columns, after the method of indexing.
 */

import type { MetaRecords } from './meta-records.ts'
import type { MigrationStep, PlanExtent } from './migration-plan.ts'
import type { Schema, Table } from './table-schema.ts'

const recordPrefix = 'search:'

/** An SQL condition for the records of full-text indexes. */
export const isSearchRecordSql = `"name" like '${recordPrefix}%'`

/** The name of a table's record. */
export function searchRecord(table: string): string {
  return recordPrefix + table
}

/** The searched columns of a table as text; undefined where it is not searched. */
export function formatSearchColumns({ search }: Table): string | undefined {
  return search.length === 0 ? undefined : JSON.stringify(search)
}

/** By table: the columns without the method. A start rebuilds an index with another method. */
export function parseSearchColumns(records: MetaRecords): ReadonlyMap<string, string> {
  return new Map([...findSearches(records)].map(([name, text]) => [name, text.slice(text.indexOf('['))]))
}

/** By table. */
function findSearches(records: MetaRecords): ReadonlyMap<string, string> {
  const searches = [...records].filter(([name]) => name.startsWith(recordPrefix))
  return new Map(searches.map(([name, text]) => [name.slice(recordPrefix.length), text]))
}

export interface SearchDifference {
  /** Names of tables whose index must be dropped. */
  readonly stale: readonly string[]
  /** Tables whose index must be created. */
  readonly lacking: readonly Table[]
}

/** The indexes to drop and create. A start keeps those of unknown tables: another node may serve them. */
export function findSearchDifference(
  records: MetaRecords,
  { schema, extent, method }: SearchRequirement,
): SearchDifference {
  const present = findSearches(records)
  const searched = Object.values(schema.tables).filter(({ search }) => search.length > 0)
  const fits = (table: Table) => present.get(table.name) === method + formatSearchColumns(table)
  const fitting = new Set(searched.filter(fits).map(({ name }) => name))
  const stale = [...present.keys()].filter((name) => !fitting.has(name))
  const isSearched = (name: string) => searched.some((table) => table.name === name)
  return {
    stale: extent === 'start' ? stale.filter(isSearched) : stale,
    lacking: searched.filter(({ name }) => !fitting.has(name)),
  }
}

export interface SearchRequirement {
  readonly schema: Schema
  readonly extent: PlanExtent
  /** The text before the columns in a record of this database. */
  readonly method: string
}

/**
 * Steps for present tables whose searched fields change: nodes with the former definition would not
 * store the words. `names` has the new names of tables by their present names.
 */
export function planSearchChanges(
  records: MetaRecords,
  schema: Schema,
  names: ReadonlyMap<string, string>,
  costOf: (present: string, table: Table) => Pick<MigrationStep, 'lock' | 'rows'>,
): MigrationStep[] {
  const columns = parseSearchColumns(records)
  return [...names].flatMap(([present, name]): MigrationStep[] => {
    const table = schema.tables[name]
    if (table === undefined || columns.get(present) === formatSearchColumns(table)) return []
    const { search } = table
    const line = search.length > 0 ? `search ${name} by ${search.join(', ')}` : `stop searching ${name}`
    const step = { line, effect: 'changes', obstacle: undefined, loss: undefined, sql: [] } as const
    return [{ ...step, ...costOf(present, table) }]
  })
}
