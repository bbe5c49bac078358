/** The last hour in figures, one set for every ten seconds: what /status draws. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Observer } from '../observation.ts'
import { isServerError } from './log-entry.ts'
import { repeatTask } from './repeated-task.ts'

export interface HistorySample {
  readonly requests: number
  /** Answers that tell of trouble in the service: 500, 503, 507. */
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

/** What one process has to say of the time since it was last asked. */
export interface HistorySlice {
  readonly requests: number
  readonly errors: number
  /** What requests took, in milliseconds: enough of them to tell the quick from the slow. */
  readonly times: readonly number[]
  readonly loopDelay: number
  readonly memory: number
}

export interface History {
  readonly observe: Observer
  /** What this process has to say, which is then forgotten. */
  take(): HistorySlice
  /** A sample made of the slices of all processes. */
  add(slices: readonly HistorySlice[], database: number | null): void
  /** Seconds that each sample stands for. */
  readonly sampleInterval: number
  /** The oldest first. */
  samples(): readonly HistorySample[]
  /** Ends a sample and begins the next. */
  sample(database: number | null): void
  /** Takes a sample at every step, asking for the size of the database. */
  start(sizeOf: () => Promise<number | null>, observe: Observer): void
  close(): void
}

const step = 10
const maxSamples = 360
/** Enough of each ten seconds to tell the quick from the slow. */
const maxTimes = 1000

export function createHistory(): History {
  const samples: HistorySample[] = []
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  let times: number[] = []
  let requests = 0
  let errors = 0
  let stop = () => {}

  function take(): HistorySlice {
    const memory = process.memoryUsage.rss()
    const slice = { requests, errors, times, loopDelay: loop.percentile(99) / 1e6, memory }
    times = []
    requests = 0
    errors = 0
    loop.reset()
    return slice
  }

  function add(slices: readonly HistorySlice[], database: number | null): void {
    samples.push(sampleOf(slices, database))
    if (samples.length > maxSamples) samples.shift()
  }

  const sample = (database: number | null) => add([take()], database)

  return {
    sampleInterval: step,
    observe(observation) {
      if (observation.kind !== 'request') return
      requests += 1
      if (isServerError(observation.status)) errors += 1
      if (times.length < maxTimes) times.push(observation.milliseconds)
    },
    samples: () => samples,
    take,
    add,
    sample,
    start(sizeOf, observe) {
      const run = async () => sample(await sizeOf())
      stop = repeatTask({ name: 'history', interval: step * 1000, run }, observe)
    },
    close() {
      stop()
      loop.disable()
    },
  }
}

/** The slowest loop counts: whoever is served by it waits so long. */
function sampleOf(slices: readonly HistorySlice[], database: number | null): HistorySample {
  const sum = (of: (slice: HistorySlice) => number) =>
    slices.reduce((all, slice) => all + of(slice), 0)
  const times = slices.flatMap((slice) => slice.times).sort((a, b) => a - b)
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    median: quantile(times, 0.5),
    slowest: quantile(times, 0.99),
    loopDelay: Math.max(0, ...slices.map(({ loopDelay }) => loopDelay)),
    memory: sum(({ memory }) => memory),
    database,
  }
}

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}
