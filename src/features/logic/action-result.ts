/** The result of an action: what its code returned, checked against the declaration. */

import { system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import {
  type ActionModel,
  type FieldModel,
  type JsonValue,
  type ResourceModel,
  rowWidth,
  type Stored,
} from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { LogicFailure, type ResultValues } from '../../requests/write/logic-runner.ts'
import { createItemView } from '../../views/item-view.ts'
import type { DocumentView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import { normalise } from './action-input.ts'
import type { HookRun } from './run-hook.ts'

/** The name of the page of a result. */
export const resultPageName = 'action-result'

/**
 * The declared members of what the code returned; undefined for an action without a result. Throws a LogicFailure that
 * names the members where one is missing or not valid.
 */
export function parseResult(
  run: HookRun,
  place: string,
  { action, returned }: { readonly action: ActionModel; readonly returned: unknown },
): ResultValues | undefined {
  const { result } = action
  if (!result) {
    if (returned !== undefined && !isItem(returned)) {
      warnOnce(run, place, action, 'It returns a value, but declares no result. Write: result: { … }.')
    }
    return undefined
  }
  const members = membersOf(place, returned)
  const missing = result.fields.filter(({ name, required }) => required && members[name] === undefined)
  const faults = result.validate(members)
  if (missing.length > 0 || faults.length > 0) {
    const reasons = [
      ...missing.map(({ name }) => `${name}: Is required.`),
      ...faults.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`),
    ]
    throw new LogicFailure(place, `${place} returned a result that is not valid. ${reasons.join(' ')}`)
  }
  for (const name of Object.keys(members)) {
    if (result.fieldByName.has(name)) continue
    const hint = didYouMean(name, result.fieldByName.keys()) ?? ''
    warnOnce(run, place, action, `Its result has no member '${name}'. ${hint}`.trim())
  }
  const values = result.fields.flatMap((field) => {
    const value = members[field.name]
    return value === undefined ? [] : [[field.name, normalise(field, value)] as const]
  })
  return Object.freeze(Object.fromEntries(values))
}

/** Its values are validated by the caller. */
function membersOf(place: string, returned: unknown): Readonly<Record<string, JsonValue | undefined>> {
  if (typeof returned === 'object' && returned !== null && !Array.isArray(returned)) {
    return { ...returned }
  }
  throw new LogicFailure(place, `${place} must return its result, an object.`)
}

/** Whether it is an item that a collection returned. */
function isItem(returned: unknown): boolean {
  const { id, createdAt, updatedAt } = Object(returned)
  return [id, createdAt, updatedAt].every((one) => typeof one === 'string')
}

const warned = new WeakSet<ActionModel>()

function warnOnce({ service, request }: HookRun, place: string, action: ActionModel, reason: string): void {
  if (warned.has(action)) return
  warned.add(action)
  service.observe({ kind: 'result-dropped', request: request.requestId, hook: place, reason })
}

/** The result as a document, with its values as an item for pages. */
export function createResultView(result: ResourceModel, data: ResultValues): DocumentView {
  const row = new Array<Stored>(rowWidth(result)).fill(null)
  for (const field of result.fields) {
    const value = data[field.name]
    if (value === undefined) continue
    const stored = encodeShown(field, value)
    row[field.index] = stored
    row[field.outputIndex] = stored
  }
  const selector = createFieldSelector(rightsOf(result, system), 'item')
  const values = createItemView(row, selector, ({ kind }) => kind === 'always')
  return { kind: 'document', name: result.name, page: resultPageName, data, values }
}

/** References are shown by the ids that code returned. */
function encodeShown(field: FieldModel, value: JsonValue): Stored {
  if (field.ref) return String(value)
  return field.refs ? JSON.stringify(value) : field.encode(value)
}
