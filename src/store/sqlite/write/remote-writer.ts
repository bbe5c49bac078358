/**
 * The client of a writer thread in another process, through a local socket. When the thread dies,
 * pending tasks are rejected, and the client reconnects until the next thread listens.
 */

import { connect, type Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'
import { StoreOpenError } from '../../store.ts'
import type { WriteOutcome } from '../../write.ts'
import { SeqlockFile } from '../connection/seqlock.ts'
import type { Task } from './group-commit.ts'
import { type FramedMessages, frameMessages } from './message-framing.ts'
import { TaskQueue, type TaskResults, writerUnreachable } from './task-queue.ts'
import type { WriterAddress } from './writer-socket.ts'
import type { Writer } from './writer-thread.ts'

/** Milliseconds between two attempts to connect. */
const reconnectInterval = 20
/** Milliseconds until the first connection must succeed. */
const firstConnectionTimeout = 10_000

export class RemoteWriter implements Writer {
  readonly #path: string
  readonly #seqlock: SeqlockFile
  readonly #queue = new TaskQueue((tasks) => this.#frames?.send(serialize(tasks)))
  readonly #connected = Promise.withResolvers<void>()
  /** When the first connection must have succeeded; infinite afterwards. */
  #limit = performance.now() + firstConnectionTimeout
  #socket: Socket
  /** Undefined while disconnected. */
  #frames: FramedMessages | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor({ path, seqlockDescriptor }: WriterAddress) {
    this.#path = path
    this.#seqlock = new SeqlockFile(seqlockDescriptor)
    this.#socket = this.#connect()
  }

  /** Resolves with the first connection; rejects after the timeout. */
  get connected(): Promise<void> {
    return this.#connected.promise
  }

  get sequence(): number {
    return this.#seqlock.sequence
  }

  get isWriting(): boolean {
    return !this.#queue.isIdle
  }

  perform(task: Task): Promise<WriteOutcome> {
    if (this.#closed) return writerUnreachable('The store is closed.')
    if (this.#frames === undefined) return writerUnreachable('The writer is being started again.')
    return this.#queue.perform(task)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#queue.send()
    await this.#queue.whenIdle()
    clearTimeout(this.#retry)
    this.#socket.destroy()
  }

  #connect(): Socket {
    const socket = connect(this.#path)
    socket.once('connect', () => {
      this.#frames = frameMessages(socket, (octets) =>
        this.#queue.settleBatch(deserialize(octets) as TaskResults),
      )
      this.#limit = Number.POSITIVE_INFINITY
      this.#connected.resolve()
    })
    let cause = new Error('The writer thread ended')
    socket.on('error', (error) => {
      cause = error
    })
    socket.once('close', () => this.#disconnected(cause))
    return socket
  }

  #disconnected(cause: Error): void {
    this.#frames = undefined
    this.#queue.rejectAll(cause)
    if (this.#closed) return
    if (performance.now() > this.#limit) {
      this.#connected.reject(unreachable(cause))
      return
    }
    this.#retry = setTimeout(() => {
      this.#socket = this.#connect()
    }, reconnectInterval)
  }
}

function unreachable(cause: Error): StoreOpenError {
  return new StoreOpenError(`The writer cannot be reached: ${cause.message}.`, { cause })
}
