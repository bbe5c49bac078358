/**
 * Join tables of sets of references. The column of a set holds its identities as JSON, and the join
 * table has a row for each of them: foreign keys keep the references valid, and indexes lead from a
 * target to the rows that refer to it. `_meta` records the target of each join table under `members:`.
 */

import { memoizeByObject } from '../../tools/memoize.ts'
import { quoted } from '../sql/sql-text.ts'
import type { MetaRecords } from './meta-records.ts'
import type { PlanExtent } from './migration-plan.ts'
import type { PresentColumn } from './present-tables.ts'
import type { Column, ColumnReference, Schema, Table } from './table-schema.ts'

/** A column with a set of references. */
export interface RefsColumn extends Column {
  readonly elements: ColumnReference
}

/** The columns of the table with sets of references. */
export const refsColumnsOf = memoizeByObject(({ columns }: Table): readonly RefsColumn[] =>
  columns.filter((column): column is RefsColumn => column.elements !== undefined),
)

/** Whether a column of the table has a set of references. */
export function hasRefs(table: Table): boolean {
  return refsColumnsOf(table).length > 0
}

/** The name of a join table. No collection begins with an underscore, and no name has a dot. */
export function formatJoinTableName(table: string, column: string): string {
  return `_members:${table}.${column}`
}

export interface JoinTable {
  /** The table and the column of the sets. */
  readonly table: string
  readonly column: string
  readonly target: string
}

const recordPrefix = 'members:'

/** An SQL condition for the records of join tables. */
export const isJoinTableRecordSql = `"name" like '${recordPrefix}%'`

/** The name of the record of a join table. */
export function joinTableRecord({ table, column }: Pick<JoinTable, 'table' | 'column'>): string {
  return `${recordPrefix}${table}.${column}`
}

/** The recorded join tables. */
export function parseJoinTables(records: MetaRecords): readonly JoinTable[] {
  return [...records].flatMap(([name, target]) => {
    if (!name.startsWith(recordPrefix)) return []
    const [table = '', column = ''] = name.slice(recordPrefix.length).split('.')
    return [{ table, column, target }]
  })
}

/** The join tables that the schema needs. */
function neededJoinTables({ tables }: Schema): readonly JoinTable[] {
  return Object.values(tables).flatMap((table) =>
    refsColumnsOf(table).map(({ name, elements }) => ({
      table: table.name,
      column: name,
      target: elements.table,
    })),
  )
}

export interface JoinTableDifference {
  /** The join tables to drop before other steps. */
  readonly stale: readonly JoinTable[]
  /** The join tables to create and fill after other steps. */
  readonly lacking: readonly JoinTable[]
}

/** The join tables to drop and create. A start drops none: another node may serve them. */
export function findJoinTableDifference(
  records: MetaRecords,
  { schema, extent }: { readonly schema: Schema; readonly extent: PlanExtent },
): JoinTableDifference {
  const present = parseJoinTables(records)
  const needed = neededJoinTables(schema)
  const isIn = (tables: readonly JoinTable[]) => (one: JoinTable) =>
    tables.some((other) => joinTableRecord(other) === joinTableRecord(one) && other.target === one.target)
  return {
    stale: extent === 'start' ? [] : present.filter((one) => !isIn(needed)(one)),
    lacking: needed.filter((one) => !isIn(present)(one)),
  }
}

/** Inserts the elements of all rows, from their columns. `elements` is a FROM item with a column `value`. */
export function fillJoinTableSql(
  name: string,
  { table, column }: JoinTable,
  elements: (list: string) => string,
): string {
  const from = `${quoted(table)} t, ${elements(`t.${quoted(column)}`)}`
  return `insert into ${quoted(name)} ("item", "target") select t."_identity", j."value" from ${from}`
}

/** A present column that becomes a set of references to another table. */
export interface RetargetedSet {
  readonly line: string
  /** True for rows with a value that is not the empty set. */
  readonly occupied: string
}

/** The obstacle after the rows, as in `2 rows have (t1, t2) …`. */
export const occupiedSet = 'a value; give the field another name, or empty it first'

interface RetargetContext {
  readonly table: Table
  readonly now: { readonly name: string }
  readonly names: ReadonlyMap<string, string>
  readonly joinTables: readonly JoinTable[]
}

/** Undefined where the column has no set, or already has one of references to the same table. */
export function findRetargetedSet(
  { table, now, names, joinTables }: RetargetContext,
  { name, elements }: Column,
  was: PresentColumn,
): RetargetedSet | undefined {
  if (elements === undefined) return undefined
  const known = joinTables.find((one) => one.table === now.name && one.column === was.name)
  if (known && (names.get(known.target) ?? known.target) === elements.table) return undefined
  return {
    line: `let ${table.name}.${name} have references to ${elements.table}`,
    occupied: `cast(${quoted(was.name)} as text) <> '[]'`,
  }
}
