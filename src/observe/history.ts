/** The last hour in figures, one set for every ten seconds: what /status draws. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Notice } from '../http/happening.ts'

export interface Sample {
  readonly requests: number
  /** Answers of 500 and above. */
  readonly errors: number
  /** In milliseconds; null where there were no requests. */
  readonly median: number | null
  readonly slowest: number | null
  /** Milliseconds that the event loop was late, at most one in a hundred times more. */
  readonly loopDelay: number
  /** In octets. */
  readonly memory: number
  /** Octets of the database; null where it could not be asked. */
  readonly database: number | null
}

export interface History {
  readonly notice: Notice
  /** Seconds that each sample stands for. */
  readonly step: number
  /** The oldest first. */
  samples(): readonly Sample[]
  /** Ends a sample and begins the next. */
  sample(database: number | null): void
  /** Takes a sample at every step, asking for the size of the database. */
  start(sizeOf: () => Promise<number | null>): void
  close(): void
}

const step = 10
const kept = 360
/** Enough of each ten seconds to tell the quick from the slow. */
const mostTimes = 1000

export function createHistory(): History {
  const samples: Sample[] = []
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  let times: number[] = []
  let requests = 0
  let errors = 0
  let timer: NodeJS.Timeout | undefined

  function sample(database: number | null): void {
    times.sort((a, b) => a - b)
    samples.push({
      requests,
      errors,
      median: quantile(times, 0.5),
      slowest: quantile(times, 0.99),
      loopDelay: loop.percentile(99) / 1e6,
      memory: process.memoryUsage.rss(),
      database,
    })
    if (samples.length > kept) samples.shift()
    times = []
    requests = 0
    errors = 0
    loop.reset()
  }

  return {
    step,
    notice(happening) {
      if (happening.kind !== 'request') return
      requests += 1
      if (happening.status >= 500) errors += 1
      if (times.length < mostTimes) times.push(happening.milliseconds)
    },
    samples: () => samples,
    sample,
    start(sizeOf) {
      timer = setInterval(async () => sample(await sizeOf()), step * 1000)
      timer.unref()
    },
    close() {
      clearInterval(timer)
      loop.disable()
    },
  }
}

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}
