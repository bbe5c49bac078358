/**
 * The end of a turn of the event loop. By then every packet that came in it is parsed to its end,
 * and what came together is dealt with together: what is done for many in a row, and looked up once
 * for all of them, costs each of them less (docs/decisions/0039).
 *
 * Of a crowd that takes longer than a turn should, the rest waits for the next turn, in order of
 * arrival. So what else arrives, such as a health check, is seen in good time.
 */

/** How many go on at once; the next when these have come as far as they can. */
const maxBatchSize = 16
/** Milliseconds after which no further group begins in a turn. */
const maxTurnTime = 5
/**
 * Milliseconds of turns in a row that accept connections alone. Node accepts one in a turn, so that
 * with long turns a crowd of them, and a health check among them, would wait for seconds.
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
/** Whether a connection was accepted since the last turn. */
let hasAccepted = false
/** When the first of the turns in a row began in which no group does. */
let acceptingSince: number | undefined
/** When the first group of the present turn began. */
let turnStart: number | undefined

/** Resolves at the end of the present turn; of a crowd, for one group after another. */
export function waitForBatch(): Promise<void> {
  const last = waitingBatches.at(-1)
  const group = last === undefined || last.size === maxBatchSize ? createBatch() : last
  group.size += 1
  waitingRequests += 1
  return group.promise
}

/** To be called for each connection that is accepted. */
export function noteConnection(): void {
  hasAccepted = true
}

/** Resolves at the end of the present turn, whoever else waits for it. */
export function waitForEndOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How many wait for the end of a turn. */
export function countWaiting(): number {
  return waitingRequests
}

/** Milliseconds that those who have waited longest for the end of a turn have waited. */
export function longestWait(): number {
  const [first] = waitingBatches
  return first === undefined ? 0 : performance.now() - first.since
}

function createBatch(): Batch {
  const group: Batch = { ...Promise.withResolvers<void>(), since: performance.now(), size: 0 }
  waitingBatches.push(group)
  setImmediate(startNextBatch)
  return group
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

function startBatch(group: Batch | undefined): void {
  waitingRequests -= group?.size ?? 0
  group?.resolve()
}

/** Whether no group begins in this turn, for more connections may wait to be accepted. */
function isAcceptingTurn(now: number): boolean {
  const since = acceptingSince ?? now
  acceptingSince = hasAccepted && now - since < maxAcceptingTime ? since : undefined
  hasAccepted = false
  return acceptingSince !== undefined
}

function endTurn(): void {
  turnStart = undefined
}
