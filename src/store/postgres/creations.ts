/**
 * New rows in company: those of a table that came in one turn of the event loop, or have gathered
 * while others were under way, are made together by one statement and one commit. Where they cannot
 * be made together, each is made alone.
 */

import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Table } from '../schema.ts'
import type { InsertWrite, Written } from '../store.ts'
import { away, findTrouble, isConflict } from './failure.ts'
import { type Creation, creationStatement } from './insertion.ts'
import { WAITING_LIMIT } from './pool.ts'
import { performAlone, type WriterParts, write } from './transaction.ts'

/** How many statements of one table are under way at most: one is sent while another commits. */
const WIDTH = 2
/** How many rows are made together at most, and with how much text where they are several. */
const MOST_ROWS = 100
const MOST_TEXT = 2 ** 20

export class Creations {
  readonly #parts: WriterParts
  readonly #gatherings = new Map<Table, Gathering>()
  #closed = false

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** As `write` does it, for one that is sociable. */
  make({ table, rows }: Creation): Promise<Written> {
    if (this.#closed) return Promise.reject(away('The store is closed.'))
    let gathering = this.#gatherings.get(table)
    if (gathering === undefined) {
      gathering = new Gathering(this.#parts, table)
      this.#gatherings.set(table, gathering)
    }
    return gathering.make(rows[0] as InsertWrite)
  }

  /** Resolves when all that was asked before is answered. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#gatherings.values()].map((gathering) => gathering.finished()))
  }
}

interface Waiting extends PromiseWithResolvers<Written> {
  readonly write: InsertWrite
}

/** Of one table, so that who waits for one that is locked keeps nobody from another. */
class Gathering {
  readonly #parts: WriterParts
  readonly #table: Table
  readonly #waiting: Waiting[] = []
  readonly #workers = new Set<Promise<void>>()

  constructor(parts: WriterParts, table: Table) {
    this.#parts = parts
    this.#table = table
  }

  make(write: InsertWrite): Promise<Written> {
    if (this.#waiting.length >= WAITING_LIMIT) {
      return Promise.reject(away('Too many requests wait for the database.'))
    }
    const waiting = { ...Promise.withResolvers<Written>(), write }
    this.#waiting.push(waiting)
    if (this.#workers.size < WIDTH) this.#begin()
    return waiting.promise
  }

  async finished(): Promise<void> {
    await Promise.all(this.#workers)
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
    let some: readonly Waiting[] = []
    try {
      await this.#parts.pool.use(async (connection) => {
        // Taken only now, for more may have come while a connection was waited for.
        some = this.#waiting.splice(0, fitting(this.#waiting))
        if (some.length > 0) await performAlone(this.#parts, connection, this.#statement(some))
      })
      for (const { resolve } of some) resolve({ kind: 'done' })
    } catch (error) {
      const unmade = some.length > 0 ? some : this.#waiting.splice(0)
      await Promise.all(unmade.map((one) => this.#makeAlone(one, error)))
    }
  }

  #statement(some: readonly Waiting[]) {
    const rows = some.map(({ write }) => write)
    return creationStatement({ table: this.#table, rows, answer: undefined })
  }

  /** One of them may be to blame, or something that passes: then nothing was made of any. */
  async #makeAlone({ write: own, resolve, reject }: Waiting, error: unknown): Promise<void> {
    const trouble = isConflict(error) ? undefined : findTrouble(error)
    if (trouble === undefined) await write(this.#parts, [own]).then(resolve, reject)
    else reject(trouble)
  }
}

/** How many of those that wait go together: one at least. */
function fitting(waiting: readonly Waiting[]): number {
  let text = 0
  const end = waiting.findIndex(({ write }, at) => {
    for (const value of write.values) if (typeof value === 'string') text += value.length
    return at >= MOST_ROWS || (at > 0 && text > MOST_TEXT)
  })
  return end < 0 ? waiting.length : end
}
