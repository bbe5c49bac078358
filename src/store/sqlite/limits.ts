/** The limits that a file's rows were last held against: read, compared, kept. */

import { rememberingLast } from '../../once.ts'
import { formatLimits, type KnownLimits, LIMITS, parseLimits } from '../limits.ts'
import type { Schema } from '../schema.ts'
import type { Connection } from './connection.ts'
import { rowsOf } from './existing.ts'

export function knownLimits(connection: Connection): KnownLimits {
  return parseLast(keptText(connection) ?? '')
}

/** A start asks several times, and the text of a large definition is long. */
const parseLast = rememberingLast((text) => parseLimits(text === '' ? undefined : text))

export function limitsDiffer(connection: Connection, schema: Schema): boolean {
  return keptText(connection) !== formatLimits(schema, knownLimits(connection))
}

/** Within the caller's transaction. */
export function keepLimits(connection: Connection, schema: Schema): void {
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${LIMITS}', ?) ${newest}`)
    .run(formatLimits(schema, knownLimits(connection)))
}

function keptText(connection: Connection): string | undefined {
  const [row] = rowsOf(connection, `select "value" from "_meta" where "name" = '${LIMITS}'`)
  return row && String(row[0])
}
