/** Text in XML 1.0: what must be written as a reference so that every reader gets it back. */

import { createEscaper } from './escaper.ts'

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Character data. A raw CR would be read as LF (XML 1.0 §2.11), `]]>` must not stand (§2.4). */
export const escapeText = createEscaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#13;',
})

/**
 * JSON text as character data: JSON escapes control characters and lone surrogates itself, and
 * here also the two non-characters that XML cannot have.
 */
export function escapeJson(json: string): string {
  return escapeText(json.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff'))
}

/** A JSON value as the content of an element: members by name, elements of an array as `item`. */
export function writeElement(name: string, value: unknown, item = 'item'): string {
  if (value === undefined) return ''
  if (value === null) return `<${name}/>`
  if (Array.isArray(value)) {
    return `<${name}>${value.map((one) => writeElement(item, one, item)).join('')}</${name}>`
  }
  if (typeof value !== 'object')
    return `<${name}>${escapeText(replaceInvalidCharacters(String(value)))}</${name}>`
  const members = Object.entries(value).map(([member, one]) => writeElement(member, one, item))
  return `<${name}>${members.join('')}</${name}>`
}

/** What a problem echoes may hold anything; what XML cannot have becomes U+FFFD. */
function replaceInvalidCharacters(text: string): string {
  return text.toWellFormed().replace(invalidXmlCharacters, '\uFFFD')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const invalidXmlCharacters = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g
