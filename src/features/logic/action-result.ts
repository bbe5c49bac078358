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
import type { ServiceContext } from '../../requests/context/service-context.ts'
import {
  type ActionResult,
  LogicFailure,
  type LogicRequest,
  type MembersValue,
  type ResultValues,
} from '../../requests/write/logic-runner.ts'
import { createYield } from '../../tools/time-slices.ts'
import { createItemView } from '../../views/item-view.ts'
import type { DocumentView, FileView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import { normalise } from './action-input.ts'
import { parseFileResult } from './file-result.ts'
import { parseItems } from './item-results.ts'

/** The name of the page of a result. */
export const resultPageName = 'action-result'

/**
 * The returned value, as it is declared; undefined for an action without a result. Throws a LogicFailure that names
 * the members where one is missing or not valid, and where a file is not as declared.
 */
export async function parseResult(
  run: CallingRun,
  place: string,
  { action, returned }: { readonly action: ActionModel; readonly returned: unknown },
): Promise<ActionResult | undefined> {
  const { result } = action
  if (!result) {
    if (returned !== undefined && !isItem(returned)) {
      warnOnce(run, place, action, 'It returns a value, but declares no result. Write: result: { … }.')
    }
    return undefined
  }
  if (result.kind === 'file') return parseFileResult(place, action.name, result, returned)
  if (result.kind === 'items') return parseItems(place, result, returned)
  const { members } = result
  const whole = { within: '', pause: createYield() }
  const { values, faults, surplus } = await parseMembers(members, returned, whole)
  if (faults.length > 0) {
    const reasons = faults.slice(0, maxReasons).join(' ')
    throw new LogicFailure(place, `${place} returned a result that is not valid. ${reasons}`)
  }
  const [unknown] = surplus
  if (unknown !== undefined) warnOnce(run, place, action, unknown)
  return { kind: 'members', members, values }
}

/** Of a result that is not valid, in the log. */
const maxReasons = 10

interface ParsedResult {
  readonly values: ResultValues
  /** Texts that begin with the place of the member. */
  readonly faults: readonly string[]
  /** A text for each member that is not declared. */
  readonly surplus: readonly string[]
}

interface ResultPlace {
  /** The place of the value, such as `lines/2/`. */
  readonly within: string
  /** Yields to the event loop when a time slice is used up. */
  readonly pause: () => Promise<void> | undefined
}

/** The declared members of the value. */
async function parseMembers(
  members: ResourceModel,
  given: unknown,
  { within, pause }: ResultPlace,
): Promise<ParsedResult> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { values: {}, faults: [`${within || 'The result'} must be an object.`], surplus: [] }
  }
  const sent: Readonly<Record<string, JsonValue | undefined>> = { ...given }
  const { fields, fieldByName } = members
  const missing = fields.filter(({ name, required }) => required && sent[name] === undefined)
  const own = members.validate(sent)
  const invalid = new Set(own.map(({ pointer }) => pointer.split('/')[1]))
  const faults = [
    ...missing.map(({ name }) => `${within}${name}: Is required.`),
    ...own.map(({ pointer, detail }) => `${within}${pointer.slice(1)}: ${detail}`),
  ]
  const surplus = Object.keys(sent).flatMap((name) => {
    if (fieldByName.has(name)) return []
    const hint = didYouMean(name, fieldByName.keys()) ?? ''
    return [`Its result has no member '${within}${name}'. ${hint}`.trim()]
  })
  const values: [string, JsonValue][] = []
  for (const field of fields) {
    const value = sent[field.name]
    if (value === undefined || invalid.has(field.name)) continue
    if (!field.members) values.push([field.name, normalise(field, value)])
    else {
      const objects: ResultValues[] = []
      for (const [at, one] of (value as readonly JsonValue[]).entries()) {
        await pause()
        const place = { within: `${within}${field.name}/${at}/`, pause }
        const parsed = await parseMembers(field.members, one, place)
        faults.push(...parsed.faults)
        surplus.push(...parsed.surplus)
        objects.push(parsed.values)
      }
      values.push([field.name, objects])
    }
  }
  return { values: Object.freeze(Object.fromEntries(values)), faults, surplus }
}

/** Whether it is an item that a collection returned. */
function isItem(returned: unknown): boolean {
  const { id, createdAt, updatedAt } = Object(returned)
  return [id, createdAt, updatedAt].every((one) => typeof one === 'string')
}

const warned = new WeakSet<ActionModel>()

/** The parts of a run that warnings need. */
interface CallingRun {
  readonly service: Pick<ServiceContext, 'observe'>
  readonly request: Pick<LogicRequest, 'requestId'>
}

function warnOnce(
  { service, request }: CallingRun,
  place: string,
  action: ActionModel,
  reason: string,
): void {
  if (warned.has(action)) return
  warned.add(action)
  service.observe({ kind: 'result-dropped', request: request.requestId, hook: place, reason })
}

/** The result as a file, or as a document with its values as an item for pages. */
export function createResultView(result: MembersValue | FileView): DocumentView | FileView {
  if (result.kind === 'file') return result
  const { members, values: data } = result
  const row = new Array<Stored>(rowWidth(members)).fill(null)
  for (const field of members.fields) {
    const value = data[field.name]
    if (value === undefined) continue
    const stored = encodeShown(field, value)
    row[field.index] = stored
    row[field.outputIndex] = stored
  }
  const selector = createFieldSelector(rightsOf(members, system), 'item')
  const values = createItemView(row, selector, ({ kind }) => kind === 'always')
  return { kind: 'document', name: members.name, page: resultPageName, data, values }
}

/** References are shown by the ids that code returned. */
function encodeShown(field: FieldModel, value: JsonValue): Stored {
  if (field.ref) return String(value)
  return field.refs ? JSON.stringify(value) : field.encode(value)
}
