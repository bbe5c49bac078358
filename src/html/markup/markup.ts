/**
 * The `html` template tag, which escapes every value except Markup from other templates, so that
 * escaping cannot be forgotten. The text of templates is English and is translated into the language of
 * the page; values are not. See decision 0093.
 */

import { createEscaper } from '../../formats/escaper.ts'
import type { Language } from '../languages/language.ts'
import { pageLanguage } from '../page-language.ts'
import { templatesIn } from './template-messages.ts'

/** HTML text that needs no escaping. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A value in a template. Undefined and false render nothing; lists are concatenated. */
export type MarkupPart = Markup | string | number | undefined | false | readonly MarkupPart[]

/** Renders a template. Attribute values must be in double quotes, or escaping would not suffice. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  const language = pageLanguage()
  if (language.isTranslated) return translatedMarkup(language, strings, parts)
  let text = strings[0] ?? ''
  for (let at = 0; at < parts.length; at += 1) {
    text += renderPart(parts[at]) + (strings[at + 1] ?? '')
  }
  return new Markup(text)
}

function translatedMarkup(
  language: Language,
  strings: TemplateStringsArray,
  parts: readonly MarkupPart[],
): Markup {
  const { texts, order } = templatesIn(language)(strings)
  let text = texts[0] ?? ''
  for (let at = 0; at < order.length; at += 1) {
    text += renderPart(parts[order[at] ?? -1]) + (texts[at + 1] ?? '')
  }
  return new Markup(text)
}

/** Marks text as markup that the caller has escaped, for parts that repeat many times on a page. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text)
}

/** Text that is English in all languages: names of the definition, rules in words. */
export function englishText(words: string): MarkupPart {
  return pageLanguage().tag === 'en' ? words : html`<span lang="en">${words}</span>`
}

function renderPart(part: MarkupPart): string {
  if (part instanceof Markup) return part.text
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  let text = ''
  for (const one of part) text += renderPart(one)
  return text
}

/** Escapes text for element content and for attribute values in quotes. */
export const escapeText = createEscaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})
