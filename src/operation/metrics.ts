/** Counters and histograms of observations, published at `/metrics`. */

import { knownMethods } from '../http/method.ts'
import type { Observation, Observer, RequestObservation } from '../observation.ts'
import type { LogExtent } from '../store/change-log.ts'
import type { QueueFigures } from '../work/queue-figures.ts'
import {
  type Count,
  type Counts,
  createCounter,
  createHistogram,
  createReading,
  type Distributions,
  formatMetricFamilies,
  type Histogram,
} from './metric-families.ts'
import { createRecentErrors, mergeErrors } from './recent-errors.ts'
import type { BackupFigures, ErrorFigures } from './status-figures.ts'
import { createVersionUsage, sumUsage, usageCounter } from './version-usage.ts'

export interface Metrics {
  readonly observe: Observer
  /** Returns the figures of this process. */
  read(state: ServiceState): Figures
  /** Stops measuring the event loop. */
  close(): void
}

export interface ServiceState {
  /** Requests without a response so far. */
  readonly inFlight: number
}

/** The figures of one process, as plain data for RPC. */
export interface Figures extends ServiceState {
  readonly requests: Counts
  readonly duration: Distributions
  readonly refusals: Counts
  readonly observations: Counts
  /** By older version of the interface and caller. */
  readonly versionUsage: Counts
  /** The newest first. */
  readonly recentErrors: readonly ErrorFigures[]
  readonly loopDelay: Distributions
  /** Octets. */
  readonly memory: number
  readonly heap: number
  readonly external: number
  /** Seconds. */
  readonly processor: number
  /** When the first process started, in seconds since 1970. */
  readonly started: number
}

/** The upper bounds of the buckets of durations, in seconds. */
export const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Labels are from closed sets (routes of the model, known methods, status classes, decisions), so
 * that clients cannot create new ones.
 */
function createFamilies() {
  return {
    requests: createCounter('http_requests_total', 'Requests with a response.', [
      'method',
      'route',
      'status',
    ]),
    duration: createHistogram('http_request_duration_seconds', 'Time from request to response.', {
      labels: ['method', 'route'],
      buckets: durations,
    }),
    refusals: createCounter('restwell_refusals_total', 'Requests refused, by decision.', ['decision']),
    observations: createCounter('restwell_observations_total', 'Observations other than requests, by kind.', [
      'kind',
    ]),
    delay: createLoopDelayHistogram(),
  }
}

/** Families that contain the sum of the figures. */
function fillFamilies(all: readonly Figures[]) {
  const filled = createFamilies()
  for (const figures of all) {
    filled.requests.absorb(figures.requests)
    filled.duration.absorb(figures.duration)
    filled.refusals.absorb(figures.refusals)
    filled.observations.absorb(figures.observations)
    filled.delay.absorb(figures.loopDelay)
  }
  return filled
}

/** The counters of one method and route. */
interface Tally {
  readonly observe: (seconds: number) => void
  /** By the first digit of the status. */
  readonly counts: (Count | undefined)[]
}

export function createMetrics(): Metrics {
  const { requests, duration, refusals, observations } = createFamilies()
  const loop = measureLoopDelay(performance)
  const versions = createVersionUsage()
  const errors = createRecentErrors(Date.now)

  /** By route, then by method. A nested map avoids building a key for every request. */
  const tallies = new Map<string, Map<string, Tally>>()

  function tallyOf(method: string, route: string): Tally {
    const ofRoute = tallies.get(route) ?? new Map<string, Tally>()
    const known = ofRoute.get(method)
    if (known) return known
    tallies.set(route, ofRoute)
    const tally: Tally = { observe: duration.at([method, route]), counts: [] }
    ofRoute.set(method, tally)
    return tally
  }

  function countRequest(request: RequestObservation): void {
    const { method, route, status, milliseconds, decision, usage } = request
    const known = knownMethods.has(method) ? method : 'other'
    const { observe, counts } = tallyOf(known, route)
    const hundreds = Math.floor(status / 100)
    counts[hundreds] ??= requests.at([known, route, `${hundreds}xx`])
    counts[hundreds].count += 1
    observe(milliseconds / 1000)
    if (decision !== undefined) refusals.add([decision])
    if (usage) versions.count(usage.version, usage.caller)
  }

  return {
    observe(observation: Observation) {
      if (observation.kind === 'request') countRequest(observation)
      else observations.add([observation.kind])
      errors.observe(observation)
    },
    read: ({ inFlight }) => ({
      inFlight,
      requests: requests.read(),
      duration: duration.read(),
      refusals: refusals.read(),
      observations: observations.read(),
      versionUsage: versions.read(),
      recentErrors: errors.read(),
      loopDelay: loop.delay.read(),
      ...readProcessFigures(),
    }),
    close: loop.close,
  }
}

const started = Date.now() / 1000 - process.uptime()

function readProcessFigures() {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return { memory: rss, heap: heapUsed, external, processor: (user + system) / 1e6, started }
}

/** The figures of an ended process: its counters without its gauges. */
export function finalFigures(figures: Figures): Figures {
  return { ...figures, inFlight: 0, memory: 0, heap: 0, external: 0 }
}

/** The sum of the figures of several processes. */
export function sumFigures(all: readonly Figures[]): Figures {
  const { requests, duration, refusals, observations, delay } = fillFamilies(all)
  const sum = (of: (figures: Figures) => number) => all.reduce((sum, figures) => sum + of(figures), 0)
  return {
    requests: requests.read(),
    duration: duration.read(),
    refusals: refusals.read(),
    observations: observations.read(),
    versionUsage: sumUsage(all.map(({ versionUsage }) => versionUsage)),
    recentErrors: mergeErrors(all.map(({ recentErrors }) => recentErrors)),
    loopDelay: delay.read(),
    inFlight: sum(({ inFlight }) => inFlight),
    memory: sum(({ memory }) => memory),
    heap: sum(({ heap }) => heap),
    external: sum(({ external }) => external),
    processor: sum(({ processor }) => processor),
    started: Math.min(...all.map((figures) => figures.started)),
  }
}

/** The database, the work that its change log makes, and its backups; null: unknown. */
export interface StoreFigures {
  readonly log: LogExtent | null
  /** Seconds that entries of the log are kept. */
  readonly logRetention: number
  readonly deliveries: QueueFigures | null
  readonly after: QueueFigures | null
  readonly jobs: QueueFigures | null
  /** Octets. */
  readonly freeSpace: number | null
  readonly backups: BackupFigures | null
}

/** The figures in Prometheus' text format. */
export function formatFigures(figures: Figures, store: StoreFigures): string {
  const { requests, duration, refusals, observations, delay } = fillFamilies([figures])
  const { inFlight, memory, heap, external, processor } = figures
  return formatMetricFamilies([
    requests,
    duration,
    createReading('gauge', 'http_requests_in_flight', 'Requests in progress.', inFlight),
    refusals,
    observations,
    ...(figures.versionUsage.length === 0 ? [] : [usageCounter(figures.versionUsage)]),
    delay,
    createReading('gauge', 'process_resident_memory_bytes', 'Resident memory.', memory),
    createReading('gauge', 'nodejs_heap_used_bytes', 'Memory of the JavaScript heap.', heap),
    createReading('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers.', external),
    createReading('counter', 'process_cpu_seconds_total', 'Processor time used.', processor),
    ...logReadings(store.log),
    createReading(
      'gauge',
      'restwell_change_log_retention_seconds',
      'How long entries of the change log are kept.',
      store.logRetention,
    ),
    ...queueReadings('restwell_deliveries', 'Deliveries', store.deliveries),
    ...queueReadings('restwell_after', 'Runs of after hooks', store.after),
    // Failed jobs have ended, so none is parked.
    ...queueReadings('restwell_jobs', 'Jobs', store.jobs).slice(0, 1),
    ...gaugeOf('restwell_disk_free_bytes', 'Space left on the disk of the database.', store.freeSpace),
    ...backupReadings(store.backups),
    createReading(
      'gauge',
      'process_start_time_seconds',
      'Start time of the process, in seconds since 1970.',
      figures.started,
    ),
  ])
}

/** No reading where the value is unknown. */
function gaugeOf(name: string, help: string, value: number | null | undefined) {
  return value === null || value === undefined ? [] : [createReading('gauge', name, help, value)]
}

function backupReadings(backups: BackupFigures | null) {
  const timeOf = (text: string | null | undefined) => (text ? Date.parse(text) / 1000 : null)
  const [newest, verified] = [timeOf(backups?.newest), timeOf(backups?.verified)]
  const name = (of: string) => `restwell_backup_${of}_timestamp_seconds`
  return [
    ...gaugeOf(name('newest'), 'Time of the newest backup, in seconds since 1970.', newest),
    ...gaugeOf('restwell_backup_age_seconds', 'Age of the newest backup.', backups?.age),
    ...gaugeOf(name('verified'), 'Time of the last verification, in seconds since 1970.', verified),
  ]
}

function queueReadings(name: string, works: string, queue: QueueFigures | null) {
  if (queue === null) return []
  const { waiting, parked } = queue
  return [
    createReading('gauge', `${name}_waiting`, `${works} that are not done yet.`, waiting),
    createReading('gauge', `${name}_parked`, `${works} whose last attempt has failed.`, parked),
  ]
}

function logReadings(log: LogExtent | null) {
  if (log === null) return []
  const [name, help] = ['restwell_change_log_entries', 'Entries of the change log.']
  const entries = createReading('gauge', name, help, log.entries)
  if (log.oldest === undefined) return [entries]
  const oldest = createReading(
    'gauge',
    'restwell_change_log_oldest_timestamp_seconds',
    'Time of the oldest entry of the change log, in seconds since 1970.',
    Date.parse(log.oldest) / 1000,
  )
  return [entries, oldest]
}

export interface LoopDelay {
  readonly delay: Histogram
  close(): void
}

const interval = 100
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function createLoopDelayHistogram(): Histogram {
  const options = { labels: [], buckets }
  return createHistogram('nodejs_event_loop_delay_seconds', 'Delay of a timer of the event loop.', options)
}

/** Measures how late a timer fires. It does not keep the process alive. */
export function measureLoopDelay(clock: { now(): number }): LoopDelay {
  const delay = createLoopDelayHistogram()
  let due = clock.now() + interval
  const timer = setInterval(() => {
    const now = clock.now()
    delay.observe([], Math.max(0, now - due) / 1000)
    due = now + interval
  }, interval)
  timer.unref()
  return { delay, close: () => clearInterval(timer) }
}
