/**
 * Composite representations have parts that change without the version of the item, such as embedded
 * items. Their entity tags have a digest of these parts (opaque-tag.ts); they have no Last-Modified,
 * and a lifetime in caches only where the definition declares one for them.
 */

import type { ItemView } from './view.ts'

export type Composition = 'plain' | 'composite'

/** Whether the representation of the item has parts that change without its version. */
export function compositionOf({ embedded }: ItemView): Composition {
  return embedded ? 'composite' : 'plain'
}
