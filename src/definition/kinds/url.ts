/** Absolute URLs of http and https (RFC 3986), without user information (RFC 9110 §4.2.4). */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import { wholeNumber } from '../option-table.ts'
import type { Kind } from './kind.ts'
import { textTraits } from './text.ts'

export type UrlOptions = {
  /** In characters; 2,048 by default, which is also the most. */
  readonly max?: number
}

/**
 * A field with an absolute `http` or `https` URL.
 * @example
 * const homepage = url({ max: 500 }).optional()
 */
export function url(options: UrlOptions = {}): ValueField<string> {
  return declareField({ kind: urlKind, options }, valueModifiers)
}

const maxUrlLength = 2048
const character = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
const host = "(?:\\[[0-9A-Fa-f:.]+\\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)"
const more = `(?:${character}|[/?])*`
const absolute = `^[Hh][Tt][Tt][Pp][Ss]?://${host}(?::[0-9]{0,5})?(?:/(?:${character}|/)*)?(?:\\?${more})?(?:#${more})?$`

export const urlKind: Kind<UrlOptions> = {
  ...textTraits,
  name: 'url',
  operators: 'text',
  family: 'text',
  examples: () => ['https://example.org/', 'https://e.org'],
  input: { type: 'url', placeholder: 'https://example.org/', attributes: () => ({}) },
  options: { max: wholeNumber(10, maxUrlLength) },
  check: () => {},
  schema: ({ max = maxUrlLength }) => ({
    type: 'string',
    format: 'uri',
    maxLength: max,
    pattern: absolute,
  }),
  requirement: () =>
    'Must be an absolute URL that begins with http:// or https://, without user information.',
}
