/** Changes as the client yields them. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * A change of an item. A deleted item has left the filter, or what the caller may read. `reset` has
 * no `href`: read the list again.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * for await (const { type, href, item } of notes.changes({ done: false })) {
 *   console.log(type, href, item?.title)
 *   break
 * }
 */
export interface Change<Row> {
  /** For `after`, to continue here. */
  readonly id: string
  /** Such as `notes.created`, `notes.updated`, `notes.deleted`, or `reset`. */
  readonly type: string
  readonly href?: string
  readonly version?: string
  readonly at?: string
  readonly item?: Row
}

export interface ChangesQuery {
  /** The `id` of the last change that was processed; without it the changes begin now. */
  readonly after?: string
  /** Words that the declared search fields must contain. */
  readonly q?: string
}
