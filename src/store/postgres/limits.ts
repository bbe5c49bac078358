/** The limits that a database's rows were last held against: read, compared, kept. */

import { formatLimits, type KnownLimits, LIMITS, parseLimits } from '../limits.ts'
import type { Schema } from '../schema.ts'
import type { Connection } from './connection.ts'
import { hasSystemTables } from './existing.ts'

export async function knownLimits(connection: Connection): Promise<KnownLimits> {
  return parseLimits(await keptText(connection))
}

export async function limitsDiffer(connection: Connection, schema: Schema): Promise<boolean> {
  const text = await keptText(connection)
  return text !== formatLimits(schema, parseLimits(text))
}

/** Within the caller's transaction. */
export async function keepLimits(connection: Connection, schema: Schema): Promise<void> {
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  const sql = `insert into "_meta" ("name", "value") values ('${LIMITS}', $1) ${newest}`
  await connection.rows({ sql, values: [formatLimits(schema, await knownLimits(connection))] })
}

/** A plan may be asked for before there is anything. */
async function keptText(connection: Connection): Promise<string | undefined> {
  if (!(await hasSystemTables(connection))) return undefined
  const [row] = await connection.run(`select "value" from "_meta" where "name" = '${LIMITS}'`)
  return row && String(row[0])
}
