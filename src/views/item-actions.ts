/**
 * The actions of an item that the caller may use now: edit, delete and transitions. The store
 * evaluates the rights together with the row.
 */

import { isOwnAccount, mayChangeCredentials, type Principal } from '../access/principal.ts'
import type { Rights } from '../access/rights.ts'
import { proofs } from '../definition/current-password.ts'
import {
  type FieldModel,
  IDENTITY,
  type Model,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import type { TransitionModel } from '../definition/state-model.ts'
import { formatPath } from '../http/request-target.ts'
import { type Condition, never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { readField } from '../store/row-fields.ts'
import {
  createFixedInput,
  createInput,
  currentPasswordInput,
  type FormContext,
  isChangeable,
  isVisible,
  isWritable,
  unrestrictedInput,
  visibleValue,
} from './form-input.ts'
import type { Action, Input } from './hypermedia-controls.ts'
import { partiallyEvaluate, type RequiredValues, requiredValues } from './required-values.ts'
import { itemUri } from './uri.ts'
import type { ConditionResult } from './visible-fields.ts'

export interface ActionContext {
  readonly model: Model
  readonly resource: ResourceModel
  readonly caller: Principal
  readonly rights: Rights
  readonly isTrue: ConditionResult
  readonly row: Row
  /** Values required by the rules after a transition, besides the right to update. */
  readonly requiredValues?: RequiredValues
}

/** The conditions that must be evaluated with a row to find its actions, and the values in their inputs. */
export function actionConditions(rights: Rights): readonly Condition[] {
  const { update, visibility, writability, transitions, actions } = rights
  const byName = [visibility, writability, transitions, actions].flatMap((some) => [...some.values()])
  return [update, rights.delete, ...byName]
}

/** The edit action: PUT of the complete item, except state fields, which have transitions; else PATCH. */
export function findEditAction(context: ActionContext): Action | undefined {
  const { resource, rights, isTrue } = context
  const method = resource.itemMethods.has('PUT') ? 'PUT' : 'PATCH'
  if (!resource.itemMethods.has(method) || !isTrue(rights.update)) return undefined
  return {
    ...actionBase(context, 'default', 'Edit'),
    method,
    contentType: 'application/json',
    inputs: editInputs(context),
  }
}

/** The delete action. Whether other items still refer to the item is not checked here. */
export function findDeleteAction(context: ActionContext): Action | undefined {
  const { resource, rights, isTrue, row } = context
  if (!resource.itemMethods.has('DELETE') || !isTrue(rights.delete)) return undefined
  const { isDeletable } = resource.traits
  if (isDeletable?.((name) => readField(resource, row, name)) === false) return undefined
  const action = actionBase(context, 'delete', 'Delete')
  return { ...action, method: 'DELETE', contentType: undefined, inputs: [] }
}

/** The open actions of a built-in table. */
export function findOwnActions(context: ActionContext): readonly Action[] {
  const { resource, rights, isTrue: holds, row } = context
  if (!holds(rights.update)) return []
  const read = (name: string) => readField(resource, row, name)
  const open = Object.entries(resource.traits.actions ?? {}).filter(
    ([, { isOpen }]) => isOpen?.(read) ?? true,
  )
  return open.map(([name, { title, takenBy }]) => {
    const { target, ...action } = actionBase(context, name, title)
    const field = takenBy && proofs[takenBy(read)]
    return {
      ...action,
      target: formatPath(target, [name]),
      method: 'POST',
      contentType: field && 'application/json',
      inputs: field ? [{ ...unrestrictedInput, field, required: true }] : [],
    }
  })
}

/** A transition that is possible now and permitted. */
export interface OpenTransition {
  readonly field: FieldModel
  readonly transition: TransitionModel
  readonly action: Action
}

/** The possible transitions. Whether the rules permit the resulting row is not checked here. */
export function findOpenTransitions(context: ActionContext): readonly OpenTransition[] {
  const { resource, rights, isTrue, row } = context
  if (!isTrue(rights.update)) return []
  const form = formContext(context)
  const states = resource.fields.filter((field) => field.state && isWritable(form, field))
  const names = new Set(['default', 'delete'])
  return states.flatMap((field) => {
    const ways = field.state?.transitions ?? []
    const open = ways.filter(
      (way) => way.from.includes(String(row[field.index])) && isPermitted(context, way),
    )
    return open.flatMap((transition) => {
      const action = transitionAction(context, field, transition)
      if (!action) return []
      const name = names.has(action.name) ? `${field.name}-${action.name}` : action.name
      names.add(name)
      return [{ field, transition, action: { ...action, name } }]
    })
  })
}

/** Whether the required fields have a value, or the caller can send one. */
function isPermitted({ rights, isTrue, row, resource, ...rest }: ActionContext, way: TransitionModel) {
  if (!isTrue(rights.transitions.get(way) ?? never)) return false
  const form = { ...rest, rights, isTrue }
  return findFields(resource, way.requires).every(
    (field) => row[field.index] !== null || isChangeable(form, field),
  )
}

/** A PATCH of the state; a PUT of the complete item if the resource has no PATCH. */
function transitionAction(
  context: ActionContext,
  field: FieldModel,
  { name, to, requires }: TransitionModel,
): Action | undefined {
  const { itemMethods } = context.resource
  const method = itemMethods.has('PATCH') ? 'PATCH' : 'PUT'
  if (!itemMethods.has(method)) return undefined
  const needed = findFields(context.resource, requires)
  const more: readonly Input[] =
    method === 'PUT'
      ? editInputs(context, new Set(needed))
      : needed
          .filter((one) => isChangeable(formContext(context), one))
          .map((one) => requiredFieldInput(context, one))
  return {
    ...actionBase(context, name, name),
    method,
    contentType: 'application/json',
    inputs: [createFixedInput(field, to), ...more],
  }
}

function requiredFieldInput(context: ActionContext, field: FieldModel): Input {
  const form = formContext(context)
  const value = visibleValue(form, field, context.row)
  // A hidden value stays unless the caller sends another, so the input is not required.
  const required = context.row[field.index] === null || value !== undefined
  return createInput(form, field, { required, value, requiredValues: requiredValuesOf(context) })
}

function editInputs(context: ActionContext, needed: ReadonlySet<FieldModel> = new Set()): readonly Input[] {
  const form = formContext(context)
  const required = requiredValuesOf(context)
  const fields = context.resource.fields.filter((field) => !field.state && isChangeable(form, field))
  return withCurrentPassword(
    context,
    fields.map((field) => {
      // A field that the caller cannot see keeps its value when it is left out.
      const demanded = field.required && field.default === undefined && isVisible(form, field)
      const value = visibleValue(form, field, context.row)
      return createInput(form, field, {
        required: demanded || needed.has(field),
        value,
        requiredValues: required,
      })
    }),
  )
}

/** In the caller's own account, adds `currentPassword`, or fixes login and password. */
function withCurrentPassword({ model, resource, caller, row }: ActionContext, inputs: readonly Input[]) {
  const { accounts } = model
  if (resource !== accounts?.resource || !isOwnAccount(caller, row)) return inputs
  const { login, password } = accounts
  const changing = inputs.filter(({ field }) => field === login || field === password)
  if (changing.length === 0) return inputs
  const fixed = (input: Input) =>
    input.value === undefined ? [] : [createFixedInput(input.field, input.value)]
  const keep = (kept: readonly Input[]) =>
    inputs.flatMap((input) => (kept.includes(input) ? fixed(input) : [input]))
  if (!mayChangeCredentials(caller)) return keep(changing)
  // Where the service sends mail, /verifications changes the own login.
  const kept = accounts.receivesMail ? changing.filter(({ field }) => field === login) : []
  return [...keep(kept), currentPasswordInput]
}

/** The values that the rules require of the fields that the caller may change. */
function requiredValuesOf(context: ActionContext): RequiredValues {
  return new Map([...valuesRequiredByRule(context), ...(context.requiredValues ?? [])])
}

function valuesRequiredByRule(context: ActionContext): RequiredValues {
  const { resource, rights, row } = context
  const form = formContext(context)
  const kept = resource.fields.filter((field) => field.state || !isChangeable(form, field))
  const known = new Map<string, Stored>(kept.map((field) => [field.name, row[field.index] ?? null]))
  known.set('_identity', row[IDENTITY] ?? null)
  const right: Condition = partiallyEvaluate(rights.update, known)
  const required = requiredValues(right)
  // Of several alternatives, only the one that the current values satisfy is known to work.
  if (right.kind !== 'any') return required
  return new Map([...required].filter(([name, values]) => isAmong(resource, name, values, row)))
}

function isAmong({ fieldByName }: ResourceModel, name: string, values: readonly Stored[], row: Row): boolean {
  const present = row[fieldByName.get(name)?.index ?? -1] ?? null
  return values.some((one) => String(one) === String(present))
}

function actionBase({ model, resource, row }: ActionContext, name: string, title: string) {
  return { name, title, target: itemUri(model, resource, row) }
}

function formContext({ model, caller, rights, isTrue }: ActionContext): FormContext {
  return { model, caller, rights, isTrue }
}

function findFields({ fieldByName }: ResourceModel, names: readonly string[]): readonly FieldModel[] {
  return names.flatMap((name) => fieldByName.get(name) ?? [])
}
