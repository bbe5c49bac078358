/** Lists of objects, in the input and the result of an action; kept as JSON text. The objects have members like fields. */

import { wholeNumber } from '../option-table.ts'
import { checkRange, type Kind, partTraits } from './kind.ts'

export type ObjectListOptions = {
  readonly min?: number
  /** 1,000 by default, which is also the most. */
  readonly max?: number
}

const maxObjects = 1000

/** How many lists may be inside each other. */
export const maxObjectDepth = 3

/** Each object is validated by its members. */
export const objectListKind: Kind<ObjectListOptions> = {
  ...partTraits,
  name: 'list',
  shape: 'json',
  operators: 'none',
  family: 'objects',
  options: { min: wholeNumber(0, maxObjects), max: wholeNumber(1, maxObjects) },
  check: ({ min, max = maxObjects }, report) =>
    checkRange({ max, ...(min !== undefined && { min }) }, report),
  schema: ({ min = 0, max = maxObjects }) => ({
    type: 'array',
    items: { type: 'object' },
    ...(min > 0 && { minItems: min }),
    maxItems: max,
  }),
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(String(stored)),
  requirement: () => 'Must be a list of objects.',
}
