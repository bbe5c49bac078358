/** The figures of the last hour in samples of ten seconds, for the charts of /status. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Observer } from '../observation.ts'
import { isServerError } from './log-entry.ts'
import { repeatTask } from './repeated-task.ts'

export interface HistorySample {
  readonly requests: number
  /** Responses with status 500, 503 or 507. */
  readonly errors: number
  /** In milliseconds; null without requests. */
  readonly median: number | null
  readonly slowest: number | null
  /** The 99th percentile of the event loop delay, in milliseconds. */
  readonly loopDelay: number
  /** In octets. */
  readonly memory: number
  /** The size of the database in octets; null when it is unavailable. */
  readonly database: number | null
}

/** The figures of one process since the last slice. */
export interface HistorySlice {
  readonly requests: number
  readonly errors: number
  /** The times of requests in milliseconds, up to `maxTimes`. */
  readonly times: readonly number[]
  readonly loopDelay: number
  readonly memory: number
}

export interface History {
  readonly observe: Observer
  /** Returns the present slice of this process and starts the next. */
  take(): HistorySlice
  /** Adds a sample from the slices of all processes. */
  add(slices: readonly HistorySlice[], database: number | null): void
  /** Seconds per sample. */
  readonly sampleInterval: number
  /** The oldest first. */
  samples(): readonly HistorySample[]
  /** Adds a sample of this process. */
  sample(database: number | null): void
  /** Adds a sample with the size of the database in each interval. */
  start(sizeOf: () => Promise<number | null>, observe: Observer): void
  close(): void
}

const step = 10
const maxSamples = 360
/** Request times per slice; enough for the 99th percentile. */
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

/** Uses the event loop delay of the slowest process. */
function sampleOf(slices: readonly HistorySlice[], database: number | null): HistorySample {
  const sum = (of: (slice: HistorySlice) => number) => slices.reduce((all, slice) => all + of(slice), 0)
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
