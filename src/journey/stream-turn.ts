/**
 * Turns of streams: a database in the same process answers at once, so without them a stream would
 * keep the event loop from all other requests until its connection takes no more.
 */

const waiting: (() => void)[] = []

/** Resolves in a later turn of the event loop; one stream goes on in each. */
export function streamTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(nextTurn)
  })
}

function nextTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(nextTurn)
}
