/** The action that makes a new item, where this caller can make one at all. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { FieldModel, Model, ResourceModel, Stored } from '../definition/model.ts'
import { createInput, type FormContext, isWritable } from './form-input.ts'
import type { Action } from './hypermedia.ts'
import { partiallyEvaluate, requiredValues } from './required-values.ts'
import { collectionUri } from './uri.ts'

/** Undefined where no content could let this caller create. */
export function findCreateAction(
  model: Model,
  resource: ResourceModel,
  caller: Principal,
): Action | undefined {
  if (!resource.collectionMethods.has('POST')) return undefined
  const rights = rightsOf(resource, caller)
  // What depends on the record cannot be known before there is one.
  const form: FormContext = { model, caller, rights, holds: ({ kind }) => kind !== 'never' }
  const fields = resource.fields.filter((field) => !field.state && isWritable(form, field))
  const given = resource.fields.filter((field) => !fields.includes(field))
  const known = new Map(given.map((field) => initialValue(field, caller)))
  // Its identity is new, so it is nobody's own.
  const right = partiallyEvaluate(rights.create, known.set('_identity', null))
  if (right.kind === 'never') return undefined
  const demanded = requiredValues(right)
  const inputs = fields.map((field) => {
    const required = field.required && field.default === undefined
    return createInput(form, field, { required, value: field.default, requiredValues: demanded })
  })
  return {
    name: 'default',
    title: 'Create',
    method: 'POST',
    target: collectionUri(model, resource),
    contentType: 'application/json',
    inputs,
  }
}

/** What a field that the content cannot set begins with. */
function initialValue(field: FieldModel, caller: Principal): [name: string, stored: Stored] {
  if (field.fromPrincipal) return [field.name, caller.kind === 'account' ? caller.identity : null]
  const value = field.state?.initial ?? field.default
  return [field.name, value === undefined ? null : field.encode(value)]
}
