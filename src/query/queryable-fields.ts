/**
 * The attributes of a resource that a caller may filter and sort by: those that it sees on every
 * row. Others count as unknown, so that a list reveals nothing about them. See decision 0010.
 */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { shownChange } from '../access/shown-change.ts'
import type { FieldKind } from '../definition/field-kind.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import {
  type AggregateDerivedModel,
  type ChangePlace,
  type FieldModel,
  IDENTITY,
  type ResourceModel,
} from '../definition/model.ts'
import { createdAt, lastChange } from '../definition/system-fields.ts'
import { oldName } from '../definition/version-names.ts'
import { memoizeByObject } from '../tools/memoize.ts'

export interface QueryableFields {
  readonly resource: ResourceModel
  readonly caller: Principal
  readonly rights: Rights
  /** By the name that clients use, in the order of representations. */
  readonly attributes: ReadonlyMap<string, Attribute>
  /** The version whose names the client uses; undefined: the present one. */
  readonly version?: InterfaceVersion
  /** Those of another resource, for the same caller and version. */
  of(resource: ResourceModel): QueryableFields
}

/** The caller of a query, and the version whose names it uses; undefined: the present one. */
export interface QueryCaller {
  readonly caller: Principal
  readonly version?: InterfaceVersion | undefined
}

/** A field, or the id, that lists can be filtered and sorted by. */
export interface Attribute {
  readonly name: string
  readonly column: string
  /** The index of its value in a row. */
  readonly rowIndex: number
  /** `identity` for the id of a resource without a key. */
  readonly kind: FieldKind | 'identity'
  /** Undefined for an identity. */
  readonly field: FieldModel | undefined
  /** Whether it is the id, which clients see as text whatever its column holds. */
  readonly isId: boolean
  readonly filterable: boolean
  /** Whether it is unique and present in every row, so that it orders rows totally. */
  readonly isTotalOrder: boolean
  /** Set for a derived field, which no column holds. */
  readonly derivedField: AggregateDerivedModel | undefined
}

/** The end of a path: an attribute, or the ids of the items of an inverse. */
export interface ValueAttribute extends Omit<Attribute, 'kind'> {
  readonly kind: Attribute['kind'] | 'inverse'
}

/** The fields of the resource that the caller may query; the same object for each caller, version and resource. */
export function queryableFieldsOf(
  resource: ResourceModel,
  { caller, version }: QueryCaller,
): QueryableFields {
  return version ? fieldsInVersion(version)(caller)(resource) : presentFields(caller)(resource)
}

const presentFields = memoizeByObject((caller: Principal) =>
  memoizeByObject((resource: ResourceModel): QueryableFields => {
    const rights = rightsOf(resource, caller)
    const visible = resource.fields.filter((field) => rights.visibility.get(field)?.kind === 'always')
    const attributes = createAttributes(resource, visible, shownChange(rights))
    return { resource, caller, rights, attributes, of: presentFields(caller) }
  }),
)

/** With the names of an older version. Fields that it does not have count as unknown. */
const fieldsInVersion = memoizeByObject((version: InterfaceVersion) =>
  memoizeByObject((caller: Principal) =>
    memoizeByObject((resource: ResourceModel): QueryableFields => {
      const present = presentFields(caller)(resource)
      const attributes = [...present.attributes.values()].flatMap((attribute) => {
        const name = oldName(version, resource, attribute.name)
        return name === undefined ? [] : [[name, { ...attribute, name }] as const]
      })
      return { ...present, attributes: new Map(attributes), version, of: fieldsInVersion(version)(caller) }
    }),
  ),
)

/** The attributes of a resource whose visible fields are these, and its derived aggregates, which every caller sees. */
export function createAttributes(
  resource: ResourceModel,
  visible: readonly FieldModel[],
  { updatedAt, timeColumn }: ChangePlace = lastChange,
): ReadonlyMap<string, Attribute> {
  const attributes = [
    idAttribute(resource),
    ...[...visible, createdAt].map(fieldAttribute),
    { ...fieldAttribute(updatedAt), column: timeColumn },
    ...resource.derived.flatMap((one) =>
      one.kind === 'aggregate' ? [{ ...fieldAttribute(one.field), derivedField: one }] : [],
    ),
  ]
  return new Map(attributes.map((attribute) => [attribute.name, attribute]))
}

/** The attribute `id`: the key if the resource has one, else the identity. */
export function idAttribute({ keyField }: ResourceModel): Attribute {
  if (keyField) return { ...fieldAttribute(keyField), name: 'id', isId: true, filterable: true }
  return {
    name: 'id',
    column: '_identity',
    rowIndex: IDENTITY,
    kind: 'identity',
    field: undefined,
    isId: true,
    filterable: true,
    isTotalOrder: true,
    derivedField: undefined,
  }
}

function fieldAttribute(field: FieldModel): Attribute {
  return {
    name: field.name,
    column: field.name,
    rowIndex: field.index,
    kind: field.kind,
    field,
    isId: false,
    filterable: field.filterable,
    isTotalOrder: field.unique && field.required,
    derivedField: undefined,
  }
}
