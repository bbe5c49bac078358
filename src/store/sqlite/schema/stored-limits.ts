/** The limits that a file's rows were last held against: read, compared, kept. */

import { memoizeLast } from '../../../tools/memoize.ts'
import { formatLimits, LIMITS, parseLimits, type StoredLimits } from '../../schema/stored-limits.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { rowsOf } from './existing-tables.ts'

export function knownLimits(connection: SqliteConnection): StoredLimits {
  return parseLast(keptText(connection) ?? '')
}

/** A start asks several times, and the text of a large definition is long. */
const parseLast = memoizeLast((text) => parseLimits(text === '' ? undefined : text))

export function limitsDiffer(connection: SqliteConnection, schema: Schema): boolean {
  return keptText(connection) !== formatLimits(schema, knownLimits(connection))
}

/** Within the caller's transaction. */
export function keepLimits(connection: SqliteConnection, schema: Schema): void {
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${LIMITS}', ?) ${newest}`)
    .run(formatLimits(schema, knownLimits(connection)))
}

function keptText(connection: SqliteConnection): string | undefined {
  const [row] = rowsOf(connection, `select "value" from "_meta" where "name" = '${LIMITS}'`)
  return row && String(row[0])
}
