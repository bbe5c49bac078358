/** Does work for many items, several at a time. */

/**
 * Resolves when the work for all items is done. After a failure no further work begins; rejects with that failure
 * when the work that had begun has ended, so that none is under way then.
 */
export async function workConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]()
  let hasFailed = false
  const workOnRemaining = async () => {
    for (let next = remaining.next(); !next.done && !hasFailed; next = remaining.next()) {
      await work(next.value).catch((error) => {
        hasFailed = true
        throw error
      })
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: limit }, workOnRemaining))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
