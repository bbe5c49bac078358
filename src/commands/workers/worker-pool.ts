/** The worker processes of a primary: starts them, hands them connections, replaces those that crash. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Observer } from '../../observation.ts'
import { programFile } from '../../package-paths.ts'
import { type ConnectionHandoff, createConnectionHandoff } from './connection-handoff.ts'
import { connectRpc, type RpcConnection } from './rpc.ts'
import type { PrimaryMethods, WorkerMethods, WorkerStart } from './rpc-methods.ts'

export interface Worker {
  readonly process: ChildProcess
  readonly rpc: RpcConnection<WorkerMethods>
  readonly connections: ConnectionHandoff
}

/** The RPC methods that a worker may call; `ended` is called when the worker has ended. */
export interface WorkerServices {
  readonly methods: Omit<PrimaryMethods, 'ready' | 'failed' | 'connectionReceived'>
  ended(): void
}

export interface WorkerPoolOptions {
  readonly size: number
  readonly start: WorkerStart
  readonly observe: Observer
  /** File descriptors that each worker inherits, from `seqlockDescriptor` on. */
  readonly descriptors: readonly number[]
  createWorkerServices(worker: () => Worker): WorkerServices
  /** Called when the first worker becomes ready, and when none is left. */
  onReadiness(ready: boolean): void
  /** Called with a connection that reached no worker. */
  onReturned(socket: Socket): void
}

/** After so many milliseconds a worker counts as stable, and the restart delay is reset. */
const stableAfter = 10_000
const maxRestartDelay = 5000

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #ready: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Workers that ended since the last stable one. */
  #failures = 0
  #next = 0
  #stopping = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Resolves when all workers are ready. Rejects with the reason when one cannot start. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#spawn()))
  }

  /** The workers that are ready. */
  get workers(): readonly Worker[] {
    return this.#ready
  }

  /** Sends the connection to the next worker in turn. */
  handOff(socket: Socket): void {
    const ready = this.#ready.filter(({ process }) => process.connected)
    const worker = ready[this.#next++ % ready.length]
    if (worker === undefined) socket.destroy()
    else worker.connections.send(socket)
  }

  /** Stops replacing workers that end. */
  stopReplacing(): void {
    this.#stopping = true
    for (const restart of this.#restarts) clearTimeout(restart)
  }

  /** Ends all workers; kills those that take longer than so many milliseconds. */
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

  /** Resolves when the worker is ready. */
  #spawn(): Promise<void> {
    const { start, descriptors, createWorkerServices } = this.#options
    const process = forkWorker(descriptors)
    const starting = Promise.withResolvers<void>()
    let reason: string | undefined
    const services = createWorkerServices(() => worker)
    const rpc = connectRpc<WorkerMethods>(process, {
      ...services.methods,
      ready: () => {
        this.#addReady(worker)
        starting.resolve()
      },
      failed: (message) => {
        reason = message
      },
      connectionReceived: () => worker.connections.confirm(),
    } satisfies PrimaryMethods)
    const worker: Worker = { process, rpc, connections: createConnectionHandoff(process) }
    this.#all.add(worker)
    const ended = (cause: Error) => {
      if (!this.#all.has(worker)) return
      starting.reject(cause)
      services.ended()
      this.#remove(worker, cause)
    }
    process.once('exit', (code, signal) =>
      ended(new Error(reason ?? `A worker ended with ${signal ?? code}`)),
    )
    // A process that could not start emits no 'exit'.
    process.on('error', (error) => {
      if (process.pid === undefined) ended(error)
    })
    rpc.notify('start', start)
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
    for (const socket of worker.connections.reclaim()) this.#options.onReturned(socket)
    if (!this.#stopping) this.#replace(cause)
  }

  /** Restarts at once after the first failure, then with exponential back-off. */
  #replace(cause: Error): void {
    this.#options.observe({ kind: 'worker-restarted', cause })
    const pause = this.#failures === 0 ? 0 : Math.min(50 * 2 ** this.#failures, maxRestartDelay)
    this.#failures += 1
    const restart = setTimeout(() => {
      this.#restarts.delete(restart)
      // The 'exit' of the worker reports the failure.
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
