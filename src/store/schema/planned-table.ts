/** A table of the definition beside the table in the database: what a migration is planned from. */

import { formatFieldLimits, type KeptLimits } from '../../definition/field-limits.ts'
import { quoted } from '../sql/sql-text.ts'
import type { JoinTable } from './join-table-schema.ts'
import type { OwnedTable } from './ownership.ts'
import type { PresentColumn, PresentTable } from './present-tables.ts'
import type { StoredLimits } from './stored-limits.ts'
import type { Column, Table } from './table-schema.ts'

export interface TableContext<Connection, Present extends PresentTable> {
  readonly connection: Connection
  readonly table: Table
  readonly now: Present
  /** The names that present tables have after the migration, by their present names. */
  readonly names: ReadonlyMap<string, string>
  /** The limits that the rows were last checked against. */
  readonly limits: StoredLimits
  /** The recorded join tables of sets of references. */
  readonly joinTables: readonly JoinTable[]
  /** The columns and indexes that Restwell has made. */
  readonly owned: OwnedTable
}

type AnyContext = Omit<TableContext<unknown, PresentTable>, 'connection'>

/** The column as operators read it, such as `books.pages`. */
export function formatColumn({ table }: AnyContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

/** Only columns that Restwell has made are changed; one of the same type is adopted. */
export function findForeignColumnObstacle(
  { owned }: AnyContext,
  { name, type }: PresentColumn,
  neededType: string,
): string | undefined {
  if (owned.columns.includes(name) || type === neededType) return undefined
  return `another program has made a column of that name and of type ${type}`
}

/** The limits known of a column. The rows of an adopted column were never checked. */
export function limitsBefore(
  { now, limits, owned }: AnyContext,
  column: Column,
  was: PresentColumn,
): readonly KeptLimits[] | undefined {
  if (owned.columns.includes(was.name)) return limits[now.name]?.[was.name]
  return column.limits && [{ ...formatFieldLimits(column.limits), schema: {} }]
}

/** Whether a new column has to be filled, and the definition does not say with what. */
export function lacksDefault(column: Column): boolean {
  return column.required && column.default === undefined
}

/** True for rows whose value is the identity of no row of the target table. */
export function danglingReferenceCondition(
  { names }: AnyContext,
  was: PresentColumn,
  target: string,
): string {
  const source = [...names].find(([, name]) => name === target)?.[0]
  const present = `${quoted(was.name)} is not null`
  if (source === undefined) return present
  return `${present} and ${quoted(was.name)} not in (select "_identity" from ${quoted(source)})`
}

/** True for rows whose value another row has too. */
export function repeatedSql({ now }: AnyContext, was: PresentColumn): string {
  const name = quoted(was.name)
  return `${name} in (select ${name} from ${quoted(now.name)} group by ${name} having count(*) > 1)`
}

/** The advice for a column that has values and is no longer in the definition. */
export function formatRenameHint(column: string): string {
  return `it has values; if it was renamed, say .formerly('${column}') on the field under its new name`
}

/** The advice for a table that has rows and is no longer in the definition. */
export function formatTableRenameHint(table: string): string {
  return `it has rows; if it was renamed, say formerly: ['${table}'] in the options of the resource under its new name`
}
