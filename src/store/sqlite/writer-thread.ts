/**
 * The writer thread as the calling thread sees it: tasks go in, outcomes come back. A thread that
 * dies is replaced; what it had not answered is in trouble, for nobody knows what became of it.
 */

import { Worker } from 'node:worker_threads'
import type { Notice } from '../../http/happening.ts'
import { programFile } from '../../place.ts'
import type { Schema } from '../schema.ts'
import { StoreFault, type Written } from '../store.ts'
import type { Outcome, Task } from './batch.ts'
import type { FileIdentity } from './file-identity.ts'
import { Moment } from './moment.ts'
import { openSharing, type Sharing, type WriterAddress } from './sharing.ts'
import { type Answers, away, type Errands, TaskQueue } from './task-queue.ts'

/** What does the tasks of one store. */
export interface Writer {
  /** Resolves once the task is durable, or refused. Throws StoreTrouble. */
  perform(task: Task): Promise<Written>
  /** Of the database, whoever writes (moment.ts). */
  readonly moment: number
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

export type Message =
  | { readonly kind: 'errands'; readonly errands: Errands }
  /** From now on other processes have their tasks done too. */
  | { readonly kind: 'share'; readonly address: WriterAddress }
  | { readonly kind: 'close' }

export type Report =
  /** To one batch, which may be of others alone; to none where only trouble is to be told. */
  | {
      readonly kind: 'answers'
      readonly own: readonly Answers[]
      /** That the whole batch is in, or the log that was to be folded. */
      readonly trouble: Extract<Outcome, { kind: 'trouble' }> | undefined
    }
  /** Other processes can connect. */
  | { readonly kind: 'shared' }

/** Not from our code: `node --watch` makes threads report the files that they load. */
export interface ForeignMessage {
  readonly kind?: undefined
}

const LONGEST_PAUSE = 5000
/** Megabytes: what a batch makes is little and soon dead. */
const YOUNG = 6

export class WriterThread implements Writer {
  readonly file: string
  readonly #moment = new Moment()
  #data: WriterData
  readonly #notice: Notice
  readonly #queue = new TaskQueue((errands) => this.#post({ kind: 'errands', errands }))
  #address: Promise<WriterAddress> | undefined
  #sharing: Sharing | undefined
  /** Settled when others can connect for the first time, or when it is clear that they cannot. */
  #shared: PromiseWithResolvers<void> | undefined
  #worker: Worker | undefined
  #begun = false
  /** Deaths since something was last answered. */
  #deaths = 0
  #restart: NodeJS.Timeout | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(data: Omit<WriterData, 'memory'>, notice: Notice) {
    this.file = data.file
    this.#data = { ...data, memory: this.#moment.memory }
    this.#notice = notice
  }

  perform(task: Task): Promise<Written> {
    if (this.#closing !== undefined) return away('The store is closed.')
    this.#begin()
    if (this.#worker === undefined) return away('The writer is being started again.')
    return this.#queue.perform(task)
  }

  get moment(): number {
    return this.#moment.value
  }

  get isWriting(): boolean {
    return !this.#queue.isIdle
  }

  /** Also does the tasks of other processes, once it resolves; with how they find it. */
  share(): Promise<WriterAddress> {
    if (this.#closing !== undefined) return away('The store is closed.')
    this.#address ??= this.#share().catch((cause: Error) => {
      const remedy =
        'They meet in a new folder beside the database, or in TMPDIR where that path is long.'
      throw new StoreFault(`Workers cannot reach the writer: ${cause.message}. ${remedy}`, {
        cause,
      })
    })
    return this.#address
  }

  async #share(): Promise<WriterAddress> {
    this.#sharing = openSharing(this.file)
    this.#shared = Promise.withResolvers()
    const { address } = this.#sharing
    this.#moment.showBy(address.moment)
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

  #post(message: Message): void {
    this.#worker?.postMessage(message)
  }

  #spawn(): void {
    const worker = new Worker(programFile('store/sqlite/writer'), {
      workerData: this.#data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
    })
    let cause: unknown
    worker.on('message', (message: Report | ForeignMessage) => this.#receive(message))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => this.#ended(cause ?? new Error(`The writer ended with ${code}`)))
    this.#worker = worker
    if (this.#sharing !== undefined) this.#post({ kind: 'share', address: this.#sharing.address })
  }

  #receive(report: Report | ForeignMessage): void {
    if (report.kind === 'shared') this.#shared?.resolve()
    if (report.kind !== 'answers') return
    const { own, trouble } = report
    this.#deaths = 0
    for (const answers of own) this.#queue.settle(answers)
    if (trouble === undefined) return
    // The next thread must know, should this one die.
    if (trouble.trouble === 'damaged')
      this.#data = { ...this.#data, damage: (trouble.cause as Error).message }
    this.#notice({ kind: 'store-trouble', trouble: trouble.trouble, cause: trouble.cause })
  }

  #ended(cause: unknown): void {
    this.#worker = undefined
    this.#moment.end()
    this.#shared?.reject(cause)
    this.#queue.lose(cause)
    if (this.#closing === undefined) this.#replace(cause)
    else this.#closed()
  }

  #closed(): void {
    this.#sharing?.end()
    this.#closing?.resolve()
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
