/** References: a body shows the target's id, a column holds its identity, which never changes. */

import { declareField, type RefField, refModifiers } from '../field.ts'
import { nonEmptyText, oneOf, required } from '../option-table.ts'
import type { Kind } from './kind.ts'
import { textExamples, textTraits } from './text.ts'
import { exampleUuid } from './uuid.ts'

export type RefOptions<Inverse extends string = string> = {
  /** The effect of deleting the target: refuse (the default), delete this item too, or forget it. */
  readonly onDelete?: 'restrict' | 'cascade' | 'clear'
  /** The name of the relation from the target back to the items that refer to it. */
  readonly inverse?: Inverse
}

/**
 * A reference to an item of another collection, shown as that item's id.
 * @example
 * const author = ref('users', { onDelete: 'cascade' }).fromPrincipal()
 * const project = ref('projects', { inverse: 'tasks' })
 */
export function ref<const Target extends string, const Inverse extends string = never>(
  target: Target,
  options: RefOptions<Inverse> = {},
): RefField<'ref', Target, Inverse> {
  return declareField({ kind: refKind, options: { ...options, target } }, refModifiers)
}

/** The model replaces the schema by that of the target's id. */
export const refKind: Kind<RefOptions> = {
  ...textTraits,
  name: 'ref',
  reference: 'one',
  mayBeItem: false,
  operators: 'oneOf',
  family: 'ref',
  isTrimmed: false,
  examples: (schema) => [exampleUuid, ...textExamples(schema), '1'],
  input: {
    type: 'text',
    placeholder: undefined,
    attributes: () => ({ autocomplete: 'off', spellcheck: 'false' }),
  },
  options: {
    target: required(nonEmptyText, "Write it like ref('users')."),
    onDelete: oneOf('restrict', 'cascade', 'clear'),
    inverse: nonEmptyText,
  },
  schema: () => ({ type: 'string' }),
  parts: ({ onDelete = 'restrict', inverse }) => ({ ref: { onDelete, inverse } }),
  requirement: () => 'Must be the id of an item.',
}
