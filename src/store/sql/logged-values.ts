/**
 * The values of rows in the change log: a JSON object by column name, without `_identity` and
 * `_version`, which an entry has by itself, and without secret columns. Names and values stay
 * readable when the definition changes: a name is looked up among the former names of columns, and
 * a decimal has its point, so that it does not depend on the scale.
 */

import { IDENTITY, type Stored, VERSION } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Row } from '../row.ts'
import { type Column, type Table, withInitialValues } from '../schema/table-schema.ts'
import { ROW } from './condition-sql.ts'
import { quoted } from './sql-text.ts'

/** All values that a row has, for its creation, its change or its deletion. */
export function formatValues(table: Table, values: readonly Stored[]): string {
  const logged: Record<string, Stored> = {}
  for (const [at, column] of loggedColumns(table)) {
    const value = values[at] ?? null
    if (value !== null) logged[column.name] = loggedValue(column, value)
  }
  return JSON.stringify(logged)
}

/** The previous values of the columns that the change gives another value; null for a missing one. */
export function formatPreviousValues(
  table: Table,
  previous: readonly Stored[],
  values: readonly Stored[],
): string {
  const logged: Record<string, Stored> = {}
  for (const [at, column] of loggedColumns(table)) {
    const before = loggedValue(column, previous[at] ?? null)
    if (before !== loggedValue(column, values[at] ?? null)) logged[column.name] = before
  }
  return JSON.stringify(logged)
}

/** The names and SQL expressions of the values of a stored row. */
export const loggedMembers = memoizeByObject((table: Table): readonly (readonly [string, string])[] =>
  loggedColumns(table).map(([, column]) => [column.name, loggedValueSql(column)]),
)

/** The value of a stored row as an SQL expression. */
export function loggedValueSql({ name, type, scale }: Column): string {
  const columnSql = `${ROW}.${quoted(name)}`
  if (type !== 'decimal') return columnSql
  if (!scale) return `cast(${columnSql} as text)`
  const unit = `1${'0'.repeat(scale)}`
  const sign = `case when ${columnSql} < 0 then '-' else '' end`
  const fraction = `substr(cast(${unit} + abs(${columnSql}) % ${unit} as text), 2)`
  return `(${sign} || cast(abs(${columnSql}) / ${unit} as text) || '.' || ${fraction})`
}

/** The columns whose values are logged, with their index in a row. */
const loggedColumns = memoizeByObject(({ columns }: Table): readonly (readonly [number, Column])[] =>
  [...columns.entries()].filter(([at, { secret }]) => at !== IDENTITY && at !== VERSION && !secret),
)

function loggedValue({ type, scale }: Column, value: Stored): Stored {
  if (type !== 'decimal' || value === null) return value
  const text = String(value)
  if (!scale) return text
  const [sign, digits] = text.startsWith('-') ? ['-', text.slice(1)] : ['', text]
  const padded = digits.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** The texts of an entry, and the identity and version of its row. */
export interface LoggedRow {
  readonly identity: string
  readonly version: number
  readonly before: Stored
  readonly after: Stored
}

/** The rows before and after the change; undefined where there was none or no values were logged. */
export function parseLoggedRows(
  table: Table | undefined,
  { identity, version, before, after }: LoggedRow,
): { readonly before: Row | undefined; readonly after: Row | undefined } {
  if (table === undefined) return { before: undefined, after: undefined }
  const present = parseValues(after)
  // A change logs only the previous values that differ.
  const previous = present && before !== null ? { ...present, ...parseValues(before) } : parseValues(before)
  const was = present === undefined ? version : version - 1
  return {
    before: previous && rowOf(table, [identity, was], previous),
    after: present && rowOf(table, [identity, version], present),
  }
}

type LoggedValues = Readonly<Record<string, Stored>>

function parseValues(text: Stored): LoggedValues | undefined {
  return text === null ? undefined : JSON.parse(String(text))
}

function rowOf(
  table: Table,
  [identity, version]: readonly [string, number],
  logged: LoggedValues,
): readonly Stored[] {
  const values: Stored[] = table.columns.map(() => null)
  for (const [at, column] of loggedColumns(table)) {
    const name = [column.name, ...column.formerly].find((one) => Object.hasOwn(logged, one))
    if (name !== undefined) values[at] = storedValue(column, logged[name] ?? null)
  }
  values[IDENTITY] = identity
  values[VERSION] = version
  return withInitialValues(table, values)
}

/** The value as the column stores it now; null where its type does not fit any more. */
function storedValue({ type, scale = 0 }: Column, value: Stored): Stored {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : null
    case 'integer':
    case 'real':
      return typeof value === 'number' ? value : null
    case 'decimal':
      return typeof value === 'string' ? scaledText(value, scale) : null
  }
}

/** `12.50` as `1250` for the scale 2; null where digits would be lost. */
function scaledText(value: string, scale: number): string | null {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === '' || /[1-9]/.test(fraction.slice(scale))) return null
  return String(BigInt(`${sign}${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`))
}
