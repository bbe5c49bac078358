/** Tables that the service declares itself: what is true of each, beside its fields and rules. */

import type { MovableName } from './paths.ts'
import type { JsonSchema, Stored } from './value-types.ts'

/** The resources of a definition have none of them. */
export interface TableTraits {
  /** The methods of its collection and of its items; all by default. */
  readonly methods?: readonly ('GET' | 'POST' | 'PATCH' | 'DELETE')[]
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
  /** Fields with secrets that depend on the item: a response to a POST shows some of them, and no later one. */
  readonly shownInPart?: readonly string[]
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
  /** Whether an item can be deleted now; always by default. */
  isDeletable?(read: ReadField): boolean
  /** Whether an item is in its collection; always by default. */
  isListed?(read: ReadField): boolean
  /** The field with the URI of what an item led to. */
  readonly result?: string
  /** Its items are actions in the background: in progress, or ended. */
  readonly job?: true
  /** The secret of a link can stand in its URIs in place of an id. */
  readonly linkSecrets?: true
  /** New items and changes of the own ones require the current password. */
  readonly asksForPassword?: true
  /** By field: the values that its form offers, where those are not all. */
  readonly offered?: Readonly<Record<string, readonly string[]>>
  /** The callers whose menu on HTML pages has its collection: those with this right, or all that are signed in. */
  readonly menu?: 'create' | 'list' | 'signed-in'
  /** The name in the option `paths` that moves it. */
  readonly movable?: MovableName
  /** Limited, so that an account can always be deleted together with its items. */
  readonly mostPerAccount?: MostPerAccount
  /** Its actions by name, which is the last segment of their URI. */
  readonly actions?: Readonly<Record<string, OwnAction>>
  /** The requests that the service sends for its items. */
  readonly sends?: SentRequests
  /** Set on items that an account holds, which it loses where another person may have made it. */
  readonly held?: HeldBy
  /** When its items are deleted; undefined: with what they belong to. */
  readonly keptFor?: KeptFor
  /** How long work that the consumer of the table has given up stays in the queue. */
  readonly parkedWork?: { readonly consumer: string; readonly seconds: number | 'log' }
}

/** An action on the items of a built-in table, for callers who may update them. Its code is in the list of features. */
export interface OwnAction {
  /** The text of its button. */
  readonly title: string
  /** In descriptions. */
  readonly summary: string
  /** Its content: one of these members. Undefined: none. */
  readonly takes?: readonly ProofName[]
  /** The member that an item takes. */
  takenBy?(read: ReadField): ProofName
  /** Its response shows the item, with these secrets; undefined: 202 without content. */
  readonly shows?: readonly string[]
  /** Whether it is offered for an item; always by default. */
  isOpen?(read: ReadField): boolean
}

/** The proof of a second factor: a code, or the response of a passkey. */
export type ProofName = 'code' | 'response'

/** The stored value of an item by the name of its field. */
type ReadField = (field: string) => Stored

/** The requests for changes of collections, in descriptions. */
export interface SentRequests {
  /** The name of their path item. */
  readonly name: string
  /** The kinds of changes. */
  readonly events: readonly string[]
  readonly pathItem: JsonSchema
}

export interface MostPerAccount {
  /** The reference to the account. */
  readonly owner: string
  readonly count: number
  /** The items, in a sentence: `tokens`. */
  readonly items: string
}

export interface HeldBy {
  /** The reference to the account, or the field with the digest of its key. */
  readonly account: string
  readonly isDigest?: true
  /** Only these items; all by default. */
  readonly only?: FieldCondition
  /** They expire. By default they are deleted. */
  readonly loss?: 'expiry'
  /** The effect of disabling the account, or of a password that another person sets; none by default. */
  readonly suspension?: 'deletion' | 'deactivation'
}

/** A condition in the form of the store. */
export interface FieldCondition {
  readonly kind: 'compare'
  readonly path: readonly string[]
  readonly operator: 'missing' | 'ne'
  readonly values: readonly string[]
}

/** The time in a field, and the seconds from then on; `log`: as long as the change log is kept. */
export interface KeptFor {
  readonly field: string
  readonly seconds: number | 'log'
  /** The table of their parts, which are deleted with them, and its field with their identity. */
  readonly parts?: { readonly table: string; readonly field: string }
}

/** The declaration of one. Its collection may have another name. */
export interface BuiltInTable extends TableTraits {
  readonly name: string
}

/** The action of the table that a path segment names; undefined where it has none of this name. */
export function findOwnAction({ actions = {} }: TableTraits, name: string): OwnAction | undefined {
  return Object.hasOwn(actions, name) ? actions[name] : undefined
}

/** The built-in collection, whatever its path is; undefined where the service has none. */
export function findBuiltIn<R extends { readonly traits: TableTraits }>(
  resources: ReadonlyMap<string, R>,
  table: BuiltInTable,
): R | undefined {
  return resources.values().find(({ traits }) => traits === table)
}
