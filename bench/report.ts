/** Formats the results of each part as tables. */

import type { DefinitionCost } from './parts/definitions.ts'
import { growthRows } from './parts/growth.ts'
import { baseline } from './parts/tenants.ts'
import type { Throughput } from './parts/throughput.ts'
import type { PartResults } from './results.ts'
import type { Figure, Figures } from './rounds.ts'
import type { Table } from './table.ts'

const labels: Readonly<Record<string, string>> = {
  restwell: 'Restwell',
  http: 'bare node:http',
  sqlite: 'bare + node:sqlite',
  fastify: 'Fastify + node:sqlite',
  express: 'Express + Drizzle',
  'json-server': 'json-server',
  pg: 'bare + pg',
}

export function labelOf(name: string): string {
  return labels[name] ?? name
}

/** Formats each part; the most important table comes first. */
export const tablesOf: {
  readonly [Name in keyof PartResults]: (result: PartResults[Name]) => readonly Table[]
} = {
  throughput: (result) => [speedTable(result), costTable(result), memoryTable(result)],
  postgres: (result) => [speedTable(result), costTable(result)],
  demo: (result) => [
    pairTable(result, { notes: 'own table', products: 'products of the demo' }),
    pairTable(result, { notes: 'own table', articles: 'articles of the demo' }),
  ],
  growth: (result) => [pairTable(result, { few: `${growthRows.few} rows`, many: `${growthRows.many} rows` })],
  workers: ({ workers, workloads }) => [
    pairTable(workloads, { one: 'one worker', several: `${workers} workers` }),
    pairTable(workloads, {
      bareOne: `${labelOf('sqlite')}, one process`,
      bareSeveral: `${workers} processes of node:cluster`,
    }),
  ],
  latency: (result) => [latencyTable(result)],
  crowd: ({ alone, crowded }) => [
    [
      ['item GET over 4 connections', 'p99 ms'],
      ['alone', alone.toFixed(2)],
      ['beside 1,000 idle and 200 slow connections', crowded.toFixed(2)],
    ],
  ],
  start: (result) => [startTable(result)],
  definitions: (result) => [definitionsTable(result)],
  pages: (result) => [pagesTable(result)],
  tenants: (result) => [tenantsTable(result)],
  derived: (result) => [derivedTable(result)],
}

/** Requests per second, and the ratio of Restwell to each other server. */
function speedTable({ workloads }: Pick<Throughput, 'workloads'>): Table {
  const names = namesIn(Object.values(workloads))
  const others = names.filter((name) => name !== 'restwell')
  const rows = Object.entries(workloads).map(([workload, figures]) => {
    const ours = figures.restwell
    const cells = others.map((name) => comparison(ours, figures[name]))
    return [workload, ours ? withSpread(ours) : '–', ...cells]
  })
  return [['requests/s', 'Restwell', ...others.map(labelOf)], ...rows]
}

/** Latency and processor time. */
function costTable({ workloads }: Pick<Throughput, 'workloads'>): Table {
  const names = namesIn(Object.values(workloads))
  const rows = Object.entries(workloads).map(([workload, figures]) => [
    workload,
    ...names.map((name) => cost(figures[name])),
  ])
  return [['p99 ms / processor µs', ...names.map(labelOf)], ...rows]
}

function memoryTable({ memory }: Pick<Throughput, 'memory'>): Table {
  const amounts = Object.values(memory).map((amount) => amount.toFixed(0))
  return [
    ['memory, MiB', ...Object.keys(memory).map(labelOf)],
    ['after all workloads', ...amounts],
  ]
}

/** Compares two configurations by their names. */
function pairTable(
  workloads: Readonly<Record<string, Figures>>,
  pair: Readonly<Record<string, string>>,
): Table {
  const [one = '', other = ''] = Object.keys(pair)
  const rows = Object.entries(workloads).flatMap(([workload, figures]) => {
    const [first, second] = [figures[one], figures[other]]
    if (first === undefined || second === undefined) return []
    const ratio = formatRatio(second.perSecond / first.perSecond)
    return [[workload, withSpread(first), withSpread(second), ratio]]
  })
  return [['requests/s', ...Object.values(pair), 'ratio'], ...rows]
}

function latencyTable(result: PartResults['latency']): Table {
  const rows = Object.entries(result).map(([name, { readAlone, readBesideWrites, loneWrite }]) => [
    labelOf(name),
    readAlone.toFixed(1),
    readBesideWrites.toFixed(1),
    formatRatio(readBesideWrites / readAlone),
    loneWrite.toFixed(2),
  ])
  const heads = ['milliseconds', 'p99 of reads', 'p99 during writes', 'ratio', 'single create']
  return [heads, ...rows]
}

function startTable({ restwell, sqlite, package: installed }: PartResults['start']): Table {
  const size = `${installed.megabytes.toFixed(1)} MB in ${installed.packages} packages`
  return [
    ['', 'Restwell', labelOf('sqlite')],
    ['start to first response, ms', restwell.firstAnswer.toFixed(0), sqlite.firstAnswer.toFixed(0)],
    ['memory when idle, MiB', restwell.idleMemory.toFixed(0), sqlite.idleMemory.toFixed(0)],
    ['installed', size, '–'],
  ]
}

function definitionsTable({ demo, sizes }: PartResults['definitions']): Table {
  const columns = [...Object.entries(sizes), ['the demo', demo] as const]
  const row = (label: string, figureOf: (cost: DefinitionCost) => number) => [
    label,
    ...columns.map(([, cost]) => figureOf(cost).toFixed(0)),
  ]
  return [
    ['resources of 31 fields', ...columns.map(([name]) => name)],
    row('first start, ms', (cost) => cost.firstStart),
    row('later start, ms', (cost) => cost.laterStart),
    row('memory when idle, MiB', (cost) => cost.idleMemory),
    row('after a request to each collection, MiB', (cost) => cost.usedMemory),
    row('first request to a collection, processor µs', (cost) => cost.firstRequest),
    row('/openapi.json, kB', (cost) => cost.description / 1000),
    row('building it, processor ms', (cost) => cost.describing),
  ]
}

function pagesTable(result: PartResults['pages']): Table {
  const rows = result.map((cost) => [
    `/${cost.collection}`,
    String(cost.pageOctets),
    String(cost.jsonOctets),
    String(cost.pageMicroseconds),
    String(cost.jsonMicroseconds),
    cost.times.toFixed(2),
  ])
  return [['50 items', 'HTML, octets', 'JSON, octets', 'HTML, µs', 'JSON, µs', 'ratio'], ...rows]
}

function tenantsTable(result: PartResults['tenants']): Table {
  const stores = Object.entries(result)
  const rows = Object.keys(result.SQLite).map((name) => [
    name,
    ...stores.map(([, costs]) => {
      const [cost = Number.NaN, alone = Number.NaN] = [costs[name], costs[baseline]]
      return `${cost.toFixed(0)} (×${formatRatio(cost / alone)})`
    }),
  ])
  return [['50 items, µs', ...stores.map(([store]) => store)], ...rows]
}

function derivedTable(result: PartResults['derived']): Table {
  const rows = Object.entries(result).map(([store, { plain, counted }]) => [
    store,
    plain.toFixed(0),
    counted.toFixed(0),
    `×${formatRatio(counted / plain)}`,
  ])
  return [['20 items, µs', 'without', 'with count', 'ratio'], ...rows]
}

function namesIn(all: readonly Figures[]): readonly string[] {
  return [...new Set(all.flatMap((figures) => Object.keys(figures)))]
}

function withSpread({ perSecond, least, most }: Figure): string {
  if (least === most) return perSecond.toFixed(0)
  const spread = Math.round((100 * (most - least)) / (2 * perSecond))
  return `${perSecond.toFixed(0)} ±${spread} %`
}

function comparison(ours: Figure | undefined, theirs: Figure | undefined): string {
  if (ours === undefined || theirs === undefined) return '–'
  return `${theirs.perSecond.toFixed(0)} (×${formatRatio(ours.perSecond / theirs.perSecond)})`
}

function formatRatio(ratio: number): string {
  return ratio >= 20 ? ratio.toFixed(0) : ratio.toFixed(2)
}

function cost(figure: Figure | undefined): string {
  if (figure === undefined) return '–'
  return `${figure.p99.toFixed(1)} / ${figure.processor.toFixed(0)}`
}
