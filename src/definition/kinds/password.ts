/** The kind `password`: write-only; the column holds a hash (access/password.ts). */

import { declareField, type PasswordField, passwordModifiers } from '../field.ts'
import { wholeNumber } from '../option-table.ts'
import { asText, type Kind } from './kind.ts'
import { endOfCharacterClass } from './text.ts'

export type PasswordOptions = {
  /** In characters; 8 by default. The most is always 256 octets in UTF-8. */
  readonly min?: number
}

/**
 * A field with a password. Requests may contain it, responses never do; its hash is stored.
 * @example
 * const secret = password({ min: 12 })
 */
export function password(options: PasswordOptions = {}): PasswordField {
  return declareField({ kind: 'password', options }, passwordModifiers)
}

const maxOctets = 256

export const passwordKind: Kind<PasswordOptions> = {
  options: { min: wholeNumber(1, 128) },
  check: () => {},
  schema: ({ min = 8 }) => ({
    type: 'string',
    minLength: min,
    maxLength: maxOctets,
    // JSON Schema cannot count octets; kind-schema.ts enforces this keyword.
    'x-maxOctets': maxOctets,
    // RFC 7617 §2: user-id and password have no control characters.
    pattern: `^[^\\x00-\\x1F\\x7F${endOfCharacterClass}*$`,
  }),
  ...asText,
  requirement: () => 'Must not contain control characters.',
}
