/** How often each caller used each older version of the interface, since the process started. */

import { type Counter, type Counts, createCounter } from './metric-families.ts'
import type { VersionFigures } from './status-figures.ts'

/** Pairs of a version and a caller that are counted apart, so that callers cannot fill the memory. */
const maxCallers = 1000
const otherCallers = 'others'

export interface VersionUsage {
  count(version: string, caller: string): void
  /** By version and caller, as plain data for RPC. */
  read(): Counts
}

export function createVersionUsage(): VersionUsage {
  const counts = new Map<string, number>()
  return {
    count(version, caller) {
      const own = `${version} ${caller}`
      const key = counts.has(own) || counts.size < maxCallers ? own : `${version} ${otherCallers}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    read: () => [...counts],
  }
}

/** The sum of the counts of several processes. */
export function sumUsage(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>()
  for (const [key, count] of all.flat()) sums.set(key, (sums.get(key) ?? 0) + count)
  return [...sums]
}

/** The usage of each declared version, the most frequent callers first. */
export function versionFigures(versions: Iterable<string>, usage: Counts): readonly VersionFigures[] {
  return [...versions].map((version) => {
    const prefix = `${version} `
    const callers = usage
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, requests]) => ({ caller: key.slice(prefix.length), requests }))
      .toSorted((one, other) => other.requests - one.requests)
    return { version, requests: callers.reduce((sum, { requests }) => sum + requests, 0), callers }
  })
}

/** The requests in each version. Callers are not labels: they would be a growing set. */
export function usageCounter(usage: Counts): Counter {
  const counter = createCounter(
    'restwell_version_requests_total',
    'Requests in older versions of the interface.',
    ['version'],
  )
  for (const [key, count] of usage) counter.at([key.slice(0, key.indexOf(' '))]).count += count
  return counter
}
