/**
 * Rows that the database writes itself, each as one text: a page of them then costs no value of its
 * own for every column of every row. Only what it writes octet for octet as we would is asked for.
 */

import type { Stored } from '../../definition/model.ts'
import type { Row, RowText, TextForm } from '../row.ts'
import { type Dialect, literalSql } from './sql-text.ts'

/** Says nothing but that the row is there. */
export const noText: RowText = Object.freeze({ members: [], end: '' })

/** Of a row that was asked for as text. */
export function rowTextOf(row: Row): string {
  return row[0] as string
}

/** The values of the order's columns, which follow the text. */
export function positionOf(row: Row): readonly Stored[] {
  return row.slice(1)
}

/** An expression for one place of a Row. */
export interface PlaceSql {
  readonly sql: string
  /** Never missing. */
  readonly required: boolean
}

export function rowTextSql(
  dialect: Dialect,
  places: readonly PlaceSql[],
  { members, end }: RowText,
): string {
  const parts: string[] = []
  let literal = ''
  for (const { before, at, form } of members) {
    const place = places[at]
    if (place === undefined) throw new Error(`A row has no place ${at}`)
    const [opening, value, closing] = formSql(dialect, place.sql, form)
    if (place.required) {
      parts.push(literalSql(literal + before + opening), value)
      literal = closing
    } else {
      const member = concatSql([literalSql(before + opening), value, literalSql(closing)])
      parts.push(literalSql(literal), `case when ${place.sql} is null then '' else ${member} end`)
      literal = ''
    }
  }
  return concatSql([...parts, literalSql(literal + end)])
}

function formSql(
  dialect: Dialect,
  place: string,
  form: TextForm,
): readonly [opening: string, value: string, closing: string] {
  switch (form) {
    case 'plain':
      return ['', place, '']
    case 'quoted':
      return ['"', place, '"']
    case 'escaped':
      return ['', dialect.jsonString(place), '']
    case 'truth':
      return ['', `case ${place} when 1 then 'true' else 'false' end`, '']
  }
}

/** A function takes at least so many arguments. */
const maxArguments = 100

function concatSql(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== "''")
  if (said.length === 0) return "''"
  if (said.length <= maxArguments) return `concat(${said.join(', ')})`
  const rest = concatSql(said.slice(maxArguments - 1))
  return `concat(${[...said.slice(0, maxArguments - 1), rest].join(', ')})`
}
