/** The parts of an HTML page around its content: navigation, account, alternate formats, titles of referenced items. */

import type { Principal } from '../../access/principal.ts'
import type { JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import type { Tone } from '../../definition/tone.ts'
import type { Link } from '../../http/link.ts'
import type { DeletionReason } from '../../views/hypermedia-controls.ts'
import type { CollectionView, ProblemView } from '../../views/view.ts'
import type { Notice } from '../forms/notice-view.ts'
import type { RefusedForm } from '../page-view.ts'
import type { ViewedAs } from '../view-as/view-as.ts'

export interface PageLayout {
  /** The refusal of the form of a document, on the page of the document. */
  readonly refused?: { readonly form: RefusedForm; readonly problem: ProblemView }
  readonly model: Model
  readonly caller: Principal
  /** Scheme and authority that the client used, for examples to copy. */
  readonly origin: string
  /** The URI of the target, without `format`. */
  readonly uri: string
  /** The key of the entity tags in forms. */
  readonly tagKey: string
  /** Collections that the caller may list. */
  readonly navigation: readonly Link[]
  /** The caller's own account, if the caller may read it. */
  readonly account: { readonly title: string | undefined; readonly uri: string } | undefined
  /** Whether people can sign in here, and with passkeys. */
  readonly canSignIn: boolean
  readonly hasPasskeys: boolean
  readonly hasAudit: boolean
  /** The same resource in other formats. */
  readonly alternates: readonly Alternate[]
  /** Titles of referenced items, by the key of `titleKey`. */
  readonly titles: ReadonlyMap<string, string>
  /** The items that forms and filters show for references, by collection. */
  readonly choices: ReadonlyMap<string, ReferenceChoices>
  /** Of an item: the first items of each sub-collection, by the name of the relation. */
  readonly subCollections?: ReadonlyMap<string, CollectionView> | undefined
  /** Of an item: items that refer to it. */
  readonly referring: readonly ReferringItems[]
  /** Of an item: its newest versions, as its history shows them. */
  readonly versions?: readonly Readonly<Record<string, JsonValue>>[]
  /** Of a collection or an item: whether the caller may ask what others may see of it and do with it. */
  readonly explainsAccess?: boolean
  /** Of a sub-collection: the item that it belongs to. */
  readonly parent?: ParentHeading | undefined
  /** Of the home page: the figures of each collection by name. */
  readonly collections?: ReadonlyMap<string, CollectionFigures> | undefined
  /** Of a collection: how many items it has, and how many have which values. */
  readonly figures?: ListFigures
  /** The idempotency key of the forms that create, random, so that a form sent twice counts once. */
  readonly formKey: string
  /** Of a new authenticator: its QR code as SVG. */
  readonly qrCode?: string
  /** Of a new passkey: the options for the script, as JSON, and where its response is sent. */
  readonly passkey?: { readonly options: string; readonly target: string }
  /** The effect of the last form, to be said once. */
  readonly notice?: Notice | undefined
  /** Whom an administrator sees the page as. */
  readonly viewedAs?: ViewedAs | undefined
  /** Of pages of tokens. */
  readonly tokenChoices?: TokenChoices
  /** Of an item: why it cannot be deleted, where the caller may delete it. */
  readonly deletionBlock?: DeletionBlock | undefined
}

/** How long a new token of the caller can be valid. */
export interface TokenChoices {
  /** The identity of the token of the caller's session; undefined without a session. */
  readonly own: string | undefined
  /** In seconds. */
  readonly lifetimes: readonly number[]
  /** In seconds: of a token without a chosen one. */
  readonly defaultLifetime?: number
  /** When such a token expires, where the caller's own token expires earlier. */
  readonly expiresAt?: string
}

/** Why an item cannot be deleted. */
export interface DeletionBlock {
  readonly reason: DeletionReason
  /** The items that refer to it and that the caller may read, by collection. */
  readonly users: readonly { readonly collection: string; readonly total: number }[]
}

export interface CollectionFigures {
  /** The number of items; undefined where there are too many to count on every page. */
  readonly total: number | undefined
  /** The time of the last change; undefined where it is not known. */
  readonly changed: string | undefined
  readonly states: readonly StateFigures[]
  /** The form that creates an item; undefined where the caller may create none. */
  readonly newUri: string | undefined
}

/** How many items are in a state, and the tone that the definition gives it. */
export interface StateFigures {
  readonly value: string
  readonly count: number
  readonly tone: Tone | undefined
}

export interface ListFigures {
  /** The number of items of the list; undefined where there are too many to count on every page. */
  readonly total: number | undefined
  /** The number of items before those of the page; undefined where there are too many. */
  readonly before: number | undefined
  /** Undefined where the collection has too many items to count them by their values. */
  readonly facets: readonly Facet[] | undefined
}

/** The values of a field, with the number of items that have each. */
export interface Facet {
  readonly name: string
  readonly values: readonly FacetValue[]
}

export interface FacetValue {
  readonly value: string
  /** The title of the item that the value refers to. */
  readonly title: string | undefined
  readonly count: number
}

/** The item that a sub-collection belongs to, as its page names it. */
export interface ParentHeading {
  /** The collection of the item, and its URI if the caller may list it. */
  readonly collection: string
  readonly collectionUri: string | undefined
  readonly title: string
  readonly uri: string
}

/** An item that a reference can have. */
export interface ReferenceChoice {
  readonly id: string
  readonly title: string
}

export interface ReferenceChoices {
  readonly items: readonly ReferenceChoice[]
  /** Whether these are all items of the collection that the caller may choose; else they are those of present values. */
  readonly isComplete: boolean
}

export interface Alternate {
  readonly name: string
  readonly mediaType: string
  readonly uri: string
}

/** The first items of a collection that refer to an item by one of its fields. */
export interface ReferringItems {
  readonly resource: ResourceModel
  readonly name: string
  readonly items: readonly { readonly title: string; readonly uri: string }[]
  /** The list of all referring items. */
  readonly uri: string
}
