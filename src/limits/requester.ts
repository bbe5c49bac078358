/** For whom the service works: those who ask for dear work take turns, and have a budget of it. See decision 0107. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadBudget } from './read-budget.ts'

export interface Requester {
  readonly address: string
  /** An account with all its tokens, or an address. */
  readonly caller: string
  /** The time that its reading may take; without it, as much as it needs. */
  readonly readBudget?: ReadBudget | undefined
}

const present = new AsyncLocalStorage<Requester>()

/** Work that no request has asked for, such as jobs and webhooks. */
const service: Requester = Object.freeze({ address: '', caller: 'service' })

/** Runs the work for the requester, with everything that it awaits. */
export function workFor<Result>(requester: Requester, work: () => Result): Result {
  return present.run(requester, work)
}

/** The same parts. Each is made for this requester, also where another one asks for it. */
export async function* partsFor<Part>(requester: Requester, parts: AsyncIterable<Part>) {
  const made = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await workFor(requester, () => made.next())
      if (done) return
      yield value
    }
  } finally {
    await made.return?.()
  }
}

/** The requester of the present work. */
export function presentRequester(): Requester {
  return present.getStore() ?? service
}
