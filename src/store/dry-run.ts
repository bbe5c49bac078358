/** Dry runs: writes that the store tries and does not keep. */

import type { Model } from '../definition/model.ts'
import { never } from './condition.ts'
import type { Store } from './store.ts'
import { withCalls } from './with-calls.ts'
import type { RequireRow } from './write.ts'

/** The store, except that it keeps no write: each gets the outcome that it would have. */
export function createDryRunStore(store: Store, { resources }: Model): Store {
  const [table = ''] = resources.keys()
  const write: Store['write'] = async (writes, attribution) => {
    const outcome = await store.write([...writes, unsatisfiable(table)], attribution)
    const isTried = outcome.kind === 'refused' && outcome.index === writes.length
    return isTried ? { kind: 'done' } : outcome
  }
  return withCalls(store, { write })
}

/** The last write of a transaction that is always rolled back. */
function unsatisfiable(table: string): RequireRow {
  return { kind: 'require', table, condition: never }
}
