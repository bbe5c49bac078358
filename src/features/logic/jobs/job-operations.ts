/** Cancels jobs, and keeps those that have not ended. */

import { isUnfinished } from '../../../definition/job.ts'
import { IDENTITY } from '../../../definition/model.ts'
import { refuse } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context/request-context.ts'
import type { ItemTarget } from '../../../requests/context/target.ts'
import type { FoundItem } from '../../../requests/read/current-state.ts'
import type { PlannedChange } from '../../../requests/write/planned-change.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { changedResponse, previewWrite } from '../../../requests/write/written-response.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { itemUri } from '../../../views/uri.ts'
import { findWork } from '../../../work/queued-work.ts'
import { jobTablesOf } from './queue-job.ts'

/**
 * 200 with the cancelled job; refuses 409 where it has ended. The node that runs it finds its work removed: it
 * aborts the signal of the code, and refuses the writes that the code still makes.
 */
export async function cancelJob(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
): Promise<PlannedChange> {
  const { unit, target } = context
  const { resource } = target
  const status = readField(resource, row, 'status')
  if (!isUnfinished(status)) {
    throw refuse('state-conflict', { detail: `The job has ended already: it is ${status}.` })
  }
  const { queue } = jobTablesOf(unit.model)
  const work = await findWork(unit.store, queue, String(row[IDENTITY]))
  const at = currentTimestamp(unit)
  const change = updateFields(resource, row, at, { status: 'cancelled', endedAt: at })
  const cancellation = { ...change, action: 'cancel', conditionBefore: rights.update }
  const response = changedResponse(context, await previewWrite(context, change.values))
  return {
    writes: [cancellation, ...(work ? [deleteRow(queue.queue, work.row, at)] : [])],
    response: { ...response, seeOther: itemUri(unit.model, resource, row) },
  }
}

/** The deletion of a job needs no other writes. Refuses 409 for a job that has not ended. */
export async function prepareJobDeletion(
  { target }: RequestContext<ItemTarget>,
  row: Row,
): Promise<readonly Write[]> {
  const status = readField(target.resource, row, 'status')
  if (!isUnfinished(status)) return []
  throw refuse('state-conflict', { detail: `The job is ${status}. Cancel it first, or wait for its end.` })
}
