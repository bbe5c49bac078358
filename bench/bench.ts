/**
 * `npm run bench [-- --quick] [--postgres]`: the service beside the limits of its platform, in one run on one
 * machine. Figures of different machines cannot be compared; the ratios can.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCluster } from '../test/cluster.ts'
import { gather } from './crowd.ts'
import { loader, type Measure, measure } from './load.ts'
import { formatCrowd, formatResults, median, type Result } from './report.ts'
import { type BenchRequest, type Scenario, scenarios } from './scenario.ts'
import { startBare, startPostgres, startService, startSqlite, type Target } from './target.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    /** On a PostgreSQL that is started for it. */
    postgres: { type: 'boolean', default: false },
  },
})
/** `--only 'item GET'` leaves the others out. */
const chosen = scenarios.filter(({ name }) => values.only === undefined || name === values.only)
const rounds = values.quick ? 1 : 5
const seconds = values.quick ? 1 : 3
/** The larger a program, the longer it takes to be compiled by how it is used. */
const warmUpSeconds = values.quick ? 1 : 8
const connections = 64
const crowdSize = { idle: 1000, slow: 200 }

const folder = await mkdtemp(join(tmpdir(), 'restwell-bench-'))
const targets: Target[] = []
const cluster = values.postgres ? await startCluster() : undefined
try {
  await main()
} finally {
  for (const target of targets) await target.stop()
  await cluster?.end()
  if (!process.env.BENCH_PROFILE) await rm(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const database = cluster?.freshUrl()
  const ours = await startService(folder, database)
  targets.push(ours)
  const fieldsFile = join(folder, 'fields.json')
  await writeFile(fieldsFile, JSON.stringify(await sampleFields(ours)))
  const byHand =
    database === undefined ? startSqlite(fieldsFile, folder) : startPostgres(fieldsFile, database)
  targets.unshift(await startBare(fieldsFile), await byHand)
  for (const target of targets) for (const scenario of scenarios) await check(target, scenario)
  const setting = `${loader}, ${connections} connections, ${rounds} rounds of ${seconds} s`
  process.stdout.write(
    `Node.js ${process.version}, ${availableParallelism()} cores, ${setting}\n\n`,
  )
  process.stdout.write(formatResults(await measureAll()))
  process.stdout.write(formatCrowd(await measureCrowd(ours), crowdSize))
}

/** The header fields that the other servers are to send too. */
async function sampleFields(target: Target): Promise<Record<string, readonly string[]>> {
  const own = new Set(['date', 'connection', 'keep-alive', 'content-length', 'request-id'])
  const samples: Record<string, readonly string[]> = {}
  for (const scenario of scenarios) {
    const response = await ask(target, scenario)
    await response.text()
    const fields = [...response.headers].filter(([name]) => !own.has(name))
    samples[scenario.name] = fields.flatMap(([name, value]) => [spelled(name), value])
  }
  return samples
}

/** `etag` as the RFCs print it. */
function spelled(name: string): string {
  if (name === 'etag') return 'ETag'
  return name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}

async function check(target: Target, scenario: Scenario): Promise<void> {
  const response = await ask(target, scenario)
  const body: unknown = await response.json()
  if (response.status === scenario.status && scenario.isRight(body)) return
  throw new Error(`${target.name} answers '${scenario.name}' with ${response.status}`)
}

function ask({ url, ids }: Target, { method, requests }: Scenario): Promise<Response> {
  const [{ path, content }] = requests(ids) as readonly [BenchRequest]
  const body = content === undefined ? {} : { body: content }
  // As the load asks; fetch by itself would be answered in a content coding.
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'identity' }
  return fetch(url + path, { method, headers, ...body })
}

/** Each server in turn, round after round, so that what else the machine does meets all alike. */
async function measureAll(): Promise<readonly Result[]> {
  const measures = new Map<string, Measure[]>()
  await warmUp()
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of chosen) {
      for (const target of targets) {
        const key = `${scenario.name} ${target.name}`
        const one = await measure({ target, scenario, connections, seconds, folder })
        measures.set(key, [...(measures.get(key) ?? []), one])
      }
    }
  }
  return chosen.map(({ name }) => ({
    scenario: name,
    byTarget: targets.map((target) => ({
      target: target.name,
      measure: middle(measures.get(`${name} ${target.name}`) ?? []),
    })),
  }))
}

async function warmUp(): Promise<void> {
  for (const scenario of chosen) {
    for (const target of targets) {
      await measure({ target, scenario, connections, seconds: warmUpSeconds, folder })
    }
  }
}

function middle(measures: readonly Measure[]): Measure {
  return {
    perSecond: median(measures.map(({ perSecond }) => perSecond)),
    p99: median(measures.map(({ p99 }) => p99)),
    processor: median(measures.map(({ processor }) => processor)),
  }
}

/** Item GETs without and with the crowd, in turn; far below saturation, where p99 tells something. */
async function measureCrowd(target: Target) {
  const scenario = scenarios[0] as Scenario
  const load = { target, scenario, connections: 4, seconds, folder }
  const alone: Measure[] = []
  const crowded: Measure[] = []
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await measure(load))
    const crowd = await gather(target.url, crowdSize)
    crowded.push(await measure(load))
    crowd.disperse()
  }
  return { alone: middle(alone), crowded: middle(crowded) }
}
