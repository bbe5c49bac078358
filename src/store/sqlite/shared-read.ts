/**
 * One transaction for all that is read within a turn of the event loop, for to begin and end one
 * costs half as much as a read does. Not while something is being written: a reader that is hardly
 * ever without a transaction would keep the log from being begun anew, and it would grow for ever.
 */

import type { StatementSync } from 'node:sqlite'
import type { Connection } from './connection.ts'
import { isCalm } from './moment.ts'

export class SharedRead {
  readonly #connection: Connection
  readonly #now: () => number
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  /** The moment at which it was begun. */
  #moment = 0
  #turn: NodeJS.Immediate | undefined

  /** `now` tells the moment of the database. */
  constructor(connection: Connection, now: () => number) {
    this.#connection = connection
    this.#now = now
    this.#begin = connection.database.prepare('begin')
    this.#commit = connection.database.prepare('commit')
  }

  /** Before every read: it sees all that was acknowledged until now. */
  join(): void {
    // Looked at before anything is read: what is written from here on makes it another.
    const moment = this.#now()
    if (this.#turn !== undefined && moment === this.#moment) return
    this.end()
    if (!isCalm(moment)) return
    this.#begin.run()
    this.#moment = moment
    this.#turn = setImmediate(() => this.end())
  }

  /** What is read after it sees what is there then. */
  end(): void {
    if (this.#turn === undefined) return
    clearImmediate(this.#turn)
    this.#turn = undefined
    // A read that failed badly has ended it already.
    if (this.#connection.database.isTransaction) this.#commit.run()
  }
}
