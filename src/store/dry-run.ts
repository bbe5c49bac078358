/** Dry runs: writes that the store tries and does not keep. */

import type { Model } from '../definition/model.ts'
import type { Attribution } from './change-log.ts'
import { never } from './condition.ts'
import type { Store } from './store.ts'
import type { RequireRow, Write, WriteOutcome } from './write.ts'

/** The outcome that the writes would have, and keeps none of them. */
export async function tryWrites(
  store: Store,
  { resources }: Model,
  writes: readonly Write[],
  attribution?: Attribution,
): Promise<WriteOutcome> {
  const [table = ''] = resources.keys()
  const outcome = await store.write([...writes, unsatisfiable(table)], attribution)
  const isTried = outcome.kind === 'refused' && outcome.index === writes.length
  return isTried ? { kind: 'done' } : outcome
}

/** The last write of a transaction that is always rolled back. */
function unsatisfiable(table: string): RequireRow {
  return { kind: 'require', table, condition: never }
}
