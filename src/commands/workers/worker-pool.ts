/**
 * The workers of a primary: started together, replaced when one ends that was not told to. Each
 * has its share of the connections.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Observer } from '../../observation.ts'
import { programFile } from '../../package-paths.ts'
import { connectRpc, type RpcConnection } from './rpc.ts'
import type { PrimaryMethods, WorkerMethods, WorkerStart } from './rpc-methods.ts'

export interface Worker {
  readonly process: ChildProcess
  readonly rpc: RpcConnection<WorkerMethods>
  /** Connections that it has not said to have, in the order they were handed to it. */
  readonly unconfirmed: SentConnection[]
}

/** Kept open here until it has arrived there. */
interface SentConnection {
  readonly socket: Socket
  /** Whether it has gone; before, Node has it wait for others to arrive. */
  sent: boolean
}

/** What others do for each worker; `ended` is told when it is gone. */
export interface WorkerServices {
  readonly methods: Omit<PrimaryMethods, 'ready' | 'failed' | 'connectionReceived'>
  ended(): void
}

export interface WorkerPoolOptions {
  readonly size: number
  readonly start: WorkerStart
  readonly observe: Observer
  /** The descriptors that each has from MOMENT_FD on. */
  readonly descriptors: readonly number[]
  createWorkerServices(worker: () => Worker): WorkerServices
  /** Whether there is anyone to hand connections to. */
  onReadiness(ready: boolean): void
  /** A connection that reached nobody. */
  onReturned(socket: Socket): void
}

/** A worker that has served for so many milliseconds is a good one: what ends it is new. */
const stableAfter = 10_000
const maxRestartDelay = 5000

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #ready: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Deaths since one was last found good. */
  #failures = 0
  #next = 0
  #stopping = false

  constructor(options: WorkerPoolOptions) {
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
  handOff(socket: Socket): void {
    const ready = this.#ready.filter(({ process }) => process.connected)
    const worker = ready[this.#next++ % ready.length]
    if (worker === undefined) {
      socket.destroy()
      return
    }
    const handed: SentConnection = { socket, sent: false }
    worker.unconfirmed.push(handed)
    worker.process.send({ kind: 'connection' }, socket, { keepOpen: true }, (error) => {
      handed.sent = error === null
    })
  }

  /** From now on none that ends is replaced. */
  stopReplacing(): void {
    this.#stopping = true
    for (const restart of this.#restarts) clearTimeout(restart)
  }

  /** Resolves when all have ended; those that take longer than so many milliseconds are killed. */
  async end(milliseconds: number): Promise<void> {
    this.stopReplacing()
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
    const { start, descriptors, createWorkerServices: serviceFor } = this.#options
    const process = forkWorker(descriptors)
    const starting = Promise.withResolvers<void>()
    let reason: string | undefined
    const service = serviceFor(() => worker)
    const dialogue = connectRpc<WorkerMethods>(process, {
      ...service.methods,
      ready: () => {
        this.#addReady(worker)
        starting.resolve()
      },
      failed: (message) => {
        reason = message
      },
      connectionReceived: () => worker.unconfirmed.shift()?.socket.destroy(),
    } satisfies PrimaryMethods)
    const worker: Worker = { process, rpc: dialogue, unconfirmed: [] }
    this.#all.add(worker)
    const ended = (cause: Error) => {
      if (!this.#all.has(worker)) return
      starting.reject(cause)
      service.ended()
      this.#remove(worker, cause)
    }
    process.once('exit', (code, signal) =>
      ended(new Error(reason ?? `A worker ended with ${signal ?? code}`)),
    )
    // One that the system could not start does not end.
    process.on('error', (error) => {
      if (process.pid === undefined) ended(error)
    })
    dialogue.notify('start', start)
    return starting.promise
  }

  #addReady(worker: Worker): void {
    this.#ready.push(worker)
    this.#options.onReadiness(true)
    const probation = setTimeout(() => {
      this.#failures = 0
    }, stableAfter).unref()
    worker.process.once('exit', () => clearTimeout(probation))
  }

  #remove(worker: Worker, cause: Error): void {
    this.#all.delete(worker)
    const at = this.#ready.indexOf(worker)
    if (at >= 0) this.#ready.splice(at, 1)
    this.#options.onReadiness(this.#ready.length > 0)
    this.#reclaimConnections(worker)
    if (!this.#stopping) this.#replace(cause)
  }

  /** Of one that may have arrived a part may have been read there: it ends like all it had. */
  #reclaimConnections({ unconfirmed: onTheWay }: Worker): void {
    for (const { socket, sent } of onTheWay.splice(0)) {
      if (sent) socket.destroy()
      else this.#options.onReturned(socket)
    }
  }

  /** At once after the first death; then in growing pauses, until one is found good. */
  #replace(cause: Error): void {
    this.#options.observe({ kind: 'worker-restarted', cause })
    const pause = this.#failures === 0 ? 0 : Math.min(50 * 2 ** this.#failures, maxRestartDelay)
    this.#failures += 1
    const restart = setTimeout(() => {
      this.#restarts.delete(restart)
      // That it could not start is told by its end.
      this.#spawn().catch(() => undefined)
    }, pause)
    this.#restarts.add(restart)
  }
}

function forkWorker(descriptors: readonly number[]): ChildProcess {
  return fork(programFile('commands/workers/worker'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...descriptors],
    serialization: 'advanced',
  })
}
