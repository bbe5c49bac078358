/**
 * One transaction for all that is read within a turn of the event loop, for to begin and end one
 * costs half as much as a read does. Not while something is being written: a reader that is hardly
 * ever without a transaction would keep the log from being begun anew, and it would grow for ever.
 */

import type { StatementSync } from 'node:sqlite'
import type { Connection } from './connection.ts'

export class SharedRead {
  readonly #connection: Connection
  /** Whether nothing is being written, by anyone. */
  readonly #isCalm: () => boolean
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #turn: NodeJS.Immediate | undefined

  constructor(connection: Connection, isCalm: () => boolean) {
    this.#connection = connection
    this.#isCalm = isCalm
    this.#begin = connection.database.prepare('begin')
    this.#commit = connection.database.prepare('commit')
  }

  /** Before every read: what it sees is what stood there at the first read of the turn. */
  join(): void {
    if (this.#turn !== undefined || !this.#isCalm()) return
    this.#begin.run()
    this.#turn = setImmediate(() => this.end())
  }

  /** What is read from now on sees all that was committed until now. */
  end(): void {
    if (this.#turn === undefined) return
    clearImmediate(this.#turn)
    this.#turn = undefined
    // A read that failed badly has ended it already.
    if (this.#connection.database.isTransaction) this.#commit.run()
  }
}
