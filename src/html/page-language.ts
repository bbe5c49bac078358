/**
 * The language of the HTML page that is rendered now. Rendering is synchronous, so the language is set
 * once for a page, and templates need no parameter for it.
 */

import { createLanguage, type Language, type MessageValue } from './languages/language.ts'
import { parseTemplate } from './markup/template-messages.ts'

export const english = createLanguage('en')

let current = english

/** Renders in this language. */
export function renderIn<Result>(language: Language, render: () => Result): Result {
  const before = current
  current = language
  try {
    return render()
  } finally {
    current = before
  }
}

/** The language of the page; English outside of `renderIn`. */
export function pageLanguage(): Language {
  return current
}

/**
 * Text in the language of the page, for texts outside of `html` templates. The dictionary has it with
 * numbered placeholders. A number is written as the language writes it.
 * @example
 * phrase`Up to ${max} files.` // 'Up to {1} files.' in the dictionary
 */
export function phrase(strings: TemplateStringsArray, ...values: readonly MessageValue[]): string {
  return current.format(parseTemplate(strings), values)
}

/** Translates a label, or a message without placeholders. */
export function translated(english: string): string {
  return current.find(english) ?? english
}

/** Translates English text whose values are filled in, such as the detail of a problem. */
export function translateText(english: string): string {
  return current.translate(english)
}

/** Writes a number as the language of the page writes it. */
export function formatNumber(value: number): string {
  return current.formatNumber(value)
}
