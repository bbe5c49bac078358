/**
 * The writer thread as the calling thread sees it: tasks go in, outcomes come back. A thread that
 * dies is replaced; what it had not answered is in trouble, for nobody knows what became of it.
 */

import { Worker } from 'node:worker_threads'
import type { Observer } from '../../../observation.ts'
import { programFile } from '../../../package-paths.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { StoreOpenError, type WriteOutcome } from '../../store.ts'
import type { FileIdentity } from '../connection/file-identity.ts'
import { Seqlock } from '../connection/seqlock.ts'
import type { Task, TaskOutcome } from './group-commit.ts'
import { type TaskBatch, TaskQueue, type TaskResults, writerUnreachable } from './task-queue.ts'
import { openWriterSocket, type WriterAddress, type WriterSocket } from './writer-socket.ts'

/** What does the tasks of one store. */
export interface Writer {
  /** Resolves once the task is durable, or refused. Throws StoreUnavailable. */
  perform(task: Task): Promise<WriteOutcome>
  /** Of the database, whoever writes (moment.ts). */
  readonly sequence: number
  /** Whether tasks of this process are not done yet. */
  readonly isWriting: boolean
  /** Resolves when all that was asked before is answered and nothing is held any more. */
  close(): Promise<void>
}

/** Ends all writing to the file: what is built on damage would be lost with it. */
export function reportDamage(writer: Writer, finding: string): void {
  // Answered with the same trouble that it reports, which the writer has logged by then.
  writer.perform({ kind: 'damage', finding }).catch(() => undefined)
}

export interface WriterData {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
  /** Undefined for a temporary file, which only this process knows. */
  readonly identity: FileIdentity | undefined
  /** What was found where the file is known to be damaged. */
  readonly damage?: string
  /** Of the moment. */
  readonly memory: SharedArrayBuffer
}

export type WriterMessage =
  | { readonly kind: 'errands'; readonly errands: TaskBatch }
  /** From now on other processes have their tasks done too. */
  | { readonly kind: 'share'; readonly address: WriterAddress }
  | { readonly kind: 'close' }

export type WriterReport =
  /** To one batch, which may be of others alone; to none where only trouble is to be told. */
  | {
      readonly kind: 'answers'
      readonly own: readonly TaskResults[]
      /** That the whole batch is in, or the log that was to be folded. */
      readonly failure: Extract<TaskOutcome, { kind: 'unavailable' }> | undefined
    }
  /** Other processes can connect. */
  | { readonly kind: 'shared' }

/** Not from our code: `node --watch` makes threads report the files that they load. */
export interface ForeignMessage {
  readonly kind?: undefined
}

const maxRestartDelay = 5000
/** Megabytes: what a batch makes is little and soon dead. */
const youngGenerationMegabytes = 6

export class WriterThread implements Writer {
  readonly file: string
  readonly #seqlock = new Seqlock()
  #data: WriterData
  readonly #observe: Observer
  readonly #queue = new TaskQueue((tasks) => this.#post({ kind: 'errands', errands: tasks }))
  #address: Promise<WriterAddress> | undefined
  #sharing: WriterSocket | undefined
  /** Settled when others can connect for the first time, or when it is clear that they cannot. */
  #shared: PromiseWithResolvers<void> | undefined
  #worker: Worker | undefined
  #begun = false
  /** Deaths since something was last answered. */
  #deaths = 0
  #restart: NodeJS.Timeout | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(data: Omit<WriterData, 'memory'>, observe: Observer) {
    this.file = data.file
    this.#data = { ...data, memory: this.#seqlock.memory }
    this.#observe = observe
  }

  perform(task: Task): Promise<WriteOutcome> {
    if (this.#closing !== undefined) return writerUnreachable('The store is closed.')
    this.#begin()
    if (this.#worker === undefined) return writerUnreachable('The writer is being started again.')
    return this.#queue.perform(task)
  }

  get sequence(): number {
    return this.#seqlock.sequence
  }

  get isWriting(): boolean {
    return !this.#queue.isIdle
  }

  /** Also does the tasks of other processes, once it resolves; with how they find it. */
  share(): Promise<WriterAddress> {
    if (this.#closing !== undefined) return writerUnreachable('The store is closed.')
    this.#address ??= this.#share().catch((cause: Error) => {
      const remedy =
        'They meet in a new folder beside the database, or in TMPDIR where that path is long.'
      throw new StoreOpenError(`Workers cannot reach the writer: ${cause.message}. ${remedy}`, {
        cause,
      })
    })
    return this.#address
  }

  async #share(): Promise<WriterAddress> {
    this.#sharing = openWriterSocket(this.file)
    this.#shared = Promise.withResolvers()
    const { address } = this.#sharing
    this.#seqlock.publish(address.seqlockDescriptor)
    if (this.#begun) this.#post({ kind: 'share', address })
    else this.#begin()
    await this.#shared.promise
    return address
  }

  /** Resolves when all that was asked before is answered and the thread has let go of the file. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise
    this.#closing = Promise.withResolvers()
    clearTimeout(this.#restart)
    this.#queue.send()
    if (this.#worker === undefined) this.#closed()
    else this.#post({ kind: 'close' })
    return this.#closing.promise
  }

  /** Ends the thread as a crash would. */
  async crash(): Promise<void> {
    await this.#worker?.terminate()
  }

  /** With the first task; from then on a thread that dies is replaced. */
  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.#spawn()
  }

  #post(message: WriterMessage): void {
    this.#worker?.postMessage(message)
  }

  #spawn(): void {
    const worker = new Worker(programFile('store/sqlite/write/writer-main'), {
      workerData: this.#data,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMegabytes },
    })
    let cause: unknown
    worker.on('message', (message: WriterReport | ForeignMessage) => this.#receive(message))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => this.#ended(cause ?? new Error(`The writer ended with ${code}`)))
    this.#worker = worker
    if (this.#sharing !== undefined) this.#post({ kind: 'share', address: this.#sharing.address })
  }

  #receive(report: WriterReport | ForeignMessage): void {
    if (report.kind === 'shared') this.#shared?.resolve()
    if (report.kind !== 'answers') return
    const { own, failure } = report
    this.#deaths = 0
    for (const answers of own) this.#queue.settleBatch(answers)
    if (failure === undefined) return
    // The next thread must know, should this one die.
    if (failure.reason === 'damaged')
      this.#data = { ...this.#data, damage: (failure.cause as Error).message }
    this.#observe({ kind: 'store-unavailable', reason: failure.reason, cause: failure.cause })
  }

  #ended(cause: unknown): void {
    this.#worker = undefined
    this.#seqlock.end()
    this.#shared?.reject(cause)
    this.#queue.rejectAll(cause)
    if (this.#closing === undefined) this.#replace(cause)
    else this.#closed()
  }

  #closed(): void {
    this.#sharing?.end()
    this.#closing?.resolve()
  }

  /** At once after the first death; then in growing pauses, until something is answered. */
  #replace(cause: unknown): void {
    this.#observe({ kind: 'writer-restarted', cause })
    const pause = Math.min(50 * 2 ** this.#deaths, maxRestartDelay)
    this.#deaths += 1
    if (this.#deaths === 1) this.#spawn()
    else this.#restart = setTimeout(() => this.#spawn(), pause)
  }
}
