/** The progress that the code of a job reports, as its row shows it. */

import type { ResourceModel } from '../../../definition/model.ts'
import type { Observer } from '../../../observation.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { findRow } from '../../../store/table-rows.ts'
import type { RequireRow } from '../../../store/write.ts'
import { maxMessageLength } from './jobs-resource.ts'

export interface JobProgressOptions {
  readonly store: Store
  readonly jobs: ResourceModel
  /** The identity of the job. */
  readonly identity: string
  /** The place of the action in the definition. */
  readonly place: string
  /** Holds while the job belongs to this node. */
  readonly lease: RequireRow
  readonly now: () => number
  readonly observe: Observer
  /** Called after each write, so that readers of the change log see it at once. */
  onWrite(): void
}

/** Milliseconds between two writes: code may report more often. Each write is an entry of the change log. */
const minWriteInterval = 500
const maxWriteInterval = 30_000

/** A part of the time so far, so that a long job has few entries. */
export function writeInterval(elapsed: number): number {
  return Math.min(Math.max(elapsed / 50, minWriteInterval), maxWriteInterval)
}

/** A type and not an interface, so that its members are values of a row. */
export type Reported = {
  readonly progress: number
  readonly message: string | null
}

export class JobProgress {
  readonly #options: JobProgressOptions
  readonly #startedAt: number
  #latest: Reported | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: JobProgressOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  /** The tool `report`. Throws a LogicFailure for values that are no progress. */
  report(progress: unknown, message?: unknown): void {
    const { place } = this.#options
    if (typeof progress !== 'number' || !(progress >= 0 && progress <= 1)) {
      throw new LogicFailure(
        place,
        `'report' takes a number from 0 to 1, not ${String(progress)}, in ${place}.`,
      )
    }
    if (this.#closed) return
    const text = message === undefined ? null : String(message).toWellFormed().slice(0, maxMessageLength)
    this.#latest = { progress, message: text }
    this.#timer ??= setTimeout(() => this.#next(), 0)
  }

  /** The last report while it is not stored; the end of the job stores it. */
  get unwritten(): Partial<Reported> {
    return this.#latest ?? {}
  }

  /** Ends the writes. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#writing
  }

  #next(): void {
    const reported = this.#latest
    this.#latest = undefined
    this.#timer = undefined
    if (!reported) return
    const elapsed = this.#options.now() - this.#startedAt
    this.#timer = setTimeout(() => this.#next(), writeInterval(elapsed))
    this.#writing = this.#writing.then(() => this.#write(reported))
  }

  async #write(reported: Reported): Promise<void> {
    const { store, jobs, identity, lease, now, observe, onWrite } = this.#options
    try {
      const row = await findRow(store, jobs, identity)
      if (!row || readField(jobs, row, 'status') !== 'running') return
      const change = updateFields(jobs, row, new Date(now()).toISOString(), { ...reported })
      // Refused where the job was cancelled or another node has taken it over.
      await store.write([change, lease], { actor: { name: 'jobs' } })
      onWrite()
    } catch (cause) {
      observe({ kind: 'task-failed', task: 'jobs', cause })
    }
  }
}
