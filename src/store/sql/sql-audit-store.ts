/** The audit of both databases: a driver reads and runs its statements. */

import type { AuditStore } from '../audit-store.ts'
import type { Row } from '../row.ts'
import type { MaybePromise } from '../store.ts'
import {
  auditedValuesStatement,
  auditStatement,
  chainEndSql,
  checkpointRecord,
  eraseStatements,
  findAuditCheckpoint,
  oldestAuditStatement,
  parseAuditEntry,
  parseChainEnd,
  parseCheckpoint,
  pruneAuditStatements,
  sealStatements,
  unauditedStatement,
  unsealedStatement,
} from './audit-sql.ts'
import type { Dialect, Statement } from './sql-text.ts'

export interface AuditDriver {
  readonly dialect: Dialect
  rows(statement: Statement): MaybePromise<readonly Row[]>
  /** Runs the statements in one transaction, after all other such transactions. */
  run(statements: readonly Statement[]): Promise<unknown>
  /** Assigns positions to entries of the log that have none; undefined where all have one. */
  settle?(): Promise<void>
}

export function createAuditStore({ dialect, rows, run, settle }: AuditDriver): AuditStore {
  const checkpoint = async () => {
    const sql = `select "value" from "_meta" where "name" = ${dialect.placeholder(1)}`
    const [row] = await rows({ sql, values: [checkpointRecord] })
    return row && String(row[0])
  }
  const end = async () => {
    const [last] = await rows({ sql: chainEndSql, values: [] })
    return parseChainEnd(last, last ? undefined : await checkpoint())
  }
  return {
    async seal(subjects, limit) {
      await settle?.()
      const from = await end()
      const unsealed = await rows(unsealedStatement(dialect, from.position, limit))
      if (unsealed.length > 0) await run(sealStatements(dialect, from, unsealed, subjects))
      return unsealed.length
    },
    list: async (query) => (await rows(auditStatement(dialect, query))).map(parseAuditEntry),
    extent: async () => ({ checkpoint: parseCheckpoint(await checkpoint()), end: await end() }),
    async prune(before, limit) {
      const oldest = await rows(oldestAuditStatement(dialect, limit))
      const found = findAuditCheckpoint(oldest, before)
      if (!found) return 0
      await run(pruneAuditStatements(dialect, found))
      return found.number - Number(oldest[0]?.[0]) + 1
    },
    async valuesOf(from, through) {
      const found = await rows(auditedValuesStatement(dialect, from, through))
      const text = (value: Row[number] | undefined) => (typeof value === 'string' ? value : undefined)
      return new Map(
        found.map(([number, before, after]) => [
          Number(number),
          { before: text(before), after: text(after) },
        ]),
      )
    },
    async findUnaudited(from, through) {
      const [row] = await rows(unauditedStatement(dialect, from, through))
      return row && Number(row[0])
    },
    async erase(table, identity) {
      await run(eraseStatements(dialect, table, identity))
    },
  }
}
