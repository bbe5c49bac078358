/**
 * Values of one column type as values of another, where nothing is lost: as SQL expressions, which
 * both databases evaluate alike. A value that cannot be converted exactly is left out.
 */

import type { FieldKind } from '../../definition/model.ts'
import type { Column } from './table-schema.ts'

export interface Conversion {
  /** The converted value; only to be evaluated where `possible` holds. */
  readonly value: string
  /** Whether the value can be converted exactly; never null. */
  readonly possible: string
}

/** How the values of a column are kept. */
export interface ColumnForm {
  readonly type: Column['type']
  readonly scale: number
  readonly kind: FieldKind
}

/** The words of a database that differ. */
export interface ConversionDialect {
  /** The name of a type in a cast. */
  readonly types: Readonly<Record<'text' | 'integer' | 'real', string>>
  /** Whether a text is a whole number as we would write it. */
  isWhole(text: string): string
}

export interface ConversionEnds {
  readonly from: ColumnForm
  readonly to: ColumnForm
}

/** Undefined where values of the one type say nothing in the other. */
export function findConversion(
  { from, to }: ConversionEnds,
  column: string,
  dialect: ConversionDialect,
): Conversion | undefined {
  if (to.kind === 'boolean') return undefined
  if (from.kind === 'boolean') {
    const value = `case when ${column} = 1 then 'true' else 'false' end`
    return to.type === 'text' ? { value, possible: 'true' } : undefined
  }
  const made = conversions[`${from.type}>${to.type}`]?.({ from, to, column, dialect })
  return made && { value: made.value, possible: `coalesce(${made.possible}, false)` }
}

interface Ends extends ConversionEnds {
  readonly column: string
  readonly dialect: ConversionDialect
}

/** Integers beyond are not exact in JSON (RFC 7493 §2.2). */
const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER
const LARGEST_DECIMAL = 10n ** 18n - 1n

const always = 'true'
const power = (scale: number) => 10n ** BigInt(scale)
const cast = ({ dialect }: Ends, value: string, type: 'text' | 'integer' | 'real') =>
  `cast(${value} as ${dialect.types[type]})`
const isWholeReal = (column: string) =>
  `(abs(${column}) <= ${LARGEST_INTEGER} and ${column} = round(${column}))`

const conversions: Readonly<Record<string, (ends: Ends) => Conversion>> = {
  'integer>text': (ends) => ({ value: cast(ends, ends.column, 'text'), possible: always }),
  'integer>real': (ends) => ({ value: cast(ends, ends.column, 'real'), possible: always }),
  'integer>decimal': ({ column, to }) => ({
    value: `${column} * ${power(to.scale)}`,
    possible: `abs(${column}) <= ${LARGEST_DECIMAL / power(to.scale)}`,
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
    const bound = LARGEST_INTEGER / Number(power(ends.to.scale))
    return {
      value: cast(ends, scaled, 'integer'),
      possible: `(abs(${ends.column}) <= ${bound} and ${scaled} / ${power(ends.to.scale)} = ${ends.column})`,
    }
  },
  'decimal>integer': ({ column, from }) => ({
    value: `${column} / ${power(from.scale)}`,
    possible: `(${column} % ${power(from.scale)} = 0 and abs(${column} / ${power(from.scale)}) <= ${LARGEST_INTEGER})`,
  }),
  'decimal>real': (ends) => ({
    value: `${cast(ends, ends.column, 'real')} / ${power(ends.from.scale)}`,
    possible: `abs(${ends.column}) <= ${LARGEST_INTEGER}`,
  }),
  'decimal>decimal': ({ column, from, to }) => {
    if (to.scale >= from.scale) {
      const factor = power(to.scale - from.scale)
      const possible = `abs(${column}) <= ${LARGEST_DECIMAL / factor}`
      return { value: `${column} * ${factor}`, possible }
    }
    const divisor = power(from.scale - to.scale)
    return { value: `${column} / ${divisor}`, possible: `${column} % ${divisor} = 0` }
  },
  'decimal>text': (ends) => ({ value: decimalText(ends), possible: always }),
  'text>integer': (ends) => {
    const value = cast(ends, ends.column, 'integer')
    const within = `abs(${value}) <= ${LARGEST_INTEGER}`
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
