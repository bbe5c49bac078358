/**
 * The writer thread as the calling thread sees it: tasks go in, outcomes come back. A thread that
 * dies is replaced; what it had not answered is in trouble, for nobody knows what became of it.
 */

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Notice } from '../../http/happening.ts'
import type { Schema } from '../schema.ts'
import { StoreTrouble, type Written } from '../store.ts'
import type { Outcome, Task } from './batch.ts'

export interface WriterData {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
}

export type Message =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  | { readonly kind: 'close' }

export interface Answer {
  readonly id: number
  readonly outcome: Outcome
}

/** How many tasks may wait; beyond, a write is refused at once rather than kept in memory. */
export const PENDING_LIMIT = 10_000
const LONGEST_PAUSE = 5000

type Pending = PromiseWithResolvers<Written>

export class WriterThread {
  readonly #data: WriterData
  readonly #notice: Notice
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #nextId = 0
  /** Deaths since something was last answered. */
  #deaths = 0
  #restart: NodeJS.Timeout | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(data: WriterData, notice: Notice) {
    this.#data = data
    this.#notice = notice
    this.#spawn()
  }

  /** Resolves once the task is durable, or refused. Throws StoreTrouble. */
  perform(task: Task): Promise<Written> {
    if (this.#closing !== undefined) return rejected('The store is closed.')
    if (this.#worker === undefined) return rejected('The writer is being started again.')
    if (this.#pending.size >= PENDING_LIMIT) return rejected('Too many writes are waiting.')
    const id = this.#nextId++
    const pending = Promise.withResolvers<Written>()
    const message: Message = { kind: 'task', id, task }
    this.#worker.postMessage(message)
    this.#pending.set(id, pending)
    return pending.promise
  }

  /** Resolves when all that was asked before is answered and the thread has let go of the file. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise
    this.#closing = Promise.withResolvers()
    clearTimeout(this.#restart)
    const message: Message = { kind: 'close' }
    if (this.#worker === undefined) this.#closing.resolve()
    else this.#worker.postMessage(message)
    return this.#closing.promise
  }

  get file(): string {
    return this.#data.file
  }

  /** Ends the thread as a crash would. */
  async crash(): Promise<void> {
    await this.#worker?.terminate()
  }

  #spawn(): void {
    const file = new URL(`./writer${extname(import.meta.filename)}`, import.meta.url)
    const worker = new Worker(file, { workerData: this.#data })
    let cause: unknown
    worker.on('message', (answers: readonly Answer[]) => this.#settle(answers))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => this.#ended(cause ?? new Error(`The writer ended with ${code}`)))
    this.#worker = worker
  }

  #settle(answers: readonly Answer[]): void {
    this.#deaths = 0
    for (const { id, outcome } of answers) {
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (outcome.kind === 'done') pending?.resolve(outcome.written)
      else pending?.reject(errorOf(outcome))
    }
    if (answers.some(({ outcome }) => outcome.kind === 'trouble')) this.#tell(answers)
  }

  #tell(answers: readonly Answer[]): void {
    const outcome = answers.find((answer) => answer.outcome.kind === 'trouble')?.outcome
    if (outcome?.kind !== 'trouble') return
    this.#notice({ kind: 'store-trouble', trouble: outcome.trouble, cause: outcome.cause })
  }

  #ended(cause: unknown): void {
    this.#worker = undefined
    const lost = [...this.#pending.values()]
    this.#pending.clear()
    const trouble = new StoreTrouble('away', 'The writer ended before it answered.', { cause })
    for (const { reject } of lost) reject(trouble)
    if (this.#closing === undefined) this.#replace(cause)
    else this.#closing.resolve()
  }

  /** At once after the first death; then in growing pauses, until something is answered. */
  #replace(cause: unknown): void {
    this.#notice({ kind: 'writer-restarted', cause })
    const pause = Math.min(50 * 2 ** this.#deaths, LONGEST_PAUSE)
    this.#deaths += 1
    if (this.#deaths === 1) this.#spawn()
    else this.#restart = setTimeout(() => this.#spawn(), pause)
  }
}

function rejected(message: string): Promise<never> {
  return Promise.reject(new StoreTrouble('away', message))
}

function errorOf(outcome: Exclude<Outcome, { kind: 'done' }>): unknown {
  if (outcome.kind === 'bug') return outcome.cause
  const message =
    outcome.trouble === 'full' ? 'The disk is full.' : 'The database cannot be written.'
  return new StoreTrouble(outcome.trouble, message, { cause: outcome.cause })
}
