/**
 * Composite representations have parts that change without the version of the item: embedded items and
 * derived fields. Their entity tags have a digest of these parts (opaque-tag.ts); they have no
 * Last-Modified, and a lifetime in caches only where the definition declares one for them.
 */

import type { ItemView } from './view.ts'

export type Composition = 'plain' | 'composite'

/** Whether the representation of the item has parts that change without its version. */
export function compositionOf({ embedded, visibleFields }: ItemView): Composition {
  return embedded || visibleFields.derived.length > 0 ? 'composite' : 'plain'
}

/** The embedded items of all relations. */
export function embeddedItems(embedded: ItemView['embedded']): readonly ItemView[] {
  if (!embedded) return []
  return [...embedded.values()].flatMap((one) => (one.kind === 'list' ? one.items : [one]))
}

/** The links to the lists that are embedded in part, by the name of the relation. */
export function restLinks(embedded: ItemView['embedded']): ReadonlyMap<string, string> {
  const lists = [...(embedded ?? [])].flatMap(([name, one]) =>
    one.kind === 'list' && one.rest !== undefined ? [[name, one.rest] as const] : [],
  )
  return new Map(lists)
}
