/** The one place where requests store what they change: the guards, the stored response, the quota of files, dry runs. */

import { isSameCaller, loadPresentCaller } from '../../access/caller-check.ts'
import { isOutliving, requireSameBasis } from '../../access/credential-basis.ts'
import { actorOf } from '../../access/principal.ts'
import { refuse } from '../../refusal.ts'
import { tryWrites } from '../../store/dry-run.ts'
import type { RepeatRead, Write, WriteOutcome } from '../../store/write.ts'
import type { RequestContext } from '../context/request-context.ts'
import { renderResponse, type ViewResponse } from '../respond/finish-response.ts'
import { createResponseWrite } from './idempotency.ts'
import type { PlannedChange } from './planned-change.ts'
import { problemOf } from './refused-write.ts'
import { giveWay } from './row-queue.ts'

/** Stores the change of a request, alone or with those of other requests; returns the response. */
export type CommitChange = typeof commitChange

/**
 * Returns the response once the change is durable; throws a Refusal or a LostRace when it is not. With an
 * idempotency key the response is stored in the same transaction, as it is sent. A dry run keeps nothing.
 */
export async function commitChange(context: RequestContext, change: PlannedChange): Promise<ViewResponse> {
  const { writes, response } = change
  await requirePresentRights(context)
  if (context.givesWay && !context.isDryRun) giveWay(context.unit.store, writes)
  const all: Write[] = [...writes, ...(await guardsOf(context))]
  const { idempotencyKey: key } = context
  const rendered = key && renderResponse(context, response)
  if (key && rendered) all.push(await createResponseWrite(context, key, rendered))
  const outcome = await (context.isDryRun ? tryAll(context, all) : writeAll(context, all))
  if (outcome.kind === 'refused') throw await problemOf(context, change, outcome)
  const other = await change.afterCommit?.()
  return other ?? (rendered ? { ...response, rendered } : response)
}

/** Of a write of one target, in milliseconds. Streams of events notice a lost right as soon. */
const oldestRights = 1000

/**
 * Finds the caller again where that was long ago, because content may come slowly, and at the end of an action or a
 * batch, whose code and requests take their time. Refuses 401 and 403 where the rights have changed since.
 */
async function requirePresentRights({ service, unit, caller, admission, target, isDryRun }: RequestContext) {
  const { credentials, at } = admission
  const { schemes, clock } = service
  if (isDryRun || caller.kind === 'anonymous') return
  const isSingleWrite = target.kind === 'item' || target.kind === 'collection' || target.kind === 'file'
  if (isSingleWrite && clock.now() - at < oldestRights) return
  const present = await loadPresentCaller({ ...unit, schemes }, credentials, caller)
  if (isSameCaller(caller, present)) return
  throw refuse('forbidden', { detail: 'Your rights changed while the request came. Send it again.' })
}

/** The guards of a write whose rows could outlive the credential of the caller. A deletion leaves no such row. */
async function guardsOf({ unit, caller, target, method }: RequestContext): Promise<readonly RepeatRead[]> {
  const isGuarded = 'resource' in target && method !== 'DELETE' && isOutliving(target.resource)
  return isGuarded ? requireSameBasis(unit, caller) : []
}

async function writeAll(context: RequestContext, writes: readonly Write[]): Promise<WriteOutcome> {
  const { store, files } = context.unit
  const write = () => store.write(writes, attributionOf(context))
  const outcome = await (files?.quota ? files.quota.commit(writes, write) : write())
  context.service.changes.wake()
  return outcome
}

async function tryAll(context: RequestContext, writes: readonly Write[]): Promise<WriteOutcome> {
  const { store, model, files } = context.unit
  await files?.quota?.requireRoom(writes)
  return tryWrites(store, model, writes, attributionOf(context))
}

function attributionOf({ caller, requestId }: RequestContext) {
  return { actor: actorOf(caller), request: requestId }
}
