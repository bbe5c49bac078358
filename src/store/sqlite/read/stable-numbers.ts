/** Caches numbers of the database, such as revisions of tables, until the sequence of the seqlock changes. */

import { isStable } from '../connection/seqlock.ts'
import type { WriterState } from './read-connection.ts'

export class StableNumbers {
  readonly #snapshot: { readonly sequence: number }
  readonly #writer: Pick<WriterState, 'isWriting'>
  readonly #numbers = new Map<string, number>()
  /** The sequence at which the numbers were read. */
  #sequence: number | undefined

  constructor(snapshot: { readonly sequence: number }, writer: Pick<WriterState, 'isWriting'>) {
    this.#snapshot = snapshot
    this.#writer = writer
  }

  /** The number with this name; `load` reads it where it is not cached, and during writes. */
  get(name: string, load: () => number): number {
    const { sequence } = this.#snapshot
    if (!isStable(sequence) || this.#writer.isWriting) return load()
    if (sequence !== this.#sequence) this.#numbers.clear()
    this.#sequence = sequence
    const number = this.#numbers.get(name) ?? load()
    this.#numbers.set(name, number)
    return number
  }
}
