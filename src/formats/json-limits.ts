/**
 * Scans JSON text before it is parsed, for depth, duplicate names, sizes, and numbers that binary64
 * cannot hold. JSON.parse checks the syntax.
 */

export interface JsonScanFault {
  readonly at: number
  readonly reason: string
}

const limits = {
  depth: 32,
  names: 1000,
  elements: 10_000,
  /** Members and elements in the complete text. */
  values: 100_000,
} as const

/** The first fault, or undefined. Text that is not JSON may pass; the parser refuses it. */
export function scanJson(text: string): JsonScanFault | undefined {
  const open: Container[] = []
  let values = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      const fault = checkName(text, at, end, open.at(-1))
      if (fault) return fault
      at = end
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values += 1
      if (values > limits.values) return tooMany(at)
      if (open.length === limits.depth) return { at, reason: `Nested deeper than ${limits.depth}` }
      open.push({ names: code === OPEN_BRACE ? new Set() : undefined, expectsName: true, count: 0 })
      at += 1
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop()
      at += 1
    } else if (code === COMMA) {
      values += 1
      if (values > limits.values) return tooMany(at)
      const fault = checkComma(at, open.at(-1))
      if (fault) return fault
      at += 1
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at)
      const reason = findNumberFault(text.slice(at, end))
      if (reason) return { at, reason }
      at = end
    } else at += 1
  }
  return undefined
}

function tooMany(at: number): JsonScanFault {
  return { at, reason: `More than ${limits.values} values` }
}

interface Container {
  /** The names so far; undefined in an array. */
  readonly names: Set<string> | undefined
  expectsName: boolean
  count: number
}

function checkName(
  text: string,
  at: number,
  end: number,
  container: Container | undefined,
): JsonScanFault | undefined {
  if (!container?.names || !container.expectsName) return undefined
  container.expectsName = false
  const raw = text.slice(at + 1, end - 1)
  const name = raw.includes('\\') ? unescaped(raw) : raw
  if (container.names.has(name)) return { at, reason: `Duplicate name ${JSON.stringify(name)}` }
  if (container.names.size === limits.names) {
    return { at, reason: `More than ${limits.names} names in an object` }
  }
  container.names.add(name)
  return undefined
}

function checkComma(at: number, container: Container | undefined): JsonScanFault | undefined {
  if (!container) return undefined
  container.expectsName = true
  container.count += 1
  if (!container.names && container.count === limits.elements) {
    return { at, reason: `More than ${limits.elements} elements in an array` }
  }
  return undefined
}

/** A name with an invalid escape stays unchanged; the parser refuses it. */
function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`)
  } catch {
    return raw
  }
}

/** The position after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at + 1
}

/** Whether an odd number of backslashes precedes; the opening quote ends the search. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === BACKSLASH) before -= 1
  return (at - before) % 2 === 0
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && isNumberPart(text.charCodeAt(at))) at += 1
  return at
}

/** RFC 7493 §2.2: numbers that binary64 would change are refused. */
function findNumberFault(number: string): string | undefined {
  if (number.length < 16 && !/[eE]/.test(number)) return undefined
  const value = Number(number)
  const infinite = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  if (infinite || (value === 0 && !isZeroText(number))) {
    return 'A number beyond the range of binary64'
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && isIntegerText(number)) {
    return 'An integer beyond ±(2^53−1); send it as a string'
  }
  return undefined
}

/** Whether every digit before the exponent is 0. */
function isZeroText(number: string): boolean {
  return !/^[-0.]*[1-9]/.test(number)
}

function isIntegerText(number: string): boolean {
  return /^-?\d+(?:\.0+)?$/.test(number)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isNumberPart(code: number): boolean {
  return isDigit(code) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101
}

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
