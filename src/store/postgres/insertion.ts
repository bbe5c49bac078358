/**
 * The most frequent write, new rows with their log entries, as one statement and one round trip:
 * one row as it comes, or many of one table at once.
 */

import { IDENTITY, UPDATED_AT, VERSION } from '../../declare/model.ts'
import { oncePer } from '../../once.ts'
import type { Schema, Table } from '../schema.ts'
import { boundValue, knownTable, placeOf, quoted, type Statement } from '../sql.ts'
import type { InsertWrite, Write } from '../store.ts'
import type { Question } from './connection.ts'
import { kept } from './dialect.ts'

/** Nothing has to hold on the row, so that nothing has to be asked first; nor is it searched. */
export function isPlainInsert(schema: Schema, write: Write): write is InsertWrite {
  if (write.kind !== 'insert' || write.result.kind !== 'always') return false
  return knownTable(schema, write.table).search.length === 0
}

/**
 * Whether it may be made together with rows of other requests: no value of it could be another's
 * too, so that it is hardly ever refused, and waits for nobody but who changes what it refers to.
 * An identity that a client chose begins above version 1.
 */
export function isSociable(schema: Schema, write: Write): write is InsertWrite {
  if (!isPlainInsert(schema, write) || write.values[VERSION] !== 1) return false
  return !hasUnique(knownTable(schema, write.table))
}

const hasUnique = oncePer(({ columns }: Table) =>
  columns.some(({ unique }, at) => unique && at !== IDENTITY),
)

/** Of one row. */
export function insertStatement(schema: Schema, { table: name, values }: InsertWrite): Statement {
  const table = knownTable(schema, name)
  const stored = table.columns.map((column, at) => boundValue(column, values[at] ?? null))
  const id = String(values[placeOf(table, table.idColumn)])
  const logged = [String(values[IDENTITY]), id, Number(values[VERSION]), String(values[UPDATED_AT])]
  return { sql: insertSql(table), values: [...stored, ...logged] }
}

const insertSql = oncePer((table: Table): string => {
  const count = table.columns.length
  const places = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `$${from + at + 1}`).join(', ')
  const insert = `insert into ${quoted(table.name)} (${namesOf(table)}) values (${places(0, count)})`
  // A collection's name has letters, digits and hyphens alone.
  const entry = `values ('inserted', '${table.name}', ${places(count, count + 4)})`
  const freed = `delete from "_moves" where "table" = '${table.name}' and "id" = $${count + 2}`
  const more = table.idColumn === '_identity' ? '' : `, "freed" as (${freed})`
  return `with "inserted" as (${insert})${more} ${logSql} ${entry}`
})

/** Of many rows of one table that are sociable: an array for each column. */
export function manyInsertsStatement(table: Table, rows: readonly InsertWrite[]): Question {
  const values = table.columns.map((column, at) =>
    rows.map(({ values }) => boundValue(column, values[at] ?? null)),
  )
  return { sql: manyInsertsSql(table), values }
}

const manyInsertsSql = oncePer((table: Table): string => {
  const names = namesOf(table)
  const arrays = table.columns.map(({ type }, at) => `$${at + 1}::${kept[type]}[]`).join(', ')
  const rows = `select * from unnest(${arrays}) as "r" (${names})`
  const insert = `insert into ${quoted(table.name)} (${names}) select ${names} from "rows"`
  const entry = `'inserted', '${table.name}', "_identity", "_identity", "_version", "updatedAt"`
  return `with "rows" as materialized (${rows}), "inserted" as (${insert}) ${logSql} select ${entry} from "rows"`
})

const logSql = `insert into "_changes" ("kind", "table", "identity", "id", "version", "at")`

function namesOf({ columns }: Table): string {
  return columns.map(({ name }) => quoted(name)).join(', ')
}
