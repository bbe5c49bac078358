/** Parameters of field values (RFC 9110 §5.6.6): the `;name=value` pairs after a value. */

import { readWord } from './quoted-string.ts'
import { endOfToken } from './token.ts'
import { skipWhitespace } from './whitespace.ts'

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
