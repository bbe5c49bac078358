/** The tables and columns of a model. */

import { fieldLimits } from '../../definition/field-limits.ts'
import {
  type AccountsModel,
  type FieldModel,
  isRestricted,
  type Model,
  PUBLIC_UPDATED_AT,
  PUBLIC_VERSION,
  type ResourceModel,
} from '../../definition/model.ts'
import { updatedAt } from '../../definition/system-fields.ts'
import { all, type Condition, equals } from '../condition.ts'
import type { Column, ColumnReference, LastRow, Schema, Table } from './table-schema.ts'

const systemColumns: readonly Column[] = [
  systemColumn('_identity', 'text'),
  systemColumn('_version', 'integer'),
  systemColumn('createdAt', 'text'),
  systemColumn('updatedAt', 'text'),
]

/** The version and the time of the last change to a field that is not restricted. */
const publicChangeColumns: readonly Column[] = [
  systemColumn(PUBLIC_VERSION, 'integer', '_version'),
  systemColumn(PUBLIC_UPDATED_AT, 'text', 'updatedAt'),
]

/** Whether the column is one of them. */
export function isPublicChangeColumn({ name }: { readonly name: string }): boolean {
  return publicChangeColumns.some((column) => column.name === name)
}

function systemColumn(name: string, type: 'text' | 'integer', initial?: string): Column {
  return {
    name,
    type,
    scale: undefined,
    required: true,
    unique: name === '_identity',
    default: undefined,
    initial,
    restricted: false,
    references: undefined,
    uncheckedReference: undefined,
    elements: undefined,
    formerly: [],
    limits: undefined,
    secret: false,
  }
}

/** The schema of a model. */
export function schemaOf(model: Model): Schema {
  const tables = [...model.resources.values(), ...model.ownTables.values()].map(tableOf)
  return {
    tables: Object.fromEntries(tables.map((table) => [table.name, table])),
    lastRow: model.accounts && lastAdminOf(model.accounts),
  }
}

function lastAdminOf(accounts: AccountsModel): LastRow | undefined {
  const condition = adminCondition(accounts)
  return condition && { table: accounts.resource.name, condition }
}

/** Holds for accounts with the admin role that are not disabled. Undefined when accounts have no roles. */
export function adminCondition({ roles, adminRole, disabled }: AccountsModel): Condition | undefined {
  if (!roles) return undefined
  const operator = roles.item ? 'has' : 'eq'
  const hasRole: Condition = { kind: 'compare', path: [roles.name], operator, values: [adminRole] }
  return all([hasRole, equals([disabled.name], 0)])
}

function tableOf(resource: ResourceModel): Table {
  return {
    name: resource.name,
    columns: [
      ...systemColumns,
      ...resource.fields.map((field) => columnOf(field, resource)),
      ...(resource.publicChange ? publicChangeColumns : []),
    ],
    idColumn: resource.keyField?.name ?? '_identity',
    indexes: indexesOf(resource),
    uniqueSets: resource.uniqueSets.map((fields) => fields.map((field) => field.name)),
    search: resource.search.map((field) => field.name),
    formerly: resource.formerly,
    tombstones: resource.tombstones,
    isLogged: !resource.traits.unlogged,
    history: resource.history !== undefined,
  }
}

/** An index by the time of the last change serves all callers: each sees one of the two times. */
function indexesOf({ indexes, publicChange }: ResourceModel): readonly (readonly string[])[] {
  const declared = indexes.map((fields) => fields.map((field) => field.name))
  if (!publicChange) return declared
  const timed = declared.filter((names) => names.includes(updatedAt.name))
  const shown = timed.map((names) =>
    names.map((name) => (name === updatedAt.name ? publicChange.timeColumn : name)),
  )
  return [...declared, ...shown]
}

function referenceOf({ ref }: FieldModel, resource: ResourceModel) {
  const isChecked = !resource.traits.unconstrained
  const references: ColumnReference | undefined =
    ref && isChecked ? { table: ref.resource.name, onDelete: ref.onDelete } : undefined
  return { references, uncheckedReference: isChecked ? undefined : ref?.resource.name }
}

function columnOf(field: FieldModel, resource: ResourceModel): Column {
  return {
    name: field.name,
    type: field.kind.column,
    scale: field.scale,
    required: field.required,
    unique: field.unique,
    default: defaultOf(field),
    initial: undefined,
    restricted: isRestricted(field),
    ...referenceOf(field, resource),
    elements: field.refs && { table: field.refs.resource.name, onDelete: field.refs.onDelete },
    formerly: field.formerly,
    limits: fieldLimits(field),
    secret: field.writeOnly || field.kind.isHashed || resource.traits.secrets?.includes(field.name) === true,
  }
}

/** The default of a state field is its initial state. */
function defaultOf(field: FieldModel): string | number | bigint | undefined {
  const value = field.state?.initial ?? field.default
  if (value === undefined) return undefined
  return field.encode(value) ?? undefined
}
