/** What is to be shown, before any format: each representation writes each kind of view it can. */

import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import type { QueryPair } from '../http/query-string.ts'
import type { ContentFault } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import type { Action, Hypermedia } from './hypermedia.ts'
import type { PageChrome } from './page-chrome.ts'
import type { Shape } from './shape.ts'

export type View = ItemView | CollectionView | DocumentView | ProblemView

export interface ItemView {
  readonly kind: 'item'
  readonly row: Row
  readonly shape: Shape
  /** Items it refers to that are shown along, by the name of the reference. */
  readonly embedded?: ReadonlyMap<string, ItemView>
  /** Only where the format shows it. */
  readonly hypermedia?: Hypermedia
  /** Only where the format is a page for people. */
  readonly chrome?: PageChrome
}

export interface CollectionView {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  readonly items: readonly ItemView[]
  /** Where the store wrote the items as the format has them: their texts, and no `items`. */
  readonly itemTexts?: readonly string[]
  readonly hypermedia?: Hypermedia
  readonly chrome?: PageChrome
}

/** A whole collection, too large to hold: it is shown batch by batch, as it is loaded. */
export interface StreamView {
  readonly kind: 'stream'
  readonly resource: ResourceModel
  /** Those that any record may show, in declared order. */
  readonly fields: readonly FieldModel[]
  readonly batches: AsyncIterable<readonly ItemView[]>
}

/** Something of the service's own: the entry point, a problem type, the state of its health. */
export interface DocumentView {
  readonly kind: 'document'
  /** What it is, in a word: formats that name their root name it so. */
  readonly name?: string
  readonly data: JsonValue
  /** Where it is made once and kept: what is sent instead of the data. */
  readonly octets?: Uint8Array
  readonly hypermedia?: Hypermedia
  readonly chrome?: PageChrome
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
  readonly chrome?: PageChrome
  /** The form that was refused, where the content came from one. */
  readonly form?: RefusedForm
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

export interface RefusalPageView {
  readonly chrome: PageChrome
  readonly form?: RefusedForm
}
