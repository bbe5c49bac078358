/** The actions that a definition declares, as forms, where the caller may use them now. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { ActionModel, JsonValue, Model, ResourceModel } from '../definition/model.ts'
import { formatPath } from '../http/request-target.ts'
import { never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { createInput, type FormContext } from './form-input.ts'
import type { Action } from './hypermedia-controls.ts'
import { collectionUri, itemUri } from './uri.ts'
import type { ConditionResult } from './visible-fields.ts'

interface FormPlace extends FormOfCaller {
  readonly resource: ResourceModel
  readonly rights: Rights
}

interface FormOfCaller {
  readonly model: Model
  readonly caller: Principal
  readonly isTrue: ConditionResult
}

/** The actions on an item. */
export function findItemActions(place: FormPlace & { readonly row: Row }): readonly Action[] {
  const { model, resource, row } = place
  if (resource.actions.size === 0) return []
  return findActions(place, 'item', itemUri(model, resource, row))
}

/** The actions on a collection. */
export function findCollectionActions(
  model: Model,
  resource: ResourceModel,
  caller: Principal,
): readonly Action[] {
  if (resource.actions.size === 0) return []
  const isTrue: ConditionResult = ({ kind }) => kind === 'always'
  const place = { model, resource, caller, rights: rightsOf(resource, caller), isTrue }
  return findActions(place, 'collection', collectionUri(model, resource))
}

/** The actions and queries of the service itself. */
export function findServiceActions({ base, service, ...model }: Model, caller: Principal): readonly Action[] {
  if (!service) return []
  const isTrue: ConditionResult = ({ kind }) => kind === 'always'
  const rights = rightsOf(service, caller)
  const place = { model: { base, service, ...model }, resource: service, caller, rights, isTrue }
  return findActions(place, 'service', base)
}

function findActions(place: FormPlace, on: ActionModel['on'], uri: string): readonly Action[] {
  const { resource, rights, isTrue } = place
  return [...resource.actions.values()]
    .filter((action) => action.on === on && hasForm(action) && isTrue(rights.actions.get(action) ?? never))
    .map((action) => actionForm(place, action, formatPath(uri, [action.name])))
}

/** The form of a query at its URI, with the values that were asked; undefined where it has none. */
export function findAskedForm(
  { model, caller }: Pick<FormPlace, 'model' | 'caller'>,
  action: ActionModel,
  { uri, values }: { readonly uri: string; readonly values: Readonly<Record<string, JsonValue | undefined>> },
): Action | undefined {
  if (!hasForm(action)) return undefined
  const form = actionForm({ model, caller, isTrue: ({ kind }) => kind === 'always' }, action, uri)
  return { ...form, inputs: form.inputs.map((input) => ({ ...input, value: values[input.field.name] })) }
}

/** A query with lists of objects needs content, which no form sends with a safe method. */
function hasForm({ isSafe, input }: ActionModel): boolean {
  return !isSafe || input.fields.every(({ members }) => members === undefined)
}

function actionForm(
  { model, caller, isTrue }: FormOfCaller,
  { name, input, isSafe, result }: ActionModel,
  target: string,
): Action {
  const form: FormContext = { model, caller, rights: rightsOf(input, caller), isTrue }
  const inputs = input.fields.map((field) =>
    createInput(form, field, {
      required: field.required && field.default === undefined,
      value: field.default,
      requiredValues: new Map(),
    }),
  )
  return {
    name,
    title: name,
    method: isSafe ? 'GET' : 'POST',
    target,
    contentType: isSafe || inputs.length === 0 ? undefined : 'application/json',
    inputs,
    isDeclared: true,
    ...(result?.kind === 'file' && { isFile: true }),
  }
}
