/** Deletes old entries of the change log, in steps that delay writers little. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from '../definition/model.ts'
import { sealAudit } from '../operation/audit-sealing.ts'
import type { ExpiryClock } from '../requests/context/service-context.ts'
import type { Store } from '../store/store.ts'

/** Entries of a step: deleting them takes less time than writing 100 rows. */
export const maxPrunedEntries = 100
/** Milliseconds that the clocks of nodes may differ. An entry that is further ahead has a wrong time. */
const maxClockError = 86_400_000
/** Milliseconds between steps, for writers that wait. */
const stepInterval = 10

export interface LogPruning {
  readonly store: Store
  readonly clock: ExpiryClock
  /** Seconds that entries are kept. */
  readonly retention: number
  /** By table: seconds that entries are kept as the history of items, where that is longer. */
  readonly histories?: ReadonlyMap<string, number>
  /** The model whose audit is continued before entries are deleted, and pruned too. */
  readonly audited?: Model
  /** Queues the work that entries make, before they are deleted. */
  queueWork?(): Promise<void>
}

/** How long the log and the histories of a model are kept. */
export function retentionOf(model: Model): Pick<LogPruning, 'retention' | 'histories' | 'audited'> {
  const { logRetention: retention, resources } = model
  const kept = [...resources.values()].flatMap(({ name, history }) =>
    history?.keep !== undefined && history.keep > retention ? [[name, history.keep] as const] : [],
  )
  return { retention, histories: new Map(kept), audited: model }
}

/** Deletes all entries that are older than the retention, unless the signal ends it. */
export async function pruneLog(pruning: LogPruning, signal: AbortSignal): Promise<void> {
  const { store, clock, retention, histories = new Map<string, number>() } = pruning
  const now = clock.now()
  const latest = clock.latest?.() ?? now
  const times = { before: timestampOf(now - retention * 1000), after: timestampOf(latest + maxClockError) }
  const kept = [...histories].map(([table, keep]) => ({ table, since: timestampOf(now - keep * 1000) }))
  if (pruning.audited) await sealAudit(store.audit, pruning.audited)
  await pruning.queueWork?.()
  await inSteps(() => store.pruneLog(times, maxPrunedEntries, kept), signal)
  await inSteps(() => store.pruneHistory(kept, maxPrunedEntries), signal)
  if (!pruning.audited) return
  const oldest = timestampOf(now - pruning.audited.auditRetention * 1000)
  await inSteps(() => store.audit.prune(oldest, maxPrunedEntries), signal)
}

/** Repeats a step until it finds fewer entries than it may delete. */
async function inSteps(step: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await step()) < maxPrunedEntries) return
    await pause(stepInterval, undefined, { ref: false })
  }
}

function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
