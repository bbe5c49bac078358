/** The current state of a target, as loaded, with the caller's rights on it. */

import type { Rights } from '../../access/rights.ts'
import type { InverseRelation, ResourceModel } from '../../definition/model.ts'
import type { StoredFile } from '../../definition/stored-file.ts'
import type { Link } from '../../http/link.ts'
import type { Row } from '../../store/row.ts'
import type { Tombstone } from '../../store/store.ts'
import type { AggregateView, CollectionView, DocumentView, FileView, ItemView } from '../../views/view.ts'
import type { ConditionResult } from '../../views/visible-fields.ts'
import type { ListContext, ListPage } from './list-page.ts'
import type { RevisedTable, TableState } from './table-revisions.ts'

export type CurrentState =
  | NotLoaded
  | LoadedDocument
  | MadeFile
  | AbsentItem
  | FoundItem
  | LoadedPage
  | UnloadedPage
  | StreamedState
  | LoadedAggregates

/** The states of a collection. */
export type ListState = NotLoaded | LoadedPage | UnloadedPage | StreamedState

/** A collection that the request does not read. */
export interface NotLoaded {
  readonly kind: 'not-loaded'
  readonly parent: ParentItem | undefined
}

/** The item that a sub-collection belongs to; the caller may read it. */
export interface ParentItem {
  readonly kind: 'parent'
  readonly resource: ResourceModel
  readonly relation: InverseRelation
  readonly row: Row
}

/** The parent of the sub-collection; undefined for other targets. */
export function parentOf(current: CurrentState): ParentItem | undefined {
  return 'parent' in current ? current.parent : undefined
}

export interface LoadedDocument {
  readonly kind: 'document'
  /** A collection is the result of a query. */
  readonly view: DocumentView | CollectionView
  readonly links: readonly Link[]
}

/** The file that a query returned. */
export interface MadeFile {
  readonly kind: 'made-file'
  readonly view: FileView
}

export interface AbsentItem {
  readonly kind: 'absent'
  readonly tombstone: Tombstone | undefined
  /** The present URI of the item that had this URI before, when the caller may read it. */
  readonly movedTo: string | undefined
  /** Whether the URI has an item that is hidden from the caller. Set only for a PUT, which cannot create it. */
  readonly isHidden: boolean
}

export interface FoundItem {
  readonly kind: 'found'
  readonly row: Row
  readonly view: ItemView
  links(): readonly Link[]
  readonly rights: Rights
  /** Whether the caller may read the item. */
  readonly isReadable: boolean
  /** Whether the caller may perform the method on the item. */
  readonly isPermitted: boolean
  /** The results of the conditions that the store evaluated on the row. */
  readonly isTrue: ConditionResult
  /** The file that the target names; undefined where there is none, for a list, and for other targets. */
  readonly file?: StoredFile | undefined
}

/** A page whose entity tag is computed from its rows, because callers see different ones. */
export interface LoadedPage {
  readonly kind: 'page'
  readonly page: ListPage
  readonly list: ListContext
  readonly tableStates: readonly TableState[]
  readonly parent: ParentItem | undefined
}

/** A page that is not loaded yet: its entity tag is computed from the revisions of the tables it shows. */
export interface UnloadedPage {
  readonly kind: 'unloaded-page'
  /** Of the tables, read before any row. */
  readonly revisions: readonly number[]
  readonly revised: readonly RevisedTable[]
  readonly tableStates: readonly TableState[]
  readonly list: ListContext
  readonly parent: ParentItem | undefined
  /** The query and the fields shown, as text: with the revisions it determines the page. */
  readonly pageKey: string
  /** The key of the response cache; undefined when the response is not cached. */
  readonly cacheKey: ResponseCacheKey | undefined
}

/** A response whose body is loaded while it is sent: a whole collection, or a stream of events. */
export interface StreamedState {
  readonly kind: 'streamed'
  readonly parent: ParentItem | undefined
}

/** The groups of a collection. */
export interface LoadedAggregates {
  readonly kind: 'aggregates'
  readonly view: AggregateView
}

export interface ResponseCacheKey {
  /** Everything besides the revisions that determines the response. */
  readonly name: string
  readonly revisions: string
}
