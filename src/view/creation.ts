/** The action that makes a new item, where this caller can make one at all. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { FieldModel, Model, ResourceModel, Stored } from '../declare/model.ts'
import { demandsOf, settled } from './demand.ts'
import type { Action } from './hypermedia.ts'
import { type Filler, inputOf, isWritable } from './input.ts'
import { collectionUri } from './uri.ts'

/** Undefined where no content could let this caller create. */
export function creationOf(
  model: Model,
  resource: ResourceModel,
  who: Principal,
): Action | undefined {
  if (!resource.collectionMethods.has('POST')) return undefined
  const rights = rightsOf(resource, who)
  // What depends on the record cannot be known before there is one.
  const filler: Filler = { model, who, rights, holds: ({ kind }) => kind !== 'never' }
  const fields = resource.fields.filter((field) => !field.state && isWritable(filler, field))
  const given = resource.fields.filter((field) => !fields.includes(field))
  const known = new Map(given.map((field) => beginning(field, who)))
  // Its identity is new, so it is nobody's own.
  const right = settled(rights.create, known.set('_identity', null))
  if (right.kind === 'never') return undefined
  const demands = demandsOf(right)
  const inputs = fields.map((field) => {
    const required = field.required && field.default === undefined
    return inputOf(filler, field, { required, value: field.default, demands })
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
function beginning(field: FieldModel, who: Principal): [name: string, stored: Stored] {
  if (field.fromPrincipal) return [field.name, who.kind === 'account' ? who.identity : null]
  const value = field.state?.initial ?? field.default
  return [field.name, value === undefined ? null : field.encode(value)]
}
