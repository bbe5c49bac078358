/** The kind `color`, as a contributor would add it: one file. Colours are stored in lower case. */

import { declareField, type ValueField, valueModifiers } from '../../../src/definition/field.ts'
import { compareMatching, type Kind } from '../../../src/definition/kinds/kind.ts'
import { textTraits } from '../../../src/definition/kinds/text.ts'

/** A field with a colour such as `#ff8800`. */
export function color(): ValueField<string> {
  return declareField({ kind: colorKind, options: {} }, valueModifiers)
}

const colorSchema = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }

export const colorKind: Kind = {
  ...textTraits,
  name: 'color',
  encoding: 'quoted',
  family: 'color',
  compare: compareMatching('a colour such as #ff8800'),
  comparedSchema: colorSchema,
  examples: () => ['#ff8800'],
  input: { type: 'color', placeholder: '#ff8800', attributes: () => ({}) },
  options: {},
  check: () => {},
  schema: () => colorSchema,
  encode: (value) => (value as string).toLowerCase(),
  requirement: () => 'Must be a colour such as #ff8800.',
}
