/** The most frequent write, a new row with its log entry, as one statement and one round trip. */

import { IDENTITY, UPDATED_AT, VERSION } from '../../declare/model.ts'
import type { Schema, Table } from '../schema.ts'
import { boundValue, knownTable, placeOf, quoted, type Statement } from '../sql.ts'
import type { InsertWrite, Write } from '../store.ts'

/** Nothing has to hold on the row, so that nothing has to be asked first; nor is it searched. */
export function isPlainInsert(schema: Schema, write: Write): write is InsertWrite {
  if (write.kind !== 'insert' || write.result.kind !== 'always') return false
  return knownTable(schema, write.table).search.length === 0
}

export type InsertStatements = (write: InsertWrite) => Statement

export function insertStatementsOf(schema: Schema): InsertStatements {
  const texts = new Map<string, string>()
  return ({ table: name, values }) => {
    const table = knownTable(schema, name)
    const sql = texts.get(name) ?? insertSql(table)
    texts.set(name, sql)
    const stored = table.columns.map((column, at) => boundValue(column, values[at] ?? null))
    const id = String(values[placeOf(table, table.idColumn)])
    const logged = [
      String(values[IDENTITY]),
      id,
      Number(values[VERSION]),
      String(values[UPDATED_AT]),
    ]
    return { sql, values: [...stored, ...logged] }
  }
}

function insertSql(table: Table): string {
  const names = table.columns.map((column) => quoted(column.name)).join(', ')
  const count = table.columns.length
  const places = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `$${from + at + 1}`).join(', ')
  const insert = `insert into ${quoted(table.name)} (${names}) values (${places(0, count)})`
  const log = `insert into "_changes" ("kind", "table", "identity", "id", "version", "at")`
  // A collection's name has letters, digits and hyphens alone.
  const entry = `values ('inserted', '${table.name}', ${places(count, count + 4)})`
  const freed = `delete from "_moves" where "table" = '${table.name}' and "id" = $${count + 2}`
  const more = table.idColumn === '_identity' ? '' : `, "freed" as (${freed})`
  return `with "inserted" as (${insert})${more} ${log} ${entry}`
}
