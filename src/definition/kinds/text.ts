/** The kind `text`: without control characters other than TAB, LF and CR, and without non-characters. */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { Comparand, Reading } from '../field-kind.ts'
import { nonEmptyText, wholeNumber } from '../option-table.ts'
import { checkPattern } from '../pattern.ts'
import type { JsonSchema, JsonValue } from '../value-types.ts'
import { asText, checkRange, type FieldUse, type Kind, usualTraits } from './kind.ts'

export type TextOptions = {
  /** In characters (code points), as JSON Schema counts. */
  readonly min?: number
  /** 10,000 by default; 500 where the field is unique, indexed or the key. */
  readonly max?: number
  /** A regular expression with the flag `u`; anchor it with ^ and $ to mean the whole text. */
  readonly pattern?: string
  /** `markdown`: HTML pages show the text as Markdown. */
  readonly format?: 'markdown'
}

/**
 * A field with text: no control characters except TAB, LF and CR, and no non-characters.
 * @example
 * const title = text({ min: 1, max: 200 })
 * const code = text({ pattern: '^[A-Z]{3}-[0-9]{4}$' }).unique()
 */
export function text(options: TextOptions = {}): ValueField<string> {
  return declareField({ kind: textKind, options }, valueModifiers)
}

/** The end of a character class that excludes U+FFFE and U+FFFF, unescaped because engines differ in escapes. */
export const endOfCharacterClass = '\uFFFE\uFFFF]'

/** No C0 control but TAB, LF, CR; no U+FFFE, U+FFFF. */
export const cleanText = `^[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F${endOfCharacterClass}*$`

/**
 * Returns the pattern for validation, which refuses lone surrogates too. The published pattern does
 * not exclude them, because regular expressions of Rust, Python and Go have no such range.
 */
export function excludeSurrogates(pattern: string): string {
  return pattern.replaceAll(endOfCharacterClass, `\\uD800-\\uDFFF${endOfCharacterClass}`)
}

/** RFC 7763. */
export const markdownType = 'text/markdown'

const maxTextLength = 1_000_000
const defaultMax = 10_000
/** Four octets each stay below the 2,704 that an index entry of PostgreSQL may have. */
const indexedMax = 500

const cleanPattern = new RegExp(excludeSurrogates(cleanText), 'u')
export const maxComparedLength = 1000

/** Reads any text, which may be a part of a value. */
export function compareText(value: JsonValue): Reading<Comparand> {
  if (typeof value !== 'string') return { expected: 'text' }
  if (value.length > maxComparedLength) return { expected: `at most ${maxComparedLength} characters` }
  if (!cleanPattern.test(value)) return { expected: 'text without control characters' }
  return { value: { stored: value, isExact: true } }
}

/** Reads any text of a kind that is stored in lower case. */
export function compareLowerCase(value: JsonValue): Reading<Comparand> {
  return compareText(typeof value === 'string' ? value.toLowerCase() : value)
}

/** The traits of one text in a column of text, as far as a kind does not differ. */
export const textTraits = {
  ...usualTraits,
  shape: 'text',
  encoding: 'escaped',
  order: 'plain',
  operators: 'order',
  compare: compareText,
  ...asText,
} as const satisfies Partial<Kind>

/** Texts that match usual patterns, and one of the required length. */
export function textExamples({ minLength = 0, maxLength = 1000 }: JsonSchema): readonly string[] {
  const fitted = 'Example'.padEnd(Number(minLength), ' and more').slice(0, Number(maxLength))
  return [fitted, ...usualTexts]
}

const usualTexts = [
  ...'example-1 EXAMPLE-1 example EXAMPLE a A ab AB abc ABC abcd ABCD a1 A1 1 12 123 1234 12345'.split(' '),
  ...'123456 1234567890 en de-DE en_GB EUR 1.0.0 #3366ff 3366ff 09:30 +4930123456 A-1 A-100'.split(' '),
  ...'AB-123 ABC-123 ab-12 A1B2C3 /example example.org 2026 2026-11 0x1f a_b A_B'.split(' '),
]

export const textKind: Kind<TextOptions> = {
  ...textTraits,
  name: 'text',
  isText: true,
  mayBeKey: true,
  operators: 'text',
  family: 'text',
  isTrimmed: false,
  examples: textExamples,
  options: {
    min: wholeNumber(0, maxTextLength),
    max: wholeNumber(1, maxTextLength),
    pattern: nonEmptyText,
    format: { expected: "'markdown'", accepts: (value) => value === 'markdown' },
  },
  check(options, report, use) {
    checkRange({ ...options, max: maxLength(options, use) }, report)
    const bound = { maxLength: maxLength(options, use), name: 'max' }
    if (options.pattern !== undefined) checkPattern(options.pattern, bound, report)
    if (!use.isIndexed || maxLength(options, use) <= indexedMax) return
    report(
      `A unique or indexed text can have at most ${indexedMax} characters, not ${options.max}.`,
      `Set 'max' to ${indexedMax} or less.`,
    )
  },
  schema(options, use) {
    const minLength = Math.max(options.min ?? 0, use.isKey ? 1 : 0)
    return {
      type: 'string',
      ...(minLength > 0 && { minLength }),
      maxLength: maxLength(options, use),
      ...patterns(options),
      ...(options.format === 'markdown' && { contentMediaType: markdownType }),
      // RFC 3986 §5.2.4: these would be removed from a path, so no item could be reached by them.
      ...(use.isKey && { not: { enum: ['.', '..'] } }),
    }
  },
  requirement: ({ pattern }) => `Must match the pattern ${pattern}.`,
}

function maxLength({ max }: TextOptions, use: FieldUse): number {
  return max ?? (use.isIndexed ? indexedMax : defaultMax)
}

function patterns({ pattern }: TextOptions): JsonSchema {
  if (pattern === undefined) return { pattern: cleanText }
  return { pattern, allOf: [{ pattern: cleanText }] }
}
