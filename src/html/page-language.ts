/**
 * The language of the HTML page that is loaded and rendered now: templates and titles need no parameter for it.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { createLanguage, type Language, type MessageValue } from './languages/language.ts'
import { parseTemplate } from './markup/template-messages.ts'

export const english = createLanguage('en')

const languages = new AsyncLocalStorage<Language>()

/** Renders in this language, and loads what titles need for it. */
export function renderIn<Result>(language: Language, render: () => Result): Result {
  return languages.run(language, render)
}

/** The language of the page; English outside of `renderIn`. */
export function pageLanguage(): Language {
  return languages.getStore() ?? english
}

/**
 * Text in the language of the page, for texts outside of `html` templates. The dictionary has it with
 * numbered placeholders. A number is written as the language writes it.
 * @example
 * phrase`Up to ${max} files.` // 'Up to {1} files.' in the dictionary
 */
export function phrase(strings: TemplateStringsArray, ...values: readonly MessageValue[]): string {
  return pageLanguage().format(parseTemplate(strings), values)
}

/** Translates a label, or a message without placeholders. */
export function translated(english: string): string {
  return pageLanguage().find(english) ?? english
}

/** Translates English text whose values are filled in, such as the detail of a problem. */
export function translateText(english: string): string {
  return pageLanguage().translate(english)
}

/** Writes a number as the language of the page writes it. */
export function formatNumber(value: number): string {
  return pageLanguage().formatNumber(value)
}
