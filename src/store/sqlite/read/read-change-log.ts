/** Reads the change log of a SQLite file. The single writer counts positions, so their order is final. */

import type { ChangeLogEntry, LogExtent, PrunedTimes, RowHistoryQuery } from '../../change-log.ts'
import type { Row } from '../../row.ts'
import type { Schema } from '../../schema/table-schema.ts'
import {
  changesStatement,
  extentSql,
  lostSql,
  parseEntry,
  parseExtent,
  prunableStatement,
} from '../../sql/change-log-sql.ts'
import { rowHistoryStatement } from '../../sql/history-sql.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'

export type ReadRows = (statement: Statement) => readonly Row[]

/** The entries after a position. */
export function readChanges(
  rows: ReadRows,
  schema: Schema,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly ChangeLogEntry[] {
  return rows(changesStatement(sqliteDialect, after, limit)).map((row) => parseEntry(schema, row))
}

/** Entries of one row. */
export function readRowHistory(
  rows: ReadRows,
  schema: Schema,
  query: RowHistoryQuery,
): readonly ChangeLogEntry[] {
  return rows(rowHistoryStatement(sqliteDialect, query)).map((row) => parseEntry(schema, row))
}

const lastPositionSql = `select "seq" from sqlite_sequence where "name" = '_changes'`

/** The last position ever assigned; 0 where there was none. */
export function readLastPosition(rows: ReadRows): number {
  const [last] = rows({ sql: lastPositionSql, values: [] })
  return Number(last?.[0] ?? 0)
}

export function readExtent(rows: ReadRows): LogExtent {
  const last = readLastPosition(rows)
  const [row] = rows({ sql: extentSql, values: [] })
  const [lost] = rows({ sql: lostSql, values: [] })
  return parseExtent(row, { last, lost })
}

/** The oldest entries of these times, at most `limit`; undefined where there are none. */
export function findPrunable(rows: ReadRows, times: PrunedTimes, limit: number) {
  const [row] = rows(prunableStatement(sqliteDialect, times, limit))
  const through = row?.[0]
  if (typeof through !== 'number') return undefined
  return { through, entries: through - readExtent(rows).first + 1 }
}
