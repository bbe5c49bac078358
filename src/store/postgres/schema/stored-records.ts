/** Reads and writes the records of the system table `_meta`. */

import { type MetaRecords, parseRecords, recordsSql } from '../../schema/meta-records.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { hasSystemTables } from './existing-tables.ts'

/** Returns no records where the system tables are missing. */
export async function loadRecords(connection: PostgresConnection): Promise<MetaRecords> {
  return parseRecords((await hasSystemTables(connection)) ? await connection.run(recordsSql) : [])
}

/** Creates or replaces the record, within the caller's transaction. */
export async function saveRecord(connection: PostgresConnection, name: string, value: string): Promise<void> {
  const replace = 'on conflict ("name") do update set "value" = excluded."value"'
  const sql = `insert into "_meta" ("name", "value") values ($1, $2) ${replace}`
  await connection.rows({ sql, values: [name, value] })
}
