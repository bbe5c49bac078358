/**
 * The parts of SQL text for both dialects: names come only from the Schema, and values are only
 * bound. A Dialect has the differences between the databases.
 */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'

export interface Statement {
  readonly sql: string
  readonly values: readonly Stored[]
  /** Reading ends after the row that exceeds this number of octets, but not before the second. */
  readonly octets?: number
}

export interface Dialect {
  /** The parameter with this number, from 1. Parameters occur in the text in that order. */
  placeholder(number: number): string
  /** An ORDER BY term: missing values first ascending, text in octet order. */
  orderTerm(columnSql: string, direction: 'asc' | 'desc', column: Column): string
  /** A parameter with the type of the column, where the context does not determine it. */
  castParameter(parameter: string, column: Column): string
  /** Whether the text matches the pattern. */
  matches(text: string, pattern: string): string
  /**
   * The pattern, to be bound as a value, for texts that contain these characters, each in any of
   * its variants, at their start or anywhere.
   */
  pattern(characters: readonly (readonly string[])[], at: 'start' | 'anywhere'): string
  /** The exact sum of a column as text that `parseExactSum` reads; null where no row has a value. */
  exactSum(columnSql: string, column: Column): string
  /** The sum or average of a column as a value that can be compared, in the range of DerivedValue. */
  comparableTotal(operation: 'sum' | 'avg', columnSql: string, column: Column): string
  /** Whether the JSON array has the element. */
  hasElement(list: string, element: string): string
  /** A query for the elements of a JSON array of text. */
  jsonElements(list: string): string
  /** A FROM item `j` with the elements of a JSON array of text in the column `value`. */
  elementsItem(list: string): string
  /** The member of a JSON array of texts and nulls, by its place from 0, with the type of the column. */
  arrayMember(list: string, place: number, column: Column): string
  /** The JSON array of text without the elements that the query selects. */
  withoutElements(list: string, query: string): string
  /** The name of the join table of a column with a set of references. */
  joinTable(table: string, column: string): string
  /** Whether the value is among those of the query, in a form for which an index can be used. */
  inSubquery(value: string, query: string): string
  /**
   * A query for the ids of the pages that begin with each of the values; undefined where the database
   * reads the pages of several values in turn by an index, as far as needed.
   */
  readonly lateralPages: ((values: string, page: (value: string) => string) => string) | undefined
  /** The condition with a hint: the planner expects most rows to satisfy it. */
  expectMany(condition: string): string
  /** The column as an expression for which the planner uses no index, where it has no statistics to choose by. */
  withoutIndex(columnSql: string): string
  /** Text as a JSON string, escaped as `JSON.stringify` does. */
  jsonString(text: string): string
  /** A JSON object as text, of names and expressions. */
  jsonObject(members: readonly (readonly [name: string, expression: string])[]): string
  /** Defers the check of references to the commit, and restores the check at each statement. */
  readonly deferReferences: string
  readonly restoreReferences: string
  /**
   * A term that is true until the deadline of the statement and then ends it; undefined where the
   * database has a statement timeout.
   */
  readonly deadline: string | undefined
  /** Whether a bound LIMIT makes the database plan the statement again for each run. */
  readonly plansByLimit: boolean
  /**
   * A list that ends by its octets, given rows with so many columns and their octets as the last
   * column. Undefined where the driver ends the list.
   */
  readonly limitOctets: ((list: string, columns: number, octets: string) => string) | undefined
  readonly search: SearchDialect
  /** The name of the table itself, where a common table expression has the same name. */
  storedTable(name: string): string
  /** The end of a query that locks the row against changes. */
  readonly shareRow: string
  /** The end of a query that locks the row for a change. */
  readonly lockRow: string
  /** The end of an update that returns a row for each change; empty where the driver counts. */
  readonly returningChange: string
  /** The end of a query that skips rows which other transactions have locked. */
  readonly skipLocked: string
  /** Selects a row where the table (first parameter) is unchanged since the state (second). */
  readonly selectUnchangedTable: string
}

/** Full-text search on the words of `splitWords`, stored beside each row of a searched table. */
export interface SearchDialect {
  /** A query for the rows that have a word with each of the words as a prefix; its FROM begins with the text. */
  findWords(builder: SqlBuilder, table: Table, before: string, words: readonly string[]): string
  /** Whether one row has such words. It reads only the words of this row. */
  hasWords(builder: SqlBuilder, table: Table, identity: string, words: readonly string[]): string
  /** The octets that `hasWords` reads. */
  octets(table: Table, identity: string): string
  /** Statements that store the words of a new or changed row. Deleting the row deletes them. */
  storeWords(table: Table, identity: string, words: readonly string[]): readonly Statement[]
}

/** A statement under construction, with the values bound so far. */
export interface SqlBuilder {
  readonly schema: Schema
  readonly dialect: Dialect
  readonly values: Stored[]
}

/** Binds a value in the stored form of the column; returns its parameter. */
export function bind(builder: SqlBuilder, column: Column, value: Stored): string {
  return bindRaw(builder, boundValue(column, value))
}

/** Binds a value unchanged; returns its parameter. */
export function bindRaw(builder: SqlBuilder, value: Stored): string {
  builder.values.push(value)
  return builder.dialect.placeholder(builder.values.length)
}

/** The LIMIT, as a parameter or as text. The number never comes from a client as text. */
export function limitSql(builder: SqlBuilder, most: number): string {
  return builder.dialect.plansByLimit ? String(Math.trunc(most)) : bindRaw(builder, most)
}

/** The terms, after the term that ends a statement at its deadline, where the dialect has one. */
export function withDeadline({ dialect }: SqlBuilder, terms: readonly string[]): readonly string[] {
  return dialect.deadline === undefined ? terms : [dialect.deadline, ...terms]
}

/** The stored form of a value: a decimal, which is read as text, is bound as its integer. */
export function boundValue(column: Column, value: Stored): Stored {
  if (column.type === 'decimal' && typeof value === 'string') return BigInt(value)
  return value
}

/** The name as a quoted SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The value as an SQL literal. Only for values of the definition; all others are bound. */
export function literalSql(value: string | number | bigint): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** The table of the schema. Throws where there is none, which is a bug. */
export function knownTable(schema: Schema, name: string): Table {
  const table = Object.hasOwn(schema.tables, name) ? schema.tables[name] : undefined
  if (table === undefined) throw new Error(`The schema has no table '${name}'`)
  return table
}

/** The column of the table. Throws where there is none, which is a bug. */
export function knownColumn(table: Table, name: string): Column {
  const column = columnsByName(table).get(name)
  if (column === undefined) throw new Error(`The table '${table.name}' has no column '${name}'`)
  return column
}

const columnsByName = memoizeByObject(
  ({ columns }: Table): ReadonlyMap<string, Column> =>
    new Map(columns.map((column) => [column.name, column])),
)

/** The index of a column in a Row; undefined where the table has no such column. */
export function findColumnIndex(table: Table, name: string): number | undefined {
  return columnsByName(table).has(name) ? columnIndex(table, name) : undefined
}

/** The index of a column in a Row. */
export function columnIndex(table: Table, name: string): number {
  return table.columns.indexOf(knownColumn(table, name))
}
