/** The limits that a database's rows were last held against: read, compared, kept. */

import {
  formatLimits,
  limitsRecord,
  parseLimits,
  type StoredLimits,
} from '../../schema/stored-limits.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { hasSystemTables } from './existing-tables.ts'

export async function loadLimits(connection: PostgresConnection): Promise<StoredLimits> {
  return parseLimits(await keptText(connection))
}

export async function limitsDiffer(
  connection: PostgresConnection,
  schema: Schema,
): Promise<boolean> {
  const text = await keptText(connection)
  return text !== formatLimits(schema, parseLimits(text))
}

/** Within the caller's transaction. */
export async function saveLimits(connection: PostgresConnection, schema: Schema): Promise<void> {
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  const sql = `insert into "_meta" ("name", "value") values ('${limitsRecord}', $1) ${newest}`
  await connection.rows({ sql, values: [formatLimits(schema, await loadLimits(connection))] })
}

/** A plan may be asked for before there is anything. */
async function keptText(connection: PostgresConnection): Promise<string | undefined> {
  if (!(await hasSystemTables(connection))) return undefined
  const [row] = await connection.run(`select "value" from "_meta" where "name" = '${limitsRecord}'`)
  return row && String(row[0])
}
