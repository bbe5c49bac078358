/** Checks the option `languages`: translations of the texts and labels of HTML pages. */

import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import { englishLabels } from '../english-labels.ts'
import { allMessages } from '../languages/built-in-languages.ts'
import { type Dictionary, placeholdersIn } from '../languages/message.ts'
import type { Model } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import { formatValue, type Options, objectOption } from '../option-table.ts'

/** Returns the dictionaries by language tag; reports unknown texts and wrong placeholders. */
export function checkLanguages(
  given: unknown,
  labelled: Pick<Model, 'resources' | 'title'>,
  faults: FaultList,
): ReadonlyMap<string, Dictionary> {
  if (given === undefined) return new Map()
  const report = prefixReport(`The option 'languages'`, faults.at())
  if (!objectOption.accepts(given)) {
    report(`Must be an object, not ${formatValue(given)}.`)
    return new Map()
  }
  const known = new Set([...allMessages(), ...englishLabels(labelled)])
  const languages = Object.entries(given as Options).map(([tag, dictionary]) => {
    checkTag(tag, report)
    checkDictionary(dictionary, known, prefixReport(`The language '${tag}'`, faults.at()))
    return [tag, dictionary as Dictionary] as const
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

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    // Not a tag.
    return undefined
  }
}

function checkDictionary(given: unknown, known: ReadonlySet<string>, report: FaultReport): void {
  if (!objectOption.accepts(given)) {
    report(`Must be an object of translations by English text, not ${formatValue(given)}.`)
    return
  }
  for (const [message, translation] of Object.entries(given as Options)) {
    if (!known.has(message)) {
      report(`No page has the text '${message}'.`, suggestionFor(message, known))
      continue
    }
    checkTranslation(message, translation, report)
  }
}

/** The nearest text; of a long one, the text with the same beginning. */
function suggestionFor(message: string, known: ReadonlySet<string>): string | undefined {
  const near = didYouMean(message, known)
  if (near !== undefined) return near
  const similar = [...known].find((one) => one.length > 12 && one.slice(0, 12) === message.slice(0, 12))
  return similar === undefined ? undefined : `Did you mean '${similar}'?`
}

const pluralCategories: ReadonlySet<string> = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

function checkTranslation(message: string, translation: unknown, report: FaultReport): void {
  if (typeof translation === 'string') checkPlaceholders(message, translation, report)
  else if (objectOption.accepts(translation)) checkForms(message, translation as Options, report)
  else report(`The translation of '${message}' must be a text, not ${formatValue(translation)}.`)
}

function checkForms(message: string, forms: Options, report: FaultReport): void {
  if (typeof forms.other !== 'string') {
    report(`The translation of '${message}' has no form 'other'.`, 'Add it: it is for all other numbers.')
  }
  for (const [category, form] of Object.entries(forms)) {
    if (!pluralCategories.has(category)) {
      report(
        `The translation of '${message}' has the unknown plural form '${category}'.`,
        didYouMean(category, pluralCategories) ?? `Expected: ${[...pluralCategories].join(', ')}.`,
      )
    } else if (typeof form === 'string') checkPlaceholders(message, form, report)
    else report(`The form '${category}' of '${message}' must be a text, not ${formatValue(form)}.`)
  }
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
