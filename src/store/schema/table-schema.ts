/** The tables and columns of a model, as plain data that can be sent to other threads. */

import type { BuiltInName } from '../../definition/built-in-name.ts'
import { type FieldLimits, fieldLimits } from '../../definition/field-limits.ts'
import type { FieldModel, Model, ResourceModel } from '../../definition/model.ts'
import { isUnconstrained } from '../../definition/relations.ts'

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
  readonly type: 'text' | 'integer' | 'real' | 'decimal'
  /** The fraction digits of a decimal. */
  readonly scale: number | undefined
  readonly required: boolean
  readonly unique: boolean
  /** The value for rows that existed before the column; undefined where there is none. */
  readonly default: string | number | bigint | undefined
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

const systemColumns: readonly Column[] = ['_identity', '_version', 'createdAt', 'updatedAt'].map((name) => ({
  name,
  type: name === '_version' ? 'integer' : 'text',
  scale: undefined,
  required: true,
  unique: name === '_identity',
  default: undefined,
  references: undefined,
  uncheckedReference: undefined,
  elements: undefined,
  formerly: [],
  limits: undefined,
  secret: false,
}))

/** The schema of a model. */
export function schemaOf(model: Model): Schema {
  const tables = [...model.resources.values(), ...model.ownTables.values()].map(tableOf)
  return { tables: Object.fromEntries(tables.map((table) => [table.name, table])) }
}

/** The schema as text, equal only for equal tables. */
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
    columns: [...systemColumns, ...resource.fields.map((field) => columnOf(field, resource))],
    idColumn: resource.keyField?.name ?? '_identity',
    indexes: resource.indexes.map((fields) => fields.map((field) => field.name)),
    uniqueSets: resource.uniqueSets.map((fields) => fields.map((field) => field.name)),
    search: resource.search.map((field) => field.name),
    formerly: resource.formerly,
    tombstones: resource.tombstones,
    isLogged: resource.builtIn === undefined || !unloggedTables.has(resource.builtIn),
    history: resource.history !== undefined,
  }
}

/** Tables whose rows tell how far the log was read, what became of its entries, and what is mailed or uploaded. */
const unloggedTables: ReadonlySet<BuiltInName> = new Set([
  'log_cursors',
  'log_queue',
  'webhook_deliveries',
  'account_mails',
  'file_uploads',
  'file_upload_parts',
])

/** Digests and encrypted secrets in the rows of built-in resources. */
const ownSecrets: Partial<Record<BuiltInName, readonly string[]>> = {
  tokens: ['token', 'passwordMark'],
  webhooks: ['secret', 'previousSecret'],
  account_mails: ['digest', 'nonce', 'passwordMark', 'newAccount'],
  account_credentials: ['name', 'secret', 'recoveryCodes', 'keyId', 'keyDigest'],
}

function isOwnSecret({ name }: FieldModel, builtIn: BuiltInName | undefined): boolean {
  return builtIn !== undefined && ownSecrets[builtIn]?.includes(name) === true
}

function referenceOf({ ref }: FieldModel, resource: ResourceModel) {
  const isChecked = !isUnconstrained(resource)
  const references: ColumnReference | undefined =
    ref && isChecked ? { table: ref.resource.name, onDelete: ref.onDelete } : undefined
  return { references, uncheckedReference: isChecked ? undefined : ref?.resource.name }
}

function columnOf(field: FieldModel, resource: ResourceModel): Column {
  return {
    name: field.name,
    type: columnType(field),
    scale: field.scale,
    required: field.required,
    unique: field.unique,
    default: defaultOf(field),
    ...referenceOf(field, resource),
    elements: field.refs && { table: field.refs.resource.name, onDelete: field.refs.onDelete },
    formerly: field.formerly,
    limits: fieldLimits(field),
    secret: field.writeOnly || field.kind === 'password' || isOwnSecret(field, resource.builtIn),
  }
}

/** The table that the column refers to, as one reference or as a set; undefined where it is neither. */
export function referredTableName(column: Column): string | undefined {
  return (column.references ?? column.elements)?.table ?? column.uncheckedReference
}

/** The default of a state field is its initial state. */
function defaultOf(field: FieldModel): string | number | bigint | undefined {
  const value = field.state?.initial ?? field.default
  if (value === undefined) return undefined
  return field.encode(value) ?? undefined
}

/** How the values of the field are stored. */
export function columnType(field: FieldModel): Column['type'] {
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
