/**
 * A queue of tasks for the writer. Tasks of one turn of the event loop are sent in one message, and
 * so are tasks that arrive while another message is pending: larger messages let more writes share
 * a commit.
 */

import { StoreUnavailable } from '../../store.ts'
import type { WriteOutcome } from '../../write.ts'
import type { Task, TaskOutcome } from './group-commit.ts'
import { type EncodedTask, encodeTask } from './task-encoding.ts'

/** Tasks of one message, with the number that their results carry. */
export interface TaskBatch {
  readonly number: number
  readonly tasks: readonly EncodedTask[]
}

/** The results of a batch: all tasks are done except those listed. */
export interface TaskResults {
  readonly number: number
  readonly exceptions: readonly (readonly [at: number, outcome: TaskOutcome])[]
}

/** How many tasks may wait; more are refused. */
export const maxPending = 10_000
/** A message with this many tasks is sent at once. */
const maxGathered = 16

type Pending = PromiseWithResolvers<WriteOutcome>

const done: WriteOutcome = Object.freeze({ kind: 'done' })

export class TaskQueue {
  readonly #send: (tasks: TaskBatch) => void
  /** Pending tasks by the number of their message. */
  readonly #pending = new Map<number, Pending[]>()
  #tasks: EncodedTask[] = []
  #number = 0
  #size = 0
  #turn: NodeJS.Immediate | undefined
  #idle: PromiseWithResolvers<void> | undefined

  constructor(send: (tasks: TaskBatch) => void) {
    this.#send = send
  }

  /** Resolves once the task is durable, or refused. Throws StoreUnavailable. */
  perform(task: Task): Promise<WriteOutcome> {
    if (this.#size >= maxPending) return writerUnreachable('Too many writes are waiting.')
    const pending: Pending = Promise.withResolvers()
    const together = this.#pending.get(this.#number)
    if (together === undefined) this.#pending.set(this.#number, [pending])
    else together.push(pending)
    this.#tasks.push(encodeTask(task))
    this.#size += 1
    if (this.#tasks.length >= maxGathered) this.send()
    else this.#sendSoon()
    return pending.promise
  }

  /** Sends at the end of the turn where no message is pending. */
  #sendSoon(): void {
    const unanswered = this.#pending.size - 1
    if (unanswered === 0) this.#turn ??= setImmediate(() => this.send())
  }

  /** Sends the gathered tasks now. */
  send(): void {
    const tasks = { number: this.#number, tasks: this.#tasks }
    this.#begin()
    if (tasks.tasks.length === 0) return
    try {
      this.#send(tasks)
    } catch (cause) {
      this.#fail(tasks.number, new StoreUnavailable('unreachable', 'The writer took no task.', { cause }))
    }
  }

  #begin(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    this.#tasks = []
    this.#number += 1
  }

  /** Settles the tasks of a message. Ignores results of messages that were rejected. */
  settleBatch({ number, exceptions }: TaskResults): void {
    const batch = this.#pending.get(number) ?? []
    this.#forget(number, batch)
    if (this.#tasks.length > 0) this.#sendSoon()
    const outcomes = new Map(exceptions)
    for (const [at, pending] of batch.entries()) {
      const outcome = outcomes.get(at)
      if (outcome === undefined) pending.resolve(done)
      else if (outcome.kind === 'done') pending.resolve(outcome.written)
      else pending.reject(errorOf(outcome))
    }
  }

  /** Rejects all pending tasks, because the writer is gone and their outcome is unknown. */
  rejectAll(cause: unknown): void {
    this.#begin()
    const reason = new StoreUnavailable('unreachable', 'The writer ended before it answered.', {
      cause,
    })
    for (const number of this.#pending.keys()) this.#fail(number, reason)
  }

  #fail(number: number, reason: StoreUnavailable): void {
    const failed = this.#pending.get(number) ?? []
    this.#forget(number, failed)
    for (const { reject } of failed) reject(reason)
  }

  #forget(number: number, answered: readonly Pending[]): void {
    this.#pending.delete(number)
    this.#size -= answered.length
    if (this.isIdle) this.#idle?.resolve()
  }

  get isIdle(): boolean {
    return this.#size === 0
  }

  /** Resolves when no task is pending. */
  async whenIdle(): Promise<void> {
    if (this.isIdle) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }
}

/** A promise that rejects with StoreUnavailable (`unreachable`). */
export function writerUnreachable(message: string): Promise<never> {
  return Promise.reject(new StoreUnavailable('unreachable', message))
}

function errorOf(outcome: Exclude<TaskOutcome, { kind: 'done' }>): unknown {
  if (outcome.kind === 'bug') return outcome.cause
  const message = messages.get(outcome.reason) ?? 'The database cannot be written.'
  return new StoreUnavailable(outcome.reason, message, { cause: outcome.cause })
}

const messages: ReadonlyMap<StoreUnavailable['reason'], string> = new Map([
  ['full', 'The disk is full.'],
  ['damaged', 'The database file is damaged.'],
])

/** The outcomes of a batch in the form of a message. */
export function toResults(number: number, outcomes: readonly TaskOutcome[]): TaskResults {
  const exceptions = outcomes.flatMap((outcome, at) =>
    outcome.kind === 'done' && outcome.written.kind === 'done' ? [] : [[at, outcome] as const],
  )
  return { number, exceptions }
}
