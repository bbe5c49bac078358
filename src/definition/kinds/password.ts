/** The kind `password`: write-only; the column holds a hash (access/password.ts). */

import { declareField, type PasswordField, passwordModifiers } from '../field.ts'
import { wholeNumber } from '../option-table.ts'
import type { Kind } from './kind.ts'
import { endOfCharacterClass, textTraits } from './text.ts'

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
  return declareField({ kind: passwordKind, options }, passwordModifiers)
}

const maxOctets = 256

export const passwordKind: Kind<PasswordOptions> = {
  ...textTraits,
  name: 'password',
  isHashed: true,
  mayBeItem: false,
  order: 'none',
  operators: 'none',
  family: 'password',
  isTrimmed: false,
  isEditedInCells: false,
  examples: ({ minLength }) => ['correct horse battery staple'.padEnd(Number(minLength ?? 0), ' staple')],
  input: { type: 'password', placeholder: undefined, attributes: () => ({}) },
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
  requirement: () => 'Must not contain control characters.',
}
