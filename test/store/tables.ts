/** Schemas by hand, for tests of the store: the store knows no definitions. */

import type { FieldLimits } from '../../src/definition/field-limits.ts'
import type { Kind } from '../../src/definition/kinds/kind.ts'
import { refsKind } from '../../src/definition/kinds/refs.ts'
import type { JsonSchema, Stored } from '../../src/definition/model.ts'
import type { Column, ColumnReference, Schema, Table } from '../../src/store/schema/table-schema.ts'

type ColumnOptions = Partial<Omit<Column, 'name' | 'type' | 'references'>>

export function text(name: string, options: ColumnOptions = {}): Column {
  return column(name, 'text', options)
}

export function integer(name: string, options: ColumnOptions = {}): Column {
  return column(name, 'integer', options)
}

export function real(name: string, options: ColumnOptions = {}): Column {
  return column(name, 'real', options)
}

export function decimal(name: string, options: ColumnOptions = {}): Column {
  return { ...column(name, 'decimal', options), scale: options.scale ?? 2 }
}

export function ref(
  name: string,
  table: string,
  onDelete: ColumnReference['onDelete'] = 'restrict',
  options: ColumnOptions = {},
): Column {
  return { ...column(name, 'text', options), references: { table, onDelete } }
}

export function refs(
  name: string,
  table: string,
  onDelete: 'clear' | 'restrict' = 'clear',
  options: ColumnOptions = {},
): Column {
  const limits = limitsOf(refsKind, { type: 'array', maxItems: 100 })
  const set = { required: true, default: '[]', limits, ...options }
  return { ...column(name, 'text', set), elements: { table, onDelete } }
}

/** The limits of a column whose field has no options. */
export function limitsOf(kind: Kind, schema: JsonSchema): FieldLimits {
  return {
    kind,
    schema,
    encode: (value) => kind.encode(value, {}),
    decode: (stored) => kind.decode(stored, {}),
  }
}

function column(name: string, type: Column['type'], options: ColumnOptions): Column {
  return {
    name,
    type,
    scale: undefined,
    required: false,
    unique: false,
    default: undefined,
    initial: undefined,
    restricted: false,
    references: undefined,
    uncheckedReference: undefined,
    elements: undefined,
    formerly: [],
    limits: undefined,
    secret: false,
    ...options,
  }
}

const system: readonly Column[] = [
  text('_identity', { required: true, unique: true }),
  integer('_version', { required: true }),
  text('createdAt', { required: true }),
  text('updatedAt', { required: true }),
]

export function table(
  name: string,
  columns: readonly Column[],
  options: Partial<Omit<Table, 'name' | 'columns'>> = {},
): Table {
  return {
    name,
    columns: [...system, ...columns],
    idColumn: '_identity',
    indexes: [],
    uniqueSets: [],
    search: [],
    formerly: [],
    tombstones: false,
    isLogged: true,
    history: false,
    ...options,
  }
}

export function schema(...tables: readonly Table[]): Schema {
  return { tables: Object.fromEntries(tables.map((one) => [one.name, one])) }
}

export const THEN = '2026-01-01T00:00:00.000Z'
export const LATER = '2026-01-02T00:00:00.000Z'

/** A new row's values: the system columns, then the fields. */
export function row(identity: string, ...fields: readonly Stored[]): Stored[] {
  return [identity, 1, THEN, THEN, ...fields]
}
