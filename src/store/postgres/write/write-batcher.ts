/**
 * Writes in company: new rows of a table that came in one turn of the event loop, or have gathered
 * while others were under way, are made together by one statement and one commit; and so are
 * changes of its rows. What cannot be made together is made alone.
 */

import { setImmediate as endOfTurn } from 'node:timers/promises'
import { IDENTITY } from '../../../definition/model.ts'
import type { Row } from '../../row.ts'
import type { Table } from '../../schema/table-schema.ts'
import type { InsertWrite, ReplaceWrite, WriteOutcome } from '../../store.ts'
import type { PostgresConnection, PostgresQuery } from '../connection/connection.ts'
import { WAITING_LIMIT } from '../connection/pool.ts'
import { findUnavailable, isConflict, unreachable } from '../postgres-failure.ts'
import type { BatchableWrite } from './batchable.ts'
import { creationStatement } from './insert-statement.ts'
import { outcomeIn, replacementsStatement } from './replace-statement.ts'
import { performAlone, type WriterParts, write } from './transaction.ts'

/** How many statements of one kind and table are under way at most: one is sent while another commits. */
const WIDTH = 2
/** How many rows are written together at most, and with how much text where they are several. */
const MOST_ROWS = 100
const MOST_TEXT = 2 ** 20

type Single = InsertWrite | ReplaceWrite

/** How rows of a table are written together. */
interface Manner<One extends Single> {
  statement(table: Table, writes: readonly One[]): PostgresQuery
  /** What became of each, by the rows that the statement gave; undefined where it must go alone. */
  outcomeIn(given: readonly Row[]): (write: One) => WriteOutcome | undefined
}

const insertions: Manner<InsertWrite> = {
  statement: (table, rows) => creationStatement({ table, rows, answer: undefined }),
  outcomeIn: () => () => ({ kind: 'done' }),
}

const replacements: Manner<ReplaceWrite> = { statement: replacementsStatement, outcomeIn }

interface Gatherings {
  readonly insertions: Gathering<InsertWrite>
  readonly replacements: Gathering<ReplaceWrite>
}

export class WriteBatcher {
  readonly #parts: WriterParts
  /** Of each table its own, so that who waits for one that is locked keeps nobody from another. */
  readonly #gatherings = new Map<Table, Gatherings>()
  #closed = false

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** As `write` does it. */
  write({ table, write: one }: BatchableWrite): Promise<WriteOutcome> {
    if (this.#closed) return Promise.reject(unreachable('The store is closed.'))
    const gatherings = this.#gatheringsOf(table)
    if (one.kind === 'insert') return gatherings.insertions.make(one)
    return gatherings.replacements.make(one)
  }

  /** Resolves when all that was asked before is answered. */
  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#gatherings.values()].flatMap((one) => Object.values(one))
    await Promise.all(all.map((gathering) => gathering.finished()))
  }

  #gatheringsOf(table: Table): Gatherings {
    const known = this.#gatherings.get(table)
    if (known !== undefined) return known
    const begun = {
      insertions: new Gathering(this.#parts, table, insertions),
      replacements: new Gathering(this.#parts, table, replacements),
    }
    this.#gatherings.set(table, begun)
    return begun
  }
}

interface Waiting<One> extends PromiseWithResolvers<WriteOutcome> {
  readonly write: One
}

class Gathering<One extends Single> {
  readonly #parts: WriterParts
  readonly #table: Table
  readonly #manner: Manner<One>
  #waiting: Waiting<One>[] = []
  readonly #workers = new Set<Promise<void>>()
  /** Those that go alone: nobody waits for them who came with them. */
  readonly #alone = new Set<Promise<void>>()

  constructor(parts: WriterParts, table: Table, manner: Manner<One>) {
    this.#parts = parts
    this.#table = table
    this.#manner = manner
  }

  make(write: One): Promise<WriteOutcome> {
    if (this.#waiting.length >= WAITING_LIMIT) {
      return Promise.reject(unreachable('Too many requests wait for the database.'))
    }
    const waiting = { ...Promise.withResolvers<WriteOutcome>(), write }
    this.#waiting.push(waiting)
    if (this.#workers.size < WIDTH) this.#begin()
    return waiting.promise
  }

  async finished(): Promise<void> {
    await Promise.all(this.#workers)
    await Promise.all(this.#alone)
  }

  #begin(): void {
    const worker = this.#work().finally(() => this.#workers.delete(worker))
    this.#workers.add(worker)
  }

  /** Never rejects: each row has its own outcome. */
  async #work(): Promise<void> {
    await endOfTurn()
    while (this.#waiting.length > 0) await this.#makeSome()
  }

  async #makeSome(): Promise<void> {
    let some: readonly Waiting<One>[] = []
    try {
      const outcomeOf = await this.#parts.pool.use((connection) => {
        // Taken only now, for more may have come while a connection was waited for.
        some = this.#take()
        return this.#makeTogether(connection, some)
      })
      for (const one of some) {
        const outcome = outcomeOf(one.write)
        if (outcome === undefined) this.#makeAlone(one)
        else one.resolve(outcome)
      }
    } catch (error) {
      const unmade = some.length > 0 ? some : this.#takeAll()
      // One of them may be to blame, or something that passes: then nothing was made of any.
      const reason = isConflict(error) ? undefined : findUnavailable(error)
      for (const one of unmade) {
        if (reason === undefined) this.#makeAlone(one)
        else one.reject(reason)
      }
    }
  }

  async #makeTogether(connection: PostgresConnection, some: readonly Waiting<One>[]) {
    const writes = some.map(({ write }) => write)
    if (writes.length === 0) return this.#manner.outcomeIn([])
    const query = this.#manner.statement(this.#table, writes)
    return this.#manner.outcomeIn(await performAlone(this.#parts, connection, query))
  }

  #makeAlone({ write: own, resolve, reject }: Waiting<One>): void {
    const made = write(this.#parts, [own]).then(resolve, reject)
    const alone = made.finally(() => this.#alone.delete(alone))
    this.#alone.add(alone)
  }

  #take(): readonly Waiting<One>[] {
    const some = fitting(this.#waiting)
    this.#waiting = this.#waiting.filter((one) => !some.has(one))
    return [...some]
  }

  #takeAll(): readonly Waiting<One>[] {
    const all = this.#waiting
    this.#waiting = []
    return all
  }
}

/** Those that go together: one at least, and of one row only one. */
function fitting<One extends Single>(waiting: readonly Waiting<One>[]): ReadonlySet<Waiting<One>> {
  const some = new Map<unknown, Waiting<One>>()
  let text = 0
  for (const one of waiting) {
    const identity = one.write.kind === 'insert' ? one.write.values[IDENTITY] : one.write.identity
    if (some.has(identity)) continue
    for (const value of one.write.values) if (typeof value === 'string') text += value.length
    if (some.size > 0 && text > MOST_TEXT) break
    some.set(identity, one)
    if (some.size === MOST_ROWS) break
  }
  return new Set(some.values())
}
