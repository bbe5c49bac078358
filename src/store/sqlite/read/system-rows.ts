/** Reads single rows of the system tables of a SQLite file. */

import type { Row } from '../../row.ts'
import type { Table } from '../../schema/table-schema.ts'
import type { SecretRows } from '../../secrets.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { parseTombstone } from '../../sql/write-sql.ts'
import type { RevisedChanges, Tombstone } from '../../store.ts'
import type { StoredResponse } from '../../write.ts'

type ReadRow = (statement: Statement) => Row | undefined

/** The newest tombstone of the id. */
export function findTombstone(read: ReadRow, table: Table, id: string): Tombstone | undefined {
  const sql = 'select "identity", "at", "values" from "_tombstones" where "table" = ? and "id" = ?'
  const row = read({ sql, values: [table.name, id] })
  return row && parseTombstone(table, row)
}

/** The identity of the present row that had this id before. */
export function findFormerIdentity(read: ReadRow, { name }: Table, id: string): string | undefined {
  const sql = 'select "identity" from "_moves" where "table" = ? and "id" = ?'
  return read({ sql, values: [name, id] })?.[0] as string | undefined
}

/** The response under the name, unless it has expired. */
export function findStoredResponse(read: ReadRow, name: string, now: number): StoredResponse | undefined {
  const sql = 'select "fingerprint", "answer" from "_replays" where "name" = ? and "until" > ?'
  const row = read({ sql, values: [name, now] })
  return row && { fingerprint: String(row[0]), text: String(row[1]) }
}

function findSecret(read: ReadRow, name: string): Uint8Array | undefined {
  const found = read({
    sql: 'select "value" from "_secrets" where "name" = ?',
    values: [name],
  })?.[0] as unknown
  return found instanceof Uint8Array ? found : undefined
}

/** The size of the database in octets. */
export function readSize(read: ReadRow): number {
  const sql = 'select page_count * page_size from pragma_page_count, pragma_page_size'
  return Number(read({ sql, values: [] })?.[0])
}

const countedChanges = { all: '"revision"', public: '"revision" - "hidden"' } as const

/** The revision of the table, which increases with each of these changes. */
export function findRevision(read: ReadRow, { name }: Table, changes: RevisedChanges): number {
  const sql = `select ${countedChanges[changes]} from "_collections" where "name" = ?`
  return Number(read({ sql, values: [name] })?.[0])
}

/** The stored secrets; `replace` stores one. */
export function secretRows(
  read: ReadRow,
  rows: (statement: Statement) => readonly Row[],
  replace: SecretRows['replace'],
): SecretRows {
  const names = () => rows({ sql: 'select "name" from "_secrets"', values: [] }).map(([name]) => String(name))
  return { names, find: (name) => findSecret(read, name), replace }
}
