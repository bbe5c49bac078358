/** The audit of both databases: a driver reads and runs its statements. */

import type { AuditStore } from '../audit-store.ts'
import type { Row } from '../row.ts'
import type { MaybePromise } from '../store.ts'
import {
  auditedValuesStatement,
  auditStatement,
  checkpointStatement,
  eraseStatements,
  findAuditCheckpoint,
  oldestAuditStatement,
  parseAuditEntry,
  parseCheckpoint,
  pruneAuditStatements,
  unauditedStatement,
} from './audit-sql.ts'
import { findChainEnd, type SealedEntries, unsealedExtentStatement } from './seal-audit.ts'
import type { Dialect, Statement } from './sql-text.ts'
import { runQueries } from './statement-program.ts'

export interface AuditDriver {
  readonly dialect: Dialect
  rows(statement: Statement): MaybePromise<readonly Row[]>
  /** Runs the statements in one transaction, after all other such transactions. */
  run(statements: readonly Statement[]): Promise<unknown>
  /** Runs `sealEntries`, in the same way. */
  seal(entries: SealedEntries): Promise<unknown>
  /** Assigns positions to entries of the log that have none; undefined where all have one. */
  settle?(): Promise<void>
}

export function createAuditStore({ dialect, rows, run, seal, settle }: AuditDriver): AuditStore {
  const end = () => runQueries(findChainEnd(dialect), rows)
  return {
    async seal(subjects, limit) {
      await settle?.()
      const { position } = await end()
      const [extent] = await rows(unsealedExtentStatement(dialect, position))
      const [first, last] = extent?.map(Number) ?? []
      if (!first || !last) return 0
      // Enough steps for a range without gaps.
      for (let next = first; next <= last; next += limit) await seal({ subjects, limit })
      return last - first + 1
    },
    list: async (query) => (await rows(auditStatement(dialect, query))).map(parseAuditEntry),
    async extent() {
      const [checkpoint] = await rows(checkpointStatement(dialect))
      return { checkpoint: parseCheckpoint(checkpoint), end: await end() }
    },
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
    async erase(row) {
      await run(eraseStatements(dialect, row))
    },
  }
}
