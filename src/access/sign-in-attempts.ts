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
export type AttemptEnd = (failed: boolean) => void

export interface SignInAttempts {
  /** Begins an attempt. Refuses with 429 where too many have failed. */
  enter(login: string, address: string): Promise<AttemptEnd>
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
const mostLedgers = 20_000

interface Ledger {
  readonly limit: number
  /** How many may wait; beyond, they are sent away. */
  readonly queue: number
  /** When checks failed, oldest first; never more than the limit. */
  failures: number[]
  underWay: number
  waiting: (() => void)[]
}

export function createSignInAttempts(now: () => number): SignInAttempts {
  const logins = new Map<string, Ledger>()
  const addresses = new Map<string, Ledger>()

  /** Waits for a place in every ledger, and takes it. */
  async function enter(ledgers: readonly Ledger[]): Promise<void> {
    for (;;) {
      for (const ledger of ledgers) refuseSpent(ledger, now())
      const full = ledgers.find((one) => one.failures.length + one.underWay >= one.limit)
      if (!full) break
      if (full.waiting.length >= full.queue) throw unavailable('Too many are signing in at once.')
      await new Promise<void>((resolve) => full.waiting.push(resolve))
    }
    for (const ledger of ledgers) ledger.underWay += 1
  }

  function leave(ledgers: readonly Ledger[], failed: boolean): void {
    for (const ledger of ledgers) {
      ledger.underWay -= 1
      if (failed) ledger.failures.push(now())
      for (const wake of ledger.waiting.splice(0)) wake()
    }
  }

  return attemptsBy(async (login, address) => {
    const from = clientNetwork(address)
    const name = createHash('sha256').update(`${from} ${login}`).digest('base64')
    const ledgers = [ledgerIn(logins, name, perLogin), ledgerIn(addresses, from, perAddress)]
    await enter(ledgers)
    return (failed) => leave(ledgers, failed)
  })
}

export function attemptsBy(enter: SignInAttempts['enter']): SignInAttempts {
  return {
    enter,
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

function refuseSpent(ledger: Ledger, now: number): void {
  ledger.failures = ledger.failures.filter((at) => at > now - window)
  const [oldest] = ledger.failures
  if (oldest === undefined || ledger.failures.length < ledger.limit) return
  const seconds = Math.max(1, Math.ceil((oldest + window - now) / 1000))
  throw refuse('too-many-requests', {
    detail: 'Too many sign-in attempts have failed.',
    fields: { 'Retry-After': String(seconds) },
  })
}

function ledgerIn(
  ledgers: Map<string, Ledger>,
  name: string,
  limits: Pick<Ledger, 'limit' | 'queue'>,
): Ledger {
  const ledger = ledgers.get(name) ?? { ...limits, failures: [], underWay: 0, waiting: [] }
  ledgers.delete(name)
  if (ledgers.size >= mostLedgers) forgetOne(ledgers)
  ledgers.set(name, ledger)
  return ledger
}

/** Not one that is in use, for whoever uses it would then charge a ledger that nobody asks. */
function forgetOne(ledgers: Map<string, Ledger>): void {
  for (const [name, ledger] of ledgers) {
    if (ledger.underWay > 0 || ledger.waiting.length > 0) continue
    ledgers.delete(name)
    return
  }
}
