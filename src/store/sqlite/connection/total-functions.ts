/** SQL functions for exact sums and averages, which SQLite does not have. */

import type { AggregateOptions, DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Stored } from '../../../definition/model.ts'
import { addNumber, type DecimalSum, formatDecimalSum } from '../../../tools/decimal-sum.ts'
import { averageOf, parseExactSum, sumOf } from '../../exact-total.ts'
import type { Column } from '../../schema/table-schema.ts'

/** Defines the functions on a connection. */
export function defineTotals(database: DatabaseSync): void {
  database.aggregate('exact_sum', exactSum)
  database.function('comparable_total', { deterministic: true, directOnly: true }, comparableTotal)
}

/**
 * The exact sum of the numbers of a column, as text; null where there is none. `never`, because SQLite
 * keeps any value between the steps, but the types of `node:sqlite` allow only SQL values.
 */
const exactSum: AggregateOptions<never> = {
  directOnly: true,
  start: () => new Map() as never,
  step(sum: DecimalSum, value) {
    if (value !== null) addNumber(sum, Number(value))
    return sum as never
  },
  result: (sum: DecimalSum) => (sum.size === 0 ? null : formatDecimalSum(sum)),
}

/** The sum or average, from the exact sum of a column of the type and the number of its values. */
function comparableTotal(
  operation: SQLOutputValue,
  type: SQLOutputValue,
  sum: SQLOutputValue,
  count: SQLOutputValue,
): Stored {
  const total = {
    type: type as Column['type'],
    sum: sum === null ? null : parseExactSum(String(sum)),
    count: Number(count),
  }
  const value = operation === 'sum' ? sumOf(total) : averageOf(total)
  if (typeof value === 'number') return Math.abs(value) < least ? 0 : value
  return type === 'decimal' && value !== null ? withinColumn(BigInt(value)) : value
}

/** PostgreSQL cannot cast all smaller numbers. */
const least = 1e-300

const greatest = 2n ** 63n - 1n

function withinColumn(value: bigint): bigint {
  if (value > greatest) return greatest
  return value < -greatest ? -greatest : value
}
