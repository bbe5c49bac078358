/**
 * Writer threads that serve one store after the other: a new thread takes longer than most tests. What the store sees
 * is a `Worker`. Each store has its own evaluation of the writer's program.
 */

import { EventEmitter } from 'node:events'
import workers, { MessageChannel, type MessagePort, type WorkerOptions } from 'node:worker_threads'
import type { WriterStart } from './reused-writer-main.ts'

// Taken before built-threads.ts replaces it.
const { Worker } = workers
type Worker = workers.Worker

/** The modules of a thread stay in memory, one for each store. */
const mostRuns = 40

interface Thread {
  readonly worker: Worker
  runs: number
}

const idle: Thread[] = []

/** The part of `Worker` that the client of the writer uses. */
export class ReusedWriter extends EventEmitter {
  readonly #thread: Thread
  readonly #port: MessagePort
  #isPortClosed = false
  #isEnded = false
  readonly #listeners = {
    message: () => {
      this.#isEnded = true
      this.#endIfDone()
    },
    error: (error: unknown) => this.emit('error', error),
    exit: (code: number) => this.emit('exit', code),
  }

  constructor(program: string, options: WorkerOptions = {}) {
    super()
    this.#thread = idle.pop() ?? startThread(options)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    // Until it is closed it keeps the process alive, as a worker does.
    port1.on('message', (message) => this.emit('message', message))
    port1.once('close', () => {
      this.#isPortClosed = true
      this.#endIfDone()
    })
    const { worker } = this.#thread
    for (const [event, listener] of Object.entries(this.#listeners)) worker.on(event, listener)
    const start: WriterStart = { program, data: options.workerData, port: port2 }
    worker.postMessage(start, [port2])
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message)
  }

  terminate(): Promise<number> {
    return this.#thread.worker.terminate()
  }

  /** The messages of the port arrive before its end, those of the thread at any time. */
  #endIfDone(): void {
    if (!this.#isPortClosed || !this.#isEnded) return
    const { worker } = this.#thread
    for (const [event, listener] of Object.entries(this.#listeners)) worker.off(event, listener)
    this.#thread.runs += 1
    if (this.#thread.runs < mostRuns) idle.push(this.#thread)
    else void worker.terminate()
    this.emit('exit', 0)
  }
}

function startThread({ resourceLimits }: WorkerOptions): Thread {
  const worker = new Worker(new URL('reused-writer-main.ts', import.meta.url), { resourceLimits })
  worker.unref()
  return { worker, runs: 0 }
}
