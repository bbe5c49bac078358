/** The record of what Restwell has made in a file: read, compared, kept. */

import { ownershipBefore } from '../column-pairs.ts'
import { OWNED, type Ownership, ownershipAfter, type PresentTables } from '../ownership.ts'
import type { Schema } from '../schema.ts'
import type { Connection } from './connection.ts'
import { type ExistingTable, rowsOf } from './existing.ts'
import { knownLimits } from './limits.ts'
import { indexNames } from './tables.ts'

/** What is owned before a migration. */
export function ownershipOf(
  connection: Connection,
  schema: Schema,
  existing: ReadonlyMap<string, ExistingTable>,
): Ownership {
  const text = recordedText(connection)
  const limits = knownLimits(connection)
  const recorded = text === undefined ? undefined : JSON.parse(text)
  return ownershipBefore(recorded, existing, { schema, limits, names: indexNames })
}

/** Whether what is owned is not what is recorded, though no step is to be taken. */
export function ownershipDiffers(
  connection: Connection,
  schema: Schema,
  existing: ReadonlyMap<string, ExistingTable>,
): boolean {
  const owned = ownershipOf(connection, schema, existing)
  const after = ownershipAfter(owned, existing, { schema, names: indexNames })
  return recordedText(connection) !== JSON.stringify(after)
}

/** Within the caller's transaction, when all steps are taken. */
export function keepOwnership(
  connection: Connection,
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

function recordedText(connection: Connection): string | undefined {
  const [row] = rowsOf(connection, `select "value" from "_meta" where "name" = '${OWNED}'`)
  return row && String(row[0])
}
