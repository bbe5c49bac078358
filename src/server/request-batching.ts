/**
 * The end of a turn of the event loop. By then every packet that came in it is parsed to its end,
 * and what came together is dealt with together: what is done for many in a row, and looked up once
 * for all of them, costs each of them less (docs/decisions/0039).
 *
 * Of a crowd that takes longer than a turn should, the rest waits for the next turn, in order of
 * arrival. So what else arrives, such as a health check, is seen in good time.
 */

/** How many go on at once; the next when these have come as far as they can. */
const TOGETHER = 16
/** Milliseconds after which no further group begins in a turn. */
const LONGEST = 5
/**
 * Milliseconds of turns in a row that accept connections alone. Node accepts one in a turn, so that
 * with long turns a crowd of them, and a health check among them, would wait for seconds.
 */
const LONGEST_ACCEPTING = 5

interface Group {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly since: number
  size: number
}

const waiting: Group[] = []
let count = 0
/** Whether a connection was accepted since the last turn. */
let accepted = false
/** When the first of the turns in a row began in which no group does. */
let acceptingSince: number | undefined
/** When the first group of the present turn began. */
let turnBegan: number | undefined

/** Resolves at the end of the present turn; of a crowd, for one group after another. */
export function waitForBatch(): Promise<void> {
  const last = waiting.at(-1)
  const group = last === undefined || last.size === TOGETHER ? newGroup() : last
  group.size += 1
  count += 1
  return group.promise
}

/** To be called for each connection that is accepted. */
export function noteConnection(): void {
  accepted = true
}

/** Resolves at the end of the present turn, whoever else waits for it. */
export function urgentEndOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How many wait for the end of a turn. */
export function countWaiting(): number {
  return count
}

/** Milliseconds that those who have waited longest for the end of a turn have waited. */
export function longestWait(): number {
  const [first] = waiting
  return first === undefined ? 0 : performance.now() - first.since
}

function newGroup(): Group {
  const group: Group = { ...Promise.withResolvers<void>(), since: performance.now(), size: 0 }
  waiting.push(group)
  setImmediate(beginNext)
  return group
}

function beginNext(): void {
  const now = performance.now()
  if (turnBegan === undefined) {
    turnBegan = isForAccepting(now) ? Number.NEGATIVE_INFINITY : now
    setImmediate(endTurn)
  }
  if (now - turnBegan > LONGEST) setImmediate(beginNext)
  else begin(waiting.shift())
}

function begin(group: Group | undefined): void {
  count -= group?.size ?? 0
  group?.resolve()
}

/** Whether no group begins in this turn, for more connections may wait to be accepted. */
function isForAccepting(now: number): boolean {
  const since = acceptingSince ?? now
  acceptingSince = accepted && now - since < LONGEST_ACCEPTING ? since : undefined
  accepted = false
  return acceptingSince !== undefined
}

function endTurn(): void {
  turnBegan = undefined
}
