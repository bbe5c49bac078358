/** Performance targets, compared with the measured results. */

import { mostOctets, mostTimes } from './pages.ts'
import type { DefinitionCost } from './parts/definitions.ts'
import { mostTimesPlain } from './parts/derived.ts'
import { growthRows } from './parts/growth.ts'
import { baseline, mostTimesAlone } from './parts/tenants.ts'
import type { Results } from './results.ts'
import type { Figures } from './rounds.ts'
import type { Table } from './table.ts'
import type { WorkloadName } from './workload.ts'

export interface Claim {
  readonly text: string
  /** Undefined: not measured. */
  readonly figure: number | undefined
  readonly bound: { readonly least: number } | { readonly most: number }
  readonly unit: string
}

export function claimsOf(results: Results): readonly Claim[] {
  return [
    ...limitClaims(results),
    ...writeClaims(results),
    ...workerClaims(results),
    ...growthClaims(results),
    ...peerClaims(results),
    ...startClaims(results),
    ...definitionClaims(results),
    ...postgresClaims(results),
    ...pageClaims(results),
    ...tenantClaims(results),
    ...derivedClaims(results),
  ]
}

export function holds({ figure, bound }: Claim): boolean | undefined {
  if (figure === undefined || Number.isNaN(figure)) return undefined
  return 'least' in bound ? figure >= bound.least : figure <= bound.most
}

const verdicts = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, 'not measured'],
])

export function claimTable(claims: readonly Claim[]): Table {
  const rows = claims.map((claim) => {
    const { text, figure, bound, unit } = claim
    const target = 'least' in bound ? `≥ ${bound.least}` : `≤ ${bound.most}`
    const shown = figure === undefined ? '–' : `${formatFigure(figure)}${unit}`
    return [text, `${target}${unit}`, shown, verdicts.get(holds(claim)) ?? '']
  })
  return [['figure', 'target', 'measured', ''], ...rows]
}

function formatFigure(figure: number): string {
  return figure >= 20 ? figure.toFixed(0) : figure.toFixed(2)
}

const bare = 'bare + node:sqlite'

function limitClaims({ throughput }: Results): readonly Claim[] {
  const measured = throughput?.result.workloads
  const beside = (ours: WorkloadName, theirs: WorkloadName, least: number): Claim => ({
    text: ours === theirs ? `${ours} / ${bare}` : `${ours} / ${theirs} of ${bare}`,
    figure: ratio(measured?.[ours]?.restwell, measured?.[theirs]?.sqlite),
    bound: { least },
    unit: '',
  })
  return [
    beside('item GET', 'item GET', 0.85),
    beside('item GET by token', 'item GET', 0.7),
    beside('list of 20', 'list of 20', 1.2),
    beside('list at any depth', 'list at any depth', 1.2),
    beside('filtered list', 'filtered list', 1.1),
    beside('304 on item', 'item GET', 1.1),
    beside('304 on list', 'item GET', 1.1),
    beside('create', 'create', 2.2),
    beside('patch', 'patch', 2.2),
  ]
}

function writeClaims({ latency }: Results): readonly Claim[] {
  const { restwell, sqlite } = latency?.result ?? {}
  return [
    {
      text: 'p99 of item GET, with 64 creating connections / without',
      figure: restwell && restwell.readBesideWrites / restwell.readAlone,
      bound: { most: 3 },
      unit: '',
    },
    {
      text: `single create, extra time over ${bare}`,
      figure: restwell && sqlite && restwell.loneWrite - sqlite.loneWrite,
      bound: { most: 0.3 },
      unit: ' ms',
    },
  ]
}

function workerClaims({ workers }: Results): readonly Claim[] {
  const count = workers?.result.workers ?? 2
  const least = {
    'item GET': 1.4,
    'list of 20': 1.5,
    'list at any depth': 1.5,
    create: 1,
    patch: 1,
  }
  return Object.entries(least).map(([name, bound]) => {
    const { one, several } = workers?.result.workloads[name] ?? {}
    return {
      text: `${name}: ${count} workers / 1 worker`,
      figure: ratio(several, one),
      bound: { least: bound },
      unit: '',
    }
  })
}

function growthClaims({ growth }: Results): readonly Claim[] {
  const names: readonly WorkloadName[] = [
    'item GET',
    'list of 20',
    'list at any depth',
    'filtered list',
    'create',
  ]
  return names.map((name) => {
    const { few, many } = growth?.result[name] ?? {}
    return {
      text: `${name}: speed at ${growthRows.few} rows / at ${growthRows.many} rows`,
      figure: ratio(few, many),
      bound: { most: 1.3 },
      unit: '',
    }
  })
}

/** The lowest ratio of all workloads, and the workload that has it. */
function peerClaims({ throughput }: Results): readonly Claim[] {
  const measured = throughput?.result.workloads ?? {}
  const lists = Object.keys(measured).filter((name) => name.includes('list'))
  const others = Object.keys(measured).filter((name) => !name.includes('list'))
  const all = [...lists, ...others]
  return [
    leastOf({ peer: 'fastify', label: 'hand-written Fastify', names: all, least: 1 }, measured),
    leastOf({ peer: 'express', label: 'Express with an ORM', names: all, least: 3 }, measured),
    leastOf({ peer: 'json-server', label: 'json-server, lists', names: lists, least: 2 }, measured),
    leastOf({ peer: 'json-server', label: 'json-server', names: others, least: 3 }, measured),
  ]
}

interface PeerClaim {
  readonly peer: string
  readonly label: string
  readonly names: readonly string[]
  readonly least: number
}

function leastOf(
  { peer, label, names, least }: PeerClaim,
  measured: Readonly<Record<string, Figures>>,
): Claim {
  const ratios = names
    .map((name) => ({ name, value: ratio(measured[name]?.restwell, measured[name]?.[peer]) }))
    .filter((one): one is { name: string; value: number } => one.value !== undefined)
    .sort((one, other) => one.value - other.value)
  const [worst] = ratios
  const place = worst === undefined ? '' : ` (lowest of ${ratios.length}: ${worst.name})`
  return { text: `Restwell / ${label}${place}`, figure: worst?.value, bound: { least }, unit: '' }
}

function definitionClaims({ definitions }: Results): readonly Claim[] {
  const { demo, sizes = {} } = definitions?.result ?? {}
  const { 4: few, 50: some, 200: many } = sizes
  /** The increase per resource from 50 to 200, relative to the increase from 4 to 50. */
  const growth = (figureOf: (cost: DefinitionCost) => number) =>
    few && some && many && (figureOf(many) - figureOf(some)) / 150 / ((figureOf(some) - figureOf(few)) / 46)
  return [
    {
      text: 'later start: 200 resources / the demo',
      figure: demo && many && many.laterStart / demo.laterStart,
      bound: { most: 3 },
      unit: '',
    },
    {
      text: 'memory after a request to each of 200 collections',
      figure: many?.usedMemory,
      bound: { most: 250 },
      unit: ' MiB',
    },
    {
      text: '/openapi.json of 200 resources',
      figure: many && many.description / 1e6,
      bound: { most: 8 },
      unit: ' MB',
    },
    {
      text: '/openapi.json: increase per resource from 50 to 200 / from 4 to 50',
      figure: growth(({ description }) => description),
      bound: { most: 1.1 },
      unit: '',
    },
    {
      text: 'later start: increase per resource from 50 to 200 / from 4 to 50',
      figure: growth(({ laterStart }) => laterStart),
      bound: { most: 1.5 },
      unit: '',
    },
  ]
}

function startClaims({ start }: Results): readonly Claim[] {
  const { restwell, sqlite, package: installed } = start?.result ?? {}
  return [
    {
      text: `start to first response / ${bare}`,
      figure: restwell && sqlite && restwell.firstAnswer / sqlite.firstAnswer,
      bound: { most: 3 },
      unit: '',
    },
    {
      text: 'memory when idle',
      figure: restwell?.idleMemory,
      bound: { most: 90 },
      unit: ' MiB',
    },
    {
      text: 'size of the installed package with its dependencies',
      figure: installed?.megabytes,
      bound: { most: 15 },
      unit: ' MB',
    },
    {
      text: 'installed packages, Restwell included',
      figure: installed?.packages,
      bound: { most: 30 },
      unit: '',
    },
  ]
}

function postgresClaims({ postgres }: Results): readonly Claim[] {
  const measured = postgres?.result.workloads
  return (['item GET', 'create'] as const).map((name) => ({
    text: `PostgreSQL: ${name} / bare + pg`,
    figure: ratio(measured?.[name]?.restwell, measured?.[name]?.pg),
    bound: { least: 0.85 },
    unit: '',
  }))
}

function pageClaims({ pages }: Results): readonly Claim[] {
  const costs = pages?.result
  const most = (of: 'pageOctets' | 'times') => costs && Math.max(...costs.map((cost) => cost[of]))
  const largest = most('pageOctets')
  return [
    {
      text: 'largest HTML page of 50 items',
      figure: largest === undefined ? undefined : largest / 1000,
      bound: { most: mostOctets / 1000 },
      unit: ' kB',
    },
    {
      text: 'processor time of an HTML page of 50 items / the same as JSON',
      figure: most('times'),
      bound: { most: mostTimes },
      unit: '',
    },
  ]
}

/** The dearest list of a tenant on each store. */
function tenantClaims({ tenants }: Results): readonly Claim[] {
  return (['SQLite', 'PostgreSQL'] as const).map((store) => {
    const costs = tenants?.result[store]
    const alone = costs?.[baseline]
    return {
      text: `${store}: list of one tenant among 20,000 / the same number of items alone`,
      figure: costs && alone && Math.max(...Object.values(costs)) / alone,
      bound: { most: mostTimesAlone },
      unit: '',
    }
  })
}

function derivedClaims({ derived }: Results): readonly Claim[] {
  return (['SQLite', 'PostgreSQL'] as const).map((store) => {
    const costs = derived?.result[store]
    return {
      text: `${store}: page of 20 with a count of 1,000 items each / without`,
      figure: costs && costs.counted / costs.plain,
      bound: { most: mostTimesPlain },
      unit: '',
    }
  })
}

function ratio(
  one: { readonly perSecond: number } | undefined,
  other: { readonly perSecond: number } | undefined,
): number | undefined {
  return one && other && one.perSecond / other.perSecond
}
