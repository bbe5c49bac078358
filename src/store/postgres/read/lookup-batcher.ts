/**
 * Questions for single rows, which are answered in no time: those that came in one turn of the
 * event loop, or have gathered while others were under way, go to the server together on one
 * connection, so that many cost one trip; and those that differ only in the value they look for go
 * as one statement.
 */

import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Row } from '../../row.ts'
import type { Statement } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'

/** How many go together at most, so that the last does not wait long for the first. */
const maxBatchSize = 50

export interface BatchableLookup extends Statement {
  /** Where the row has the one value that is asked for, if that is text: the place in the row. */
  readonly place?: number
}

interface Waiting extends PromiseWithResolvers<Row | undefined> {
  readonly lookup: BatchableLookup
}

export class LookupBatcher {
  readonly #pool: Pool
  /** How many connections are taken for this at most. */
  readonly #width: number
  readonly #waiting: Waiting[] = []
  #underWay = 0

  constructor(pool: Pool, width: number) {
    this.#pool = pool
    this.#width = width
  }

  row(lookup: BatchableLookup): Promise<Row | undefined> {
    const waiting = { ...Promise.withResolvers<Row | undefined>(), lookup }
    this.#waiting.push(waiting)
    if (this.#underWay < this.#width) void this.#ask()
    return waiting.promise
  }

  /** Never rejects: each question has its own answer. */
  async #ask(): Promise<void> {
    this.#underWay += 1
    await endOfTurn()
    while (this.#waiting.length > 0) {
      let burst: readonly Waiting[] = []
      try {
        await this.#pool.use((connection) => {
          // Taken only now, for more may have come while a connection was waited for.
          burst = this.#waiting.splice(0, maxBatchSize)
          return answer(connection, burst)
        })
      } catch (error) {
        const unanswered = burst.length > 0 ? burst : this.#waiting.splice(0)
        for (const { reject } of unanswered) reject(error)
      }
    }
    this.#underWay -= 1
  }
}

/** Throws what went wrong with one of them, for whoever must judge the connection by it. */
async function answer(connection: PostgresConnection, burst: readonly Waiting[]): Promise<void> {
  const alike = Map.groupBy(burst, ({ lookup }) => lookup.sql)
  const asked = connection.sendTogether(() =>
    [...alike.values()].flatMap((group) => {
      const place = group[0]?.lookup.place
      if (place === undefined || group.length === 1) return group.map((one) => ask(connection, one))
      return [askTogether(connection, group, place)]
    }),
  )
  const outcomes = await Promise.allSettled(asked)
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function ask(
  connection: PostgresConnection,
  { lookup, resolve, reject }: Waiting,
): Promise<void> {
  try {
    const [row] = await connection.rows(lookup)
    resolve(row)
  } catch (error) {
    reject(error)
    throw error
  }
}

/** A row is known by the value it was looked for by. */
async function askTogether(
  connection: PostgresConnection,
  group: readonly Waiting[],
  place: number,
): Promise<void> {
  try {
    const values = group.map(({ lookup }) => lookup.values[0] as string)
    const sql = anySql((group[0] as Waiting).lookup.sql)
    const rows = await connection.rows({ sql, values: [values] })
    const found = new Map(rows.map((row) => [row[place], row]))
    for (const [at, { resolve }] of group.entries()) resolve(found.get(values[at] as string))
  } catch (error) {
    for (const { reject } of group) reject(error)
    throw error
  }
}

/** The text of a question for one value as one for any of an array; the comparison is its end. */
function anySql(sql: string): string {
  return sql.replace(/\$1$/, 'any($1::text[])')
}
