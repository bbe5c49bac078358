/** Sets of columns whose values no two rows share: what a migration checks before it makes the index. */

import { literalSql, quoted } from '../sql/sql-text.ts'
import { formatColumn, type TableContext } from './planned-table.ts'
import type { PresentColumn, PresentTable } from './present-tables.ts'
import type { ColumnPair } from './table-matching.ts'

/** A set without an index, with the SQL condition for the rows that break it. */
export interface NewUniqueSet {
  /** The effect of the step, such as `make tasks.project and tasks.number unique together`. */
  readonly line: string
  readonly repeated: string
}

/** The obstacle after the rows, as in `2 rows have (t1, t2) …`. */
export const repeatedValues = 'the same values as another'

type AnyContext = Omit<TableContext<unknown, PresentTable>, 'connection'>

/** Returns the sets of the table that have no index yet. */
export function findNewUniqueSets(
  context: AnyContext,
  pairs: readonly ColumnPair<PresentColumn>[],
): readonly NewUniqueSet[] {
  return context.table.uniqueSets.flatMap((names) => {
    const members = names.flatMap((name) => pairs.filter(({ column }) => column.name === name))
    const present = members.flatMap(({ was }) => was?.name ?? [])
    const isIndexed = present.length === names.length && hasUniqueIndex(context.now, present)
    if (isIndexed) return []
    const columns = members.map(({ column }) => formatColumn(context, column)).join(' and ')
    const repeated = repeatedSetSql(context.now, members)
    return [{ line: `make ${columns} unique together`, repeated }]
  })
}

/** Whether a unique index covers exactly these columns, in any order. */
export function hasUniqueIndex(
  { indexes }: Pick<PresentTable, 'indexes'>,
  names: readonly string[],
): boolean {
  return indexes.some(
    ({ unique, columns }) =>
      unique && columns.length === names.length && names.every((name) => columns.includes(name)),
  )
}

/** True for rows that agree with another row in all columns. A row that lacks a value is exempt. */
function repeatedSetSql({ name }: PresentTable, members: readonly ColumnPair<PresentColumn>[]): string {
  const isAbsent = members.some(({ column, was }) => !was && column.default === undefined)
  if (isAbsent) return 'false'
  const values = members.flatMap(valueSql)
  const table = quoted(name)
  // New columns have the same default in every row.
  if (values.length === 0) return `(select count(*) from ${table}) > 1`
  const list = values.join(', ')
  const present = values.map((value) => `${value} is not null`).join(' and ')
  const groups = `select ${list} from ${table} where ${present} group by ${list}`
  return `(${list}) in (${groups} having count(*) > 1)`
}

/** The value that the column has after the migration; none for a new column, which has its default. */
function valueSql({ column, was }: ColumnPair<PresentColumn>): readonly string[] {
  if (was === undefined) return []
  const fills = column.required && !was.required && column.default !== undefined
  const name = quoted(was.name)
  return [fills ? `coalesce(${name}, ${literalSql(column.default)})` : name]
}
