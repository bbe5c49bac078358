/** Media types (RFC 9110 §8.3.1), as in Content-Type; media ranges of Accept have the same form. */

import { endOfToken, type FieldParameters, parseFieldParameters } from './field-value.ts'

export interface MediaType {
  readonly type: string
  readonly subtype: string
  /** `type/subtype`, in lower case. */
  readonly essence: string
  /** Names in lower case, values as sent. */
  readonly parameters: FieldParameters
}

/** Parses one media type; undefined if the text is malformed. */
export function parseMediaType(text: string): MediaType | undefined {
  const slash = endOfToken(text, 0)
  if (slash === 0 || text[slash] !== '/') return undefined
  const end = endOfToken(text, slash + 1)
  if (end === slash + 1) return undefined
  const parameters = parseFieldParameters(text, end)
  if (parameters === undefined) return undefined
  const essence = text.slice(0, end).toLowerCase()
  return { type: essence.slice(0, slash), subtype: essence.slice(slash + 1), essence, parameters }
}
