/**
 * Exact sums and quotients of decimals. A binary64 number counts as the shortest decimal that denotes
 * it, as JSON shows it, so a sum does not depend on the order of its terms: 0.1 and 0.2 make 0.3.
 */

/** The digits of a sum by their power of ten. */
export type DecimalSum = Map<number, bigint>

/** Adds a finite number to the sum. */
export function addNumber(sum: DecimalSum, value: number): void {
  const [, sign, whole = '', fraction = '', power = '0'] = numberForm.exec(String(value)) ?? []
  const exponent = Number(power) - fraction.length
  const digits = BigInt(whole + fraction)
  sum.set(exponent, (sum.get(exponent) ?? 0n) + (sign === '-' ? -digits : digits))
}

/** The text of a JavaScript number: sign, whole digits, fraction digits, power of ten. */
const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/** The sum as decimal text without a power of ten. */
export function formatDecimalSum(sum: DecimalSum): string {
  const scale = Math.max(0, ...[...sum.keys()].map((exponent) => -exponent))
  let total = 0n
  for (const [exponent, digits] of sum) total += digits * 10n ** BigInt(exponent + scale)
  return formatScaled(total, scale)
}

/** The integer divided by a power of ten, as decimal text with exactly `scale` fraction digits. */
export function formatScaled(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The quotient as an integer, rounded half to even. The divisor is positive. */
export function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const magnitude = value < 0n ? -value : value
  const quotient = magnitude / divisor
  const twice = (magnitude % divisor) * 2n
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  const rounded = isUp ? quotient + 1n : quotient
  return value < 0n ? -rounded : rounded
}

/** More digits than binary64 has, so that the last of them does not change the nearest number. */
const quotientDigits = 40

/** The binary64 number nearest to the decimal divided by the positive count. */
export function divideAsNumber(decimal: string, count: number): number {
  const [whole = '', fraction = ''] = decimal.split('.')
  const digits = BigInt(whole + fraction)
  const quotient = divideHalfEven(digits * 10n ** BigInt(quotientDigits), BigInt(count))
  return Number(`${quotient}e-${fraction.length + quotientDigits}`)
}
