/** The figures of each part as tables. */

import type { Throughput } from './parts/throughput.ts'
import type { Figure, Figures } from './rounds.ts'
import type { Table } from './table.ts'

export const labels: Readonly<Record<string, string>> = {
  restwell: 'Restwell',
  http: 'bare node:http',
  sqlite: 'bare + node:sqlite',
  fastify: 'Fastify + node:sqlite',
  express: 'Express + Drizzle',
  'json-server': 'json-server',
  pg: 'bare + pg',
}

/** Requests a second, and how many times those of each other server ours are. */
export function throughputTable({ workloads }: Pick<Throughput, 'workloads'>): Table {
  const names = namesIn(Object.values(workloads))
  const others = names.filter((name) => name !== 'restwell')
  const heads = ['requests/s (Restwell is × as fast)', 'Restwell', ...others.map(labelOf)]
  const rows = Object.entries(workloads).map(([workload, figures]) => {
    const ours = figures.restwell
    const cells = others.map((name) => comparison(ours, figures[name]))
    return [workload, ours ? withSpread(ours) : '–', ...cells]
  })
  return [heads, ...rows]
}

/** Latency and processor time. */
export function costTable({ workloads }: Pick<Throughput, 'workloads'>): Table {
  const names = namesIn(Object.values(workloads))
  const heads = ['p99 ms / processor µs a request', ...names.map(labelOf)]
  const rows = Object.entries(workloads).map(([workload, figures]) => [
    workload,
    ...names.map((name) => cost(figures[name])),
  ])
  return [heads, ...rows]
}

export function memoryTable({ memory }: Pick<Throughput, 'memory'>): Table {
  const amounts = Object.values(memory).map((amount) => amount.toFixed(0))
  return [
    ['memory, MiB', ...Object.keys(memory).map(labelOf)],
    ['after all workloads', ...amounts],
  ]
}

export function labelOf(name: string): string {
  return labels[name] ?? name
}

function namesIn(all: readonly Figures[]): readonly string[] {
  return [...new Set(all.flatMap((figures) => Object.keys(figures)))]
}

function withSpread({ perSecond, least, most }: Figure): string {
  const spread = Math.round((100 * (most - least)) / (2 * perSecond))
  return `${perSecond.toFixed(0)} ±${spread} %`
}

function comparison(ours: Figure | undefined, theirs: Figure | undefined): string {
  if (ours === undefined || theirs === undefined) return '–'
  return `${theirs.perSecond.toFixed(0)} (×${formatRatio(ours.perSecond / theirs.perSecond)})`
}

export function formatRatio(ratio: number): string {
  return ratio >= 20 ? ratio.toFixed(0) : ratio.toFixed(2)
}

function cost(figure: Figure | undefined): string {
  if (figure === undefined) return '–'
  return `${figure.p99.toFixed(1)} / ${figure.processor.toFixed(0)}`
}
