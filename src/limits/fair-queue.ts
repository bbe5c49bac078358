/**
 * A fair queue for work that is dear: hashes of passwords, slow lists. Addresses take turns, and so do the callers of one
 * address. So many requests of one caller delay another caller by one turn only.
 */

import { clientNetwork } from '../http/ip-network.ts'
import { refuse, unavailable } from '../refusal.ts'
import type { Requester } from './requester.ts'

/** Runs the work when its turn comes; may refuse instead. */
export type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>

export interface FairQueue {
  /** Returns a runner that refuses with 429 when caller or address has too many entries, with 503 when the queue is full. */
  turnFor(requester: Requester): RunInTurn
}

export interface QueueLimits {
  /** Works that run at once. */
  readonly concurrent: number
  /** Works that run or wait, for one caller. */
  readonly perCaller: number
  readonly perAddress: number
  readonly total: number
  /** The works in the words of refusals, such as `password checks`. */
  readonly works: string
}

/** For commands of an operator, which do not wait. */
export const runImmediately: RunInTurn = (work) => work()

export function createFairQueue({ concurrent, works, ...most }: QueueLimits): FairQueue {
  const entryCounts = new Map<string, number>()
  const waiting: Waiting = new Map()
  let running = 0
  let total = 0

  function enter(names: readonly [caller: string, address: string]): void {
    if (total >= most.total) throw unavailable(`Too many ${works} are waiting at once.`)
    const [ofCaller = 0, ofAddress = 0] = names.map((name) => entryCounts.get(name))
    if (ofCaller >= most.perCaller || ofAddress >= most.perAddress) throw tooManyRequests(works)
    for (const name of names) entryCounts.set(name, (entryCounts.get(name) ?? 0) + 1)
    total += 1
  }

  function leave(names: readonly string[]): void {
    total -= 1
    for (const name of names) {
      const left = (entryCounts.get(name) ?? 0) - 1
      if (left > 0) entryCounts.set(name, left)
      else entryCounts.delete(name)
    }
  }

  async function runNext<T>(work: () => Promise<T>, address: string, caller: string): Promise<T> {
    if (running < concurrent) running += 1
    else await new Promise<void>((wake) => enqueue(waiting, [address, caller], wake))
    try {
      return await work()
    } finally {
      const wake = dequeue(waiting)
      if (wake) wake()
      else running -= 1
    }
  }

  return {
    turnFor: (requester) => async (work) => {
      const address = clientNetwork(requester.address)
      const names = [`caller ${requester.caller}`, `address ${address}`] as const
      enter(names)
      try {
        return await runNext(work, address, requester.caller)
      } finally {
        leave(names)
      }
    },
  }
}

/** By address, then by caller; the first entry of each has the next turn. */
type Waiting = Map<string, Map<string, (() => void)[]>>

function enqueue(waiting: Waiting, [address, caller]: readonly [string, string], wake: () => void) {
  const callers = waiting.get(address) ?? new Map<string, (() => void)[]>()
  const wakes = callers.get(caller) ?? []
  wakes.push(wake)
  waiting.set(address, callers.set(caller, wakes))
}

/** Removes the next entry, and moves its address and its caller to the end. */
function dequeue(waiting: Waiting): (() => void) | undefined {
  for (const [address, callers] of waiting) {
    for (const [caller, wakes] of callers) {
      const wake = wakes.shift()
      callers.delete(caller)
      if (wakes.length > 0) callers.set(caller, wakes)
      waiting.delete(address)
      if (callers.size > 0) waiting.set(address, callers)
      return wake
    }
  }
  return undefined
}

function tooManyRequests(works: string) {
  return refuse('too-many-requests', {
    detail: `Too many of your ${works} are waiting. Send fewer requests at once.`,
    fields: { 'Retry-After': '1' },
  })
}
