/**
 * Which connection is read with. While nothing is being written it is one that has the file mapped,
 * in one transaction for all that is read within a turn of the event loop: to begin and end one
 * costs half as much as a read does.
 *
 * While something is being written it is one without a map and with a transaction for each read. A
 * reader that is hardly ever without one would keep the log from being begun anew, and it would
 * grow for ever; and SQLite gives up a reader's map with every commit, so that page after page of
 * it would have to be mapped again.
 */

import type { StatementSync } from 'node:sqlite'
import type { Connection } from './connection.ts'
import { isCalm } from './moment.ts'

export interface Connections {
  readonly mapped: Connection
  readonly unmapped: Connection
}

export class Reading {
  readonly #connections: Connections
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  /** The moment at which the transaction was begun. */
  #moment = 0
  #turn: NodeJS.Immediate | undefined

  constructor(connections: Connections) {
    this.#connections = connections
    this.#begin = connections.mapped.database.prepare('begin')
    this.#commit = connections.mapped.database.prepare('commit')
  }

  /** For a read at this moment, which sees all that was acknowledged until then. */
  connectionAt(moment: number): Connection {
    const { mapped, unmapped } = this.#connections
    if (this.#turn !== undefined && moment === this.#moment) return mapped
    this.end()
    if (!isCalm(moment)) return unmapped
    this.#begin.run()
    this.#moment = moment
    this.#turn = setImmediate(() => this.end())
    return mapped
  }

  /** What is read after it sees what is there then. */
  end(): void {
    if (this.#turn === undefined) return
    clearImmediate(this.#turn)
    this.#turn = undefined
    // A read that failed badly has ended it already.
    if (this.#connections.mapped.database.isTransaction) this.#commit.run()
  }
}
