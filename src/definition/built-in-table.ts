/** Tables that the service declares itself: what is true of each, beside its fields and rules. */

import type { BuiltInName } from './built-in-name.ts'

/** The resources of a definition have none of them. */
export interface TableTraits {
  /** It is no collection: it has no URI, or one below the items of another collection. */
  readonly internal?: true
  /**
   * Its changes are in no log: its rows tell what became of others, and what is mailed, uploaded or
   * guessed.
   */
  readonly unlogged?: true
  /** The fields with digests and encrypted secrets. */
  readonly secrets?: readonly string[]
}

/** The declaration of one. */
export interface BuiltInTable extends TableTraits {
  readonly name: BuiltInName
}
