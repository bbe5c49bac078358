/** Exact sums of a column, and the sums and averages that are shown and compared. */

import { averageDigits } from '../definition/kinds/decimal.ts'
import type { Stored } from '../definition/model.ts'
import { divideAsNumber, divideHalfEven } from '../tools/decimal-sum.ts'
import type { Column } from './schema/table-schema.ts'

/** A sum of integers may come as the sums of their upper and lower 32 bits. */
export function parseExactSum(text: string): string {
  const [upper = '', lower] = text.split(',')
  return lower === undefined ? upper : String(BigInt(upper) * 4294967296n + BigInt(lower))
}

interface ExactTotal {
  readonly type: Column['type']
  /** As `parseExactSum` returns it; null where no row has a value. */
  readonly sum: string | null
}

/** The sum, 0 of no values; null where JSON cannot show it exactly. A decimal is its digits without the point. */
export function sumOf({ type, sum }: ExactTotal): Stored {
  if (type === 'decimal') return sum ?? '0'
  const value = Number(sum ?? 0)
  const isShown = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isShown ? value : null
}

/** The average; null of no values. That of a decimal has two more fraction digits, rounded half to even. */
export function averageOf({ type, sum, count }: ExactTotal & { readonly count: number }): Stored {
  if (sum === null || count === 0) return null
  if (type !== 'decimal') return divideAsNumber(sum, count)
  return String(divideHalfEven(BigInt(sum) * 10n ** BigInt(averageDigits), BigInt(count)))
}
