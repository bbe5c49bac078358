/** Waiting until a service has looked for queued work, for tests of work that is not done. */

import { queueName } from '../../src/definition/delivery-resources.ts'
import type { Store } from '../../src/store/store.ts'

/** A look reads what is due and, where something is, the first work of its lane; the next read is of another look. */
const readsPerLook = 2

/** Resolves when a look that begins after the call is complete. Counts the reads of the queue until then. */
export function lookedForWork(store: Store): Promise<void> {
  const { list } = store
  const { promise, resolve } = Promise.withResolvers<void>()
  let reads = 0
  store.list = (query) => {
    if (query.table === queueName) reads += 1
    if (reads > readsPerLook) {
      store.list = list
      resolve()
    }
    return list.call(store, query)
  }
  return promise
}
