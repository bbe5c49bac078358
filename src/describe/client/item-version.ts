/** Versions as the client returns them. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * A version of an item: when it was made, by whom, and the values that it changed. `from` is absent
 * where the item had no value, `to` where it has none any more.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const [note] = await notes.list({ limit: 1 })
 * const [latest] = note ? await notes.history(note.id, { limit: 1 }) : []
 * console.log(latest?.at, latest?.by, latest?.changes.title?.from)
 */
export interface Version {
  /** For `version`, to read the item as it was. */
  readonly version: string
  readonly at: string
  /** The account, where the caller may read it. */
  readonly by?: string
  /** `created`, `updated`, or the name of a transition or action. */
  readonly kind: string
  readonly changes: { readonly [field: string]: { readonly from?: unknown; readonly to?: unknown } }
}
