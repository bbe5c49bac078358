/** Tables and columns. */

import type { FieldKind } from '../../definition/field-kind.ts'
import { type FieldLimits, formatFieldLimits } from '../../definition/field-limits.ts'
import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Condition } from '../condition.ts'

export interface Schema {
  readonly tables: Readonly<Record<string, Table>>
  /** Undefined: every row may be changed and deleted. */
  readonly lastRow?: LastRow | undefined
}

/** No transaction may change or delete the last row of the table that satisfies the condition. */
export interface LastRow {
  readonly table: string
  readonly condition: Condition
}

export interface Table {
  readonly name: string
  /** `_identity`, `_version`, `createdAt`, `updatedAt`, one for each field, then the last public change, in Row order. */
  readonly columns: readonly Column[]
  /** The column that names items in URIs: `_identity`, or the key field's. */
  readonly idColumn: string
  readonly indexes: readonly (readonly string[])[]
  /** No two rows have the same values in all columns of a set; a row that lacks one is exempt. */
  readonly uniqueSets: readonly (readonly string[])[]
  /** The text columns of the full-text index; empty where there is none. */
  readonly search: readonly string[]
  readonly formerly: readonly string[]
  readonly tombstones: boolean
  /** Whether the change log has an entry for each change of a row. */
  readonly isLogged: boolean
  /** Whether the entries of one row are read from the change log. */
  readonly history: boolean
}

export interface Column {
  readonly name: string
  /** How values are stored. A decimal is a scaled 64-bit integer that is read as text. */
  readonly type: FieldKind['column']
  /** The fraction digits of a decimal. */
  readonly scale: number | undefined
  readonly required: boolean
  readonly unique: boolean
  /** The value for rows that existed before the column; undefined where there is none. */
  readonly default: string | number | bigint | undefined
  /** The column whose value a row has here that was written without a value; undefined: none. */
  readonly initial: string | undefined
  /** Whether some readers of the row do not see the value. */
  readonly restricted: boolean
  /** The table whose `_identity` the column holds; undefined where it is not a reference. */
  readonly references: ColumnReference | undefined
  /** The table whose `_identity` the column holds where the database does not check it. */
  readonly uncheckedReference: string | undefined
  /** The table whose identities the column holds as a JSON array, a set of references. */
  readonly elements: ColumnReference | undefined
  readonly formerly: readonly string[]
  /** The limits of the field's values; undefined for system columns. Not part of the table. */
  readonly limits: FieldLimits | undefined
  /** Whether tombstones and the change log leave the value out, as the hash of a password. */
  readonly secret: boolean
}

export interface ColumnReference {
  readonly table: string
  readonly onDelete: 'restrict' | 'cascade' | 'clear'
}

/** The schema as text, equal only for equal tables. */
export function formatSchema(schema: Schema): string {
  const tables = Object.values(schema.tables).map((table) => ({
    ...table,
    columns: table.columns.map(columnAsData),
  }))
  return JSON.stringify(tables)
}

/** JSON has neither functions nor 64-bit integers. */
function columnAsData({ limits, default: value, ...column }: Column) {
  return {
    ...column,
    default: typeof value === 'bigint' ? `${value}n` : value,
    limits: limits && formatFieldLimits(limits),
  }
}

/** The schema for another thread, which cannot get the functions of kinds. */
export function withoutLimits(schema: Schema): Schema {
  const tables = Object.values(schema.tables).map((table) => [
    table.name,
    { ...table, columns: table.columns.map((column) => ({ ...column, limits: undefined })) },
  ])
  return { ...schema, tables: Object.fromEntries(tables) }
}

/** The table that the column refers to, as one reference or as a set; undefined where it is neither. */
export function referredTableName(column: Column): string | undefined {
  return (column.references ?? column.elements)?.table ?? column.uncheckedReference
}

/** The values of a row in all columns, which may lack those of columns that begin with the value of another. */
export function withInitialValues(table: Table, values: readonly Stored[]): readonly Stored[] {
  const missing = initialColumns(table).filter(({ at }) => (values[at] ?? null) === null)
  if (missing.length === 0) return values
  const complete = [...values]
  for (const { at, from } of missing) complete[at] = values[from] ?? null
  return complete
}

const initialColumns = memoizeByObject(({ columns }: Table) =>
  [...columns.entries()].flatMap(([at, { initial }]) =>
    initial === undefined ? [] : [{ at, from: columns.findIndex(({ name }) => name === initial) }],
  ),
)
