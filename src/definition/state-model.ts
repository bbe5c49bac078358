/** States of items and their transitions, as the model has them. */

import type { Now } from './now.ts'
import type { Rule } from './rule.ts'
import type { JsonValue } from './value-types.ts'

export interface StateModel {
  readonly initial: string
  readonly states: readonly string[]
  readonly transitions: readonly TransitionModel[]
}

export interface TransitionModel {
  readonly name: string
  readonly from: readonly string[]
  readonly to: string
  /** Undefined: every caller who may update the row. */
  readonly by: Rule | undefined
  /** Names of fields that must have a value after the transition. */
  readonly requires: readonly string[]
  /** Values that the transition writes, by field name; null empties the field. */
  readonly sets: ReadonlyMap<string, Now | JsonValue>
  /** A PATCH to the target state is 409 when the item is already in it. */
  readonly exclusive: boolean
}
