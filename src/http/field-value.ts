/** The syntax of field values (RFC 9110 §5.6): whitespace, tokens, quoted strings, lists and parameters. */

/** The first position at or after `start` that is not optional whitespace (§5.6.3): SP or HTAB. */
export function skipWhitespace(text: string, start: number): number {
  let position = start
  while (isWhitespace(text.charCodeAt(position))) position++
  return position
}

/** Trims OWS only. String.trim would also remove U+00A0, which is obs-text in a field value. */
export function trimWhitespace(text: string): string {
  const start = skipWhitespace(text, 0)
  let end = text.length
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Whether the text is a token (§5.6.2). */
export function isToken(text: string): boolean {
  return text !== '' && endOfToken(text, 0) === text.length
}

/** The position after the token that begins at `start`; `start` if there is none. */
export function endOfToken(text: string, start: number): number {
  let position = start
  while (tokenCharacters[text.charCodeAt(position)] === 1) position++
  return position
}

const tokenCharacters = characterTable(
  "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
)

function characterTable(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}

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

/**
 * Splits a list into its elements, without surrounding whitespace. A comma in a quoted-string does
 * not separate; empty elements are ignored (§5.6.1.2).
 */
export function splitList(fieldValue: string): string[] {
  const elements = fieldValue.includes('"') ? splitQuoted(fieldValue) : fieldValue.split(',')
  return elements.map(trimWhitespace).filter((element) => element !== '')
}

/** An unclosed quote extends to the end; the parser of that element refuses it. */
function splitQuoted(fieldValue: string): string[] {
  const elements: string[] = []
  let start = 0
  let quoted = false
  for (let position = 0; position < fieldValue.length; position++) {
    const character = fieldValue[position]
    if (character === '"') quoted = !quoted
    else if (character === '\\' && quoted) position++
    else if (character === ',' && !quoted) {
      elements.push(fieldValue.slice(start, position))
      start = position + 1
    }
  }
  elements.push(fieldValue.slice(start))
  return elements
}

export type FieldParameters = ReadonlyMap<string, string>

/**
 * Parses the parameters from `start` to the end of the text, with names in lower case. Undefined if
 * the text is malformed or repeats a name (an error by RFC 6838 §4.3).
 */
export function parseFieldParameters(text: string, start: number): FieldParameters | undefined {
  if (start === text.length) return noParameters
  const parameters = new Map<string, string>()
  let position = start
  while (position < text.length) {
    position = skipWhitespace(text, position)
    if (text[position] !== ';') return undefined
    position = skipWhitespace(text, position + 1)
    // `[ parameter ]`: a semicolon may be followed by no parameter.
    if (position === text.length || text[position] === ';') continue
    const parameter = readParameter(text, position)
    if (parameter === undefined || parameters.has(parameter.name)) return undefined
    parameters.set(parameter.name, parameter.value)
    position = parameter.end
  }
  return parameters
}

const noParameters: FieldParameters = new Map()

interface Parameter {
  readonly name: string
  readonly value: string
  readonly end: number
}

/** §5.6.6: whitespace around `=` is not allowed. */
function readParameter(text: string, start: number): Parameter | undefined {
  const nameEnd = endOfToken(text, start)
  if (nameEnd === start || text[nameEnd] !== '=') return undefined
  const word = readWord(text, nameEnd + 1)
  if (word === undefined) return undefined
  return { name: text.slice(start, nameEnd).toLowerCase(), value: word.value, end: word.end }
}
