/** The writer of another process, at the other end of a stream. */

import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import { StoreTrouble, type Written } from '../store.ts'
import type { Task } from './batch.ts'
import { type Frames, framesOver } from './frames.ts'
import { ShownMoment } from './moment.ts'
import { type Answers, TaskQueue } from './task-queue.ts'
import type { Writer } from './writer-thread.ts'

export class RemoteWriter implements Writer {
  readonly #stream: Duplex
  readonly #moment: ShownMoment
  readonly #frames: Frames
  readonly #queue = new TaskQueue((errands) => this.#frames.send(serialize(errands)))
  #closed: 'by-us' | 'by-them' | undefined

  /** With the descriptor that the other shows its moment by. */
  constructor(stream: Duplex, moment: number) {
    this.#stream = stream
    this.#moment = new ShownMoment(moment)
    this.#frames = framesOver(stream, (octets) => this.#receive(octets))
    // What went wrong with the stream shows in its end.
    stream.on('error', () => undefined)
    stream.once('close', () => {
      this.#closed ??= 'by-them'
      this.#queue.lose(new Error('The process that writes is gone'))
    })
  }

  get moment(): number {
    return this.#moment.value
  }

  perform(task: Task): Promise<Written> {
    if (this.#closed === undefined) return this.#queue.perform(task)
    const message = this.#closed === 'by-us' ? 'The store is closed.' : 'The writer is gone.'
    return Promise.reject(new StoreTrouble('away', message))
  }

  async close(): Promise<void> {
    this.#closed ??= 'by-us'
    this.#queue.send()
    await this.#queue.whenIdle()
    this.#stream.destroy()
  }

  #receive(octets: Uint8Array): void {
    if (octets.length === 0) this.#queue.lose(new Error('The writer thread ended'))
    else this.#queue.settle(deserialize(octets) as Answers)
  }
}
