/** SQL that creates tables, columns, references and indexes. */

import { FORMAT } from '../../schema/format-version.ts'
import type { PresentIndex } from '../../schema/present-tables.ts'
import { createIndexNames } from '../../schema/table-indexes.ts'
import type { Column, Schema, Table } from '../../schema/table-schema.ts'
import { optionalLogColumns } from '../../sql/change-log-sql.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import { columnTypes } from '../postgres-dialect.ts'
import { shortenIdentifier } from './identifier.ts'

const name = 'text collate "C" not null'

/**
 * The system tables. An entry of the change log gets its position after all transactions that could
 * precede it have ended (see change-log.ts). `entry` numbers all changes.
 */
export const systemTables: readonly string[] = [
  `create table "_meta" ("name" ${name} primary key, "value" text not null)`,
  `create table "_secrets" ("name" ${name} primary key, "value" bytea not null)`,
  'create sequence "_entries"',
  'create sequence "_positions"',
  `create table "_changes" ("entry" bigint not null default nextval('"_entries"') primary key, "transaction" xid8 not null default pg_current_xact_id(), "position" bigint, "kind" text not null, "table" ${name}, "identity" ${name}, "id" ${name}, "version" bigint not null, "at" text not null, ${optionalLogColumns.map((column) => `"${column}" text`).join(', ')})`,
  'create unique index "_changes:position" on "_changes" ("position")',
  'create index "_changes:unplaced" on "_changes" ("transaction", "entry") where "position" is null',
  'create index "_changes:table" on "_changes" ("table", "transaction")',
  `create table "_history" ("kind" text not null, "table" ${name}, "identity" ${name}, "id" ${name}, "version" bigint not null, "at" text not null, ${optionalLogColumns.map((column) => `"${column}" text`).join(', ')}, primary key ("table", "identity", "version"))`,
  'create index "_history:at" on "_history" ("table", "at")',
  `create table "_audit" ("number" bigint primary key, "position" bigint not null, "at" text collate "C" not null, "kind" text not null, "table" ${name}, "identity" ${name}, "id" ${name}, "version" bigint not null, "actor" text, "by" text, "request" text, "digest" text not null, "salt" text, "hash" text not null)`,
  'create index "_audit:position" on "_audit" ("position")',
  `create table "_moves" ("table" ${name}, "id" ${name}, "identity" ${name}, primary key ("table", "id"))`,
  'create index "_moves:identity" on "_moves" ("table", "identity")',
  `create table "_replays" ("name" ${name} primary key, "fingerprint" text not null, "answer" text not null, "until" bigint not null)`,
  'create index "_replays:until" on "_replays" ("until")',
  `create table "_tombstones" ("table" ${name}, "id" ${name}, "identity" ${name}, "at" text not null, "values" text not null, primary key ("table", "id"))`,
  `insert into "_meta" ("name", "value") values ('format', '${FORMAT}')`,
]

/** Without references, which are added when all tables exist. */
export function createTableSql(table: Table): string {
  const columns = table.columns.map((column) => columnDefinitionSql(table, column))
  return `create table ${quoted(table.name)} (${columns.join(', ')})`
}

/**
 * The default is for existing rows and for nodes whose definition lacks the column; all other nodes
 * insert a value.
 */
export function columnDefinitionSql(table: Table, column: Column): string {
  const words = [quoted(column.name), declaredType(column)]
  if (column.default !== undefined) words.push(`default ${literalSql(column.default)}`)
  if (column.required) words.push('not null')
  if (column.name === '_identity') {
    words.push(`constraint ${quoted(primaryName(table.name))} primary key`)
  }
  return words.join(' ')
}

export function addColumnSql(table: Table, column: Column): string {
  return `alter table ${quoted(table.name)} add column ${columnDefinitionSql(table, column)}`
}

export function declaredType(column: Column): string {
  return column.type === 'text' ? 'text collate "C"' : columnTypes[column.type]
}

/** Returns the type with its scale, as `existing-tables.ts` reads it. */
export function comparedType(column: Column): string {
  return column.type === 'decimal' ? `decimal(18,${column.scale ?? 0})` : columnTypes[column.type]
}

/** The column's comment stores the scale of a decimal, whose type is an integer. */
export function scaleCommentSql(table: Table, column: Column): string[] {
  if (column.type !== 'decimal') return []
  const qualifiedName = `${quoted(table.name)}.${quoted(column.name)}`
  return [`comment on column ${qualifiedName} is ${literalSql(comparedType(column))}`]
}

export const indexNames = createIndexNames(shortenIdentifier)
export const { indexesOf } = indexNames

/** Nulls come first, as in an ascending list, so that the index provides the order of the list. */
export function createIndexSql(table: Table, { name, unique, columns }: PresentIndex): string {
  const kind = unique ? 'unique index' : 'index'
  const indexedColumns = columns.map((column) => {
    const required = table.columns.some(({ name, required }) => name === column && required)
    return required ? quoted(column) : `${quoted(column)} nulls first`
  })
  return `create ${kind} ${quoted(name)} on ${quoted(table.name)} (${indexedColumns.join(', ')})`
}

export function primaryName(table: string): string {
  return shortenIdentifier(`${table}:primary`)
}

export function referenceName(table: string, column: string): string {
  return shortenIdentifier(`${table}:reference:${column}`)
}

/**
 * Foreign keys have no ON DELETE action: the database only refuses dangling references. The check is
 * deferrable for transactions that delete rows that refer to each other.
 */
export function addReferenceSql(table: Table, column: Column, target: string): string {
  const constraint = `constraint ${quoted(referenceName(table.name, column.name))}`
  const key = `foreign key (${quoted(column.name)}) references ${quoted(target)} ("_identity")`
  return `alter table ${quoted(table.name)} add ${constraint} ${key} deferrable initially immediate`
}

/** Returns the columns of each unique constraint, by its name. */
export function constrainedColumns(schema: Schema): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.values(schema.tables).flatMap((table): [string, readonly string[]][] => [
      [primaryName(table.name), ['_identity']],
      ...indexesOf(table).map((index): [string, readonly string[]] => [index.name, index.columns]),
    ]),
  )
}
