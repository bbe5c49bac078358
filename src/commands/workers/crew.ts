/**
 * The workers of a primary: started together, replaced when one ends that was not told to. Each
 * has its share of the connections.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Notice } from '../../http/happening.ts'
import { converse, type Dialogue } from './dialogue.ts'
import { type PrimaryDuties, type WorkerBeginning, type WorkerDuties, WRITER_FD } from './duties.ts'

export interface Worker {
  readonly process: ChildProcess
  readonly dialogue: Dialogue<WorkerDuties>
}

/** What others do for each worker; `ended` is told when it is gone. */
export interface WorkerService {
  readonly duties: Omit<PrimaryDuties, 'ready' | 'failed'>
  ended(): void
}

export interface CrewOptions {
  readonly size: number
  readonly beginning: WorkerBeginning
  readonly notice: Notice
  /** Does the writes that come over the stream; undefined where workers write by themselves. */
  readonly writeFor: ((stream: Duplex) => void) | undefined
  serviceFor(worker: () => Worker): WorkerService
  /** Whether there is anyone to hand connections to. */
  onReadiness(ready: boolean): void
}

/** A worker that has served for so many milliseconds is a good one: what ends it is new. */
const PROBATION = 10_000
const LONGEST_PAUSE = 5000

export class Crew {
  readonly #options: CrewOptions
  readonly #ready: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Deaths since one was last found good. */
  #deaths = 0
  #next = 0
  #dismissed = false

  constructor(options: CrewOptions) {
    this.#options = options
  }

  /** Resolves when all are ready; rejects with the reason where one cannot start. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#spawn()))
  }

  /** Those that serve. */
  get workers(): readonly Worker[] {
    return this.#ready
  }

  /** Gives the connection to the next in turn. */
  hand(socket: Socket): void {
    const worker = this.#ready[this.#next++ % this.#ready.length]
    // Where it has just died its client finds the connection closed, like all others it had.
    if (!worker?.process.connected) socket.destroy()
    else worker.process.send({ kind: 'connection' }, socket, {}, () => undefined)
  }

  /** From now on none that ends is replaced. */
  dismiss(): void {
    this.#dismissed = true
    for (const restart of this.#restarts) clearTimeout(restart)
  }

  /** Resolves when all have ended; those that take longer than so many milliseconds are killed. */
  async end(milliseconds: number): Promise<void> {
    this.dismiss()
    const timer = setTimeout(() => {
      for (const { process } of this.#all) process.kill('SIGKILL')
    }, milliseconds)
    const exits = [...this.#all].map(({ process }) => once(process, 'exit'))
    for (const { process } of this.#all) if (process.connected) process.disconnect()
    await Promise.all(exits)
    clearTimeout(timer)
  }

  /** Resolves when it is ready. */
  #spawn(): Promise<void> {
    const { beginning, writeFor, serviceFor } = this.#options
    const process = forked(writeFor === undefined ? [] : ['pipe'])
    const starting = Promise.withResolvers<void>()
    let reason: string | undefined
    const service = serviceFor(() => worker)
    const dialogue = converse<WorkerDuties>(process, {
      ...service.duties,
      ready: () => {
        this.#join(worker)
        starting.resolve()
      },
      failed: (message) => {
        reason = message
      },
    } satisfies PrimaryDuties)
    const worker: Worker = { process, dialogue }
    this.#all.add(worker)
    // The stream is one where a pipe was asked for.
    writeFor?.(process.stdio[WRITER_FD] as Duplex)
    const ended = (cause: Error) => {
      if (!this.#all.has(worker)) return
      starting.reject(cause)
      service.ended()
      this.#leave(worker, cause)
    }
    process.once('exit', (code, signal) =>
      ended(new Error(reason ?? `A worker ended with ${signal ?? code}`)),
    )
    // One that the system could not start does not end.
    process.on('error', (error) => {
      if (process.pid === undefined) ended(error)
    })
    dialogue.tell('begin', beginning)
    return starting.promise
  }

  #join(worker: Worker): void {
    this.#ready.push(worker)
    this.#options.onReadiness(true)
    const probation = setTimeout(() => {
      this.#deaths = 0
    }, PROBATION).unref()
    worker.process.once('exit', () => clearTimeout(probation))
  }

  #leave(worker: Worker, cause: Error): void {
    this.#all.delete(worker)
    const at = this.#ready.indexOf(worker)
    if (at >= 0) this.#ready.splice(at, 1)
    this.#options.onReadiness(this.#ready.length > 0)
    if (!this.#dismissed) this.#replace(cause)
  }

  /** At once after the first death; then in growing pauses, until one is found good. */
  #replace(cause: Error): void {
    this.#options.notice({ kind: 'worker-restarted', cause })
    const pause = this.#deaths === 0 ? 0 : Math.min(50 * 2 ** this.#deaths, LONGEST_PAUSE)
    this.#deaths += 1
    const restart = setTimeout(() => {
      this.#restarts.delete(restart)
      // That it could not start is told by its end.
      this.#spawn().catch(() => undefined)
    }, pause)
    this.#restarts.add(restart)
  }
}

function forked(streams: readonly 'pipe'[]): ChildProcess {
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)
  return fork(fileURLToPath(file), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...streams],
    serialization: 'advanced',
  })
}
