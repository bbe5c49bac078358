/** Whether the tables of a SQLite file still match the schema that a store was opened with. */

import type { Stored } from '../../../definition/model.ts'
import { parseDerivedTables, requireMatchingTables } from '../../schema/table-mismatch.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { existingTables } from './existing-tables.ts'
import { loadRecords } from './stored-records.ts'
import { declaredType } from './table-sql.ts'

/**
 * A function that throws StoreUnavailable (`unfit`) where they do not match. It compares the tables
 * again only when the `schema_version` of the file has changed.
 */
export function createTableComparison(schema: Schema): (connection: SqliteConnection) => void {
  let matching: Stored | undefined
  return (connection) => {
    const version = connection.row({ sql: 'pragma schema_version', values: [] })?.[0]
    if (version === matching) return
    const tables = existingTables(connection)
    const derived = parseDerivedTables(loadRecords(connection))
    requireMatchingTables(schema, { tables, ...derived, typeOf: declaredType })
    matching = version
  }
}
