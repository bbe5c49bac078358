/** Checks the option `languages`: translations of the texts and labels of HTML pages. */

import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import { englishLabels } from '../english-labels.ts'
import { allMessages } from '../languages/built-in-languages.ts'
import { type Dictionary, placeholdersIn, type Translation } from '../languages/message.ts'
import type { Model } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  type Expectation,
  formatValue,
  isComplete,
  type OptionTable,
  objectOption,
  required,
} from '../option-table.ts'

/** Returns the dictionaries by language tag; reports unknown texts and wrong placeholders. */
export function checkLanguages(
  given: unknown,
  labelled: Pick<Model, 'resources' | 'service' | 'title'>,
  faults: FaultList,
): ReadonlyMap<string, Dictionary> {
  if (given === undefined) return new Map()
  const report = prefixReport(`The option 'languages'`, faults.at())
  if (!objectOption.accepts(given)) {
    report(`Must be an object, not ${formatValue(given)}.`)
    return new Map()
  }
  const known = new Set([...allMessages(), ...englishLabels(labelled)])
  const languages = Object.entries(given).map(([tag, dictionary]) => {
    checkTag(tag, report)
    const reportLanguage = prefixReport(`The language '${tag}'`, faults.at())
    return [tag, parseDictionary(dictionary, known, reportLanguage)] as const
  })
  return new Map(languages)
}

function checkTag(tag: string, report: FaultReport): void {
  const canonical = canonicalTag(tag)
  if (canonical === tag) return
  if (canonical === undefined)
    report(`'${tag}' is not a language tag (BCP 47).`, "Write it like 'fr' or 'pt-BR'.")
  else report(`'${tag}' is not written as usual.`, `Did you mean '${canonical}'?`)
}

/** The tag as BCP 47 writes it; undefined: it is none. */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    // Not a tag.
    return undefined
  }
}

/** The translations without faults. */
function parseDictionary(given: unknown, known: ReadonlySet<string>, report: FaultReport): Dictionary {
  if (!objectOption.accepts(given)) {
    report(`Must be an object of translations by English text, not ${formatValue(given)}.`)
    return {}
  }
  const translations = Object.entries(given).flatMap(([message, translation]) => {
    if (known.has(message)) return parseTranslation(message, translation, report)
    report(`No page has the text '${message}'.`, suggestionFor(message, known))
    return []
  })
  return Object.fromEntries(translations)
}

/** The nearest text; of a long one, the text with the same beginning. */
function suggestionFor(message: string, known: ReadonlySet<string>): string | undefined {
  const near = didYouMean(message, known)
  if (near !== undefined) return near
  const similar = [...known].find((one) => one.length > 12 && one.slice(0, 12) === message.slice(0, 12))
  return similar === undefined ? undefined : `Did you mean '${similar}'?`
}

const anyText: Expectation<string> = {
  expected: 'a text',
  accepts: (value): value is string => typeof value === 'string',
}

/** The forms of a translation by plural category. */
const formTable = {
  zero: anyText,
  one: anyText,
  two: anyText,
  few: anyText,
  many: anyText,
  other: required(anyText, 'Add it: it is for all other numbers.'),
} satisfies OptionTable

/** The translation; none where it has a fault. */
function parseTranslation(
  message: string,
  given: unknown,
  report: FaultReport,
): readonly (readonly [message: string, Translation])[] {
  if (typeof given === 'string') {
    checkPlaceholders(message, given, report)
    return [[message, given]]
  }
  if (!objectOption.accepts(given)) {
    report(`The translation of '${message}' must be a text, not ${formatValue(given)}.`)
    return []
  }
  const forms = checkOptions(given, formTable, prefixReport(`The translation of '${message}'`, report))
  for (const form of Object.values(forms)) checkPlaceholders(message, form, report)
  return isComplete(forms, formTable) ? [[message, forms]] : []
}

function checkPlaceholders(message: string, translation: string, report: FaultReport): void {
  const expected = placeholdersIn(message)
  const unknown = [...translation.matchAll(/\{([^}]*)\}/g)].filter(
    ([, name]) => !expected.includes(Number(name)),
  )
  const missing = expected.filter((number) => !placeholdersIn(translation).includes(number))
  const list = expected.map((number) => `{${number}}`).join(', ')
  for (const [placeholder] of unknown) {
    report(
      `The translation of '${message}' has the unknown placeholder '${placeholder}'.`,
      expected.length === 0 ? 'The text has none.' : `Expected: ${list}.`,
    )
  }
  for (const number of missing) {
    report(
      `The translation of '${message}' does not have the placeholder '{${number}}'.`,
      `Expected: ${list}.`,
    )
  }
}
