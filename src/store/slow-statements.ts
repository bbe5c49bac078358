/** Statements that were slow, by their text: they run elsewhere from the beginning, until one was quick again. */

import type { Statement } from './sql/sql-text.ts'

/** More begin anew, so that memory is bounded. */
const maxStatements = 200

export class SlowStatements {
  readonly #texts = new Set<string>()
  readonly #quick: number

  /** Below so many milliseconds a statement is quick. */
  constructor(quick: number) {
    this.#quick = quick
  }

  has({ sql }: Statement): boolean {
    return this.#texts.has(sql)
  }

  add({ sql }: Statement): void {
    if (this.#texts.size >= maxStatements) this.#texts.clear()
    this.#texts.add(sql)
  }

  /** Notes what the statement took. */
  took({ sql }: Statement, milliseconds: number): void {
    if (milliseconds < this.#quick) this.#texts.delete(sql)
  }
}
