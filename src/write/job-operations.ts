/** Cancels jobs, and keeps those that have not ended. */

import type { RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import { isUnfinished } from '../definition/job.ts'
import { IDENTITY, type ResourceModel } from '../definition/model.ts'
import { findWork, removeWrite } from '../delivery/queued-work.ts'
import type { FoundItem } from '../read/current-state.ts'
import { refuse } from '../refusal.ts'
import { seeOther } from '../request/form-request.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import { itemUri } from '../view/uri.ts'
import { currentTimestamp } from './prepare-insert.ts'
import { jobTablesOf } from './queue-job.ts'
import { submitWrites } from './submit-write.ts'
import { changedResponse, previewWrite } from './written-response.ts'

/**
 * 200 with the cancelled job; refuses 409 where it has ended. The node that runs it finds its work removed: it
 * aborts the signal of the code, and refuses the writes that the code still makes.
 */
export async function cancelJob(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
): Promise<ViewResponse> {
  const { service, target } = context
  const { resource } = target
  const status = readField(resource, row, 'status')
  if (!isUnfinished(status)) {
    throw refuse('state-conflict', { detail: `The job has ended already: it is ${status}.` })
  }
  const { queue } = jobTablesOf(service.model)
  const work = await findWork(service.store, queue, String(row[IDENTITY]))
  const at = currentTimestamp(service)
  const change = updateFields(resource, row, at, { status: 'cancelled', endedAt: at })
  const cancellation = { ...change, action: 'cancel', conditionBefore: rights.update }
  const response = await submitWrites(
    context,
    [cancellation, ...(work ? [removeWrite(queue, work, at)] : [])],
    changedResponse(context, await previewWrite(context, change.values)),
  )
  if (context.format.isHtml) throw seeOther(itemUri(service.model, resource, row))
  return response
}

/** Refuses 409 for a job that has not ended. */
export function requireEnded(jobs: ResourceModel, row: Row): void {
  const status = readField(jobs, row, 'status')
  if (!isUnfinished(status)) return
  throw refuse('state-conflict', { detail: `The job is ${status}. Cancel it first, or wait for its end.` })
}
