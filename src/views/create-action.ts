/** The create action of a collection. */

import type { Principal } from '../access/principal.ts'
import { extentOf, rightsOf } from '../access/rights.ts'
import { subCollectionRights } from '../access/sub-collection-rights.ts'
import { carriedFields } from '../definition/carried-fields.ts'
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
  const given = parent && { field: parent.relation.field, identity: parent.row[IDENTITY] as string }
  const right = parent ? createRightWithin(parent, caller) : rightsOf(resource, caller).create
  const inputs = creationInputs({ model, resource, caller, given, right })
  if (!inputs) return undefined
  return {
    name: 'default',
    title: 'Create',
    method: 'POST',
    target: parent ? subCollectionUri(model, parent) : collectionUri(model, resource),
    contentType: needsFile(inputs) ? formDataType : 'application/json',
    inputs: resource.traits.asksForPassword ? [...inputs, currentPasswordInput] : inputs,
    createsItem: resource.declared,
    // A form with a file has members of one value.
    nested: needsFile(inputs) ? [] : nestedInputs(model, resource, caller),
  }
}

interface Creation {
  readonly model: Model
  readonly resource: ResourceModel
  readonly caller: Principal
  /** The reference that is no input, and the item that it names where that exists. */
  readonly given: { readonly field: FieldModel; readonly identity: string | undefined } | undefined
  readonly right: Condition
}

/** The inputs for the fields of a new item; undefined if the right allows no content. */
function creationInputs({ model, resource, caller, given, right }: Creation): readonly Input[] | undefined {
  // Conditions that depend on the row count as true: there is no row yet.
  const rights = rightsOf(resource, caller)
  const form: FormContext = { model, caller, rights, isTrue: ({ kind }) => kind !== 'never' }
  const fields = resource.fields.filter(
    (field) => !field.state && field !== given?.field && isWritable(form, field),
  )
  const unwritable = resource.fields.filter((field) => !fields.includes(field) && field !== given?.field)
  // A new item has no identity, so it cannot be the caller's own account.
  const known = new Map(unwritable.map((field) => initialValue(field, caller))).set('_identity', null)
  if (given?.identity !== undefined) known.set(given.field.name, given.identity)
  const evaluated = partiallyEvaluate(right, known)
  if (evaluated.kind === 'never') return undefined
  const required = requiredValues(evaluated)
  return fields.map((field) => {
    const input = createInput(form, field, {
      required: field.required && field.default === undefined,
      value: field.default,
      requiredValues: required,
    })
    const choices = resource.traits.offered?.[field.name]
    return choices ? { ...input, choices } : input
  })
}

function nestedInputs(model: Model, resource: ResourceModel, caller: Principal): readonly NestedInput[] {
  return resource.nested.flatMap((relation) => {
    const { name, target, field, isOne } = relation
    const right = subCollectionRights(relation, caller).create
    if (right.kind === 'never') return []
    const given = { field, identity: undefined }
    const inputs = isOne ? creationInputs({ model, resource: target, caller, given, right }) : []
    if (!inputs) return []
    const schema = () => schemaFor(relation, caller)
    return [{ name, target, schema, inputs: inputs.map((input) => inFormOf(resource, input)) }]
  })
}

/** The input with the name that its field has in a form of the resource. A person chooses also the only possible value. */
function inFormOf(resource: ResourceModel, input: Input): Input {
  const carried = carriedFields(resource).find(({ own }) => own === input.field)
  if (!carried) return input
  const { value, fixed } = input
  return {
    ...input,
    field: carried.field,
    isPart: true,
    fixed: false,
    value: fixed ? carried.own.default : value,
  }
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
