/**
 * The client of the writer thread. A thread that dies is replaced; its pending tasks are rejected,
 * because their outcome is unknown.
 */

import { Worker } from 'node:worker_threads'
import type { Observer } from '../../../observation.ts'
import { programFile } from '../../../package-paths.ts'
import { type Schema, withoutLimits } from '../../schema/table-schema.ts'
import { StoreOpenError, StoreUnavailable } from '../../store.ts'
import type { WriteOutcome } from '../../write.ts'
import type { FileIdentity } from '../connection/file-identity.ts'
import { Seqlock } from '../connection/seqlock.ts'
import type { Task, TaskOutcome } from './group-commit.ts'
import { type TaskBatch, TaskQueue, type TaskResults, writerUnreachable } from './task-queue.ts'
import { openWriterSocket, type WriterAddress, type WriterSocket } from './writer-socket.ts'

/** Performs the tasks of a store. */
export interface Writer {
  /** Resolves once the task is durable, or refused. Throws StoreUnavailable. */
  perform(task: Task): Promise<WriteOutcome>
  /** The sequence of the seqlock of the database (seqlock.ts). */
  readonly sequence: number
  /** Whether tasks of this process are pending. */
  readonly isWriting: boolean
  /** Resolves when pending tasks are finished and all resources are released. */
  close(): Promise<void>
}

/**
 * Stops all writes to a damaged file, because further data would be lost with it. What a read has found is checked
 * first. Returns whether the file is damaged.
 */
export async function reportDamage(
  writer: Writer,
  finding: Omit<Extract<Task, { kind: 'damage' }>, 'kind'>,
): Promise<boolean> {
  try {
    await writer.perform({ kind: 'damage', ...finding })
    return false
  } catch (error) {
    // The writer has logged it.
    return error instanceof StoreUnavailable && error.reason === 'damaged'
  }
}

export interface WriterData {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
  /** Undefined for a temporary file. */
  readonly fileIdentity: FileIdentity | undefined
  /** The damage that a former thread found. */
  readonly damage?: string
  /** The memory of the seqlock. */
  readonly memory: SharedArrayBuffer
}

export type WriterMessage =
  | { readonly kind: 'tasks'; readonly batch: TaskBatch }
  /** Accept tasks of other processes from now on. */
  | { readonly kind: 'share'; readonly address: WriterAddress }
  | { readonly kind: 'close' }

export type WriterReport =
  /** The results of a batch for this process; none where only a failure is reported. */
  | {
      readonly kind: 'results'
      readonly own: readonly TaskResults[]
      /** The failure of the batch or of a checkpoint. */
      readonly failure: Extract<TaskOutcome, { kind: 'unavailable' }> | undefined
    }
  /** Other processes can connect. */
  | { readonly kind: 'shared' }

/** A message of `node --watch`, which makes threads report the files that they load. */
export interface ForeignMessage {
  readonly kind?: undefined
}

const maxRestartDelay = 5000
/** The objects of a batch are few and short-lived. */
const youngGenerationMegabytes = 6

export class WriterThread implements Writer {
  readonly file: string
  readonly #seqlock = new Seqlock()
  #data: WriterData
  readonly #observe: Observer
  readonly #queue = new TaskQueue((batch) => this.#post({ kind: 'tasks', batch }))
  #address: Promise<WriterAddress> | undefined
  #sharing: WriterSocket | undefined
  /** Settled when other processes can connect, or the thread has failed. */
  #shared: PromiseWithResolvers<void> | undefined
  #worker: Worker | undefined
  #begun = false
  /** Deaths since the last result. */
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

  /** Accepts tasks of other processes; returns the address. Throws StoreOpenError. */
  share(): Promise<WriterAddress> {
    if (this.#closing !== undefined) return writerUnreachable('The store is closed.')
    this.#address ??= this.#share().catch((cause: Error) => {
      const remedy =
        'Check that a folder can be created beside the database, or in TMPDIR where that path is long.'
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

  /** Resolves when pending tasks are finished and the thread has closed the file. */
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

  /** Starts the thread with the first task; from then on a dead thread is replaced. */
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
      workerData: { ...this.#data, schema: withoutLimits(this.#data.schema) },
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
    if (report.kind !== 'results') return
    const { own, failure } = report
    this.#deaths = 0
    for (const results of own) this.#queue.settleBatch(results)
    if (failure === undefined) return
    // For the next thread, should this one die.
    if (failure.reason === 'damaged') this.#data = { ...this.#data, damage: (failure.cause as Error).message }
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

  /** Immediately after the first death, then with exponential back-off until a result arrives. */
  #replace(cause: unknown): void {
    this.#observe({ kind: 'writer-restarted', cause })
    const pause = Math.min(50 * 2 ** this.#deaths, maxRestartDelay)
    this.#deaths += 1
    if (this.#deaths === 1) this.#spawn()
    else this.#restart = setTimeout(() => this.#spawn(), pause)
  }
}
