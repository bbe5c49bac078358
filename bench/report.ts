/** The figures as a table for people. */

import type { Measure } from './load.ts'

export interface Result {
  readonly scenario: string
  /** The last one is the service. */
  readonly byTarget: readonly { readonly target: string; readonly measure: Measure }[]
}

export function formatResults(results: readonly Result[]): string {
  const heads = ['', 'server', 'requests/s', 'p99 ms', 'ours to it']
  const rows = results.flatMap(({ scenario, byTarget }) => {
    const ours = byTarget.at(-1)?.measure.perSecond ?? Number.NaN
    return byTarget.map(({ target, measure: { perSecond, p99 } }, at) => {
      const ratio = (ours / perSecond).toFixed(2)
      return [at === 0 ? scenario : '', target, perSecond.toFixed(0), p99.toFixed(2), ratio]
    })
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
