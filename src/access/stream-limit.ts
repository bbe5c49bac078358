/** How many collections may be streamed at the same time, by a caller and by this process. */

import { refuse, unavailable } from '../refusal.ts'

export interface StreamLimits {
  readonly perCaller: number
  readonly perProcess: number
}

export const defaultStreamLimits: StreamLimits = Object.freeze({ perCaller: 10, perProcess: 100 })

export interface StreamLimit {
  /** Takes a place, and gives what frees it. Refuses 429 or 503 where none is free. */
  enter(caller: string): () => void
}

/** Seconds; a stream ends when its client has read it, which takes longer than most requests. */
const retryAfter = 10

export function createStreamLimit({ perCaller, perProcess }: StreamLimits): StreamLimit {
  const counts = new Map<string, number>()
  let total = 0

  function leave(caller: string): void {
    const left = (counts.get(caller) ?? 0) - 1
    if (left > 0) counts.set(caller, left)
    else counts.delete(caller)
    total -= 1
  }

  return {
    enter(caller) {
      const count = counts.get(caller) ?? 0
      if (count >= perCaller) {
        throw refuse('too-many-requests', {
          detail: `At most ${perCaller} streams at a time. Read those you have to their end first.`,
          fields: { 'Retry-After': String(retryAfter) },
        })
      }
      if (total >= perProcess) throw unavailable('Too many collections are being streamed.')
      counts.set(caller, count + 1)
      total += 1
      let left = false
      return () => {
        if (!left) leave(caller)
        left = true
      }
    },
  }
}
