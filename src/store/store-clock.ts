/** The clock of a service: that of the database where it has one, so that all nodes have the same time. */

import type { Store } from './store.ts'

export function clockOf(store: Store): { now(): number } {
  return { now: () => store.now?.() ?? Date.now() }
}
