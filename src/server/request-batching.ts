/**
 * Batches requests per turn of the event loop. Requests that arrive in the same turn start together
 * when all its packets are parsed: the store then reads for many at once, and code and data stay in
 * the processor's caches. A turn starts batches for at most 5 ms; the others wait for the next
 * turn, in order of arrival, so that new packets such as health checks are read in time.
 */

/** Requests per batch. The next batch starts when these wait for I/O. */
const maxBatchSize = 16
/** Milliseconds after which a turn starts no further batch. */
const maxTurnTime = 5
/**
 * Milliseconds in which turns only accept connections. Node accepts one connection per turn, so
 * with long turns many new connections would wait for seconds.
 */
const maxAcceptingTime = 5

interface Batch {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly since: number
  size: number
}

const waitingBatches: Batch[] = []
let waitingRequests = 0
/** Whether a connection was accepted since the last turn began. */
let hasAccepted = false
/** When the present series of accepting turns began. */
let acceptingSince: number | undefined
/** When the first batch of the present turn started. */
let turnStart: number | undefined

/** Resolves when the batch of this request starts. */
export function waitForBatch(): Promise<void> {
  const last = waitingBatches.at(-1)
  const batch = last === undefined || last.size === maxBatchSize ? createBatch() : last
  batch.size += 1
  waitingRequests += 1
  return batch.promise
}

/** Records that a connection was accepted. */
export function recordAcceptedConnection(): void {
  hasAccepted = true
}

/** Resolves at the end of the present turn, before all waiting batches. For urgent requests. */
export function waitForEndOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The number of requests that wait for their batch. */
export function countWaiting(): number {
  return waitingRequests
}

/** Milliseconds that the oldest waiting request has waited. */
export function longestWait(): number {
  const [first] = waitingBatches
  return first === undefined ? 0 : performance.now() - first.since
}

function createBatch(): Batch {
  const batch: Batch = { ...Promise.withResolvers<void>(), since: performance.now(), size: 0 }
  waitingBatches.push(batch)
  setImmediate(startNextBatch)
  return batch
}

function startNextBatch(): void {
  const now = performance.now()
  if (turnStart === undefined) {
    turnStart = isAcceptingTurn(now) ? Number.NEGATIVE_INFINITY : now
    setImmediate(endTurn)
  }
  if (now - turnStart > maxTurnTime) setImmediate(startNextBatch)
  else startBatch(waitingBatches.shift())
}

function startBatch(batch: Batch | undefined): void {
  waitingRequests -= batch?.size ?? 0
  batch?.resolve()
}

/** Whether this turn starts no batch, because more connections may wait to be accepted. */
function isAcceptingTurn(now: number): boolean {
  const since = acceptingSince ?? now
  acceptingSince = hasAccepted && now - since < maxAcceptingTime ? since : undefined
  hasAccepted = false
  return acceptingSince !== undefined
}

function endTurn(): void {
  turnStart = undefined
}
