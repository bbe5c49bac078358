/**
 * Sign-in attempts (CONTRACT 10): failed password checks are counted for each login and address,
 * and for each address, in a window that slides. Past the limit nothing is hashed.
 *
 * An attempt under way might fail, so it takes a place while it lasts; where all places are taken
 * the next one waits to see how those end. So a burst cannot overdraw, and successes, however many
 * at once, are charged nothing.
 */

import { createHash } from 'node:crypto'
import { clientNetwork } from '../http/ip-network.ts'
import { refuse, unavailable } from '../refusal.ts'

/** Ends an attempt; it is charged where it failed. */
export type EndAttempt = (failed: boolean) => void

export interface SignInAttempts {
  /** Begins an attempt. Refuses with 429 where too many have failed. */
  begin(login: string, address: string): Promise<EndAttempt>
  /**
   * The outcome of the check, which is charged where it is false. Refuses with 429 before the
   * check runs where too many have failed.
   */
  guard(login: string, address: string, check: () => Promise<boolean>): Promise<boolean>
}

const window = 60_000
/** Those who wait for one login mostly send the same password, which is then checked once. */
const perLogin = { limit: 10, queue: 1000 }
/** Those who wait for one address have a check each before them. */
const perAddress = { limit: 50, queue: 100 }
/** Of each kind of ledger; the one longest untouched is forgotten first. */
const maxCounters = 20_000

interface FailureCounter {
  readonly limit: number
  /** How many may wait; beyond, they are sent away. */
  readonly queue: number
  /** When checks failed, oldest first; never more than the limit. */
  failures: number[]
  underWay: number
  waiting: (() => void)[]
}

export function createSignInAttempts(now: () => number): SignInAttempts {
  const logins = new Map<string, FailureCounter>()
  const addresses = new Map<string, FailureCounter>()

  /** Waits for a place in every ledger, and takes it. */
  async function enter(counters: readonly FailureCounter[]): Promise<void> {
    for (;;) {
      for (const counter of counters) requireFailuresLeft(counter, now())
      const full = counters.find((one) => one.failures.length + one.underWay >= one.limit)
      if (!full) break
      if (full.waiting.length >= full.queue) throw unavailable('Too many are signing in at once.')
      await new Promise<void>((resolve) => full.waiting.push(resolve))
    }
    for (const counter of counters) counter.underWay += 1
  }

  function leave(counters: readonly FailureCounter[], failed: boolean): void {
    for (const counter of counters) {
      counter.underWay -= 1
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

export function createGuardedAttempts(enter: SignInAttempts['begin']): SignInAttempts {
  return {
    begin: enter,
    async guard(login, address, check) {
      const leave = await enter(login, address)
      let failed = false
      try {
        const right = await check()
        failed = !right
        return right
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
    detail: 'Too many sign-in attempts have failed.',
    fields: { 'Retry-After': String(seconds) },
  })
}

function findOrCreateCounter(
  counters: Map<string, FailureCounter>,
  name: string,
  limits: Pick<FailureCounter, 'limit' | 'queue'>,
): FailureCounter {
  const counter = counters.get(name) ?? { ...limits, failures: [], underWay: 0, waiting: [] }
  counters.delete(name)
  if (counters.size >= maxCounters) evictIdleCounter(counters)
  counters.set(name, counter)
  return counter
}

/** Not one that is in use, for whoever uses it would then charge a ledger that nobody asks. */
function evictIdleCounter(counters: Map<string, FailureCounter>): void {
  for (const [name, counter] of counters) {
    if (counter.underWay > 0 || counter.waiting.length > 0) continue
    counters.delete(name)
    return
  }
}
