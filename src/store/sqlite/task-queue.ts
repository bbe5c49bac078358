/**
 * Tasks on their way to a writer elsewhere. Those of one turn of the event loop go together in one
 * message, for what a message costs does not depend on how many tasks are in it, and the more
 * writes share a commit, the less each of them costs. Answers come back in the same order.
 */

import { StoreTrouble, type Written } from '../store.ts'
import type { Outcome, Task } from './batch.ts'
import { type PackedTask, packTask } from './packing.ts'

/** Of so many tasks, the oldest not answered yet: all are done but for the exceptions. */
export interface Answers {
  readonly count: number
  readonly exceptions: readonly (readonly [at: number, outcome: Outcome])[]
}

/** How many tasks may wait; beyond, a write is refused at once rather than kept in memory. */
export const PENDING_LIMIT = 10_000
/** How many go at once without waiting for the turn to end, so that the writer need not be idle. */
const FULL_MESSAGE = 32

type Pending = PromiseWithResolvers<Written>

const done: Written = Object.freeze({ kind: 'done' })

export class TaskQueue {
  readonly #send: (tasks: readonly PackedTask[]) => void
  #gathered: PackedTask[] = []
  /** By number, in the order they were given. */
  readonly #pending = new Map<number, Pending>()
  #given = 0
  #answered = 0
  #turn: NodeJS.Immediate | undefined

  constructor(send: (tasks: readonly PackedTask[]) => void) {
    this.#send = send
  }

  /** Resolves once the task is durable, or refused. Throws StoreTrouble. */
  perform(task: Task): Promise<Written> {
    if (this.#pending.size >= PENDING_LIMIT) {
      return Promise.reject(new StoreTrouble('away', 'Too many writes are waiting.'))
    }
    const pending: Pending = Promise.withResolvers()
    this.#pending.set(this.#given++, pending)
    this.#gathered.push(packTask(task))
    if (this.#gathered.length >= FULL_MESSAGE) this.send()
    else this.#turn ??= setImmediate(() => this.send())
    return pending.promise
  }

  /** What was gathered goes now. */
  send(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    const tasks = this.#gathered
    if (tasks.length === 0) return
    this.#gathered = []
    this.#send(tasks)
  }

  settle({ count, exceptions }: Answers): void {
    const outcomes = new Map(exceptions)
    for (let at = 0; at < count; at += 1) {
      const pending = this.#pending.get(this.#answered)
      this.#pending.delete(this.#answered++)
      const outcome = outcomes.get(at)
      if (outcome === undefined) pending?.resolve(done)
      else if (outcome.kind === 'done') pending?.resolve(outcome.written)
      else pending?.reject(errorOf(outcome))
    }
  }

  /** The writer is gone: nobody knows what became of the tasks that it has not answered. */
  lose(cause: unknown): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    this.#gathered = []
    const lost = [...this.#pending.values()]
    this.#pending.clear()
    this.#answered = this.#given
    const trouble = new StoreTrouble('away', 'The writer ended before it answered.', { cause })
    for (const { reject } of lost) reject(trouble)
  }
}

function errorOf(outcome: Exclude<Outcome, { kind: 'done' }>): unknown {
  if (outcome.kind === 'bug') return outcome.cause
  const message =
    outcome.trouble === 'full' ? 'The disk is full.' : 'The database cannot be written.'
  return new StoreTrouble(outcome.trouble, message, { cause: outcome.cause })
}

/** The outcomes in the form they are sent in. */
export function answersOf(outcomes: readonly Outcome[]): Answers {
  const exceptions = outcomes.flatMap((outcome, at) =>
    outcome.kind === 'done' && outcome.written.kind === 'done' ? [] : [[at, outcome] as const],
  )
  return { count: outcomes.length, exceptions }
}
