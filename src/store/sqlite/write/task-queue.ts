/**
 * Tasks on their way to a writer elsewhere. Those of one turn of the event loop go together in one
 * message, and so do those that come while another is not answered yet: what a message costs
 * hardly depends on how many tasks are in it, and the more writes share a commit, the less each of
 * them costs.
 */

import { StoreUnavailable, type WriteOutcome } from '../../store.ts'
import type { Task, TaskOutcome } from './group-commit.ts'
import { type EncodedTask, encodeTask } from './task-encoding.ts'

/** Tasks that go together, under a number that their answers come back with. */
export interface TaskBatch {
  readonly number: number
  readonly tasks: readonly EncodedTask[]
}

/** What became of them: all are done but for the exceptions. */
export interface TaskResults {
  readonly number: number
  readonly exceptions: readonly (readonly [at: number, outcome: TaskOutcome])[]
}

/** How many tasks may wait; beyond, a write is refused at once rather than kept in memory. */
export const maxPending = 10_000
/** How many go without waiting for anything, so that the writer need not be idle. */
const maxGathered = 16

type Pending = PromiseWithResolvers<WriteOutcome>

const done: WriteOutcome = Object.freeze({ kind: 'done' })

export class TaskQueue {
  readonly #send: (tasks: TaskBatch) => void
  /** What waits for an answer, by the number it went under or is going to. */
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

  /** With the turn, where all that went before is answered. */
  #sendSoon(): void {
    const unanswered = this.#pending.size - 1
    if (unanswered === 0) this.#turn ??= setImmediate(() => this.send())
  }

  /** What was gathered goes now. */
  send(): void {
    const tasks = { number: this.#number, tasks: this.#tasks }
    this.#begin()
    if (tasks.tasks.length === 0) return
    try {
      this.#send(tasks)
    } catch (cause) {
      this.#fail(
        tasks.number,
        new StoreUnavailable('unreachable', 'The writer took no task.', { cause }),
      )
    }
  }

  #begin(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    this.#tasks = []
    this.#number += 1
  }

  /** Answers to what is lost already change nothing. */
  settleBatch({ number, exceptions }: TaskResults): void {
    const answered = this.#pending.get(number) ?? []
    this.#forget(number, answered)
    if (this.#tasks.length > 0) this.#sendSoon()
    const outcomes = new Map(exceptions)
    for (const [at, pending] of answered.entries()) {
      const outcome = outcomes.get(at)
      if (outcome === undefined) pending.resolve(done)
      else if (outcome.kind === 'done') pending.resolve(outcome.written)
      else pending.reject(errorOf(outcome))
    }
  }

  /** The writer is gone: nobody knows what became of the tasks that it has not answered. */
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

  /** Resolves once nothing waits for an answer. */
  async whenIdle(): Promise<void> {
    if (this.isIdle) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }
}

/** No writer takes the task. */
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

/** The outcomes in the form they are sent in. */
export function toResults(number: number, outcomes: readonly TaskOutcome[]): TaskResults {
  const exceptions = outcomes.flatMap((outcome, at) =>
    outcome.kind === 'done' && outcome.written.kind === 'done' ? [] : [[at, outcome] as const],
  )
  return { number, exceptions }
}
