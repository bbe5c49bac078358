/** Notices that the database is another one than before: restored, or a standby that was promoted. */

import type { Observer } from '../../../observation.ts'
import { formatLost, instanceRecord, lostAfter, lostRecord } from '../../schema/lost-positions.ts'
import { lastPositionSql, lockSql } from '../read/read-change-log.ts'
import { loadRecords, saveRecord } from '../schema/stored-records.ts'
import type { PostgresConnection } from './connection.ts'

/** The server, its timeline, which changes with each promotion, and the table, which a restored dump creates anew. */
const instanceSql = `select (select system_identifier from pg_control_system())::text
  || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || '"_changes"'::regclass::oid,
  (select "value" from "_meta" where "name" = '${instanceRecord}')`

/** Continues the change log behind all positions that another instance may have assigned. */
export async function continueLog(connection: PostgresConnection, observe: Observer): Promise<void> {
  const [found] = await connection.run(instanceSql)
  if (found?.[0] === found?.[1]) return
  await connection.run('begin')
  await connection.run(lockSql)
  const position = await recordInstance(connection)
  await connection.commit()
  if (position !== undefined) observe({ kind: 'database-set-back', position })
}

/** Returns the last position that is left; undefined where another node was faster, or there never was one. */
async function recordInstance(connection: PostgresConnection): Promise<number | undefined> {
  const [row] = await connection.run(instanceSql)
  const [instance, recorded] = row ?? []
  if (instance === recorded) return undefined
  const position = Number((await connection.run(lastPositionSql))[0]?.[0])
  await saveRecord(connection, instanceRecord, String(instance))
  if (position === 0) return undefined
  const lost = lostAfter(position)
  await saveRecord(connection, lostRecord, formatLost(await loadRecords(connection), lost))
  await connection.run(`select setval('"_positions"', ${lost.before})`)
  return position
}
