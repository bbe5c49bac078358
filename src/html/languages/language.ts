/** A language of HTML pages: translated messages, plural forms, numbers and dates. */

import { findBuiltInDictionary } from '../../definition/languages/built-in-languages.ts'
import {
  type Dictionary,
  fillMessage,
  type MessageParts,
  matchMessage,
  parseMessage,
} from '../../definition/languages/message.ts'
import type { DecimalSign } from '../../formats/written-number.ts'
import { memoizeByText } from '../../tools/memoize.ts'

/** A value of a placeholder. Numbers choose the plural form and are written as the language writes them. */
export type MessageValue = string | number

export interface Language {
  /** As in Content-Language. */
  readonly tag: string
  /** Whether there are translations; there are none for English. */
  readonly isTranslated: boolean

  /** The translation without its values; undefined when the dictionary has none. `count` chooses the plural form. */
  find(message: string, count?: number): string | undefined
  /** The message in this language; in English when the dictionary does not have it. */
  format(message: string, values: readonly MessageValue[]): string
  /** Translates English text whose values are filled in, such as the detail of a problem, sentence by sentence. */
  translate(text: string): string

  /** The sign before decimal places. Of other signs than these two, inputs take the point. */
  readonly decimalSign: DecimalSign
  formatNumber(value: number): string
  /** An exact number such as `-1234.50`, with the signs of the language; grouped from so many digits on. */
  writeNumber(text: string, leastGrouped: number): string
  /** A day such as `2026-01-05`: `5 Jan 2026` in English, `05.01.2026` in German. */
  formatDay(day: string): string
}

/** The language with its built-in dictionary and the translations of the definition, which take precedence. */
export function createLanguage(tag: string, declared: Dictionary = {}): Language {
  const entries = Object.entries({ ...findBuiltInDictionary(tag), ...declared })
  const dictionary = new Map(entries)
  const written = (value: string) =>
    writeNumber(value, { ...signsIn(tag), leastGrouped: value.includes('.') ? 4 : 5 })
  const translate = createTranslator((message) => find(message), {
    messages: [...dictionary.keys()],
    written,
  })

  function find(message: string, count?: number): string | undefined {
    const found = dictionary.get(message)
    if (found === undefined || typeof found === 'string') return found
    return (count === undefined ? undefined : found[pluralsIn(tag).select(count)]) ?? found.other
  }

  return {
    tag,
    isTranslated: dictionary.size > 0,
    find,
    format(message, values) {
      const count = values.find((value) => typeof value === 'number')
      const texts = values.map((value) => (typeof value === 'number' ? numbersIn(tag).format(value) : value))
      return fillMessage(parseMessage(find(message, count) ?? message), texts)
    },
    translate(text) {
      const translation = translate(text)
      const isEnglish = translation === text && tag.split('-')[0] === 'en'
      return isEnglish ? text.replace(limit, (_, words, number) => words + written(number)) : translation
    },
    formatNumber: tag === 'en' ? formatEnglishNumber : (value) => numbersIn(tag).format(value),
    decimalSign: signsIn(tag).decimal === ',' ? ',' : '.',
    writeNumber: (text, leastGrouped) => writeNumber(text, { ...signsIn(tag), leastGrouped }),
    formatDay: tag === 'en' ? formatEnglishDay : (day) => daysIn(tag).format(new Date(`${day}T00:00Z`)),
  }
}

/** A limit in English. Other whole numbers may be names: `Item 10500`. */
const limit = /\b((?:at least|at most|greater than|less than|multiple of) )(-?\d+(?:\.\d+)?)(?=[ .])/g
const limitMessage = /\b(?:at least|at most|greater than|less than|multiple of) \{1\}/

// Made at their first use: the data of languages is 5 MB of memory.
const numbersIn = memoizeByText((tag) => new Intl.NumberFormat(tag))
const pluralsIn = memoizeByText((tag) => new Intl.PluralRules(tag))
const daysIn = memoizeByText((tag) => new Intl.DateTimeFormat(tag, dayStyle))

const dayStyle: Intl.DateTimeFormatOptions = {
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  timeZone: 'UTC',
}

interface NumberSigns {
  readonly decimal: string
  readonly group: string
}

/** With the digits 0 to 9, which values have. */
const signsIn = memoizeByText((tag): NumberSigns => {
  if (tag === 'en') return { decimal: '.', group: ',' }
  const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn' }).formatToParts(-1234567.8)
  const find = (type: string) => parts.find((one) => one.type === type)?.value
  return { decimal: find('decimal') ?? '.', group: find('group') ?? '' }
})

/** The text of other values, such as durations, stays as it is. */
function writeNumber(
  text: string,
  { decimal, group, leastGrouped }: NumberSigns & { readonly leastGrouped: number },
): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(e[+-]?\d+)?$/.exec(text)
  if (!parts) return text
  const [, sign = '', whole = '', fraction, exponent = ''] = parts
  const grouped = whole.length < leastGrouped ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group)
  return `${sign}${grouped}${fraction === undefined ? '' : decimal + fraction}${exponent}`
}

/** Faster than Intl, for the most common language and small numbers. */
function formatEnglishNumber(value: number): string {
  return Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numbersIn('en').format(value)
}

/** Faster than Intl, for the most common language. */
function formatEnglishDay(text: string): string {
  const [year, month, day] = text.split('-')
  return `${Number(day)} ${englishMonths[Number(month) - 1]} ${year}`
}

const englishMonths = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Whether the message has placeholders, and enough text to recognise it. `{1} and {2}` would match nearly all texts. */
function isDistinctive(message: string): boolean {
  const letters = message.replace(/\{[1-9]\}|\P{L}/gu, '').length
  return /\{[1-9]\}/.test(message) && (letters >= 10 || (letters >= 6 && !message.startsWith('{')))
}

/** Longer texts, such as those that repeat long input, stay English. */
const maxTextLength = 2000

interface Translations {
  readonly messages: readonly string[]
  /** The value of a placeholder, such as the limit of a number, as the language writes it. */
  written(value: string): string
}

function createTranslator(
  find: (message: string) => string | undefined,
  { messages, written }: Translations,
) {
  let patterns: readonly { readonly message: string; readonly parts: MessageParts }[] | undefined

  /** Messages with placeholders; those with the longest texts first, because they fit best. */
  function allPatterns() {
    patterns ??= messages
      .filter(isDistinctive)
      .toSorted((a, b) => b.length - a.length)
      .map((message) => ({ message, parts: parseMessage(message) }))
    return patterns
  }

  function translateWhole(text: string): string | undefined {
    const exact = find(text)
    if (exact !== undefined) return exact
    for (const { message, parts } of allPatterns()) {
      const values = matchMessage(parts, text)
      if (!values) continue
      const isWritten = (value: string) => limitMessage.test(message) || /^-?\d+\.\d+$/.test(value)
      const texts = values.map((value) => (isWritten(value) ? written(value) : value))
      return fillMessage(parseMessage(find(message) ?? message), texts)
    }
    return undefined
  }

  return (text: string): string => {
    if (messages.length === 0 || text.length > maxTextLength) return text
    const whole = translateWhole(text)
    if (whole !== undefined) return whole
    const sentences = text.split(/(?<=[.?!]) (?=[A-Z'"])/)
    if (sentences.length === 1) return text
    return sentences.map((sentence) => translateWhole(sentence) ?? sentence).join(' ')
  }
}
