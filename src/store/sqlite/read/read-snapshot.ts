/**
 * Which connection is read with. While nothing is being written it is one that has the file mapped,
 * in one transaction for all that is read while promises are being settled: to begin and end one
 * costs half as much as a read does.
 *
 * While something is being written it is one without a map and with a transaction for each read. A
 * reader that is hardly ever without one would keep the log from being begun anew, and it would
 * grow for ever; and SQLite gives up a reader's map with every commit, so that page after page of
 * it would have to be mapped again.
 *
 * Requests arrive, and so do the writer's answers, in calls of the event loop, each of which is
 * followed by the settling of all promises. While that lasts nothing arrives, and nobody can ask for
 * what was acknowledged since it began: one look at the moment does for all of it.
 */

import type { StatementSync } from 'node:sqlite'
import type { SqliteConnection } from '../connection/connection.ts'
import { isStable } from '../connection/seqlock.ts'
import type { Writer } from '../write/writer-thread.ts'

export interface ReadConnections {
  readonly mapped: SqliteConnection
  readonly unmapped: SqliteConnection
}

/** What it is told by whoever writes. */
export type WriterState = Pick<Writer, 'sequence' | 'isWriting'>

export class ReadSnapshot {
  readonly #connections: ReadConnections
  readonly #source: WriterState
  readonly #begin: StatementSync
  readonly #settle: StatementSync
  readonly #rollback: StatementSync
  /** As it was last looked at. */
  #sequence = 0
  /** Whether that was while the same promises were being settled. */
  #fresh = false
  /** Whether there is a transaction, which sees the state of that moment. */
  #open = false

  constructor(connections: ReadConnections, source: WriterState) {
    this.#connections = connections
    this.#source = source
    const { database } = connections.mapped
    this.#begin = database.prepare('begin')
    // What a transaction sees is settled with the first look at a table.
    this.#settle = database.prepare('select 1 from "sqlite_schema" limit 1')
    // Nothing was written, and of a damaged file a commit fails where this does not.
    this.#rollback = database.prepare('rollback')
  }

  /** That of what is read now. */
  get sequence(): number {
    if (!this.#fresh) this.#look()
    return this.#sequence
  }

  /** For a read that follows at once; it sees all that was acknowledged before. */
  connection(): SqliteConnection {
    const { mapped, unmapped } = this.#connections
    // A read that failed badly has ended the transaction.
    if (this.#open && !mapped.database.isTransaction) this.end()
    // Who waits for writes of its own need not look.
    if (!this.#open && this.#source.isWriting) return unmapped
    while (isStable(this.sequence)) {
      if (this.#open) return mapped
      this.#begin.run()
      this.#open = true
      this.#settle.get()
      // Ends it again where something was written before it was settled.
      this.#look()
    }
    return unmapped
  }

  /** For a read apart from the others, which sees what is there then. */
  connectionApart(): SqliteConnection {
    this.end()
    return this.#connections.unmapped
  }

  /** What is read after it sees what is there then. */
  end(): void {
    this.#fresh = false
    if (!this.#open) return
    this.#open = false
    if (this.#connections.mapped.database.isTransaction) this.#rollback.run()
  }

  #look(): void {
    const { sequence } = this.#source
    if (sequence !== this.#sequence) this.end()
    this.#sequence = sequence
    if (this.#fresh) return
    this.#fresh = true
    // Comes when no promise is left to settle.
    process.nextTick(() => this.end())
  }
}
