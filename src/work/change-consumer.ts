/** A consumer of the change log: a reader that does something outside of the database for its entries. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import type { ChangeLogEntry } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'
import type { Write } from '../store/write.ts'
import type { BackgroundSpan, Tracer } from '../tracer.ts'
import type { WorkShares } from './attempt-places.ts'
import type { NewWork, QueuedWork } from './queued-work.ts'

export interface Consumer {
  /** In the tables of cursors and of queued work. */
  readonly name: string
  /**
   * The position after which entries make work; undefined where nothing needs them at present. Then
   * the log is not read and no work is done.
   */
  findStart(): Promise<number | undefined>
  /** The work that the entries make, in order. */
  selectWork(entries: readonly ChangeLogEntry[]): Promise<readonly NewWork[]>
  /** Whose work that of each subscriber is, and its host; without it, subscribers share nothing. */
  loadShares?(): Promise<WorkShares>
  /** Prepares an attempt. */
  prepareAttempt(work: QueuedWork): Promise<Attempt>
}

export interface Attempt {
  /** The span of the attempt in the trace of the request that caused it. */
  readonly span?: BackgroundSpan
  /** Are applied together with taking the lease, before the attempt begins. */
  readonly writes: readonly Write[]
  /**
   * Makes the attempt. It must end soon after `ending`, which is aborted when the service stops. `lost` is aborted
   * when the work was removed or another node has taken it over; then the outcome does not count.
   */
  run(ending: AbortSignal, lost: AbortSignal): Promise<AttemptOutcome>
}

export interface AttemptOutcome {
  /**
   * `ended`: the work is removed, whether it was done or is not wanted any more. `failed`: it is tried
   * again, and parked after its last attempt. `parked`: it is parked now.
   */
  readonly kind: 'ended' | 'failed' | 'parked'
  /** Of `ended` work that is not removed: when it is due again, and how many attempts it then has. */
  readonly again?: Pick<QueuedWork, 'dueAt' | 'attempts'>
  /** Whether the host has responded; undefined: none was asked. */
  readonly hasResponded?: boolean
  /** The milliseconds that the receiver asks to wait before the next attempt. */
  readonly askedDelay?: number | undefined
  /**
   * The writes that record the outcome, and when the next attempt follows; undefined: none does. It is
   * called again where another write was faster.
   */
  record(nextAt: string | undefined): Promise<readonly Write[]>
}

export interface LogConsumerOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly now: () => number
  /** Records attempts as spans; undefined: none is recorded. */
  readonly tracer?: Tracer | undefined
}
