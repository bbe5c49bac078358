/** The records of full-text indexes in `_meta`: the searched columns, under `search:` and the name of the table. */

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

/** By table: the searched columns. */
export function parseSearchColumns(records: MetaRecords): ReadonlyMap<string, string> {
  const searches = [...records].filter(([name]) => name.startsWith(recordPrefix))
  return new Map(searches.map(([name, text]) => [name.slice(recordPrefix.length), text]))
}

export interface SearchDifference {
  /** Names of tables whose index must be dropped. */
  readonly stale: readonly string[]
  /** Tables whose index must be created. */
  readonly lacking: readonly Table[]
}

/** The indexes to drop and create. A start drops none: another node may serve them. */
export function findSearchDifference(
  records: MetaRecords,
  { schema, extent }: { readonly schema: Schema; readonly extent: PlanExtent },
): SearchDifference {
  const present = parseSearchColumns(records)
  const searched = Object.values(schema.tables).filter(({ search }) => search.length > 0)
  const fits = (table: Table) => present.get(table.name) === formatSearchColumns(table)
  const fitting = new Set(searched.filter(fits).map(({ name }) => name))
  const stale = [...present.keys()].filter((name) => !fitting.has(name))
  return {
    stale: extent === 'start' ? [] : stale,
    lacking: searched.filter(({ name }) => !fitting.has(name)),
  }
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
