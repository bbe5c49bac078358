/**
 * What every format is. Adding a format is adding a file and a line in formats.ts; a version of
 * the interface will be one more, with a media type of its own.
 */

import type { ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import type { RowText } from '../store/row.ts'
import type { Shape } from '../view/shape.ts'
import type { ItemView, StreamView, View } from '../view/view.ts'

export interface Representation {
  /** What `?format=` calls it. */
  readonly name: string
  readonly mediaType: string
  /** What Content-Type says, where that is more than the media type. */
  readonly contentType?: string
  /** The kinds of view it can write. */
  readonly shows: ReadonlySet<View['kind']>
  /** Whether it shows where to go from here, or also what may be done; undefined: neither. */
  readonly hypermedia?: 'links' | 'actions'
  /** Whether it is a page for people, which shows its surroundings too. */
  readonly isHtml?: boolean
  write(view: View): string | Uint8Array
  /** An item of a collection, as `write` writes it. Undefined: it shows an excerpt of each. */
  readonly writeItem?: (item: ItemView) => string
  /** How the store writes an item of a collection by itself; undefined where it cannot. */
  readonly rowText?: (shape: Shape) => RowText | undefined
  /** Writes a whole collection as it is loaded. Undefined: it shows collections page by page. */
  readonly stream?: (view: StreamView) => AsyncIterable<string>
  /** Content in this format as a JSON value; refuses what is not well-formed. Undefined: output only. */
  readonly read?: (content: Uint8Array, form: ReadOptions) => unknown
  /** Content that is many items at once, where a resource takes such. */
  readonly readMany?: (
    content: Uint8Array,
    form: ReadOptions,
  ) => readonly unknown[] | Promise<readonly unknown[]>
}

/** What the content is to become: formats without types of their own take them from the model. */
export interface ReadOptions {
  readonly resource: ResourceModel
  /** The charset that Content-Type names, if any. */
  readonly charset: string | undefined
  /** Whether it changes an item: what it has empty is then taken away. */
  readonly patch?: boolean
}

/** How many items content may be at once. */
export const maxItems = 1000

/** 422 for content of no item, or of more than are taken. */
export function invalidItemCount() {
  const detail = `Must have 1 to ${maxItems} items.`
  return refuse('invalid-content', {
    detail: 'One place is at fault.',
    errors: [{ pointer: '', rule: 'maxItems', detail }],
  })
}
