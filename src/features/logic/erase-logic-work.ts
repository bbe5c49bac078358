/** Erasing queued work of logic, and jobs that have ended. */

import { jobsOf } from '../../definition/job.ts'
import { isEntryAbout } from '../../requests/events/stored-entry.ts'
import { equals } from '../../store/condition.ts'
import { deleteRow } from '../../store/row-fields.ts'
import { findRow, listRows } from '../../store/table-rows.ts'
import type { EraseRows, EraseWork } from '../../work/erase-work.ts'
import type { JobPayload } from './jobs/queue-job.ts'

/** The run of an `after` hook has the entry of its item. */
export const eraseAfterRun: EraseWork = async ({ payload }, item) =>
  isEntryAbout(payload, item) ? [] : undefined

/** A job on an item has the input, and its row what the code has reported. Both are deleted. */
export const eraseJob: EraseWork = async (work, item) => {
  const { model, store, at } = item
  // Written by jobs/queue-job.ts.
  const job = JSON.parse(work.payload) as JobPayload
  if (job.collection !== item.table || job.item !== item.identity) return undefined
  const jobs = jobsOf(model)
  if (!jobs) return []
  const row = await findRow(store, jobs, work.identity)
  return row ? [deleteRow(jobs, row, at)] : []
}

/** The work of a schedule has its expression only. */
export const eraseScheduledRun: EraseWork = async () => undefined

/** Jobs whose result is the item: their code has reported about it. */
export const eraseEndedJobs: EraseRows = async ({ model, store, uri, at }) => {
  const jobs = jobsOf(model)
  if (!jobs) return []
  const rows = await listRows(store, jobs, { condition: equals(['result'], uri), limit: maxEndedJobs })
  return rows.map((row) => deleteRow(jobs, row, at))
}

/** More than an item has: jobs are deleted some time after their end. */
const maxEndedJobs = 100_000
