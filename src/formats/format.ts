/**
 * The interface of a format. To add one, add a file that exports it and list it in formats.ts, in
 * the order of preference: negotiation, links and the OpenAPI description follow. A format of items
 * must also show collections (the response to a bulk POST), and a format of collections must show
 * aggregates. Where its content is plain JSON that the schemas describe, also name its media type in
 * describe/content-schemas.ts. Problems have formats of their own, in offered-formats.ts.
 */

import type { ResourceModel } from '../definition/model.ts'
import { invalidContent, type Refusal } from '../refusal.ts'
import type { ItemView, StreamView, View } from '../views/view.ts'

export interface Format {
  /** The value of `?format=`. */
  readonly name: string
  readonly mediaType: string
  /** The value of Content-Type, if it is more than the media type. */
  readonly contentType?: string
  /** Tells its entity tags from those of a format with the same name, as in an older version of the interface. */
  readonly variant?: string
  /** The kinds of view that it can write. */
  readonly viewKinds: ReadonlySet<View['kind'] | 'file'>
  /** Whether it shows links, or links and actions; undefined means neither. */
  readonly hypermedia?: 'links' | 'actions'
  /** False where its representations have no entity tag and no Last-Modified. */
  readonly hasValidators?: false
  /** Whether its representations show the caller on every URI, so that only a private cache may store them. */
  readonly isPersonal?: true
  /** Whether its representations are in the language of the reader. */
  readonly isTranslated?: true
  /** Undefined where a representation shows more than a view: what makes it loads the rest. */
  readonly write?: (view: View) => string | Uint8Array
  /** Writes an item of a collection as `write` does, to measure a page. Undefined if collections show excerpts. */
  readonly writeCollectionItem?: (item: ItemView) => string
  /** Writes a complete collection while it is loaded, in place of a page. Undefined if it shows only pages. */
  readonly stream?: (view: StreamView) => AsyncIterable<string>
  /** Parses content to a JSON value; refuses malformed content. Undefined for output formats. */
  readonly read?: (content: Uint8Array, options: ReadOptions) => unknown
  /** Parses content with many items. */
  readonly readMany?: (
    content: Uint8Array,
    options: ReadOptions,
  ) => readonly unknown[] | Promise<readonly unknown[]>
}

/** A format that writes whatever is in a view. */
export interface WritingFormat extends Format {
  readonly write: NonNullable<Format['write']>
}

export function isWriting(format: Format): format is WritingFormat {
  return format.write !== undefined
}

/** How to read content. Formats without types, such as CSV, take them from the model. */
export interface ReadOptions {
  readonly resource: ResourceModel
  /** The charset parameter of Content-Type, if any. */
  readonly charset: string | undefined
  /** Whether the content changes an item: an empty value then removes the field. */
  readonly patch?: boolean
}

/** The most items in one request. */
export const maxItems = 1000

/** Creates a 422 refusal of content with no items, or with too many. */
export function invalidNumberOfItems(): Refusal {
  const detail = `Must have 1 to ${maxItems} items.`
  return invalidContent([{ pointer: '', rule: 'maxItems', detail }])
}
