/** The record of what Restwell has made in a database: read, compared, kept. */

import { ownershipBefore } from '../../schema/column-pairs.ts'
import { OWNED, type Ownership, ownershipAfter } from '../../schema/ownership.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { hasSystemTables, type PostgresTable, presentTables } from './existing-tables.ts'
import { knownLimits } from './stored-limits.ts'
import { indexNames } from './table-sql.ts'

/** What is owned before a migration. */
export async function ownershipOf(
  connection: PostgresConnection,
  schema: Schema,
  existing: ReadonlyMap<string, Omit<PostgresTable, 'empty'>>,
): Promise<Ownership> {
  const text = await recordedText(connection)
  const limits = await knownLimits(connection)
  const recorded = text === undefined ? undefined : JSON.parse(text)
  return ownershipBefore(recorded, existing, { schema, limits, names: indexNames })
}

/** Whether what is owned is not what is recorded, though no step is to be taken. */
export async function ownershipDiffers(
  connection: PostgresConnection,
  schema: Schema,
): Promise<boolean> {
  const existing = await presentTables(connection)
  const owned = await ownershipOf(connection, schema, existing)
  const after = ownershipAfter(owned, existing, { schema, names: indexNames })
  return (await recordedText(connection)) !== JSON.stringify(after)
}

/** Within the caller's transaction, when all steps are taken. */
export async function keepOwnership(
  connection: PostgresConnection,
  schema: Schema,
  before: Ownership,
): Promise<Ownership> {
  const present = await presentTables(connection)
  const owned = ownershipAfter(before, present, { schema, names: indexNames })
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  const sql = `insert into "_meta" ("name", "value") values ('${OWNED}', $1) ${newest}`
  await connection.rows({ sql, values: [JSON.stringify(owned)] })
  return owned
}

/** A plan may be asked for before there is anything. */
async function recordedText(connection: PostgresConnection): Promise<string | undefined> {
  if (!(await hasSystemTables(connection))) return undefined
  const [row] = await connection.run(`select "value" from "_meta" where "name" = '${OWNED}'`)
  return row && String(row[0])
}
