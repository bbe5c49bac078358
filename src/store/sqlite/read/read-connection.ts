/**
 * Chooses the connection for a read. While no write is in progress, it is a memory-mapped
 * connection with one transaction for all reads of the same microtask phase, because beginning and
 * ending a transaction costs half as much as a read.
 *
 * During a write it is an unmapped connection with a transaction for each read. A permanent reader
 * would prevent SQLite from resetting the WAL, which would then grow without bound; and each commit
 * discards a reader's map.
 *
 * Requests and the writer's results arrive in callbacks of the event loop, each followed by its
 * microtasks. Nothing arrives between these, so reading the seqlock once is enough for all of them.
 */

import type { StatementSync } from 'node:sqlite'
import type { SqliteConnection } from '../connection/connection.ts'
import { isStable } from '../connection/seqlock.ts'
import type { Writer } from '../write/writer-thread.ts'

export interface ReadConnections {
  readonly mapped: SqliteConnection
  readonly unmapped: SqliteConnection
}

/** The state of the writer that decides. */
export type WriterState = Pick<Writer, 'sequence' | 'isWriting'>

export class ReadConnectionChooser {
  readonly #connections: ReadConnections
  readonly #writer: WriterState
  readonly #begin: StatementSync
  readonly #fixSnapshot: StatementSync
  readonly #rollback: StatementSync
  /** The sequence that was last read. */
  #sequence = 0
  /** Whether it was read in the same microtask phase. */
  #isSequenceFresh = false
  /** Whether a transaction is open, with the state of that sequence. */
  #isTransactionOpen = false

  constructor(connections: ReadConnections, writer: WriterState) {
    this.#connections = connections
    this.#writer = writer
    const { database } = connections.mapped
    this.#begin = database.prepare('begin')
    // The first read of a table fixes the snapshot of the transaction.
    this.#fixSnapshot = database.prepare('select 1 from "sqlite_schema" limit 1')
    // A rollback also succeeds on a damaged file, where a commit fails.
    this.#rollback = database.prepare('rollback')
  }

  /** The sequence of the present snapshot. */
  get sequence(): number {
    if (!this.#isSequenceFresh) this.#readSequence()
    return this.#sequence
  }

  /** The connection for an immediate read, which sees every acknowledged write. */
  connection(): SqliteConnection {
    const { mapped, unmapped } = this.#connections
    // A failed read may have ended the transaction.
    if (this.#isTransactionOpen && !mapped.database.isTransaction) this.endSnapshot()
    // A process with writes of its own need not read the seqlock.
    if (!this.#isTransactionOpen && this.#writer.isWriting) return unmapped
    while (isStable(this.sequence)) {
      if (this.#isTransactionOpen) return mapped
      this.#begin.run()
      this.#isTransactionOpen = true
      this.#fixSnapshot.get()
      // Ends the transaction where a write came between.
      this.#readSequence()
    }
    return unmapped
  }

  /** A connection for a separate read, with a snapshot of its own. */
  separateConnection(): SqliteConnection {
    this.endSnapshot()
    return this.#connections.unmapped
  }

  /** Ends the snapshot; the next read takes a new one. */
  endSnapshot(): void {
    this.#isSequenceFresh = false
    if (!this.#isTransactionOpen) return
    this.#isTransactionOpen = false
    if (this.#connections.mapped.database.isTransaction) this.#rollback.run()
  }

  #readSequence(): void {
    const { sequence } = this.#writer
    if (sequence !== this.#sequence) this.endSnapshot()
    this.#sequence = sequence
    if (this.#isSequenceFresh) return
    this.#isSequenceFresh = true
    // Runs after the microtasks.
    process.nextTick(() => this.endSnapshot())
  }
}
