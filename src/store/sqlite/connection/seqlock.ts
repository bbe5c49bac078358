/**
 * The moment of a database: a number that grows when something begins to be written, and again
 * before any of it is acknowledged. It is odd for as long as something is being written; while it
 * is even and the same, nothing has changed.
 *
 * The writer thread sets it. Its own process has it in memory; others read it from a file, by
 * a descriptor that they are started with, which costs a fraction of a look into the database.
 */

import { readSync, writeSync } from 'node:fs'

/** Whether nothing is being written, by anyone. */
export function isStable(moment: number): boolean {
  return moment % 2 === 0
}

export class Seqlock {
  /** To be shared with other threads. */
  readonly memory: SharedArrayBuffer
  readonly #number: Int32Array
  #shown: SeqlockFile | undefined

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#number = new Int32Array(memory)
  }

  get sequence(): number {
    return Atomics.load(this.#number, 0)
  }

  /** Before something is written. */
  begin(): void {
    if (isStable(this.sequence)) this.#grow()
  }

  /** Before it is acknowledged to anyone; or when the writer is gone and nothing goes on. */
  end(): void {
    if (!isStable(this.sequence)) this.#grow()
  }

  /** From now on it is in the file too. */
  publish(descriptor: number): void {
    this.#shown = new SeqlockFile(descriptor)
    this.#shown.sequence = this.sequence
  }

  /** Where it cannot be shown it does not grow, and nothing goes on that depends on it. */
  #grow(): void {
    const grown = this.sequence + 1
    if (this.#shown !== undefined) this.#shown.sequence = grown
    Atomics.store(this.#number, 0, grown)
  }
}

/** A moment in its file. */
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

  set sequence(moment: number) {
    this.#number[0] = moment
    writeSync(this.#descriptor, this.#octets, 0, this.#octets.length, 0)
  }
}
