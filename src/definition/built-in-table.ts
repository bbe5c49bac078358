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
  /** The field with the secret that the response to a POST shows, and no later one. */
  readonly shownOnce?: string
  /** The response to a POST shows secrets that depend on the item. */
  readonly showsSecrets?: true
  /** The reference to the item that its items have their URIs below. */
  readonly below?: string
  /** Its items act with rights of the caller after the request that makes or changes them. */
  readonly outlives?: true
  /** The path from a row to the column that names the token it was made with; empty there: the account is its basis. */
  readonly basis?: readonly string[]
  /**
   * Its references are no constraints of the database: another item may have any number of its items, and a deletion may
   * cascade to 1,000 rows only.
   */
  readonly unconstrained?: true
  /** Its references are no relations. */
  readonly unrelated?: true
  /** Its items are actions in the background: in progress, or ended. */
  readonly job?: true
  /** The secret of a link can stand in its URIs in place of an id. */
  readonly linkSecrets?: true
  /** Changes of the own items require the current password. */
  readonly asksForPassword?: true
}

/** The declaration of one. */
export interface BuiltInTable extends TableTraits {
  readonly name: BuiltInName
}
