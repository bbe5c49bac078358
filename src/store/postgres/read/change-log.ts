/**
 * Reads the change log in order. Writers commit concurrently, so neither a counter nor a time gives
 * the order in which changes became visible. An entry records its transaction; after all earlier
 * transactions have ended, a reader of the log assigns the entry the next position. Positions
 * therefore only increase, and a reader misses no entry.
 */

import { parseChangeRow } from '../../sql/change-row.ts'
import type { ChangeLogEntry } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'

/** How many entries get a position in one statement. */
const maxPlacedEntries = 10_000

const settled = '"position" is null and "transaction" < pg_snapshot_xmin(pg_current_snapshot())'

const settledSql = `select 1 from "_changes" where ${settled} limit 1`

/** Lets one node at a time assign positions. */
const lockSql = `select pg_advisory_xact_lock(hashtextextended('restwell:positions:' || current_schema(), 0))`

const placeSql = `with "settled" as materialized (
  select "entry" from "_changes" where ${settled}
  order by "transaction", "entry" limit ${maxPlacedEntries}
), "placed" as materialized (select "entry", nextval('"_positions"') as "place" from "settled")
update "_changes" c set "position" = "placed"."place" from "placed" where c."entry" = "placed"."entry"`

const readSql = `select "position", "kind", "table", "identity", "id", "version", "at"
from "_changes" where "position" > $1 order by "position" limit $2`

/** Assigns positions to settled entries, then returns the entries after a position. */
export async function readChanges(pool: Pool, after: number, limit: number): Promise<ChangeLogEntry[]> {
  return pool.use(async (connection) => {
    await assignPositions(connection)
    const rows = await connection.rows({ sql: readSql, values: [after, limit] })
    return rows.map(parseChangeRow)
  })
}

/** The lock is taken before the snapshot that decides which entries are settled. */
async function assignPositions(connection: PostgresConnection): Promise<void> {
  for (;;) {
    const some = await connection.rows({ sql: settledSql, values: [] })
    if (some.length === 0) return
    await connection.run('begin')
    await connection.rows({ sql: lockSql, values: [] })
    await connection.rows({ sql: placeSql, values: [] })
    await connection.commit()
  }
}

/**
 * Settles entries of a database restored from a dump: their transaction ids are those of another
 * server and may lie in the future here.
 */
export const settleForeignSql = `update "_changes" set "transaction" = '0'
where "position" is null and "transaction" >= pg_snapshot_xmax(pg_current_snapshot())`
