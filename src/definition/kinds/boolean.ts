/** The kind `boolean`, stored as 1 or 0. */

import { declareField, type PlainField, plainModifiers } from '../field.ts'
import type { Kind } from './kind.ts'

/**
 * A field that is true or false.
 * @example
 * const done = boolean().default(false)
 */
export function boolean(): PlainField<boolean> {
  return declareField({ kind: 'boolean', options: {} }, plainModifiers)
}

export const booleanKind: Kind = {
  options: {},
  check: () => {},
  schema: () => ({ type: 'boolean' }),
  encode: (value) => (value === true ? 1 : 0),
  decode: (stored) => Number(stored) === 1,
  requirement: () => 'Must be true or false.',
}
