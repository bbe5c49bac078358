/**
 * Reads the change log in order, and deletes its oldest entries. Writers commit concurrently, so
 * neither a counter nor a time gives the order in which changes became visible. An entry records its
 * transaction; after all earlier transactions have ended, a reader of the log assigns the entry the
 * next position. Positions therefore only increase, and a reader misses no entry.
 */

import type {
  ChangeLogEntry,
  KeptHistory,
  KeptVersionsQuery,
  LogExtent,
  PrunedTimes,
  RowHistoryQuery,
} from '../../change-log.ts'
import type { Schema } from '../../schema/table-schema.ts'
import {
  changesStatement,
  extentSql,
  lostSql,
  parseEntry,
  parseExtent,
  prunableStatement,
  pruneSql,
} from '../../sql/change-log-sql.ts'
import {
  keepStatement,
  keptVersionsStatement,
  pruneHistoryStatement,
  rowHistoryStatement,
} from '../../sql/history-sql.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'
import { postgresDialect } from '../postgres-dialect.ts'

/** How many entries get a position in one statement. */
const maxAssignedPositions = 10_000

const settled = '"position" is null and "transaction" < pg_snapshot_xmin(pg_current_snapshot())'

const settledSql = `select 1 from "_changes" where ${settled} limit 1`

/** Lets one node at a time assign positions. */
export const lockSql = `select pg_advisory_xact_lock(hashtextextended('restwell:positions:' || current_schema(), 0))`

const assignPositionsSql = `with "settled" as materialized (
  select "entry" from "_changes" where ${settled}
  order by "transaction", "entry" limit ${maxAssignedPositions}
), "positioned" as materialized (select "entry", nextval('"_positions"') as "next" from "settled")
update "_changes" c set "position" = "positioned"."next" from "positioned" where c."entry" = "positioned"."entry"`

/** The entries to read: at most `limit` after a position. */
export interface LogPage {
  readonly after: number
  readonly limit: number
}

/** Assigns positions to settled entries, then returns the page. */
export async function readChanges(
  pool: Pool,
  schema: Schema,
  { after, limit }: LogPage,
): Promise<ChangeLogEntry[]> {
  return pool.use(async (connection) => {
    await assignPositions(connection)
    const rows = await connection.rows(changesStatement(postgresDialect, after, limit))
    return rows.map((row) => parseEntry(schema, row))
  })
}

export const lastPositionSql = 'select case when is_called then last_value else 0 end from "_positions"'

const positionAndSettledSql = `select case when is_called then last_value else 0 end, exists (${settledSql}) from "_positions"`

/** The last position, after settled entries have got theirs. */
export async function readLastPosition(pool: Pool): Promise<number> {
  return pool.use(async (connection) => {
    const [row] = await connection.rows({ sql: positionAndSettledSql, values: [] })
    if (row?.[1] !== 1) return Number(row?.[0])
    await assignPositions(connection)
    const [last] = await connection.rows({ sql: lastPositionSql, values: [] })
    return Number(last?.[0])
  })
}

export async function readExtent(pool: Pool): Promise<LogExtent> {
  return pool.use(async (connection) => {
    const [last] = await connection.rows({ sql: lastPositionSql, values: [] })
    const [row] = await connection.rows({ sql: extentSql, values: [] })
    const [lost] = await connection.rows({ sql: lostSql, values: [] })
    return parseExtent(row, { last: Number(last?.[0]), lost })
  })
}

/** Whether this transaction may prune; false while another node does. */
const tryLockSql = `select pg_try_advisory_xact_lock(hashtextextended('restwell:pruning:' || current_schema(), 0))`

/** The entries to prune, and the histories that keep some of them. */
export interface LogPruningStep {
  readonly times: PrunedTimes
  readonly limit: number
  readonly kept: readonly KeptHistory[]
}

/** Deletes at most `limit` of the oldest entries of these times; returns how many. */
export async function pruneEntries(pool: Pool, step: LogPruningStep): Promise<number> {
  return pool.use(async (connection) => {
    await assignPositions(connection)
    await connection.run('begin')
    const deleted = await deleteOldest(connection, step)
    await connection.commit()
    return deleted
  })
}

async function deleteOldest(connection: PostgresConnection, { times, limit, kept }: LogPruningStep) {
  const [lock] = await connection.rows({ sql: tryLockSql, values: [] })
  if (lock?.[0] !== 1) return 0
  const [found] = await connection.rows(prunableStatement(postgresDialect, times, limit))
  const through = found?.[0] ?? null
  if (through === null) return 0
  const keeping = keepStatement(postgresDialect, Number(through), kept)
  if (keeping) await connection.rows(keeping)
  const sql = `${pruneSql(postgresDialect)} returning 1`
  return (await connection.rows({ sql, values: [through] })).length
}

/** Entries of one row. They need no position: a row has its versions in order. */
export async function readRowHistory(
  pool: Pool,
  schema: Schema,
  query: RowHistoryQuery,
): Promise<readonly ChangeLogEntry[]> {
  return pool.use(async (connection) => {
    const rows = await connection.rows(rowHistoryStatement(postgresDialect, query))
    return rows.map((row) => parseEntry(schema, row))
  })
}

/** Entries that pruning kept. */
export async function readKeptVersions(
  pool: Pool,
  schema: Schema,
  query: KeptVersionsQuery,
): Promise<readonly ChangeLogEntry[]> {
  return pool.use(async (connection) => {
    const rows = await connection.rows(keptVersionsStatement(postgresDialect, query))
    return rows.map((row) => parseEntry(schema, row))
  })
}

/** Deletes kept entries that no history needs any more; returns how many. */
export async function pruneKeptEntries(
  pool: Pool,
  kept: readonly KeptHistory[],
  limit: number,
): Promise<number> {
  return pool.use(async (connection) => {
    const { sql, values } = pruneHistoryStatement(postgresDialect, kept, limit)
    return (await connection.rows({ sql: `${sql} returning 1`, values })).length
  })
}

/** The lock is taken before the snapshot that decides which entries are settled. One packet has the transaction. */
export async function assignPositions(connection: PostgresConnection): Promise<void> {
  for (;;) {
    const some = await connection.rows({ sql: settledSql, values: [] })
    if (some.length === 0) return
    await Promise.all(
      connection.sendTogether(() => [
        connection.run('begin'),
        connection.rows({ sql: lockSql, values: [] }),
        connection.rows({ sql: assignPositionsSql, values: [] }),
        connection.commit(),
      ]),
    )
  }
}

/**
 * Settles entries of a database restored from a dump: their transaction ids are those of another
 * server and may lie in the future here.
 */
export const settleForeignSql = `update "_changes" set "transaction" = '0'
where "position" is null and "transaction" >= pg_snapshot_xmax(pg_current_snapshot())`
