/** Runs one `after` hook for an entry of the change log: its item, its tools, its time. */

import { system } from '../../../access/principal.ts'
import type { AfterHookName, HookModel } from '../../../definition/logic/logic-model.ts'
import { columnCount, type ResourceModel } from '../../../definition/model.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import type { ChangeLogEntry } from '../../../store/change-log.ts'
import type { Row } from '../../../store/row.ts'
import { findChangeAuthor } from '../change-author.ts'
import { HookCalls } from '../hook-calls.ts'
import { limitTime } from '../limit-time.ts'
import type { LogicRecord } from '../logic-records.ts'
import { LogicRun } from '../logic-run.ts'
import { HookRefusal } from '../refuse-tool.ts'
import type { SystemContext } from '../system-access.ts'
import { createAfterTools } from './after-tools.ts'

/** How many hooks may follow each other because of changes that they make. */
const maxDepth = 5

/** Thrown where further attempts are of no use. */
export class HopelessHook extends LogicFailure {}

export interface AfterRun {
  readonly service: SystemContext
  /** Milliseconds of an attempt. */
  readonly timeout: number
  /** Aborted when the service stops. */
  readonly ending: AbortSignal
}

/** The place of the hook for an entry in the definition, such as `tasks.after.created`. */
export function placeOf({ table, kind }: { readonly table: string; readonly kind: string }): string {
  return `${table}.after.${kind}`
}

/** Throws a LogicFailure where the hook fails, refuses or takes too long. */
export async function runAfterHook(run: AfterRun, entry: ChangeLogEntry): Promise<void> {
  const { service, timeout, ending } = run
  const place = placeOf(entry)
  const { resource, hook } = requireHook(service, entry)
  const path = [...(entry.actor?.path ?? []), place]
  if (path.length > maxDepth) {
    throw new HopelessHook(place, `Hooks follow each other more than ${maxDepth} deep: ${path.join(' → ')}.`)
  }
  const attribution = { actor: { name: place, path }, ...(entry.request && { request: entry.request }) }
  const author = await findChangeAuthor(service, entry.actor)
  const { item, previous } = await loadItems(service, resource, entry)
  const calls = new HookCalls(place)
  await translateErrors(place, () =>
    limitTime({ place, timeout, ending }, async (signal) => {
      const tools = createAfterTools({ service, place, author, attribution, calls, signal })
      await hook(item, { ...tools, previous })
      calls.end()
    }),
  )
}

function requireHook(
  { model }: SystemContext,
  entry: ChangeLogEntry,
): { readonly resource: ResourceModel; readonly hook: HookModel } {
  const resource = model.resources.get(entry.table)
  // Only changes have queued work.
  const hook = resource?.logic?.after[entry.kind as AfterHookName]
  if (resource && hook) return { resource, hook }
  const place = placeOf(entry)
  throw new LogicFailure(place, `The definition of this node has no ${place}.`)
}

/** The item as the change left it, or as it was before a deletion, and as it was before the change. */
async function loadItems(service: SystemContext, resource: ResourceModel, entry: ChangeLogEntry) {
  const { before, after } = entry
  const previous = before && (await loadRecord(service, resource, before))
  const item = after ? await loadRecord(service, resource, after) : previous
  return { item, previous }
}

function loadRecord(service: SystemContext, resource: ResourceModel, row: Row): Promise<LogicRecord> {
  const values = row.slice(0, columnCount(resource))
  return LogicRun.begin(service, { caller: system, requestId: '' }).recordWith(resource, system, values)
}

/** Errors of the hook's own code become failures with its place. */
export async function translateErrors(place: string, call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (cause) {
    if (cause instanceof LogicFailure) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    if (cause instanceof HookRefusal) throw new HopelessHook(place, `${place} refused: ${message}`, { cause })
    throw new LogicFailure(place, `${place} failed: ${message}`, { cause })
  }
}
