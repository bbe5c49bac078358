/**
 * Exact conversions between column types, as SQL expressions for both databases. A value that
 * cannot be converted exactly is not converted.
 */

import type { MigrationStep } from './migration-plan.ts'
import { lacksDefault, type TableContext } from './planned-table.ts'
import type { PresentColumn, PresentTable } from './present-tables.ts'
import type { Column } from './table-schema.ts'

export interface Conversion {
  /** An SQL expression for the converted value, valid only where `possible` is true. */
  readonly value: string
  /** An SQL expression: whether the conversion is exact. Never null. */
  readonly possible: string
}

/** How the values of a column are stored. */
export interface ColumnForm {
  readonly type: Column['type']
  readonly scale: number
  /** The type of the values in JSON. */
  readonly shown: unknown
}

/** The SQL that differs between the databases. */
export interface ConversionDialect {
  /** The name of a type in a cast. */
  readonly types: Readonly<Record<'text' | 'integer' | 'real', string>>
  /** An SQL expression: whether a text is an integer in canonical form. */
  isWhole(text: string): string
}

export interface ConversionEnds {
  readonly from: ColumnForm
  readonly to: ColumnForm
}

/**
 * How the values of a present column become values of the column that the definition needs.
 * Undefined where the type of the present values is not known, or no conversion is exact.
 */
export function findColumnConversion(
  { now, limits }: Pick<TableContext<unknown, PresentTable>, 'now' | 'limits'>,
  column: Column,
  was: PresentColumn,
  dialect: ConversionDialect,
): ((name: string) => Conversion) | undefined {
  const known = limits[now.name]?.[was.name]?.[0]
  const from = parseType(was.type, dialect)
  if (known === undefined || from === undefined || column.limits === undefined) return undefined
  const ends = {
    from: { ...from, shown: known.schema.type },
    to: { type: column.type, scale: column.scale ?? 0, shown: column.limits.schema.type },
  }
  if (findConversion(ends, 'x', dialect) === undefined) return undefined
  return (name) => findConversion(ends, name, dialect)!
}

/** Parses the database's name of a type. */
function parseType(type: string, { types }: ConversionDialect): Omit<ColumnForm, 'shown'> | undefined {
  const plainTypes = ['text', 'integer', 'real'] as const
  const plain = plainTypes.find((name) => types[name] === type)
  if (plain !== undefined) return { type: plain, scale: 0 }
  const [, scale] = /^decimal\(18,(\d+)\)$/.exec(type) ?? []
  return scale === undefined ? undefined : { type: 'decimal', scale: Number(scale) }
}

/** The outcome of a change of type whose values cannot be converted. */
export function unconvertible(column: Column, loss: string): Pick<MigrationStep, 'obstacle' | 'loss'> {
  const obstacle = 'it is required, its values do not fit, and it has no default'
  return { obstacle: lacksDefault(column) ? obstacle : undefined, loss }
}

/** Undefined where no value of the first type has a meaning in the second. */
function findConversion(
  { from, to }: ConversionEnds,
  column: string,
  dialect: ConversionDialect,
): Conversion | undefined {
  if (!isShownAsStored(to)) return undefined
  if (from.type === 'integer' && from.shown === 'boolean') {
    const value = `case when ${column} = 1 then 'true' else 'false' end`
    return to.type === 'text' ? { value, possible: 'true' } : undefined
  }
  if (!isShownAsStored(from)) return undefined
  const conversion = conversions[`${from.type}>${to.type}`]?.({ from, to, column, dialect })
  return conversion && { ...conversion, possible: `coalesce(${conversion.possible}, false)` }
}

/** Whether people see the number in the column. It may also stand for a boolean or a duration. */
function isShownAsStored({ type, shown }: ColumnForm): boolean {
  if (type === 'text') return true
  return shown === { integer: 'integer', real: 'number', decimal: 'string' }[type]
}

interface Ends extends ConversionEnds {
  readonly column: string
  readonly dialect: ConversionDialect
}

/** Larger integers are not exact in JSON (RFC 7493 §2.2). */
const maxInteger = Number.MAX_SAFE_INTEGER
const maxDecimal = 10n ** 18n - 1n

const always = 'true'
const power = (scale: number) => 10n ** BigInt(scale)
const cast = ({ dialect }: Ends, value: string, type: 'text' | 'integer' | 'real') =>
  `cast(${value} as ${dialect.types[type]})`
const isWholeReal = (column: string) => `(abs(${column}) <= ${maxInteger} and ${column} = round(${column}))`

const conversions: Readonly<Record<string, (ends: Ends) => Conversion>> = {
  'integer>text': (ends) => ({ value: cast(ends, ends.column, 'text'), possible: always }),
  'integer>real': (ends) => ({ value: cast(ends, ends.column, 'real'), possible: always }),
  'integer>decimal': ({ column, to }) => ({
    value: `${column} * ${power(to.scale)}`,
    possible: `abs(${column}) <= ${maxDecimal / power(to.scale)}`,
  }),
  'real>integer': (ends) => ({
    value: cast(ends, ends.column, 'integer'),
    possible: isWholeReal(ends.column),
  }),
  'real>text': (ends) => {
    const whole = cast(ends, cast(ends, ends.column, 'integer'), 'text')
    const text = cast(ends, ends.column, 'text')
    return {
      value: `case when ${isWholeReal(ends.column)} then ${whole} else ${text} end`,
      possible: `${cast(ends, text, 'real')} = ${ends.column}`,
    }
  },
  'real>decimal': (ends) => {
    const scaled = `round(${ends.column} * ${power(ends.to.scale)})`
    const bound = maxInteger / Number(power(ends.to.scale))
    return {
      value: cast(ends, scaled, 'integer'),
      possible: `(abs(${ends.column}) <= ${bound} and ${scaled} / ${power(ends.to.scale)} = ${ends.column})`,
    }
  },
  'decimal>integer': ({ column, from }) => ({
    value: `${column} / ${power(from.scale)}`,
    possible: `(${column} % ${power(from.scale)} = 0 and abs(${column} / ${power(from.scale)}) <= ${maxInteger})`,
  }),
  'decimal>real': (ends) => ({
    value: `${cast(ends, ends.column, 'real')} / ${power(ends.from.scale)}`,
    possible: `abs(${ends.column}) <= ${maxInteger}`,
  }),
  'decimal>decimal': ({ column, from, to }) => {
    if (to.scale >= from.scale) {
      const factor = power(to.scale - from.scale)
      const possible = `abs(${column}) <= ${maxDecimal / factor}`
      return { value: `${column} * ${factor}`, possible }
    }
    const divisor = power(from.scale - to.scale)
    return { value: `${column} / ${divisor}`, possible: `${column} % ${divisor} = 0` }
  },
  'decimal>text': (ends) => ({ value: decimalText(ends), possible: always }),
  'text>integer': (ends) => {
    const value = cast(ends, ends.column, 'integer')
    const within = `abs(${value}) <= ${maxInteger}`
    const isWhole = ends.dialect.isWhole(ends.column)
    return { value, possible: `case when ${isWhole} then ${within} else false end` }
  },
}

/** `-1234` of scale 2 as `-12.34`. */
function decimalText(ends: Ends): string {
  const { column, from } = ends
  const whole = cast(ends, `abs(${column}) / ${power(from.scale)}`, 'text')
  const sign = `case when ${column} < 0 then '-' else '' end`
  if (from.scale === 0) return `${sign} || ${whole}`
  const rest = cast(ends, `abs(${column}) % ${power(from.scale)}`, 'text')
  const padded = `'${'0'.repeat(from.scale)}' || ${rest}`
  const fraction = `substr(${padded}, length(${padded}) - ${from.scale - 1})`
  return `${sign} || ${whole} || '.' || ${fraction}`
}
