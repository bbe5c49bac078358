/** Text in XML 1.0: escaping, and JSON values as elements. */

import { createEscaper } from './escaper.ts'

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Escapes character data. Readers turn an unescaped CR into LF (§2.11); `]]>` is invalid (§2.4). */
export const escapeText = createEscaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#13;',
})

/**
 * Escapes JSON text as character data. JSON already escapes control characters and lone surrogates;
 * U+FFFE and U+FFFF, which XML cannot have, are escaped as JSON too.
 */
export function escapeJson(json: string): string {
  return escapeText(escapeNoncharacters(json))
}

/** Writes a JSON value as an element: members by name, elements of an array as `item`. */
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

/** Problems may repeat any text of the request; characters that XML cannot have become U+FFFD. */
function replaceInvalidCharacters(text: string): string {
  return text.toWellFormed().replace(invalidXmlCharacters, '\uFFFD')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const invalidXmlCharacters = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/** JSON whose two noncharacters are escaped: neither XML nor YAML can contain them. */
export function escapeNoncharacters(json: string): string {
  return json.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff')
}
