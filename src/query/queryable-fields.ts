/**
 * What a caller may ask by: the attributes of a resource that it sees on every record. Others are
 * as if they were not there, so that no answer tells of them.
 */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import {
  type FieldKind,
  type FieldModel,
  IDENTITY,
  type ResourceModel,
} from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import { memoizeByObject } from '../tools/memoize.ts'

export interface QueryableFields {
  readonly resource: ResourceModel
  readonly rights: Rights
  /** By the name a client uses, in the order of representations. */
  readonly attributes: ReadonlyMap<string, Attribute>
}

/** What a resource can be filtered and sorted by. */
export interface Attribute {
  readonly name: string
  readonly column: string
  /** Where its value stands in a Row. */
  readonly at: number
  /** `identity` where it is the id of a resource without a key. */
  readonly kind: FieldKind | 'identity'
  /** Undefined for an identity. */
  readonly field: FieldModel | undefined
  /** The id, which is text to clients whatever its column holds. */
  readonly isId: boolean
  readonly filterable: boolean
  /** No two records have the same, and none has none. */
  readonly total: boolean
}

export type QueryableFieldsOf = (resource: ResourceModel) => QueryableFields

/** The sights of one caller. */
export function queryableFieldsFor(caller: Principal): QueryableFieldsOf {
  return (resource) => queryableFields(rightsOf(resource, caller))
}

const queryableFields = memoizeByObject((rights: Rights): QueryableFields => {
  const { resource } = rights
  const seen = resource.fields.filter((field) => rights.visibility.get(field)?.kind === 'always')
  return { resource, rights, attributes: createAttributes(resource, seen) }
})

/** What can be asked by where these fields are seen on every record. */
export function createAttributes(
  resource: ResourceModel,
  seen: readonly FieldModel[],
): ReadonlyMap<string, Attribute> {
  const attributes = [
    idAttribute(resource),
    ...[...seen, ...systemFields.values()].map(fieldAttribute),
  ]
  return new Map(attributes.map((attribute) => [attribute.name, attribute]))
}

export function idAttribute({ key }: ResourceModel): Attribute {
  if (key) return { ...fieldAttribute(key), name: 'id', isId: true, filterable: true }
  return {
    name: 'id',
    column: '_identity',
    at: IDENTITY,
    kind: 'identity',
    field: undefined,
    isId: true,
    filterable: true,
    total: true,
  }
}

function fieldAttribute(field: FieldModel): Attribute {
  return {
    name: field.name,
    column: field.name,
    at: field.index,
    kind: field.kind,
    field,
    isId: false,
    filterable: field.filterable,
    total: field.unique && field.required,
  }
}
