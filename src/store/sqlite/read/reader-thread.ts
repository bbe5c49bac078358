/** The client of a reader thread, which runs slow statements. The thread starts on demand. */

import { Worker } from 'node:worker_threads'
import { programFile } from '../../../package-paths.ts'
import type { Row } from '../../row.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { StoreUnavailable } from '../../store.ts'
import type { ForeignMessage } from '../write/writer-thread.ts'

export interface ReaderData {
  readonly file: string
  readonly temporary: boolean
}

export interface ReaderTask {
  readonly id: number
  readonly statement: Statement
  /** On the shared clock. */
  readonly deadline: number
}

export type ReaderOutcome =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'late' }
  | {
      readonly kind: 'unavailable'
      readonly reason: StoreUnavailable['reason']
      readonly cause: unknown
    }
  | { readonly kind: 'bug'; readonly cause: unknown }

type UnavailableOutcome = Extract<ReaderOutcome, { kind: 'unavailable' }>

export type ReaderResult = ReaderOutcome & { readonly id: number }

/** Milliseconds on a clock that all threads share; `performance.now()` differs by thread. */
export function sharedClock(): number {
  return performance.timeOrigin + performance.now()
}

type Pending = PromiseWithResolvers<readonly Row[] | 'late'>

export class ReaderThread {
  readonly #data: ReaderData
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #ended: Promise<void> = Promise.resolve()
  #nextId = 0
  #closed = false

  constructor(data: ReaderData) {
    this.#data = data
  }

  /** The rows, or `late` after so many milliseconds. Rejects with StoreUnavailable. */
  rows(statement: Statement, milliseconds: number): Promise<readonly Row[] | 'late'> {
    if (this.#closed) return rejected('The store is closed.')
    this.#worker ??= this.#spawn()
    const pending: Pending = Promise.withResolvers()
    const id = this.#nextId++
    this.#pending.set(id, pending)
    const deadline = sharedClock() + milliseconds
    const task: ReaderTask = { id, statement, deadline }
    this.#worker.postMessage(task)
    return pending.promise
  }

  /** Resolves when pending statements are finished and the thread has closed the file. */
  close(): Promise<void> {
    this.#closed = true
    this.#worker?.postMessage('close')
    return this.#ended
  }

  #spawn(): Worker {
    const worker = new Worker(programFile('store/sqlite/read/reader-main'), {
      workerData: this.#data,
    })
    let cause: unknown
    const ended = Promise.withResolvers<void>()
    this.#ended = ended.promise
    worker.on('message', (message: ReaderResult | ForeignMessage) => {
      if (message.kind !== undefined) this.#settle(message)
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      this.#rejectPending(cause)
      ended.resolve()
    })
    return worker
  }

  #settle(answer: ReaderResult): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (answer.kind === 'rows') pending?.resolve(answer.rows)
    else if (answer.kind === 'late') pending?.resolve('late')
    else pending?.reject(answer.kind === 'bug' ? answer.cause : unavailableFor(answer))
  }

  #rejectPending(cause: unknown): void {
    this.#worker = undefined
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(unavailableFor({ reason: 'unreachable', cause }))
  }
}

function unavailableFor({ reason, cause }: Pick<UnavailableOutcome, 'reason' | 'cause'>): StoreUnavailable {
  return new StoreUnavailable(reason, 'The database could not be read.', { cause })
}

function rejected(message: string): Promise<never> {
  return Promise.reject(new StoreUnavailable('unreachable', message))
}
