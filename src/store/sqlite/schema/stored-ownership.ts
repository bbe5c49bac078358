/** The record of what Restwell has made in a file: read, compared, kept. */

import { type Ownership, ownershipRecord, updateOwnership } from '../../schema/ownership.ts'
import type { PresentTables } from '../../schema/present-tables.ts'
import { resolveOwnership } from '../../schema/table-matching.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { queryRows, type SqliteTable } from './existing-tables.ts'
import { loadLimits } from './stored-limits.ts'
import { indexNames } from './table-sql.ts'

/** What is owned before a migration. */
export function loadOwnership(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): Ownership {
  const text = recordedText(connection)
  const limits = loadLimits(connection)
  const recorded = text === undefined ? undefined : JSON.parse(text)
  return resolveOwnership(recorded, existing, { schema, limits, names: indexNames })
}

/** Whether what is owned is not what is recorded, though no step is to be taken. */
export function ownershipDiffers(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): boolean {
  const owned = loadOwnership(connection, schema, existing)
  const after = updateOwnership(owned, existing, { schema, names: indexNames })
  return recordedText(connection) !== JSON.stringify(after)
}

/** Within the caller's transaction, when all steps are taken. */
export function saveOwnership(
  connection: SqliteConnection,
  schema: Schema,
  { before, present }: { readonly before: Ownership; readonly present: PresentTables },
): Ownership {
  const owned = updateOwnership(before, present, { schema, names: indexNames })
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${ownershipRecord}', ?) ${newest}`)
    .run(JSON.stringify(owned))
  return owned
}

function recordedText(connection: SqliteConnection): string | undefined {
  const [row] = queryRows(
    connection,
    `select "value" from "_meta" where "name" = '${ownershipRecord}'`,
  )
  return row && String(row[0])
}
