/** The figures as a table for people. */

import type { Measure } from './load.ts'

export interface Result {
  readonly scenario: string
  /** The last one is the service. */
  readonly byTarget: readonly { readonly target: string; readonly measure: Measure }[]
}

export function formatResults(results: readonly Result[]): string {
  const heads = [
    '',
    'server',
    'requests/s',
    'ours to it',
    'p99 ms',
    'µs of processor',
    'it to ours',
  ]
  const rows = results.flatMap(({ scenario, byTarget }) => {
    // The service is the last of them.
    const ours = byTarget.at(-1)?.measure as Measure
    return byTarget.map(({ target, measure }, at) => [
      at === 0 ? scenario : '',
      target,
      measure.perSecond.toFixed(0),
      (ours.perSecond / measure.perSecond).toFixed(2),
      measure.p99.toFixed(2),
      measure.processor.toFixed(1),
      (measure.processor / ours.processor).toFixed(2),
    ])
  })
  return `${formatTable([heads, ...rows])}\n`
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  )
  return `${lines.join('\n')}\n`
}

export function formatCrowd(
  { alone, crowded }: { readonly alone: Measure; readonly crowded: Measure },
  { idle, slow }: { readonly idle: number; readonly slow: number },
): string {
  const ratio = (crowded.p99 / alone.p99).toFixed(2)
  return `With ${idle} idle and ${slow} slow connections, item GET over 4 more: p99 ${crowded.p99.toFixed(2)} ms against ${alone.p99.toFixed(2)} ms without, ratio ${ratio}\n`
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
