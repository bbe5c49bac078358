/**
 * Lets the database build each row as one text, which is cheaper than a value for every column.
 * Used only for forms that the database writes exactly as the JSON writer would.
 */

import type { Stored } from '../../definition/model.ts'
import type { Row, RowText, TextEncoding } from '../row.ts'
import { type Dialect, literalSql } from './sql-text.ts'

/** An empty text, to test whether a row exists. */
export const noText: RowText = Object.freeze({ members: [], end: '' })

/** The text of a row that was queried as text. */
export function rowTextOf(row: Row): string {
  return row[0] as string
}

/** The values of the order's columns, which follow the text. */
export function positionOf(row: Row): readonly Stored[] {
  return row.slice(1)
}

/** An expression for one place of a Row. */
export interface ValueSql {
  readonly sql: string
  /** The value is never missing. */
  readonly required: boolean
}

/** An expression for the text of a row. */
export function rowTextSql(dialect: Dialect, values: readonly ValueSql[], { members, end }: RowText): string {
  const parts: string[] = []
  let literal = ''
  for (const { before, rowIndex, encoding } of members) {
    const rowValue = values[rowIndex]
    if (rowValue === undefined) throw new Error(`A row has no place ${rowIndex}`)
    const [opening, value, closing] = encodedSql(dialect, rowValue.sql, encoding)
    if (rowValue.required) {
      parts.push(literalSql(literal + before + opening), value)
      literal = closing
    } else {
      const member = concatSql([literalSql(before + opening), value, literalSql(closing)])
      parts.push(literalSql(literal), `case when ${rowValue.sql} is null then '' else ${member} end`)
      literal = ''
    }
  }
  return concatSql([...parts, literalSql(literal + end)])
}

function encodedSql(
  dialect: Dialect,
  columnSql: string,
  encoding: TextEncoding,
): readonly [opening: string, value: string, closing: string] {
  switch (encoding) {
    case 'plain':
      return ['', columnSql, '']
    case 'quoted':
      return ['"', columnSql, '"']
    case 'escaped':
      return ['', dialect.jsonString(columnSql), '']
    case 'boolean':
      return ['', `case ${columnSql} when 1 then 'true' else 'false' end`, '']
  }
}

/** How many arguments both databases allow a function. */
const maxArguments = 100

function concatSql(parts: readonly string[]): string {
  const present = parts.filter((part) => part !== "''")
  if (present.length === 0) return "''"
  if (present.length <= maxArguments) return `concat(${present.join(', ')})`
  const rest = concatSql(present.slice(maxArguments - 1))
  return `concat(${[...present.slice(0, maxArguments - 1), rest].join(', ')})`
}
