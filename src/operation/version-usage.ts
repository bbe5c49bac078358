/** How often each caller used each older version of the interface, since the process started. */

import type { RequestObservation } from '../observation.ts'
import { type Counts, countAt, formatCounter, keyOf, labelValuesOf } from './metric-families.ts'
import type { VersionFigures } from './status-figures.ts'

/** Pairs of a version and a caller that are counted apart, so that callers cannot fill the memory. */
const maxCallers = 1000
const otherCallers = 'others'

/** Counts by version and caller. */
export function countUsage(
  usage: Counts,
  { version, caller }: NonNullable<RequestObservation['usage']>,
): void {
  const isOwn = usage.has(keyOf([version, caller])) || usage.size < maxCallers
  countAt(usage, [version, isOwn ? caller : otherCallers]).count += 1
}

/** The usage of each declared version, the most frequent callers first. */
export function versionFigures(versions: Iterable<string>, usage: Counts): readonly VersionFigures[] {
  return [...versions].map((version) => {
    const callers = [...usage]
      .map(([key, { count }]) => ({ values: labelValuesOf(key), requests: count }))
      .filter(({ values }) => values[0] === version)
      .map(({ values, requests }) => ({ caller: values[1] ?? '', requests }))
      .toSorted((one, other) => other.requests - one.requests)
    return { version, requests: callers.reduce((sum, { requests }) => sum + requests, 0), callers }
  })
}

/** The requests in each version. Callers are not labels: they would be a growing set. */
export function formatUsage(usage: Counts): string {
  const counts: Counts = new Map()
  for (const [key, { count }] of usage) countAt(counts, labelValuesOf(key).slice(0, 1)).count += count
  const help = 'Requests in older versions of the interface.'
  return formatCounter({ name: 'restwell_version_requests_total', help, labels: ['version'] }, counts)
}
