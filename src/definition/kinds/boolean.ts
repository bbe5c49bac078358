/** The kind `boolean`, stored as 1 or 0. */

import { declareField, type PlainField, plainModifiers } from '../field.ts'
import { type Kind, usualTraits } from './kind.ts'

/**
 * A field that is true or false.
 * @example
 * const done = boolean().default(false)
 */
export function boolean(): PlainField<boolean> {
  return declareField({ kind: booleanKind, options: {} }, plainModifiers)
}

export const booleanKind: Kind = {
  ...usualTraits,
  name: 'boolean',
  shape: 'boolean',
  column: 'integer',
  encoding: 'boolean',
  order: 'plain',
  operators: 'equal',
  family: 'boolean',
  compare: (value) =>
    typeof value === 'boolean'
      ? { value: { stored: value ? 1 : 0, isExact: true } }
      : { expected: 'true or false' },
  comparedSchema: { type: 'boolean' },
  examples: () => [true],
  options: {},
  check: () => {},
  schema: () => ({ type: 'boolean' }),
  encode: (value) => (value === true ? 1 : 0),
  decode: (stored) => Number(stored) === 1,
  requirement: () => 'Must be true or false.',
}
