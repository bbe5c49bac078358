/**
 * The locks of a transaction on the rows that it will change: by table and identity, so that transactions that
 * change the same rows in crossing orders wait for each other in turn and not in a circle.
 */

import type { Schema } from '../../schema/table-schema.ts'
import { knownTable, quoted } from '../../sql/sql-text.ts'
import type { Write } from '../../write.ts'
import type { PostgresQuery } from '../connection/connection.ts'
import { postgresDialect } from '../postgres-dialect.ts'

interface LockedRow {
  readonly table: string
  readonly identity: string
  readonly isDeleted: boolean
}

/** The statements, one for each table; none for fewer than two rows, which are locked when they are changed. */
export function rowLocks(schema: Schema, writes: readonly Write[]): readonly PostgresQuery[] {
  const rows = writes.flatMap(lockedRow)
  if (new Set(rows.map(({ table, identity }) => `${table}/${identity}`)).size < 2) return []
  return [...Map.groupBy(rows, ({ table }) => table)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([table, locked]) => {
      const mode = locked.some(({ isDeleted }) => isDeleted)
        ? postgresDialect.lockRow
        : postgresDialect.shareRow
      const from = `${quoted(knownTable(schema, table).name)} _t where "_identity" = any ($1::text[])`
      const sql = `select 1 from ${from} order by "_identity"${mode}`
      return { sql, values: [locked.map(({ identity }) => identity)] }
    })
}

function lockedRow(write: Write): readonly LockedRow[] {
  switch (write.kind) {
    case 'update':
    case 'delete':
      return [{ table: write.table, identity: write.identity, isDeleted: write.kind === 'delete' }]
    case 'repeat': {
      // Such a read locks its row too.
      if (write.read.kind !== 'find' || write.read.query.column !== '_identity') return []
      const { table, value } = write.read.query
      return [{ table, identity: String(value), isDeleted: false }]
    }
    default:
      return []
  }
}
