/** Limits log lines that repeat, so that requests cannot fill the log. */

import type { Observation } from '../observation.ts'

export interface Repetition<Line> {
  /** Writes the line, or only counts it when its kind has reached the limit of the period. */
  admit(kind: string, line: Line): void
}

/** In milliseconds. */
const period = 10_000
const linesPerKind = 10
/** Further kinds share one tally, so that the lines of a period are bounded. */
const maxKinds = 90

interface Tally<Line> {
  written: number
  omitted: number
  last: Line
}

/** At the end of a period, `write` gets the last omitted line of each kind with their number. */
export function limitRepetition<Line>(write: (line: Line, omitted: number) => void): Repetition<Line> {
  let tallies: Map<string, Tally<Line>> | undefined

  function endPeriod(ended: Map<string, Tally<Line>>): void {
    tallies = undefined
    for (const { last, omitted } of ended.values()) if (omitted > 0) write(last, omitted)
  }

  function beginPeriod(): Map<string, Tally<Line>> {
    const begun = new Map<string, Tally<Line>>()
    setTimeout(() => endPeriod(begun), period).unref()
    return begun
  }

  return {
    admit(kind, line) {
      tallies ??= beginPeriod()
      const name = tallies.has(kind) || tallies.size < maxKinds ? kind : ''
      const tally = tallies.get(name) ?? { written: 0, omitted: 0, last: line }
      tallies.set(name, tally)
      tally.last = line
      if (tally.written === linesPerKind) {
        tally.omitted += 1
        return
      }
      tally.written += 1
      write(line, 0)
    },
  }
}

/** Lines of the same kind differ only in their request. */
export function kindOfLine(observation: Observation): string {
  if (observation.kind === 'request') {
    const { status, route, decision } = observation
    return `request ${status} ${route} ${decision}`
  }
  return 'cause' in observation ? `${observation.kind} ${messageOf(observation.cause)}` : observation.kind
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
}
