/** Runs an action: its item, its tools, its time, and what it returns. */

import { isCredentialRefusal } from '../../access/given-roles.ts'
import { system } from '../../access/principal.ts'
import { IDENTITY } from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { findById } from '../../requests/read/find-item.ts'
import {
  type ActionCall,
  type ActionOutcome,
  LogicFailure,
  type MadeItem,
  queryTime,
} from '../../requests/write/logic-runner.ts'
import { LostRace } from '../../requests/write/lost-race.ts'
import { versionOf } from '../../store/row.ts'
import { ActionReplies, type Reply } from './action-replies.ts'
import { parseResult } from './action-result.ts'
import type { HookClock } from './hook-clock.ts'
import { actionPlace } from './jobs/queue-job.ts'
import { LogicProblem } from './logic-collection.ts'
import type { LogicRecord } from './logic-records.ts'
import { callHook, type HookRun, type HookTiming, withinTime } from './run-hook.ts'
import { createReadTools, createRequestTools } from './tools.ts'

export async function runAction(run: HookRun, timing: HookTiming, call: ActionCall): Promise<ActionOutcome> {
  const { resource, action, input } = call
  const place = actionPlace(resource, action)
  const nested = run.nested(place, { kind: 'action', resource, name: action.name, user: run.request.caller })
  const item = await loadItem(run, call)
  const work = async ({ signal }: HookClock) => {
    const replies = new ActionReplies(place)
    const context = { run: nested, signal, place, resource: action.input }
    const tools = action.isSafe
      ? await createReadTools(context)
      : // Only jobs show progress.
        { ...(await createRequestTools(context)), ...replies.tools, report: () => undefined }
    const returned = await callHook(place, async () => {
      const value = await action.run(...item, input, tools)
      nested.end()
      return value
    }).catch((error) => {
      throw findRefusal(action.input.fieldByName, place, error) ?? error
    })
    return callHook(place, () => outcomeOf(nested, call, { returned, reply: replies.replyOf(returned) }))
  }
  return withinTime(run, timing, place, work, action.isSafe ? queryTime : undefined)
}

interface Returned {
  readonly returned: unknown
  readonly reply: Reply | undefined
}

async function outcomeOf(
  run: HookRun,
  { resource, action }: ActionCall,
  { returned, reply }: Returned,
): Promise<ActionOutcome> {
  const place = actionPlace(resource, action)
  if (reply?.kind === 'see-other') return { made: undefined, result: undefined, seeOther: reply.uri }
  if (reply) {
    const result = await parseResult(run, place, { action, returned: reply.result })
    return { made: await findCreated(run, place, reply), result, seeOther: undefined }
  }
  const result = await parseResult(run, place, { action, returned })
  const isObject = typeof returned === 'object' && returned !== null
  return { made: isObject ? run.made.get(returned) : undefined, result, seeOther: undefined }
}

/** The item that `created` names. Throws a LogicFailure where there is none. */
async function findCreated(
  { service: { model }, preview }: HookRun,
  place: string,
  { collection, id }: Extract<Reply, { readonly kind: 'created' }>,
): Promise<MadeItem> {
  const resource = model.resources.get(collection)
  const row = resource?.declared ? await findById(preview, resource, id, []) : undefined
  if (resource && row) return { resource, identity: String(row[IDENTITY]) }
  const hint = resource?.declared ? '' : (didYouMean(collection, model.resources.keys()) ?? '')
  throw new LogicFailure(
    place,
    `${place} responds with an item that does not exist: '${id}' of '${collection}'. ${hint}`.trim(),
  )
}

/**
 * The item in a list; empty for an action on a collection. The read is recorded, so that the commit
 * repeats it. The rights and the precondition of the request were evaluated on the loaded version.
 */
async function loadItem(run: HookRun, { resource, row }: ActionCall): Promise<readonly LogicRecord[]> {
  if (!row) return []
  const { checks, toRecords } = run.reader(resource, system, 'item')
  const value = row[IDENTITY] as string
  const present = await run.store.find({
    table: resource.name,
    column: '_identity',
    value,
    evaluated: checks.conditions,
  })
  if (!present || versionOf(present) !== versionOf(row)) throw new LostRace()
  return toRecords([present])
}

/** The rules of a record that what the client asked for can break. Values of another type are faults of the code. */
const limitRules: ReadonlySet<string> = new Set([
  'check',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'multipleOf',
  'pattern',
])

/**
 * The response to a write of the action that a check, a limit of a field or a state refuses: the action writes what the
 * client asked for. Other problems of its calls are faults of the code; undefined.
 */
export function findRefusal(
  inputs: { has(name: string): boolean },
  place: string,
  error: unknown,
): Refusal | undefined {
  if (!(error instanceof LogicFailure) || error.hook !== place) return undefined
  const refusal = error.cause instanceof LogicProblem ? error.cause.cause : undefined
  if (!(refusal instanceof Refusal)) return undefined
  const { type, options } = refusal
  const { errors = [], detail } = options
  // The credential of the caller does not suffice for what the action does.
  if (isCredentialRefusal(refusal)) return refusal
  // Too many mails to an address.
  if (type === 'too-many-requests') return refusal
  if (type === 'state-conflict') return refuse(type, detail === undefined ? {} : { detail })
  if (errors.length === 0 || errors.some(({ rule }) => !limitRules.has(rule))) return undefined
  // The pointer is into the input, which may not have the field of the item.
  const placed = errors.map(({ pointer, ...fault }) => ({
    ...fault,
    pointer: inputs.has(pointer.slice(1)) ? pointer : '',
  }))
  return refuse('invalid-content', { errors: placed })
}
