/** Sets of references: a body shows the ids of the targets in order, a column holds their identities as JSON. */

import { declareField, type RefsField, refsModifiers } from '../field.ts'
import { nonEmptyText, oneOf, required, wholeNumber } from '../option-table.ts'
import { type Kind, partTraits } from './kind.ts'

export type RefsOptions = {
  /** The most references in a set: 100 by default, at most 1,000. */
  readonly max?: number
  /** The effect of deleting a target: remove it from the sets (the default), or refuse. */
  readonly onDelete?: 'clear' | 'restrict'
}

/**
 * A set of references to items of another collection, shown as their ids.
 * @example
 * const labels = refs('labels', { max: 20 })
 */
export function refs<const Target extends string>(
  target: Target,
  options: RefsOptions = {},
): RefsField<'refs' | 'default', Target> {
  return declareField({ kind: refsKind, options: { ...options, target } }, refsModifiers)
}

/** The most references in a set, unless the definition declares another number. */
const defaultMaxReferences = 100
const maxReferences = 1000

/** The model replaces the schema by one with the ids of the target. */
export const refsKind: Kind<RefsOptions> = {
  ...partTraits,
  name: 'refs',
  shape: 'list',
  reference: 'several',
  operators: 'membership',
  family: 'refs',
  options: {
    target: required(nonEmptyText, "Write it like refs('labels')."),
    max: wholeNumber(1, maxReferences),
    onDelete: oneOf('clear', 'restrict'),
  },
  schema: ({ max = defaultMaxReferences }) => ({ type: 'array', maxItems: max }),
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(String(stored)),
  parts: ({ max = defaultMaxReferences, onDelete = 'clear' }) => ({ refs: { max, onDelete } }),
  requirement: () => 'Must be the id of an item.',
}
