/** Limits how many responses are streamed at the same time, for each caller and in this process. */

import { refuse, unavailable } from '../refusal.ts'

export interface StreamLimits {
  readonly perCaller: number
  readonly perProcess: number
}

export const defaultStreamLimits: StreamLimits = Object.freeze({ perCaller: 10, perProcess: 100 })

/** A page may show many files at once, and each costs little while it is sent. */
export const fileStreamLimits: StreamLimits = Object.freeze({ perCaller: 200, perProcess: 2000 })

export interface StreamLimit {
  /** Counts a stream and returns a function that ends it. Refuses with 429 or 503 at the limit. */
  enter(caller: string): () => void
}

/** Seconds; a stream ends when its client has read it, which takes longer than most requests. */
const retryAfter = 10

/** Returns a limit with these numbers. */
export function createStreamLimit({ perCaller, perProcess }: StreamLimits): StreamLimit {
  const counts = new Map<string, number>()
  let total = 0

  function leave(caller: string): void {
    const remaining = (counts.get(caller) ?? 0) - 1
    if (remaining > 0) counts.set(caller, remaining)
    else counts.delete(caller)
    total -= 1
  }

  return {
    enter(caller) {
      const count = counts.get(caller) ?? 0
      if (count >= perCaller) {
        throw refuse('too-many-requests', {
          detail: `You may read at most ${perCaller} streams at a time. Finish or close one first.`,
          fields: { 'Retry-After': String(retryAfter) },
        })
      }
      if (total >= perProcess) throw unavailable('Too many responses are being streamed at once.')
      counts.set(caller, count + 1)
      total += 1
      let ended = false
      return () => {
        if (!ended) leave(caller)
        ended = true
      }
    },
  }
}
