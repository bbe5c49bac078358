/** The record of what Restwell has made in a file: read, compared, kept. */

import { ownershipBefore } from '../../schema/column-pairs.ts'
import {
  OWNED,
  type Ownership,
  ownershipAfter,
  type PresentTables,
} from '../../schema/ownership.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { rowsOf, type SqliteTable } from './existing-tables.ts'
import { knownLimits } from './stored-limits.ts'
import { indexNames } from './table-sql.ts'

/** What is owned before a migration. */
export function ownershipOf(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): Ownership {
  const text = recordedText(connection)
  const limits = knownLimits(connection)
  const recorded = text === undefined ? undefined : JSON.parse(text)
  return ownershipBefore(recorded, existing, { schema, limits, names: indexNames })
}

/** Whether what is owned is not what is recorded, though no step is to be taken. */
export function ownershipDiffers(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): boolean {
  const owned = ownershipOf(connection, schema, existing)
  const after = ownershipAfter(owned, existing, { schema, names: indexNames })
  return recordedText(connection) !== JSON.stringify(after)
}

/** Within the caller's transaction, when all steps are taken. */
export function keepOwnership(
  connection: SqliteConnection,
  schema: Schema,
  { before, present }: { readonly before: Ownership; readonly present: PresentTables },
): Ownership {
  const owned = ownershipAfter(before, present, { schema, names: indexNames })
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${OWNED}', ?) ${newest}`)
    .run(JSON.stringify(owned))
  return owned
}

function recordedText(connection: SqliteConnection): string | undefined {
  const [row] = rowsOf(connection, `select "value" from "_meta" where "name" = '${OWNED}'`)
  return row && String(row[0])
}
