/**
 * The bounds of a decimal as regular expressions. JSON Schema has no bounds for numbers in strings,
 * so published schemas express them digit by digit, without look-ahead, which not every engine has.
 */

/** Matches the decimals that are at least the limit. */
export function atLeastPattern(limit: string): string {
  if (isNegative(limit)) return `^(?:${unsigned}|-${atMost(limit)})$`
  return isZero(limit) ? `^(?:${unsigned}|-${zero})$` : `^${atLeast(limit)}$`
}

/** Matches the decimals that are at most the limit. */
export function atMostPattern(limit: string): string {
  if (!isNegative(limit)) return `^(?:-${unsigned}|${atMost(limit)})$`
  return `^-${atLeast(limit)}$`
}

export function isNegative(limit: string): boolean {
  return limit.startsWith('-') && !isZero(limit)
}

export function isZero(limit: string): boolean {
  return !/[1-9]/.test(limit)
}

const anyFraction = '(?:\\.[0-9]+)?'
const unsigned = `[0-9]+${anyFraction}`
const zero = '0+(?:\\.0+)?'

/** Unsigned decimals that are at least the limit, its sign left aside. */
function atLeast(limit: string): string {
  const { whole, fraction } = partsOf(limit)
  const greater = [`[1-9][0-9]{${whole.length},}`, ...differing(whole, above).map(filled(whole))]
  const rest = [...differing(fraction, above), fraction].map((digits) => `${digits}[0-9]*`)
  const equal = fraction === '' ? anyFraction : `\\.(?:${rest.join('|')})`
  return `0*(?:(?:${greater.join('|')})${anyFraction}|${whole}${equal})`
}

/** Unsigned decimals that are at most the limit, its sign left aside. */
function atMost(limit: string): string {
  const { whole, fraction } = partsOf(limit)
  const fewer = whole === '' ? [] : [`[0-9]{1,${whole.length - 1}}`]
  const less = [...(whole.length > 1 ? fewer : []), ...differing(whole, below).map(filled(whole))]
  const beginnings = [...fraction].map((_, at) => fraction.slice(0, at)).slice(1)
  const rest = [...differing(fraction, below).map((digits) => `${digits}[0-9]*`), ...beginnings]
  const equal = `${whole}(?:\\.(?:${[...rest, `${fraction}0*`].join('|')}))?`
  return less.length === 0 ? `0*${equal}` : `0*(?:(?:${less.join('|')})${anyFraction}|${equal})`
}

/** Without zeros that mean nothing. */
function partsOf(limit: string): { readonly whole: string; readonly fraction: string } {
  const [whole = '', fraction = ''] = limit.replace('-', '').split('.')
  return { whole: whole.replace(/^0+/, ''), fraction: fraction.replace(/0+$/, '') }
}

/** For each place: the digits before it, and then one that differs. */
function differing(digits: string, other: (digit: number) => string): readonly string[] {
  return [...digits].flatMap((digit, at) => {
    const differs = other(Number(digit))
    return differs === '' ? [] : [digits.slice(0, at) + differs]
  })
}

function above(digit: number): string {
  return digit === 9 ? '' : `[${digit + 1}-9]`
}

function below(digit: number): string {
  return digit === 0 ? '' : `[0-${digit - 1}]`
}

/** Adds what is left to the length of the number. */
function filled(whole: string): (beginning: string) => string {
  return (beginning) => {
    const left = whole.length - beginning.replace(/\[.*\]/, '0').length
    return left === 0 ? beginning : `${beginning}[0-9]{${left}}`
  }
}
