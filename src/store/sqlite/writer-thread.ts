/**
 * The writer thread as the calling thread sees it: tasks go in, outcomes come back. A thread that
 * dies is replaced; what it had not answered is in trouble, for nobody knows what became of it.
 *
 * Other processes may have their tasks done here too, so that one file has one writer and writes
 * of all of them share commits. Their messages are passed on unread.
 */

import type { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Notice } from '../../http/happening.ts'
import { programFile } from '../../place.ts'
import type { Schema } from '../schema.ts'
import { StoreTrouble, type Written } from '../store.ts'
import type { Outcome, Task } from './batch.ts'
import { Connection } from './connection.ts'
import { type Frames, framesOver } from './frames.ts'
import { Moment } from './moment.ts'
import { type Answers, type Errands, TaskQueue } from './task-queue.ts'

/** What does the tasks of one store. */
export interface Writer {
  /** Resolves once the task is durable, or refused. Throws StoreTrouble. */
  perform(task: Task): Promise<Written>
  /** Of the database, whoever writes (moment.ts). */
  readonly moment: number
  /** Resolves when all that was asked before is answered and nothing is held any more. */
  close(): Promise<void>
}

export interface WriterData {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
}

export type Message =
  | { readonly kind: 'own'; readonly errands: Errands }
  /** Of another process: its errands, serialized. */
  | { readonly kind: 'passed-on'; readonly from: number; readonly octets: Uint8Array }
  | { readonly kind: 'close' }

/** The answers to one batch; to none where only trouble is to be told. */
export interface BatchAnswers {
  readonly own: readonly Answers[]
  /** Serialized, by whom they are for. */
  readonly passedOn: readonly (readonly [to: number, octets: Uint8Array])[]
  /** That the whole batch is in, or the log that was to be folded. */
  readonly trouble: Extract<Outcome, { kind: 'trouble' }> | undefined
}

/** An empty message tells another process that what it waits for is lost. */
export const LOST = new Uint8Array(0)
const LONGEST_PAUSE = 5000

export class WriterThread implements Writer {
  readonly #data: WriterData
  readonly #notice: Notice
  readonly #queue = new TaskQueue((errands) => this.#post({ kind: 'own', errands }))
  readonly #others = new Map<number, Frames>()
  readonly #moment = new Moment()
  #nextOther = 0
  #worker: Worker | undefined
  #begun = false
  /** Deaths since something was last answered. */
  #deaths = 0
  #restart: NodeJS.Timeout | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(data: WriterData, notice: Notice) {
    this.#data = data
    this.#notice = notice
  }

  perform(task: Task): Promise<Written> {
    if (this.#closing !== undefined) return rejected('The store is closed.')
    this.#begin()
    if (this.#worker === undefined) return rejected('The writer is being started again.')
    return this.#queue.perform(task)
  }

  get moment(): number {
    return this.#moment.value
  }

  /** A descriptor by which processes whose tasks are done here read the moment. */
  showMoment(): number {
    return this.#moment.show(this.#data.file)
  }

  /** Also does the tasks of the process at the other end, for as long as the stream is open. */
  serveOver(stream: Duplex): void {
    const from = this.#nextOther++
    const frames = framesOver(stream, (octets) => {
      this.#begin()
      if (this.#worker === undefined) frames.send(LOST)
      else this.#post({ kind: 'passed-on', from, octets }, [octets.buffer])
    })
    this.#others.set(from, frames)
    // What goes wrong with it ends it.
    stream.on('error', () => undefined)
    stream.once('close', () => this.#others.delete(from))
  }

  /** Resolves when all that was asked before is answered and the thread has let go of the file. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise
    this.#closing = Promise.withResolvers()
    clearTimeout(this.#restart)
    this.#queue.send()
    if (!this.#begun) this.#foldLog()
    if (this.#worker === undefined) this.#closed()
    else this.#worker.postMessage({ kind: 'close' } satisfies Message)
    return this.#closing.promise
  }

  /** Whoever only reads leaves a log beside the file; who could write folds it in on leaving. */
  #foldLog(): void {
    const { file, temporary } = this.#data
    if (!temporary) new Connection({ file, temporary, use: 'write' }).close()
  }

  get file(): string {
    return this.#data.file
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

  #post(message: Exclude<Message, { kind: 'close' }>, transferred?: ArrayBuffer[]): void {
    this.#moment.begin()
    this.#worker?.postMessage(message, transferred)
  }

  #spawn(): void {
    const worker = new Worker(programFile('store/sqlite/writer'), { workerData: this.#data })
    let cause: unknown
    worker.on('message', (answers: BatchAnswers) => this.#settle(answers))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => this.#ended(cause ?? new Error(`The writer ended with ${code}`)))
    this.#worker = worker
  }

  #settle({ own, passedOn, trouble }: BatchAnswers): void {
    this.#deaths = 0
    this.#moment.end(own.length + passedOn.length)
    for (const answers of own) this.#queue.settle(answers)
    for (const [to, octets] of passedOn) this.#others.get(to)?.send(octets)
    if (trouble === undefined) return
    this.#notice({ kind: 'store-trouble', trouble: trouble.trouble, cause: trouble.cause })
  }

  #ended(cause: unknown): void {
    this.#worker = undefined
    this.#moment.endAll()
    this.#queue.lose(cause)
    for (const frames of this.#others.values()) frames.send(LOST)
    if (this.#closing === undefined) this.#replace(cause)
    else this.#closed()
  }

  #closed(): void {
    this.#moment.close()
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

function rejected(message: string): Promise<never> {
  return Promise.reject(new StoreTrouble('away', message))
}
