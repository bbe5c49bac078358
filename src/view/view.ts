/** What is to be shown, before any format: each representation writes each kind of view it can. */

import type { JsonValue, ResourceModel } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import type { ContentFault } from '../refusal.ts'
import type { Row } from '../store/store.ts'
import type { Shape } from './shape.ts'

export type View = ItemView | CollectionView | DocumentView | ProblemView

export interface ItemView {
  readonly kind: 'item'
  readonly row: Row
  readonly shape: Shape
  /** Items it refers to that are shown along, by the name of the reference. */
  readonly embedded?: ReadonlyMap<string, ItemView>
}

export interface CollectionView {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  readonly items: readonly ItemView[]
}

/** Something of the service's own: the entry point, a problem type, the state of its health. */
export interface DocumentView {
  readonly kind: 'document'
  readonly data: JsonValue
}

/** RFC 9457. */
export interface ProblemView {
  readonly kind: 'problem'
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly errors: readonly ContentFault[] | undefined
  readonly members: Readonly<Record<string, unknown>>
}

/** A view with what goes beside it into header fields. */
export interface Shown<V extends View = View> {
  readonly view: V
  readonly links: readonly Link[]
}
