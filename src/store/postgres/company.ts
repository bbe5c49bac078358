/**
 * Writes in company: new rows of a table that came in one turn of the event loop, or have gathered
 * while others were under way, are made together by one statement and one commit; and so are
 * changes of its rows. Where they cannot be made together, each is made alone.
 */

import { setImmediate as endOfTurn } from 'node:timers/promises'
import { IDENTITY } from '../../declare/model.ts'
import type { Schema, Table } from '../schema.ts'
import type { InsertWrite, ReplaceWrite, Row, Write, Written } from '../store.ts'
import type { Connection, Question } from './connection.ts'
import { away, findTrouble, isConflict } from './failure.ts'
import { creationStatement, findCreation, findSociableRow } from './insertion.ts'
import { WAITING_LIMIT } from './pool.ts'
import { findReplacement, isSociable, replacementsStatement } from './replacement.ts'
import { performAlone, type WriterParts, write } from './transaction.ts'

/** How many statements of one kind and table are under way at most: one is sent while another commits. */
const WIDTH = 2
/** How many rows are written together at most, and with how much text where they are several. */
const MOST_ROWS = 100
const MOST_TEXT = 2 ** 20

/** How rows of a table are written together. */
interface Manner<One extends InsertWrite | ReplaceWrite> {
  statement(table: Table, writes: readonly One[]): Question
  /** Those that were made, where the statement gave these rows. */
  made(writes: readonly One[], given: readonly Row[]): ReadonlySet<One>
}

const insertions: Manner<InsertWrite> = {
  statement: (table, rows) => creationStatement({ table, rows, answer: undefined }),
  made: (writes) => new Set(writes),
}

const replacements: Manner<ReplaceWrite> = {
  statement: replacementsStatement,
  made(writes, given) {
    const identities = new Set(given.map(([identity]) => identity))
    return new Set(writes.filter(({ identity }) => identities.has(identity)))
  },
}

export interface Sociable {
  readonly table: Table
  readonly write: InsertWrite | ReplaceWrite
}

/** The one write that may go in company. */
export function findSociable(schema: Schema, writes: readonly Write[]): Sociable | undefined {
  const creation = findCreation(schema, writes)
  const row = creation && findSociableRow(creation)
  if (creation && row) return { table: creation.table, write: row }
  const replacement = findReplacement(schema, writes)
  return replacement && isSociable(replacement) ? replacement : undefined
}

export class Company {
  readonly #parts: WriterParts
  readonly #insertions = new Map<Table, Gathering<InsertWrite>>()
  readonly #replacements = new Map<Table, Gathering<ReplaceWrite>>()
  #closed = false

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** As `write` does it, for one that is sociable. */
  write(table: Table, one: InsertWrite | ReplaceWrite): Promise<Written> {
    if (this.#closed) return Promise.reject(away('The store is closed.'))
    return one.kind === 'insert'
      ? this.#gathering(this.#insertions, table, insertions).make(one)
      : this.#gathering(this.#replacements, table, replacements).make(one)
  }

  /** Resolves when all that was asked before is answered. */
  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#insertions.values(), ...this.#replacements.values()]
    await Promise.all(all.map((gathering) => gathering.finished()))
  }

  #gathering<One extends InsertWrite | ReplaceWrite>(
    gatherings: Map<Table, Gathering<One>>,
    table: Table,
    manner: Manner<One>,
  ): Gathering<One> {
    const known = gatherings.get(table)
    if (known !== undefined) return known
    const begun = new Gathering(this.#parts, table, manner)
    gatherings.set(table, begun)
    return begun
  }
}

interface Waiting<One> extends PromiseWithResolvers<Written> {
  readonly write: One
}

/** Of one table, so that who waits for one that is locked keeps nobody from another. */
class Gathering<One extends InsertWrite | ReplaceWrite> {
  readonly #parts: WriterParts
  readonly #table: Table
  readonly #manner: Manner<One>
  readonly #waiting: Waiting<One>[] = []
  readonly #workers = new Set<Promise<void>>()

  constructor(parts: WriterParts, table: Table, manner: Manner<One>) {
    this.#parts = parts
    this.#table = table
    this.#manner = manner
  }

  make(write: One): Promise<Written> {
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
    let some: readonly Waiting<One>[] = []
    try {
      const made = await this.#parts.pool.use((connection) => {
        // Taken only now, for more may have come while a connection was waited for.
        some = this.#waiting.splice(0, fitting(this.#waiting))
        return this.#makeTogether(connection, some)
      })
      const left = some.filter((one) => !made.has(one.write))
      for (const one of some) if (made.has(one.write)) one.resolve({ kind: 'done' })
      await Promise.all(left.map((one) => this.#makeAlone(one)))
    } catch (error) {
      const unmade = some.length > 0 ? some : this.#waiting.splice(0)
      // One of them may be to blame, or something that passes: then nothing was made of any.
      const trouble = isConflict(error) ? undefined : findTrouble(error)
      if (trouble === undefined) await Promise.all(unmade.map((one) => this.#makeAlone(one)))
      else for (const { reject } of unmade) reject(trouble)
    }
  }

  async #makeTogether(connection: Connection, some: readonly Waiting<One>[]) {
    const writes = some.map(({ write }) => write)
    if (writes.length === 0) return new Set<One>()
    const question = this.#manner.statement(this.#table, writes)
    return this.#manner.made(writes, await performAlone(this.#parts, connection, question))
  }

  async #makeAlone({ write: own, resolve, reject }: Waiting<One>): Promise<void> {
    await write(this.#parts, [own]).then(resolve, reject)
  }
}

/** How many of those that wait go together: one at least, and of one row only one. */
function fitting(waiting: readonly Waiting<InsertWrite | ReplaceWrite>[]): number {
  const identities = new Set<unknown>()
  let text = 0
  const end = waiting.findIndex(({ write }, at) => {
    for (const value of write.values) if (typeof value === 'string') text += value.length
    const { size } = identities
    identities.add(write.kind === 'insert' ? write.values[IDENTITY] : write.identity)
    return at >= MOST_ROWS || (at > 0 && text > MOST_TEXT) || identities.size === size
  })
  return end < 0 ? waiting.length : end
}
