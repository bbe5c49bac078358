/**
 * Sums and averages that can be compared, in the range of DerivedValue: PostgreSQL computes them exactly,
 * but a cast of a number beyond the range of its type would fail.
 */

import { averageDigits } from '../../definition/kinds/decimal.ts'
import type { Column } from '../schema/table-schema.ts'

/** The expression for the sum or average of a column. */
export function comparableTotalSql(operation: 'sum' | 'avg', columnSql: string, { type }: Column): string {
  switch (type) {
    case 'decimal':
      return operation === 'sum' ? asBigint(sumSql(columnSql)) : decimalAverageSql(columnSql)
    case 'real':
      return operation === 'sum' ? asDouble(sumSql(decimalOf(columnSql))) : averageSql(decimalOf(columnSql))
    default:
      return operation === 'sum' ? asInteger(sumSql(columnSql)) : averageSql(columnSql)
  }
}

function sumSql(columnSql: string): string {
  return `coalesce(sum(${columnSql}), 0)`
}

/** The shortest decimal that denotes the number; a cast to numeric would keep 15 digits only. */
function decimalOf(columnSql: string): string {
  return `${columnSql}::text::numeric`
}

function asBigint(value: string): string {
  const greatest = '9223372036854775807'
  return `least(greatest(${value}, -${greatest}), ${greatest})::bigint`
}

function asInteger(value: string): string {
  return `case when abs(${value}) <= ${Number.MAX_SAFE_INTEGER} then ${value}::bigint end`
}

/** A number that is too small for a cast counts as 0. */
function asDouble(value: string): string {
  const isSmall = `abs(${value}) < 1e-300`
  const isLarge = `abs(${value}) > ${Number.MAX_VALUE}`
  return `case when ${isSmall} then 0 when not ${isLarge} then (${value})::double precision end`
}

/** More digits than the smallest number has. */
const quotientDigits = 400

function averageSql(columnSql: string): string {
  return asDouble(`(round(sum(${columnSql})::numeric, ${quotientDigits}) / nullif(count(${columnSql}), 0))`)
}

/** With two more digits than the column, rounded half to even. */
function decimalAverageSql(columnSql: string): string {
  const [sum, count] = [`(sum(${columnSql}) * ${10 ** averageDigits})`, `count(${columnSql})`]
  const quotient = `div(${sum}, ${count})`
  const twice = `2 * abs(mod(${sum}, ${count}))`
  const isUp = `${twice} > ${count} or (${twice} = ${count} and mod(${quotient}, 2) <> 0)`
  const rounded = `${quotient} + case when ${isUp} then sign(${sum}) else 0 end`
  return `case when ${count} > 0 then ${asBigint(rounded)} end`
}
