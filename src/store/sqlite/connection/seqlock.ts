/**
 * A seqlock for the database: its sequence increases when a write begins, and again before any of
 * it is acknowledged. It is odd during a write; while it is even and the same, nothing has changed.
 *
 * The writer thread sets it. Its process reads it from shared memory, other processes from a file,
 * through an inherited descriptor, which costs a fraction of a query. See decision 0035.
 */

import { readSync, writeSync } from 'node:fs'

/** Whether no write is in progress in any process. */
export function isStable(sequence: number): boolean {
  return sequence % 2 === 0
}

export class Seqlock {
  /** Shared with other threads. */
  readonly memory: SharedArrayBuffer
  readonly #number: Int32Array
  #published: SeqlockFile | undefined

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#number = new Int32Array(memory)
  }

  get sequence(): number {
    return Atomics.load(this.#number, 0)
  }

  /** Marks the begin of a write. */
  begin(): void {
    if (isStable(this.sequence)) this.#increment()
  }

  /** Marks the end of a write, before it is acknowledged or after the writer has died. */
  end(): void {
    if (!isStable(this.sequence)) this.#increment()
  }

  /** Also writes the sequence to the file from now on. */
  publish(descriptor: number): void {
    this.#published = new SeqlockFile(descriptor)
    this.#published.sequence = this.sequence
  }

  /** Writes the file first: where that throws, the sequence stays and the write fails. */
  #increment(): void {
    const next = this.sequence + 1
    if (this.#published !== undefined) this.#published.sequence = next
    Atomics.store(this.#number, 0, next)
  }
}

/** The sequence in its file. */
export class SeqlockFile {
  readonly #descriptor: number
  readonly #number = new Int32Array(1)
  readonly #octets = new Uint8Array(this.#number.buffer)

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  get sequence(): number {
    readSync(this.#descriptor, this.#octets, 0, this.#octets.length, 0)
    return this.#number[0]!
  }

  set sequence(sequence: number) {
    this.#number[0] = sequence
    writeSync(this.#descriptor, this.#octets, 0, this.#octets.length, 0)
  }
}
