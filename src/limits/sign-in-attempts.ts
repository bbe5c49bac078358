/**
 * Limits failed sign-in attempts in a sliding window, for each login at an address and for each
 * address (docs/reference/http/limits.md, "Limits"). Beyond the limit no password is hashed.
 *
 * An attempt in progress may fail, so it counts as a failure until it ends; further attempts wait.
 * So a burst cannot exceed the limit, and successful attempts cost nothing.
 */

import { createHash } from 'node:crypto'
import { clientNetwork } from '../http/ip-network.ts'
import { refuse, unavailable } from '../refusal.ts'

/** Ends an attempt; a failed one is counted. */
export type EndAttempt = (failed: boolean) => void

export interface SignInAttempts {
  /** Begins an attempt. Refuses with 429 when too many have failed, with 503 when too many wait. */
  begin(login: string, address: string): Promise<EndAttempt>
  /** Runs the check as an attempt and returns its result; false and undefined count as failures. */
  guard<Result>(login: string, address: string, check: () => Promise<Result>): Promise<Result>
}

const window = 60_000
/** Attempts that wait for one login mostly have the same password, which is verified once. */
const perLogin = { limit: 10, queue: 1000 }
/** Attempts that wait for one address need a verification each. */
const perAddress = { limit: 50, queue: 100 }
/** For each of the two maps; the least recently used counter is dropped. */
const maxCounters = 20_000

interface FailureCounter {
  readonly limit: number
  /** How many attempts may wait. */
  readonly queue: number
  /** Times of failures, oldest first; at most `limit`. */
  failures: number[]
  inProgress: number
  waiting: (() => void)[]
}

/** Returns attempts that are counted in this process. */
export function createSignInAttempts(now: () => number): SignInAttempts {
  const logins = new Map<string, FailureCounter>()
  const addresses = new Map<string, FailureCounter>()

  /** Waits until no counter is at its limit, then counts the attempt. */
  async function enter(counters: readonly FailureCounter[]): Promise<void> {
    for (;;) {
      for (const counter of counters) requireFailuresLeft(counter, now())
      const full = counters.find(({ failures, inProgress, limit }) => failures.length + inProgress >= limit)
      if (!full) break
      if (full.waiting.length >= full.queue) throw unavailable('Too many people are signing in at once.')
      await new Promise<void>((resolve) => full.waiting.push(resolve))
    }
    for (const counter of counters) counter.inProgress += 1
  }

  function leave(counters: readonly FailureCounter[], failed: boolean): void {
    for (const counter of counters) {
      counter.inProgress -= 1
      if (failed) counter.failures.push(now())
      for (const wake of counter.waiting.splice(0)) wake()
    }
  }

  return createGuardedAttempts(async (login, address) => {
    const from = clientNetwork(address)
    const name = createHash('sha256').update(`${from} ${login}`).digest('base64')
    const counters = [
      findOrCreateCounter(logins, name, perLogin),
      findOrCreateCounter(addresses, from, perAddress),
    ]
    await enter(counters)
    return (failed) => leave(counters, failed)
  })
}

/** Returns attempts that `begin` counts, such as in another process. */
export function createGuardedAttempts(enter: SignInAttempts['begin']): SignInAttempts {
  return {
    begin: enter,
    async guard(login, address, check) {
      const leave = await enter(login, address)
      let failed = false
      try {
        const result = await check()
        failed = result === false || result === undefined
        return result
      } finally {
        leave(failed)
      }
    },
  }
}

function requireFailuresLeft(counter: FailureCounter, now: number): void {
  counter.failures = counter.failures.filter((at) => at > now - window)
  const [oldest] = counter.failures
  if (oldest === undefined || counter.failures.length < counter.limit) return
  const seconds = Math.max(1, Math.ceil((oldest + window - now) / 1000))
  throw refuse('too-many-requests', {
    detail: 'Too many sign-in attempts have failed. Wait, then try again.',
    fields: { 'Retry-After': String(seconds) },
  })
}

function findOrCreateCounter(
  counters: Map<string, FailureCounter>,
  name: string,
  limits: Pick<FailureCounter, 'limit' | 'queue'>,
): FailureCounter {
  const counter = counters.get(name) ?? { ...limits, failures: [], inProgress: 0, waiting: [] }
  counters.delete(name)
  if (counters.size >= maxCounters) evictIdleCounter(counters)
  counters.set(name, counter)
  return counter
}

/** Skips counters in use: their attempts would count on an object that is no longer in the map. */
function evictIdleCounter(counters: Map<string, FailureCounter>): void {
  for (const [name, counter] of counters) {
    if (counter.inProgress > 0 || counter.waiting.length > 0) continue
    counters.delete(name)
    return
  }
}
