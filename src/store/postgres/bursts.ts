/**
 * Questions for single rows, which are answered in no time: those that have gathered while others
 * were under way go to the server together on one connection, so that many cost one trip. Nobody
 * waits for company: what comes while there is room is asked at once.
 */

import type { Statement } from '../sql.ts'
import type { Row } from '../store.ts'
import type { Connection } from './connection.ts'
import type { Pool } from './pool.ts'

/** How many go together at most, so that the last does not wait long for the first. */
const MOST = 50

interface Waiting extends PromiseWithResolvers<readonly Row[]> {
  readonly statement: Statement
}

export class Bursts {
  readonly #pool: Pool
  /** How many connections are taken for this at most. */
  readonly #width: number
  readonly #waiting: Waiting[] = []
  #underWay = 0

  constructor(pool: Pool, width: number) {
    this.#pool = pool
    this.#width = width
  }

  rows(statement: Statement): Promise<readonly Row[]> {
    const waiting = { ...Promise.withResolvers<readonly Row[]>(), statement }
    this.#waiting.push(waiting)
    if (this.#underWay < this.#width) void this.#ask()
    return waiting.promise
  }

  /** Never rejects: each question has its own answer. */
  async #ask(): Promise<void> {
    this.#underWay += 1
    while (this.#waiting.length > 0) {
      let burst: readonly Waiting[] = []
      try {
        await this.#pool.use((connection) => {
          // Taken only now, for more may have come while a connection was waited for.
          burst = this.#waiting.splice(0, MOST)
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
async function answer(connection: Connection, burst: readonly Waiting[]): Promise<void> {
  const asked = connection.together(() =>
    burst.map(async ({ statement, resolve, reject }) => {
      try {
        resolve(await connection.rows(statement))
      } catch (error) {
        reject(error)
        throw error
      }
    }),
  )
  const outcomes = await Promise.allSettled(asked)
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
