/** Counters and histograms of observations, published at `/metrics`. */

import { knownMethods } from '../http/method.ts'
import type { Observation, Observer, RequestObservation } from '../observation.ts'
import type { LogExtent } from '../store/change-log.ts'
import type { QueueFigures } from '../work/queued-work.ts'
import {
  type Count,
  type Counts,
  countAt,
  type Distribution,
  type Distributions,
  distributionAt,
  formatCounter,
  formatHistogram,
  formatReading,
  type HistogramFamily,
  type MetricFamily,
  observeValue,
  sumCounts,
  sumDistributions,
} from './metric-families.ts'
import { createRecentErrors, mergeErrors } from './recent-errors.ts'
import type { BackupFigures, ErrorFigures } from './status-figures.ts'
import { countUsage, formatUsage } from './version-usage.ts'

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

/**
 * Labels are from closed sets (routes of the model, known methods, status classes, decisions), so
 * that clients cannot create new ones.
 */
const families = {
  requests: {
    name: 'http_requests_total',
    help: 'Requests with a response.',
    labels: ['method', 'route', 'status'],
  },
  refusals: { name: 'restwell_refusals_total', help: 'Requests refused, by decision.', labels: ['decision'] },
  observations: {
    name: 'restwell_observations_total',
    help: 'Observations other than requests, by kind.',
    labels: ['kind'],
  },
} as const satisfies Readonly<Record<string, MetricFamily>>

/** The durations of requests, in seconds. */
export const durations: HistogramFamily = {
  name: 'http_request_duration_seconds',
  help: 'Time from request to response.',
  labels: ['method', 'route'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
}

const loopDelays: HistogramFamily = {
  name: 'nodejs_event_loop_delay_seconds',
  help: 'Delay of a timer of the event loop.',
  labels: [],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
}

/** The counters of one method and route. */
interface Tally {
  readonly duration: Distribution
  /** By the first digit of the status. */
  readonly counts: (Count | undefined)[]
}

type Counted = 'requests' | 'duration' | 'refusals' | 'observations' | 'versionUsage' | 'loopDelay'

export function createMetrics(): Metrics {
  const counted: Pick<Figures, Counted> = {
    requests: new Map(),
    duration: new Map(),
    refusals: new Map(),
    observations: new Map(),
    versionUsage: new Map(),
    loopDelay: new Map(),
  }
  const stopMeasuring = measureLoopDelay(distributionAt(counted.loopDelay, [], loopDelays))
  const errors = createRecentErrors(Date.now)
  /** By route, then by method. A nested map avoids building a key for every request. */
  const tallies = new Map<string, Map<string, Tally>>()

  function tallyOf(method: string, route: string): Tally {
    const ofRoute = tallies.get(route) ?? new Map<string, Tally>()
    const known = ofRoute.get(method)
    if (known) return known
    tallies.set(route, ofRoute)
    const tally: Tally = {
      duration: distributionAt(counted.duration, [method, route], durations),
      counts: [],
    }
    ofRoute.set(method, tally)
    return tally
  }

  function countRequest(request: RequestObservation): void {
    const { method, route, status, milliseconds, decision, usage } = request
    const known = knownMethods.has(method) ? method : 'other'
    const { duration, counts } = tallyOf(known, route)
    const hundreds = Math.floor(status / 100)
    counts[hundreds] ??= countAt(counted.requests, [known, route, `${hundreds}xx`])
    counts[hundreds].count += 1
    observeValue(duration, durations, milliseconds / 1000)
    if (decision !== undefined) countAt(counted.refusals, [decision]).count += 1
    if (usage) countUsage(counted.versionUsage, usage)
  }

  return {
    observe(observation: Observation) {
      if (observation.kind === 'request') countRequest(observation)
      else countAt(counted.observations, [observation.kind]).count += 1
      errors.observe(observation)
    },
    read: ({ inFlight }) => ({
      inFlight,
      ...counted,
      recentErrors: errors.read(),
      ...readProcessFigures(),
    }),
    close: stopMeasuring,
  }
}

/** In milliseconds. */
const delayInterval = 100

/** Measures how late a timer fires, until the returned function is called. It does not keep the process alive. */
function measureLoopDelay(delay: Distribution): () => void {
  let due = performance.now() + delayInterval
  const timer = setInterval(() => {
    const now = performance.now()
    observeValue(delay, loopDelays, Math.max(0, now - due) / 1000)
    due = now + delayInterval
  }, delayInterval)
  timer.unref()
  return () => clearInterval(timer)
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
  const sum = (of: (figures: Figures) => number) => all.reduce((sum, figures) => sum + of(figures), 0)
  return {
    requests: sumCounts(all.map(({ requests }) => requests)),
    duration: sumDistributions(all.map(({ duration }) => duration)),
    refusals: sumCounts(all.map(({ refusals }) => refusals)),
    observations: sumCounts(all.map(({ observations }) => observations)),
    versionUsage: sumCounts(all.map(({ versionUsage }) => versionUsage)),
    recentErrors: mergeErrors(all.map(({ recentErrors }) => recentErrors)),
    loopDelay: sumDistributions(all.map(({ loopDelay }) => loopDelay)),
    inFlight: sum(({ inFlight }) => inFlight),
    memory: sum(({ memory }) => memory),
    heap: sum(({ heap }) => heap),
    external: sum(({ external }) => external),
    processor: sum(({ processor }) => processor),
    started: Math.min(...all.map(({ started }) => started)),
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
  const { inFlight, memory, heap, external, processor, versionUsage } = figures
  return [
    formatCounter(families.requests, figures.requests),
    formatHistogram(durations, figures.duration),
    formatReading('gauge', 'http_requests_in_flight', 'Requests in progress.', inFlight),
    formatCounter(families.refusals, figures.refusals),
    formatCounter(families.observations, figures.observations),
    versionUsage.size === 0 ? '' : formatUsage(versionUsage),
    formatHistogram(loopDelays, figures.loopDelay),
    formatReading('gauge', 'process_resident_memory_bytes', 'Resident memory.', memory),
    formatReading('gauge', 'nodejs_heap_used_bytes', 'Memory of the JavaScript heap.', heap),
    formatReading('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers.', external),
    formatReading('counter', 'process_cpu_seconds_total', 'Processor time used.', processor),
    ...logReadings(store.log),
    formatReading(
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
    formatReading(
      'gauge',
      'process_start_time_seconds',
      'Start time of the process, in seconds since 1970.',
      figures.started,
    ),
  ].join('')
}

/** No reading where the value is unknown. */
function gaugeOf(name: string, help: string, value: number | null | undefined) {
  return value === null || value === undefined ? [] : [formatReading('gauge', name, help, value)]
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
    formatReading('gauge', `${name}_waiting`, `${works} that are not done yet.`, waiting),
    formatReading('gauge', `${name}_parked`, `${works} whose last attempt has failed.`, parked),
  ]
}

function logReadings(log: LogExtent | null) {
  if (log === null) return []
  const [name, help] = ['restwell_change_log_entries', 'Entries of the change log.']
  const entries = formatReading('gauge', name, help, log.entries)
  if (log.oldest === undefined) return [entries]
  const oldest = formatReading(
    'gauge',
    'restwell_change_log_oldest_timestamp_seconds',
    'Time of the oldest entry of the change log, in seconds since 1970.',
    Date.parse(log.oldest) / 1000,
  )
  return [entries, oldest]
}
