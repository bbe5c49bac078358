/** Requests, errors and latency of each method and route, from the counters of /metrics. */

import { type Counts, type Distributions, labelValuesOf, quantileOf } from './metric-families.ts'
import type { RouteFigures } from './status-figures.ts'

export interface RequestCounters {
  /** By method, route and class of the status. */
  readonly requests: Counts
  /** In seconds, by method and route. */
  readonly duration: Distributions
}

/** The most frequent first. */
export function routeFigures(
  { requests, duration }: RequestCounters,
  buckets: readonly number[],
): readonly RouteFigures[] {
  const byStatus = new Map(requests.map(([key, count]) => [labelValuesOf(key).join(' '), count]))
  const all = duration.map(([key, { counts, sum }]) => {
    const [method = '', route = ''] = labelValuesOf(key)
    const total = counts.reduce((all, count) => all + count, 0)
    const countOf = (status: string) => byStatus.get(`${method} ${route} ${status}`) ?? 0
    return {
      method,
      route,
      requests: total,
      refused: countOf('4xx'),
      errors: countOf('5xx'),
      mean: inMilliseconds(sum / total),
      median: inMilliseconds(quantileOf(counts, buckets, 0.5)),
      slowest: inMilliseconds(quantileOf(counts, buckets, 0.99)),
    }
  })
  return all.toSorted((one, other) => other.requests - one.requests)
}

function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 100_000) / 100
}
