/** The create action of a collection. */

import type { Principal } from '../access/principal.ts'
import { extentOf, rightsOf } from '../access/rights.ts'
import { subCollectionRights } from '../access/sub-collection-rights.ts'
import { findFileModel } from '../definition/file-fields.ts'
import { nestedItemSchema, nestedSchema } from '../definition/json-schemas.ts'
import {
  type FieldModel,
  IDENTITY,
  type JsonSchema,
  type Model,
  type NestedRelation,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import { formDataType } from '../http/multipart.ts'
import { type Condition, never } from '../store/condition.ts'
import { createInput, currentPasswordInput, type FormContext, isWritable } from './form-input.ts'
import type { Action, Input, NestedInput } from './hypermedia-controls.ts'
import { partiallyEvaluate, requiredValues } from './required-values.ts'
import { collectionUri, type SubCollectionParent, subCollectionUri } from './uri.ts'

/** The form by which the caller can create an item; undefined if the rules allow no content. */
export function findCreateAction(
  model: Model,
  resource: ResourceModel,
  caller: Principal,
  parent?: SubCollectionParent,
): Action | undefined {
  if (!resource.collectionMethods.has('POST')) return undefined
  const rights = rightsOf(resource, caller)
  // Conditions that depend on the row count as true: there is no row yet.
  const form: FormContext = { model, caller, rights, isTrue: ({ kind }) => kind !== 'never' }
  const given = parent?.relation.field
  const fields = resource.fields.filter((field) => !field.state && field !== given && isWritable(form, field))
  const unwritable = resource.fields.filter((field) => !fields.includes(field))
  const known = new Map(unwritable.map((field) => initialValue(field, caller)))
  const create = parent ? createRightWithin(parent, caller) : rights.create
  if (given) known.set(given.name, parent.row[IDENTITY] as string)
  // A new item has no identity, so it cannot be the caller's own account.
  const right = partiallyEvaluate(create, known.set('_identity', null))
  if (right.kind === 'never') return undefined
  const required = requiredValues(right)
  const inputs = fields.map((field) => {
    const input = createInput(form, field, {
      required: field.required && field.default === undefined,
      value: field.default,
      requiredValues: required,
    })
    const choices = resource.traits.offered?.[field.name]
    return choices ? { ...input, choices } : input
  })
  return {
    name: 'default',
    title: 'Create',
    method: 'POST',
    target: parent ? subCollectionUri(model, parent) : collectionUri(model, resource),
    contentType: needsFile(inputs) ? formDataType : 'application/json',
    inputs: resource.traits.asksForPassword ? [...inputs, currentPasswordInput] : inputs,
    createsItem: resource.declared,
    // A form with a file has members of one value.
    nested: needsFile(inputs) ? [] : nestedInputs(resource, caller),
  }
}

function nestedInputs({ nested }: ResourceModel, caller: Principal): readonly NestedInput[] {
  return nested
    .filter((relation) => subCollectionRights(relation, caller).create.kind !== 'never')
    .map((relation) => ({ name: relation.name, schema: () => schemaFor(relation, caller) }))
}

function schemaFor(relation: NestedRelation, caller: Principal): JsonSchema {
  const { visibility, writability } = rightsOf(relation.target, caller)
  const item = nestedItemSchema(relation, {
    sees: (field) => extentOf(visibility.get(field)),
    writes: (field) => extentOf(writability.get(field)),
  })
  return nestedSchema(relation, item)
}

/** JSON can only copy files, so an item that needs one is created by a form. */
function needsFile(inputs: readonly Input[]): boolean {
  return inputs.some(({ field, required }) => required && findFileModel(field) !== undefined)
}

/** The right to create an item that refers to the parent. */
export function createRightWithin({ relation, row }: SubCollectionParent, caller: Principal): Condition {
  const isOther = caller.kind !== 'account' || caller.identity !== row[IDENTITY]
  if (relation.field.readOnly || (relation.field.fromPrincipal && isOther)) return never
  return subCollectionRights(relation, caller).create
}

/** The initial value of a field that the content cannot set. */
function initialValue(field: FieldModel, caller: Principal): [name: string, stored: Stored] {
  if (field.fromPrincipal) return [field.name, caller.kind === 'account' ? caller.identity : null]
  const value = field.state?.initial ?? field.default
  return [field.name, value === undefined ? null : field.encode(value)]
}
