/** The record of what Restwell has made in a database: read, compared, kept. */

import { type Ownership, ownershipRecord, updateOwnership } from '../../schema/ownership.ts'
import { resolveOwnership } from '../../schema/table-matching.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { hasSystemTables, type PostgresTable, presentTables } from './existing-tables.ts'
import { loadLimits } from './stored-limits.ts'
import { indexNames } from './table-sql.ts'

/** What is owned before a migration. */
export async function loadOwnership(
  connection: PostgresConnection,
  schema: Schema,
  existing: ReadonlyMap<string, Omit<PostgresTable, 'empty'>>,
): Promise<Ownership> {
  const text = await recordedText(connection)
  const limits = await loadLimits(connection)
  const recorded = text === undefined ? undefined : JSON.parse(text)
  return resolveOwnership(recorded, existing, { schema, limits, names: indexNames })
}

/** Whether what is owned is not what is recorded, though no step is to be taken. */
export async function ownershipDiffers(
  connection: PostgresConnection,
  schema: Schema,
): Promise<boolean> {
  const existing = await presentTables(connection)
  const owned = await loadOwnership(connection, schema, existing)
  const after = updateOwnership(owned, existing, { schema, names: indexNames })
  return (await recordedText(connection)) !== JSON.stringify(after)
}

/** Within the caller's transaction, when all steps are taken. */
export async function saveOwnership(
  connection: PostgresConnection,
  schema: Schema,
  before: Ownership,
): Promise<Ownership> {
  const present = await presentTables(connection)
  const owned = updateOwnership(before, present, { schema, names: indexNames })
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  const sql = `insert into "_meta" ("name", "value") values ('${ownershipRecord}', $1) ${newest}`
  await connection.rows({ sql, values: [JSON.stringify(owned)] })
  return owned
}

/** A plan may be asked for before there is anything. */
async function recordedText(connection: PostgresConnection): Promise<string | undefined> {
  if (!(await hasSystemTables(connection))) return undefined
  const [row] = await connection.run(
    `select "value" from "_meta" where "name" = '${ownershipRecord}'`,
  )
  return row && String(row[0])
}
