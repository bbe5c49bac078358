/**
 * What all SQL text is made of, for both dialects: names only from the Schema, values only as
 * bound parameters. A Dialect states where databases differ, and nothing else.
 */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'

export interface Statement {
  readonly sql: string
  readonly values: readonly Stored[]
  /** Rows are read until they have more octets than this, though not fewer than two. */
  readonly octets?: number
}

export interface Dialect {
  /** The parameter at a place, counted from 1. Parameters stand in the text in that order. */
  placeholder(place: number): string
  /** An ORDER BY term in which missing values come first ascending and text goes by octets. */
  orderTerm(place: string, direction: 'asc' | 'desc', column: Column): string
  /** A parameter that nothing around it gives a type: one of the column's. */
  castParameter(parameter: string, column: Column): string
  /** Whether the text matches the pattern. */
  matches(text: string, pattern: string): string
  /**
   * The pattern, to be bound as a value, of texts that have these characters in a row, each in one
   * of its variants: at their start, or anywhere.
   */
  pattern(characters: readonly (readonly string[])[], at: 'start' | 'anywhere'): string
  /** Whether the JSON array has the element. */
  hasElement(list: string, element: string): string
  /** A query for the elements of a JSON array of text. */
  elements(list: string): string
  /** Text as a JSON string, escaped as `JSON.stringify` does. */
  jsonString(text: string): string
  /** A JSON object as text, of names and expressions. */
  jsonObject(members: readonly (readonly [name: string, expression: string])[]): string
  /** Put off the check of references; and check them at each statement again. */
  readonly deferReferences: string
  readonly restoreReferences: string
  /**
   * A term that is true until the statement has taken too long, and then ends it; undefined where
   * the database itself keeps time.
   */
  readonly deadline: string | undefined
  /** Whether a limit that is a parameter makes the statement be planned anew each time it is run. */
  readonly plansByLimit: boolean
  /**
   * A list that ends by its octets, where the database sees to that: of rows with so many columns
   * and their octets as one more. Undefined where the driver does.
   */
  readonly limitOctets: ((list: string, columns: number, octets: string) => string) | undefined
  readonly search: SearchDialect
  /** Ends the question for a row that is about to change: nobody else may change it meanwhile. */
  readonly lockRow: string
  /** Ends an update so that it gives a row where it changes one; empty where the driver sees to it. */
  readonly returningChange: string
  /** Ends a question for rows to be removed: those that others are removing are left to them. */
  readonly skipLocked: string
  /** One row where the table (first parameter) is as it was at the mark (second). */
  readonly unchanged: string
}

/** Full text: words that were cut by us, kept beside each row of a table that is searched. */
export interface SearchDialect {
  /** An expression that is true where each word begins one that the row of that identity has. */
  matches(draft: SqlDraft, table: Table, identity: string, words: readonly string[]): string
  /** Statements that keep the words of a row, new or replaced. Those of a removed row go with it. */
  keep(table: Table, identity: string, words: readonly string[]): readonly Statement[]
}

/** A statement while it is being written. */
export interface SqlDraft {
  readonly schema: Schema
  readonly dialect: Dialect
  readonly values: Stored[]
}

/** Binds a value as the column keeps it, and gives the parameter to write in its place. */
export function bind(draft: SqlDraft, column: Column, value: Stored): string {
  return bindRaw(draft, boundValue(column, value))
}

export function bindRaw(draft: SqlDraft, value: Stored): string {
  draft.values.push(value)
  return draft.dialect.placeholder(draft.values.length)
}

/** How many rows at most, which no client writes: a number of ours. */
export function limitSql(draft: SqlDraft, most: number): string {
  return draft.dialect.plansByLimit ? String(Math.trunc(most)) : bindRaw(draft, most)
}

/** A decimal is read as text and bound as the integer it is kept as, so that it may be either. */
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

/** A table of the schema. That another is asked for is a bug, found before any SQL is made. */
export function knownTable(schema: Schema, name: string): Table {
  const table = Object.hasOwn(schema.tables, name) ? schema.tables[name] : undefined
  if (table === undefined) throw new Error(`The schema has no table '${name}'`)
  return table
}

/** A column of the table. That another is asked for is a bug, found before any SQL is made. */
export function knownColumn(table: Table, name: string): Column {
  const column = columnsByName(table).get(name)
  if (column === undefined) throw new Error(`The table '${table.name}' has no column '${name}'`)
  return column
}

const columnsByName = memoizeByObject(
  ({ columns }: Table): ReadonlyMap<string, Column> =>
    new Map(columns.map((column) => [column.name, column])),
)

/** Where a column stands in a Row. */
export function columnIndex(table: Table, name: string): number {
  return table.columns.indexOf(knownColumn(table, name))
}
