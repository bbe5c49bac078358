/** Reads the entries of the change log that pruning kept for histories. */

import type { ChangeLogEntry, KeptHistory, KeptVersionsQuery } from '../../change-log.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { parseEntry } from '../../sql/change-log-sql.ts'
import { expiredHistoryStatement, keptVersionsStatement } from '../../sql/history-sql.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import type { ReadRows } from './read-change-log.ts'

/** Entries of a table, in order. */
export function readKeptVersions(
  rows: ReadRows,
  schema: Schema,
  query: KeptVersionsQuery,
): readonly ChangeLogEntry[] {
  return rows(keptVersionsStatement(sqliteDialect, query)).map((row) => parseEntry(schema, row))
}

/** How many entries no history needs any more, at most `limit`. */
export function countExpiredVersions(rows: ReadRows, kept: readonly KeptHistory[], limit: number): number {
  return rows(expiredHistoryStatement(sqliteDialect, kept, limit)).length
}
