/**
 * What a page for people shows around what it is about: whose it is, where else to go, what the
 * items referred to are called. Worked out with the view, so that its entity tag knows of it.
 */

import type { Principal } from '../access/principal.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import type { Link } from '../http/link.ts'

export interface PageChrome {
  readonly model: Model
  readonly caller: Principal
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
  readonly canSignIn: boolean
  /** The same in other formats. */
  readonly alternates: readonly Alternate[]
  /** What items referred to are called, by identity. */
  readonly titles: ReadonlyMap<string, string>
  /** Of an item: what refers to it. */
  readonly referring: readonly ReferringItems[]
  /** Of a collection: how many there are, where the client asked. */
  readonly total?: number
  /** What makes a form that is sent twice count once. */
  readonly formKey: string | undefined
  /** Set where the item shown was made by this very request. */
  readonly justCreated?: boolean
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
  /** The list of all of them. */
  readonly uri: string
}

/** What the entity tag of a page must tell apart. */
export function chromeTagParts(chrome: PageChrome | undefined): readonly string[] {
  if (!chrome) return []
  const { model: _, caller, titles, referring, ...rest } = chrome
  const lists = referring.map(({ resource, ...one }) => [resource.name, one])
  return [JSON.stringify([caller.kind, rest, [...titles], lists])]
}
