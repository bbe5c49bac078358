/** The step that changes the type of a column, and converts its values where that is exact. */

import { formatColumn, lacksDefault } from '../../schema/planned-table.ts'
import { createLimitsCheck } from '../../schema/stored-limits.ts'
import type { Column } from '../../schema/table-schema.ts'
import {
  type Conversion,
  type ConversionDialect,
  findColumnConversion,
  unconvertible,
} from '../../schema/type-conversion.ts'
import { quoted } from '../../sql/sql-text.ts'
import { namedRows, type SqliteColumn } from './existing-tables.ts'
import {
  change,
  checkRows,
  countMatching,
  type SqliteColumnPair,
  type SqliteTableContext,
  type TableChange,
} from './table-context.ts'
import { declaredType } from './table-sql.ts'

export const conversionDialect: ConversionDialect = {
  types: { text: 'text', integer: 'integer', real: 'real' },
  isWhole: (text) => `cast(cast(${text} as integer) as text) = ${text}`,
}

/** One step, with the values that cannot be converted; none where the type is the same. */
export function typeChange(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const type = declaredType(column)
  if (was.type === type) return []
  const line = `change the type of ${formatColumn(context, column)} from ${was.type} to ${type}`
  const rows = countMatching(context, `${quoted(was.name)} is not null`)
  if (rows === 0) return [{ ...change, line }]
  const conversion = findColumnConversion(context, column, was, conversionDialect)
  const outcome =
    conversion === undefined
      ? unconvertible(column, 'its values are not converted')
      : checkConversion(context, { column, was }, conversion(quoted(was.name)))
  return [{ ...change, line, rows, ...outcome }]
}

type Outcome = Pick<TableChange, 'obstacle' | 'loss'>

/** The obstacle or loss of a conversion, with the rows whose values cannot be converted. */
function checkConversion(
  context: SqliteTableContext,
  { column, was }: SqliteColumnPair,
  { value, possible }: Conversion,
): Outcome {
  const { connection, now } = context
  const name = quoted(was!.name)
  const left = `${name} is not null and not (${possible})`
  const fault =
    countMatching(context, left) === 0
      ? undefined
      : `${namedRows(connection, now.name, left)} a value that cannot be converted`
  if (lacksDefault(column) && fault !== undefined) return { obstacle: fault, loss: undefined }
  const limitsCheck = createLimitsCheck(column.limits!, [])
  const expression = column.type === 'decimal' ? `cast(${value} as text)` : value
  checkRows(
    connection,
    `select "_identity", ${expression} from ${quoted(now.name)} where ${name} is not null and ${possible} order by 1`,
    limitsCheck,
  )
  const { obstacle, loss } = limitsCheck.result()
  return { obstacle, loss: fault ?? loss }
}
