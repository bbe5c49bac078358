/** Counters and histograms of what happens, for monitoring to read at `/metrics`. */

import type { Happening, Notice, RequestHappening } from '../http/happening.ts'
import { knownMethods } from '../http/method.ts'
import { counter, formatFamilies, histogram, reading } from './exposition.ts'
import { type LoopDelay, watchLoop } from './loop-delay.ts'

export interface Metrics {
  readonly notice: Notice
  /** All of it in Prometheus' text format, with what the service knows of itself. */
  format(state: ServiceState): string
  /** Stops watching the event loop. */
  close(): void
}

export interface ServiceState {
  /** Requests that have arrived and are not answered yet. */
  readonly inFlight: number
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Labels come from closed sets: the routes of the model, the known methods, classes of status,
 * names of decisions. No client can make a new one.
 */
export function createMetrics(): Metrics {
  const requests = counter('http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
  ])
  const duration = histogram('http_request_duration_seconds', 'Time from arrival to answer.', {
    labels: ['method', 'route'],
    buckets: durations,
  })
  const refusals = counter('restwell_refusals_total', 'Requests refused, by decision.', [
    'decision',
  ])
  const happenings = counter('restwell_happenings_total', 'What else was worth a line.', ['kind'])
  const loop = watchLoop(performance)

  function answered({ method, route, status, milliseconds, decision }: RequestHappening): void {
    const known = knownMethods.has(method) ? method : 'other'
    requests.add([known, route, `${Math.floor(status / 100)}xx`])
    duration.observe([known, route], milliseconds / 1000)
    if (decision !== undefined) refusals.add([decision])
  }

  return {
    notice(happening: Happening) {
      if (happening.kind === 'request') answered(happening)
      else happenings.add([happening.kind])
    },
    format({ inFlight }) {
      const waiting = reading(
        'gauge',
        'http_requests_in_flight',
        'Requests not yet answered.',
        inFlight,
      )
      const families = [requests, duration, waiting, refusals, happenings]
      return formatFamilies([...families, ...ofProcess(loop)])
    },
    close: loop.close,
  }
}

const started = Date.now() / 1000 - process.uptime()

function ofProcess(loop: LoopDelay) {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const cpu = (user + system) / 1e6
  return [
    loop.delay,
    reading('gauge', 'process_resident_memory_bytes', 'Memory held, as the system counts.', rss),
    reading('gauge', 'nodejs_heap_used_bytes', 'Memory that JavaScript uses.', heapUsed),
    reading('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers.', external),
    reading('counter', 'process_cpu_seconds_total', 'Processor time used.', cpu),
    reading('gauge', 'process_start_time_seconds', 'When it started, since 1970.', started),
  ]
}
