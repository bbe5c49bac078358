/**
 * The writer thread as the calling thread sees it: tasks go in, outcomes come back. A thread that
 * dies is replaced; what it had not answered is in trouble, for nobody knows what became of it.
 */

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Notice } from '../../http/happening.ts'
import type { Schema } from '../schema.ts'
import { StoreTrouble, type Written } from '../store.ts'
import type { Task } from './batch.ts'
import type { PackedTask } from './packing.ts'
import { type Answers, TaskQueue } from './task-queue.ts'

export interface WriterData {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
}

export type Message =
  | { readonly kind: 'tasks'; readonly tasks: readonly PackedTask[] }
  | { readonly kind: 'close' }

const LONGEST_PAUSE = 5000

export class WriterThread {
  readonly #data: WriterData
  readonly #notice: Notice
  readonly #queue = new TaskQueue((tasks) => this.#post({ kind: 'tasks', tasks }))
  #worker: Worker | undefined
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
    return this.#queue.perform(task)
  }

  /** Resolves when all that was asked before is answered and the thread has let go of the file. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise
    this.#closing = Promise.withResolvers()
    clearTimeout(this.#restart)
    this.#queue.send()
    if (this.#worker === undefined) this.#closing.resolve()
    else this.#post({ kind: 'close' })
    return this.#closing.promise
  }

  get file(): string {
    return this.#data.file
  }

  /** Ends the thread as a crash would. */
  async crash(): Promise<void> {
    await this.#worker?.terminate()
  }

  #post(message: Message): void {
    this.#worker?.postMessage(message)
  }

  #spawn(): void {
    const file = new URL(`./writer${extname(import.meta.filename)}`, import.meta.url)
    const worker = new Worker(file, { workerData: this.#data })
    let cause: unknown
    worker.on('message', (answers: Answers) => this.#settle(answers))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => this.#ended(cause ?? new Error(`The writer ended with ${code}`)))
    this.#worker = worker
  }

  #settle(answers: Answers): void {
    this.#deaths = 0
    this.#queue.settle(answers)
    for (const [, outcome] of answers.exceptions) {
      if (outcome.kind !== 'trouble') continue
      this.#notice({ kind: 'store-trouble', trouble: outcome.trouble, cause: outcome.cause })
      // The whole batch is in the same trouble.
      break
    }
  }

  #ended(cause: unknown): void {
    this.#worker = undefined
    this.#queue.lose(cause)
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
