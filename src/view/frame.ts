/**
 * What a page for people shows around what it is about: whose it is, where else to go, what the
 * items referred to are called. Worked out with the view, so that its entity tag knows of it.
 */

import type { Principal } from '../access/principal.ts'
import type { Model, ResourceModel } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import type { QueryPair } from '../http/query-string.ts'
import type { Action } from './hypermedia.ts'
import type { ItemView } from './view.ts'

export interface Frame {
  readonly model: Model
  readonly who: Principal
  /** Names the templates that pages are made by. */
  readonly edition: string
  /** Scheme and authority by which the client came here, for examples to copy. */
  readonly origin: string
  /** The target, whatever the format. */
  readonly uri: string
  /** Collections that the caller may list. */
  readonly navigation: readonly Link[]
  /** The caller's own account, where it may see it. */
  readonly account: { readonly title: string; readonly uri: string } | undefined
  /** Whether people can sign in here. */
  readonly doors: boolean
  /** The same in other formats. */
  readonly alternates: readonly Alternate[]
  /** What items referred to are called, by identity. */
  readonly titles: ReadonlyMap<string, string>
  /** Of an item: what refers to it. */
  readonly referring: readonly Referring[]
  /** Of a collection: how many there are, where the client asked. */
  readonly total?: number
  /** What makes a form that is sent twice count once. */
  readonly formKey: string | undefined
  /** Set where the item shown was made by this very request. */
  readonly made?: boolean
}

export interface Alternate {
  readonly name: string
  readonly mediaType: string
  readonly uri: string
}

/** The first items of a collection that refer to an item by one of its fields. */
export interface Referring {
  readonly resource: ResourceModel
  readonly name: string
  readonly items: readonly { readonly title: string; readonly uri: string }[]
  /** The list of all of them. */
  readonly uri: string
}

/** A form that was refused: it is shown again as it was sent, with what is wrong with it. */
export interface RefusedForm {
  readonly kind: 'create' | 'edit' | 'transition' | 'delete'
  readonly resource: ResourceModel
  /** What was to be done, in the words of its button: `Close`. */
  readonly title: string
  /** Undefined where the caller can no longer do it. */
  readonly action: Action | undefined
  /** As sent, but for secrets and for values that the person did not change. */
  readonly sent: readonly QueryPair[]
  /** The item as it is now; undefined where one was to be made. */
  readonly item: ItemView | undefined
}

/** What the entity tag of a page must tell apart. */
export function frameTrace(frame: Frame | undefined): readonly string[] {
  if (!frame) return []
  const { model: _, who, titles, referring, ...rest } = frame
  const lists = referring.map(({ resource, ...one }) => [resource.name, one])
  return [JSON.stringify([who.kind, rest, [...titles], lists])]
}
