/** Reads and writes the records of the system table `_meta`. */

import { type MetaRecords, parseRecords, recordsSql } from '../../schema/meta-records.ts'
import type { SqliteConnection } from '../connection/connection.ts'

export function loadRecords(connection: SqliteConnection): MetaRecords {
  return parseRecords(connection.query(recordsSql))
}

/** Creates or replaces the record, within the caller's transaction. */
export function saveRecord(connection: SqliteConnection, name: string, value: string): void {
  const replace = 'on conflict ("name") do update set "value" = excluded."value"'
  connection
    .cachedStatement(`insert into "_meta" ("name", "value") values (?, ?) ${replace}`)
    .run(name, value)
}
