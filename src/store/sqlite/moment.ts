/**
 * The moment of a database: a number that grows when something begins to be written, and again
 * before it is acknowledged to anyone. It is odd for as long as anything is being written; while it
 * is even and the same, nothing has changed.
 *
 * The process that has the writer knows it. Others read it from a file without a name, by a
 * descriptor that they are started with, which costs a fraction of a look into the database.
 */

import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'

/** Whether nothing is being written, by anyone. */
export function isCalm(moment: number): boolean {
  return moment % 2 === 0
}

export class Moment {
  value = 0
  /** Messages that the writer has not answered. */
  #underWay = 0
  #shown: ShownMoment | undefined

  /** Before a message goes to the writer. */
  begin(): void {
    if (isCalm(this.value)) this.#grow(1)
    this.#underWay += 1
  }

  /** Before the answers to so many messages go to anyone. */
  end(messages: number): void {
    if (messages === 0) return
    const left = this.#underWay - messages
    this.#grow(left === 0 ? 1 : 2)
    this.#underWay = left
  }

  /** The writer is gone: nothing is being written any more. */
  endAll(): void {
    this.end(this.#underWay)
  }

  /** A descriptor for other processes; the file stands beside the database while it is opened. */
  show(database: string): number {
    this.#shown ??= opened(`${database}-moment`, this.value)
    return this.#shown.descriptor
  }

  close(): void {
    if (this.#shown !== undefined) closeSync(this.#shown.descriptor)
    this.#shown = undefined
  }

  /** Where it cannot be shown it does not grow, and nothing goes on that depends on it. */
  #grow(by: number): void {
    const grown = this.value + by
    if (this.#shown !== undefined) this.#shown.value = grown
    this.value = grown
  }
}

function opened(name: string, value: number): ShownMoment {
  const shown = new ShownMoment(openSync(name, 'w+', 0o600))
  try {
    unlinkSync(name)
    shown.value = value
    return shown
  } catch (error) {
    closeSync(shown.descriptor)
    throw error
  }
}

/** A moment in its file. */
export class ShownMoment {
  readonly descriptor: number
  readonly #number = new Float64Array(1)
  readonly #octets = new Uint8Array(this.#number.buffer)

  constructor(descriptor: number) {
    this.descriptor = descriptor
  }

  get value(): number {
    readSync(this.descriptor, this.#octets, 0, this.#octets.length, 0)
    return this.#number[0]!
  }

  set value(moment: number) {
    this.#number[0] = moment
    writeSync(this.descriptor, this.#octets, 0, this.#octets.length, 0)
  }
}
