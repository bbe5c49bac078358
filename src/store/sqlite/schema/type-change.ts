/** A column that gets another type: its values are converted where that is exact. */

import { createLimitsCheck } from '../../schema/stored-limits.ts'
import type { Column } from '../../schema/table-schema.ts'
import {
  type Conversion,
  type ConversionDialect,
  findConversion,
} from '../../schema/type-conversion.ts'
import { quoted } from '../../sql/sql-text.ts'
import { namedRows, type SqliteColumn } from './existing-tables.ts'
import {
  change,
  checkRows,
  countMatching,
  placeOf,
  type SqliteTableContext,
  type SqliteTablePair,
  type TableChange,
} from './table-context.ts'
import { declaredType } from './table-sql.ts'

/** How values of the present type become values of the other; undefined where they say nothing. */
export function conversionOf(
  { now, limits }: SqliteTableContext,
  column: Column,
  was: SqliteColumn,
  name: string,
): Conversion | undefined {
  const kind = limits[now.name]?.[was.name]?.[0]?.kind
  const from = formOf(was.type)
  if (kind === undefined || from === undefined || column.limits === undefined) return undefined
  const to = { type: column.type, scale: column.scale ?? 0, kind: column.limits.kind }
  return findConversion({ from: { ...from, kind }, to }, name, dialect)
}

const dialect: ConversionDialect = {
  types: { text: 'text', integer: 'integer', real: 'real' },
  isWhole: (text) => `cast(cast(${text} as integer) as text) = ${text}`,
}

/** From the type that SQLite tells. */
function formOf(type: string): (Pick<Column, 'type'> & { readonly scale: number }) | undefined {
  if (type === 'text' || type === 'integer' || type === 'real') return { type, scale: 0 }
  const [, scale] = /^decimal\(18,(\d+)\)$/.exec(type) ?? []
  return scale === undefined ? undefined : { type: 'decimal', scale: Number(scale) }
}

export function typeChange(
  context: SqliteTableContext,
  column: Column,
  was: SqliteColumn,
): TableChange[] {
  const type = declaredType(column)
  if (was.type === type) return []
  const line = `change the type of ${placeOf(context, column)} from ${was.type} to ${type}`
  const rows = countMatching(context, `${quoted(was.name)} is not null`)
  if (rows === 0) return [{ ...change, line }]
  const conversion = conversionOf(context, column, was, quoted(was.name))
  const outcome =
    conversion === undefined ? unconverted(column) : converted(context, { column, was }, conversion)
  return [{ ...change, line, rows, ...outcome }]
}

type Outcome = Pick<TableChange, 'obstacle' | 'loss'>

function unconverted(column: Column): Outcome {
  const lacking = column.required && column.default === undefined
  const obstacle = lacking
    ? 'it is required, its values do not fit, and it has no default'
    : undefined
  return { obstacle, loss: 'its values are not converted' }
}

/** What becomes of the values; those that cannot be converted are named. */
function converted(
  context: SqliteTableContext,
  { column, was }: SqliteTablePair,
  { value, possible }: Conversion,
): Outcome {
  const { connection, now } = context
  const name = quoted(was!.name)
  const left = `${name} is not null and not (${possible})`
  const unlike = countMatching(context, left)
  const words =
    unlike === 0
      ? undefined
      : `${namedRows(connection, now.name, left)} a value that cannot be converted`
  if (column.required && column.default === undefined && words !== undefined) {
    return { obstacle: words, loss: undefined }
  }
  const against = createLimitsCheck(column, column.limits!, [])
  const shown = column.type === 'decimal' ? `cast(${value} as text)` : value
  checkRows(
    connection,
    `select "_identity", ${shown} from ${quoted(now.name)} where ${name} is not null and ${possible} order by 1`,
    against,
  )
  const found = against.result()
  return { obstacle: found.obstacle, loss: words ?? found.loss }
}
