/**
 * The change log in order. Writers commit side by side, so neither a counter nor a time tells in
 * which order changes became visible. An entry carries its transaction; once every transaction
 * that began before it is over, nothing can come before it any more, and whoever reads the log
 * gives it the next position. So positions only grow, and a reader misses nothing.
 */

import { parseChangeRow } from '../../sql/change-row.ts'
import type { ChangeLogEntry } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'

/** How many entries get their position at a time. */
const maxPlacedEntries = 10_000

const settled = '"position" is null and "transaction" < pg_snapshot_xmin(pg_current_snapshot())'

const settledSql = `select 1 from "_changes" where ${settled} limit 1`

/** One node at a time, for as long as its transaction lasts. */
const lockSql = `select pg_advisory_xact_lock(hashtextextended('restwell:positions:' || current_schema(), 0))`

const placeSql = `with "settled" as materialized (
  select "entry" from "_changes" where ${settled}
  order by "transaction", "entry" limit ${maxPlacedEntries}
), "placed" as materialized (select "entry", nextval('"_positions"') as "place" from "settled")
update "_changes" c set "position" = "placed"."place" from "placed" where c."entry" = "placed"."entry"`

const readSql = `select "position", "kind", "table", "identity", "id", "version", "at"
from "_changes" where "position" > $1 order by "position" limit $2`

export async function readChanges(
  pool: Pool,
  after: number,
  limit: number,
): Promise<ChangeLogEntry[]> {
  return pool.use(async (connection) => {
    await place(connection)
    const rows = await connection.rows({ sql: readSql, values: [after, limit] })
    return rows.map(parseChangeRow)
  })
}

/** The lock comes before the snapshot that tells what is settled. */
async function place(connection: PostgresConnection): Promise<void> {
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
 * In a database restored from a dump entries carry transactions of the server they were made on,
 * which may never come here: they are settled.
 */
export const settleForeignSql = `update "_changes" set "transaction" = '0'
where "position" is null and "transaction" >= pg_snapshot_xmax(pg_current_snapshot())`
