/** The limits that a file's rows were last held against: read, compared, kept. */

import { memoizeLast } from '../../../tools/memoize.ts'
import {
  formatLimits,
  limitsRecord,
  parseLimits,
  type StoredLimits,
} from '../../schema/stored-limits.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { queryRows } from './existing-tables.ts'

export function loadLimits(connection: SqliteConnection): StoredLimits {
  return parseLast(keptText(connection) ?? '')
}

/** A start asks several times, and the text of a large definition is long. */
const parseLast = memoizeLast((text) => parseLimits(text === '' ? undefined : text))

export function limitsDiffer(connection: SqliteConnection, schema: Schema): boolean {
  return keptText(connection) !== formatLimits(schema, loadLimits(connection))
}

/** Within the caller's transaction. */
export function saveLimits(connection: SqliteConnection, schema: Schema): void {
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${limitsRecord}', ?) ${newest}`)
    .run(formatLimits(schema, loadLimits(connection)))
}

function keptText(connection: SqliteConnection): string | undefined {
  const [row] = queryRows(
    connection,
    `select "value" from "_meta" where "name" = '${limitsRecord}'`,
  )
  return row && String(row[0])
}
