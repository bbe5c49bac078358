/** Runs the code of a background action: its item, its tools, its time, and the link to its result. */

import { system } from '../../../access/principal.ts'
import type { ActionModel, JsonValue, ResourceModel } from '../../../definition/model.ts'
import { problemTypes, type Refusal, refuse } from '../../../refusal.ts'
import { type ActionResult, LogicFailure, type ResultValues } from '../../../requests/write/logic-runner.ts'
import { problemTypeUri, referenceUri } from '../../../views/uri.ts'
import { parseResult } from '../action-result.ts'
import { createAfterTools } from '../after/after-tools.ts'
import { translateErrors } from '../after/run-after-hook.ts'
import { findChangeAuthor } from '../change-author.ts'
import { HookCalls } from '../hook-calls.ts'
import { limitTime } from '../limit-time.ts'
import type { LogicRecord } from '../logic-records.ts'
import { LogicRun } from '../logic-run.ts'
import { HookRefusal, refuseFrom } from '../refuse-tool.ts'
import { findRefusal } from '../run-action.ts'
import { callHook } from '../run-hook.ts'
import { type RunningJob, readRecord, type SystemContext } from '../system-access.ts'
import type { JobProgress } from './job-progress.ts'
import { actionPlace, type JobPayload } from './queue-job.ts'

export interface JobRun {
  readonly service: SystemContext
  readonly resource: ResourceModel
  readonly action: ActionModel
  readonly payload: JobPayload
  readonly lease: RunningJob['lease']
  readonly progress: JobProgress
  /** Milliseconds of the run. */
  readonly timeout: number
  /** Aborted when the service stops, the job is cancelled or another node has taken it over. */
  readonly ending: AbortSignal
}

export interface JobEnd {
  /** The URI of the item that the code made, or of its own item. */
  readonly result: string | undefined
  /** The declared result. */
  readonly output: ResultValues | undefined
}

/** Throws a LogicFailure where the code fails, refuses, takes too long, or returns another result than it declares. */
export async function runJob(run: JobRun): Promise<JobEnd> {
  const { service, resource, action, payload, lease, progress, timeout, ending } = run
  const place = actionPlace(resource, action)
  const [item, author] = [await loadItem(run), await findChangeAuthor(service, payload.actor)]
  const attribution = { actor: payload.actor, request: payload.request }
  const job: RunningJob = {
    action: { kind: 'action', resource, name: action.name, user: author.principal },
    lease,
    made: new WeakMap(),
  }
  const calls = new HookCalls(place)
  let result: unknown
  await translateErrors(place, () =>
    limitTime({ place, timeout, ending }, async (signal) => {
      const refuse = refuseFrom(place, { resource: action.input, isNested: false })
      const context = { service, place, author, attribution, calls, signal, job, refuse }
      const report: JobProgress['report'] = (...given) => progress.report(...given)
      const tools = { ...createAfterTools(context), report, ...withoutResponse(place) }
      result = await action.run(...item, Object.freeze(payload.input), tools)
      calls.end()
    }),
  )
  const request = { requestId: payload.request }
  const output = await callHook(place, () =>
    parseResult({ service, request }, place, { action, returned: result }),
  )
  return { result: await resultOf(run, job, result), output: requireSmall(place, output) }
}

/** In characters of JSON. */
const maxOutputLength = 1_000_000

function requireSmall(place: string, result: ActionResult | undefined): ResultValues | undefined {
  const output = result?.kind === 'members' ? result.values : undefined
  if (!output || JSON.stringify(output).length <= maxOutputLength) return output
  throw new LogicFailure(place, `${place} returned a result of more than ${maxOutputLength} characters.`)
}

/** The tools that choose a response: the job is the response of a background action. */
function withoutResponse(place: string): object {
  const failing = (name: string) => () => {
    throw new LogicFailure(place, `'${name}' has no effect in a background action, in ${place}.`)
  }
  return { created: failing('created'), seeOther: failing('seeOther') }
}

/** The item in a list; empty for an action on a collection. */
async function loadItem({ service, resource, action, payload }: JobRun): Promise<readonly LogicRecord[]> {
  const { item: identity, request: requestId } = payload
  if (identity === undefined) return []
  const run = LogicRun.begin(service, { caller: system, requestId })
  const record = await readRecord(run, { resource, identity })
  if (record) return [record]
  const place = actionPlace(resource, action)
  const cause = new HookRefusal(refuse('not-found', { detail: 'The item of the job was deleted.' }))
  throw new LogicFailure(place, `${place} has no item any more.`, { cause })
}

/** The item that the code made and returned, else the item of the action, if it still exists. */
async function resultOf(
  { service, resource, payload }: JobRun,
  { made }: RunningJob,
  result: unknown,
): Promise<string | undefined> {
  const { model } = service
  const created = typeof result === 'object' && result !== null ? made.get(result) : undefined
  const identity = created?.identity ?? payload.item
  if (identity === undefined) return undefined
  const shown = { resource: created?.resource ?? resource, identity }
  const record = await readRecord(
    LogicRun.begin(service, { caller: system, requestId: payload.request }),
    shown,
  )
  return record && referenceUri(model, shown.resource, String((record as { id: unknown }).id))
}

/** The problem of a failed job, in the form of RFC 9457. */
export function problemOf({ model }: SystemContext, action: ActionModel, failure: LogicFailure): JsonValue {
  const { type, options } = refusalOf(action, failure)
  const { title, status, cause } = problemTypes[type]
  const { detail = cause, errors } = options
  return {
    type: problemTypeUri(model, type),
    title,
    status,
    detail,
    ...(errors && { errors: errors.map((fault) => ({ ...fault })) }),
  }
}

/** A refusal by the code, or by a check or a state, as a request would get it; else a fault of the code. */
function refusalOf(action: ActionModel, failure: LogicFailure): Refusal {
  if (failure.cause instanceof HookRefusal) return failure.cause.refusal
  return findRefusal(action.input.fieldByName, failure.hook, failure) ?? refuse('internal-error')
}

/** Whether the code itself refused, so that the failure is no fault to be logged. */
export function isRefusal(action: ActionModel, failure: LogicFailure): boolean {
  return refusalOf(action, failure).type !== 'internal-error'
}
