/**
 * What this caller may do with an item now: edit it, delete it, take a transition that is open.
 * Rights are answers of the store to what was asked with the record.
 */

import { isOwnAccount, mayChangeCredentials, type Principal } from '../access/principal.ts'
import type { Rights } from '../access/rights.ts'
import { currentPassword } from '../declare/current-password.ts'
import {
  type FieldModel,
  IDENTITY,
  type Model,
  type ResourceModel,
  type Stored,
  type TransitionModel,
} from '../declare/model.ts'
import { type Condition, never } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { type Demands, demandsOf, settled } from './demand.ts'
import type { Action, Input } from './hypermedia.ts'
import { type Filler, fixedInput, inputOf, isVisible, isWritable, shownValue } from './input.ts'
import type { Holds } from './shape.ts'
import { itemUri } from './uri.ts'

export interface Actor {
  readonly model: Model
  readonly resource: ResourceModel
  readonly who: Principal
  readonly rights: Rights
  readonly holds: Holds
  readonly row: Row
  /** What is asked of fields besides the right to update. */
  readonly demands?: Demands
}

/** What must be asked with a record before its actions can be told. */
export function actionAsks({ update, writing, transitions, ...rights }: Rights) {
  return [update, rights.delete, ...writing.values(), ...transitions.values()]
}

/** PUT: the whole item, state fields apart, which have actions of their own. */
export function editOf(actor: Actor): Action | undefined {
  const { resource, rights, holds } = actor
  if (!resource.itemMethods.has('PUT') || !holds(rights.update)) return undefined
  return {
    ...actionOn(actor, 'default', 'Edit'),
    method: 'PUT',
    contentType: 'application/json',
    inputs: editInputs(actor),
  }
}

/** Whether something still holds the item is for the store to say. */
export function deletionOf(actor: Actor): Action | undefined {
  const { resource, rights, holds } = actor
  if (!resource.itemMethods.has('DELETE') || !holds(rights.delete)) return undefined
  const action = actionOn(actor, 'delete', 'Delete')
  return { ...action, method: 'DELETE', contentType: undefined, inputs: [] }
}

/** A transition that is open now and permitted. */
export interface OpenTransition {
  readonly field: FieldModel
  readonly transition: TransitionModel
  readonly action: Action
}

/** Whether the caller could have written the result is for the store to say. */
export function transitionsOf(actor: Actor): readonly OpenTransition[] {
  const { resource, rights, holds, row } = actor
  if (!holds(rights.update)) return []
  const filler = fillerOf(actor)
  const states = resource.fields.filter((field) => field.state && isWritable(filler, field))
  const names = new Set(['default', 'delete'])
  return states.flatMap((field) => {
    const ways = field.state?.transitions ?? []
    const open = ways.filter(
      (way) => way.from.includes(String(row[field.at])) && isPermitted(actor, way),
    )
    return open.flatMap((transition) => {
      const action = transitionAction(actor, field, transition)
      if (!action) return []
      const name = names.has(action.name) ? `${field.name}-${action.name}` : action.name
      names.add(name)
      return [{ field, transition, action: { ...action, name } }]
    })
  })
}

/** What it requires is there already, or this caller can send it. */
function isPermitted({ rights, holds, row, resource, ...rest }: Actor, way: TransitionModel) {
  if (!holds(rights.transitions.get(way) ?? never)) return false
  const filler = { ...rest, rights, holds }
  return fieldsOf(resource, way.requires).every(
    (field) => row[field.at] !== null || isWritable(filler, field),
  )
}

/** A PATCH of the state; where a resource has only PUT, the whole item goes along. */
function transitionAction(
  actor: Actor,
  field: FieldModel,
  { name, to, requires }: TransitionModel,
): Action | undefined {
  const { itemMethods } = actor.resource
  const method = itemMethods.has('PATCH') ? 'PATCH' : 'PUT'
  if (!itemMethods.has(method)) return undefined
  const needed = fieldsOf(actor.resource, requires)
  const more: readonly Input[] =
    method === 'PUT'
      ? editInputs(actor, new Set(needed))
      : needed
          .filter((one) => isWritable(fillerOf(actor), one))
          .map((one) => neededInput(actor, one))
  return {
    ...actionOn(actor, name, name),
    method,
    contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    inputs: [fixedInput(field, to), ...more],
  }
}

function neededInput(actor: Actor, field: FieldModel): Input {
  const filler = fillerOf(actor)
  const value = shownValue(filler, field, actor.row)
  // What is there and hidden stays as it is, unless the caller sends another.
  const required = actor.row[field.at] === null || value !== undefined
  return inputOf(filler, field, { required, value, demands: demandsOn(actor) })
}

function editInputs(actor: Actor, needed: ReadonlySet<FieldModel> = new Set()): readonly Input[] {
  const filler = fillerOf(actor)
  const demands = demandsOn(actor)
  const fields = actor.resource.fields.filter((field) => !field.state && isWritable(filler, field))
  return accountInputs(
    actor,
    fields.map((field) => {
      // What its sender cannot see keeps its value when it is left out.
      const demanded = field.required && field.default === undefined && isVisible(filler, field)
      const value = shownValue(filler, field, actor.row)
      return inputOf(filler, field, { required: demanded || needed.has(field), value, demands })
    }),
  )
}

/** Of the caller's own account: a proof to change its credentials, or no way to change them. */
function accountInputs({ model, resource, who, row }: Actor, inputs: readonly Input[]) {
  const { accounts } = model
  if (resource !== accounts?.resource || !isOwnAccount(who, row)) return inputs
  const { login, password } = accounts
  const changing = inputs.filter(({ field }) => field === login || field === password)
  if (changing.length === 0) return inputs
  if (mayChangeCredentials(who)) return [...inputs, proofInput]
  const fixed = (input: Input) =>
    input.value === undefined ? [] : [fixedInput(input.field, input.value)]
  return inputs.flatMap((input) => (changing.includes(input) ? fixed(input) : [input]))
}

const proofInput: Input = {
  field: currentPassword,
  required: false,
  value: undefined,
  fixed: false,
  choices: undefined,
  choicesAt: undefined,
}

/** What the right to update asks of the fields that the caller may change. */
function demandsOn(actor: Actor): Demands {
  return new Map([...rightDemands(actor), ...(actor.demands ?? [])])
}

function rightDemands(actor: Actor): Demands {
  const { resource, rights, row } = actor
  const filler = fillerOf(actor)
  const kept = resource.fields.filter((field) => field.state || !isWritable(filler, field))
  const known = new Map<string, Stored>(kept.map((field) => [field.name, row[field.at] ?? null]))
  known.set('_identity', row[IDENTITY] ?? null)
  const right: Condition = settled(rights.update, known)
  const demands = demandsOf(right)
  // Of several ways to have the right, the present values are the one that is known to work.
  if (right.kind !== 'any') return demands
  return new Map([...demands].filter(([name, values]) => isAmong(resource, name, values, row)))
}

function isAmong(
  { field }: ResourceModel,
  name: string,
  values: readonly Stored[],
  row: Row,
): boolean {
  const present = row[field.get(name)?.at ?? -1] ?? null
  return values.some((one) => String(one) === String(present))
}

function actionOn({ model, resource, row }: Actor, name: string, title: string) {
  return { name, title, target: itemUri(model, resource, row) }
}

function fillerOf({ model, who, rights, holds }: Actor): Filler {
  return { model, who, rights, holds }
}

function fieldsOf({ field }: ResourceModel, names: readonly string[]): readonly FieldModel[] {
  return names.flatMap((name) => field.get(name) ?? [])
}
