/** The SQL that creates the tables and indexes of a SQLite file. */

import { FORMAT } from '../../schema/format-version.ts'
import type { PresentIndex } from '../../schema/present-tables.ts'
import { createIndexNames } from '../../schema/table-indexes.ts'
import type { Column, Table } from '../../schema/table-schema.ts'
import { optionalLogColumns } from '../../sql/change-log-sql.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'

/** Creates the system tables of a new file. */
export const systemTables: readonly string[] = [
  'create table "_meta" ("name" text not null primary key, "value" text not null)',
  'create table "_secrets" ("name" text not null primary key, "value" blob not null)',
  'create table "_collections" ("name" text not null primary key, "revision" integer not null, "hidden" integer not null default 0)',
  `create table "_changes" ("position" integer primary key autoincrement, "kind" text not null, "table" text not null, "identity" text not null, "id" text not null, "version" integer not null, "at" text not null, ${optionalLogColumns.map((column) => `"${column}" text`).join(', ')})`,
  `create table "_history" ("kind" text not null, "table" text not null, "identity" text not null, "id" text not null, "version" integer not null, "at" text not null, ${optionalLogColumns.map((column) => `"${column}" text`).join(', ')}, primary key ("table", "identity", "version")) without rowid`,
  'create index "_history:at" on "_history" ("table", "at")',
  'create table "_audit" ("number" integer primary key, "position" integer not null, "at" text not null, "kind" text not null, "table" text not null, "identity" text not null, "id" text not null, "version" integer not null, "actor" text, "by" text, "request" text, "digest" text not null, "salt" text, "hash" text not null)',
  'create index "_audit:position" on "_audit" ("position")',
  'create table "_tombstones" ("table" text not null, "id" text not null, "identity" text not null, "at" text not null, "values" text not null, primary key ("table", "id"))',
  'create table "_moves" ("table" text not null, "id" text not null, "identity" text not null, primary key ("table", "id"))',
  'create index "_moves:identity" on "_moves" ("table", "identity")',
  'create table "_replays" ("name" text not null primary key, "fingerprint" text not null, "answer" text not null, "until" integer not null)',
  'create index "_replays:until" on "_replays" ("until")',
  `insert into "_meta" ("name", "value") values ('format', '${FORMAT}')`,
]

/** `others` are the SQL of columns that another program has added. */
export function createTableSql(table: Table, name = table.name, others: readonly string[] = []): string {
  const columns = [...table.columns.map(columnDefinitionSql), ...others]
  return `create table ${quoted(name)} (${columns.join(', ')})`
}

/**
 * The default is for present rows, and for nodes whose definition lacks the column. References have
 * no action: SQLite refuses dangling ones at the end of each statement, so that one statement can
 * delete rows that refer to each other.
 */
export function columnDefinitionSql(column: Column): string {
  const words = [quoted(column.name), declaredType(column)]
  if (column.required) words.push('not null')
  if (column.name === '_identity') words.push('primary key')
  if (column.default !== undefined) words.push(`default ${literalSql(column.default)}`)
  if (column.references) words.push(`references ${quoted(column.references.table)} ("_identity")`)
  return words.join(' ')
}

export function addColumnSql(table: string, column: Column): string {
  return `alter table ${quoted(table)} add column ${columnDefinitionSql(column)}`
}

/** Includes the scale of a decimal, so that a change of scale is a change of type. */
export function declaredType(column: Column): string {
  return column.type === 'decimal' ? `decimal(18,${column.scale ?? 0})` : column.type
}

export const indexNames = createIndexNames((name) => name)
export const { indexesOf } = indexNames

export function createIndexSql(table: string, { name, unique, columns }: PresentIndex): string {
  const kind = unique ? 'unique index' : 'index'
  return `create ${kind} ${quoted(name)} on ${quoted(table)} (${columns.map(quoted).join(', ')})`
}
