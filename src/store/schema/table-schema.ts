/**
 * What the store needs to know of a model: tables and columns, as plain data that crosses threads.
 */

import { type FieldLimits, fieldLimits } from '../../definition/field-limits.ts'
import type { FieldModel, Model, ResourceModel } from '../../definition/model.ts'

export interface Schema {
  readonly tables: Readonly<Record<string, Table>>
}

export interface Table {
  readonly name: string
  /** `_identity`, `_version`, `createdAt`, `updatedAt`, then one for each field, in Row order. */
  readonly columns: readonly Column[]
  /** The column that names items in URIs: `_identity`, or the key field's. */
  readonly idColumn: string
  readonly indexes: readonly (readonly string[])[]
  /** The text columns whose words are kept for full-text search; empty where none are. */
  readonly search: readonly string[]
  readonly formerly: readonly string[]
  readonly tombstones: boolean
}

export interface Column {
  readonly name: string
  /** How values are kept. A decimal is a scaled 64-bit integer that is read as text. */
  readonly type: 'text' | 'integer' | 'real' | 'decimal'
  /** Fraction digits of a decimal: with another scale the same integers would mean other values. */
  readonly scale: number | undefined
  readonly required: boolean
  readonly unique: boolean
  /** What rows made before the column existed get; undefined where there is none. */
  readonly default: string | number | bigint | undefined
  /** Set on references: they hold the `_identity` of a row of that table. */
  readonly references: ColumnReference | undefined
  readonly formerly: readonly string[]
  /** What values it may have, where it holds a field's own. No part of the table. */
  readonly limits: FieldLimits | undefined
  /** Never copied out of its row: a password's hash is in no tombstone. */
  readonly secret: boolean
}

export interface ColumnReference {
  readonly table: string
  readonly onDelete: 'restrict' | 'cascade' | 'clear'
}

const systemColumns: readonly Column[] = ['_identity', '_version', 'createdAt', 'updatedAt'].map(
  (name) => ({
    name,
    type: name === '_version' ? 'integer' : 'text',
    scale: undefined,
    required: true,
    unique: name === '_identity',
    default: undefined,
    references: undefined,
    formerly: [],
    limits: undefined,
    secret: false,
  }),
)

export function schemaOf(model: Model): Schema {
  const own = model.identities ? [model.identities] : []
  const tables = [...model.resources.values(), ...own].map(tableOf)
  return { tables: Object.fromEntries(tables.map((table) => [table.name, table])) }
}

/** As text: the same for the same tables, and only for them. */
export function formatSchema(schema: Schema): string {
  const tables = Object.values(schema.tables).map((table) => ({
    ...table,
    columns: table.columns.map(withTextDefault),
  }))
  return JSON.stringify(tables)
}

/** JSON has no 64-bit integers. */
function withTextDefault(column: Column) {
  const { default: value } = column
  return typeof value === 'bigint' ? { ...column, default: `${value}n` } : column
}

function tableOf(resource: ResourceModel): Table {
  return {
    name: resource.name,
    columns: [...systemColumns, ...resource.fields.map(columnOf)],
    idColumn: resource.key?.name ?? '_identity',
    indexes: resource.indexes.map((fields) => fields.map((field) => field.name)),
    search: resource.search.map((field) => field.name),
    formerly: resource.formerly,
    tombstones: resource.tombstones,
  }
}

function columnOf(field: FieldModel): Column {
  return {
    name: field.name,
    type: columnType(field),
    scale: field.scale,
    required: field.required,
    unique: field.unique,
    default: defaultOf(field),
    references: field.ref && { table: field.ref.resource.name, onDelete: field.ref.onDelete },
    formerly: field.formerly,
    limits: fieldLimits(field),
    secret: field.writeOnly || field.kind === 'password',
  }
}

/** A state field starts existing rows in its initial state, as it does new ones. */
function defaultOf(field: FieldModel): string | number | bigint | undefined {
  const value = field.state?.initial ?? field.default
  if (value === undefined) return undefined
  return field.encode(value) ?? undefined
}

function columnType(field: FieldModel): Column['type'] {
  switch (field.kind) {
    case 'integer':
    case 'boolean':
      return 'integer'
    case 'number':
      return 'real'
    case 'decimal':
      return 'decimal'
    default:
      return 'text'
  }
}
