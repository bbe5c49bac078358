/**
 * What stands at the target now, and what this caller may do with it. Everything that depends on
 * the record is asked of the store in the one question that loads it.
 */

import type { Rights } from '../access/rights.ts'
import type { Link } from '../http/link.ts'
import type { Row } from '../store/row.ts'
import type { Tombstone } from '../store/store.ts'
import type { CheckResults } from '../view/shape.ts'
import type { DocumentView, ItemView } from '../view/view.ts'
import type { ListContext, ListPage } from './list-page.ts'
import type { TableMark } from './table-revisions.ts'

export type CurrentState =
  | NotLoaded
  | LoadedDocument
  | AbsentItem
  | FoundItem
  | LoadedPage
  | UnloadedPage
  | StreamedCollection

/** A collection that is written to, and not looked at. */
export interface NotLoaded {
  readonly kind: 'not-loaded'
}

export interface LoadedDocument {
  readonly kind: 'document'
  readonly view: DocumentView
  readonly links: readonly Link[]
}

export interface AbsentItem {
  readonly kind: 'absent'
  readonly tombstone: Tombstone | undefined
  /** Where the item is now that was here before, where the caller may read it. */
  readonly movedTo: string | undefined
  /** An item is here that the caller may not see. Known to PUT alone, which cannot create it. */
  readonly isHidden: boolean
}

export interface FoundItem {
  readonly kind: 'found'
  readonly row: Row
  readonly view: ItemView
  links(): readonly Link[]
  readonly rights: Rights
  /** The caller may read the record. */
  readonly isReadable: boolean
  /** The caller may do to the record what the method does. */
  readonly isPermitted: boolean
  readonly holds: CheckResults
}

/** A page whose tag must come from its records, because not everyone sees the same. */
export interface LoadedPage {
  readonly kind: 'page'
  readonly page: ListPage
  readonly list: ListContext
  readonly marks: readonly TableMark[]
}

/** A page whose tag comes from the revisions of the tables it shows; not loaded yet. */
export interface UnloadedPage {
  readonly kind: 'unloaded-page'
  /** Of the tables, from before anything is loaded. */
  readonly revisions: readonly number[]
  readonly tables: readonly string[]
  readonly marks: readonly TableMark[]
  readonly list: ListContext
  /** What else decides which records are shown, and what of them. */
  readonly name: string
  /** Under what the answer is kept and recalled; undefined where it is not. */
  readonly key: ResponseCacheKey | undefined
}

/** A whole collection, which is loaded only as it is sent. */
export interface StreamedCollection {
  readonly kind: 'streamed'
}

export interface ResponseCacheKey {
  /** All that decides which records are shown, what of them, in which octets and with which fields. */
  readonly name: string
  readonly revisions: string
}
