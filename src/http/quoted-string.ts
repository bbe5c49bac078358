/** Quoted strings (RFC 9110 §5.6.4), and words: values that are a token or a quoted-string. */

import { endOfToken } from './token.ts'

export interface FieldWord {
  /** Without quotes and escapes. */
  readonly value: string
  /** The position after the word. */
  readonly end: number
}

/** Reads the token or quoted-string at `start`; undefined if there is neither. */
export function readWord(text: string, start: number): FieldWord | undefined {
  if (text.charCodeAt(start) === quote) return readQuotedString(text, start)
  const end = endOfToken(text, start)
  return end === start ? undefined : { value: text.slice(start, end), end }
}

/**
 * Formats any text as a quoted-string. Control characters and text beyond ASCII, which recipients
 * decode differently, become question marks, so that no value can end the field.
 */
export function formatQuotedString(text: string): string {
  if (plain.test(text)) return `"${text}"`
  return `"${text.replace(unquotable, '?').replace(/["\\]/g, '\\$&')}"`
}

const plain = /^[\t !#-[\]-~]*$/
const unquotable = /[^\t\x20-\x7e]/gu

function readQuotedString(text: string, start: number): FieldWord | undefined {
  let escaped = false
  for (let position = start + 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === quote) {
      const raw = text.slice(start + 1, position)
      return { value: escaped ? raw.replace(/\\(.)/g, '$1') : raw, end: position + 1 }
    }
    if (code === backslash) {
      escaped = true
      position++
      if (!isTextOctet(text.charCodeAt(position))) return undefined
    } else if (!isTextOctet(code)) return undefined
  }
  return undefined
}

const quote = 0x22
const backslash = 0x5c

/** HTAB, SP, VCHAR and obs-text; false for NaN, the code after the end of the text. */
function isTextOctet(code: number): boolean {
  return code === 0x09 || (code >= 0x20 && code <= 0xff && code !== 0x7f)
}
