/** Load: as many requests as a number of connections can make in a time, by wrk where it is. */

import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scenario } from './scenario.ts'
import type { Target } from './target.ts'

export interface Load {
  readonly target: Target
  readonly scenario: Scenario
  readonly connections: number
  readonly seconds: number
  /** Where files may be put. */
  readonly folder: string
}

export interface Measure {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p99: number
  /** Microseconds of the server's processor time for one request, all its threads together. */
  readonly processor: number
}

/** What a client can see. */
type Seen = Omit<Measure, 'processor'>

const run = promisify(execFile)

export const loader = spawnSync('wrk', ['--version']).error ? 'bundled client' : 'wrk'

/** Throws where an answer was not a success. */
export async function measure(load: Load): Promise<Measure> {
  const before = load.target.processorTime()
  const seen = await (loader === 'wrk' ? measureWithWrk(load) : measureWithClient(load))
  const used = load.target.processorTime() - before
  return { ...seen, processor: used / (seen.perSecond * load.seconds) }
}

async function measureWithWrk(load: Load): Promise<Seen> {
  const { target, connections, seconds, folder } = load
  const script = join(folder, 'requests.lua')
  await writeFile(script, luaOf(load))
  const amount = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s']
  const args = [...amount, '--latency', '-s', script, target.url]
  const { stdout } = await run('wrk', args)
  const faults = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)?.[0]
  if (faults !== undefined) throw new Error(`${target.name}, ${load.scenario.name}: ${faults}`)
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  const [, value, unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  return { perSecond, p99: Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN) }
}

/** The requests are formatted once, so that the client costs little. */
function luaOf({ target, scenario }: Load): string {
  const requests = scenario.requests(target.ids).map(({ path, content }) => {
    const body = content === undefined ? 'nil' : JSON.stringify(content)
    return `  wrk.format("${scenario.method}", "${path}", nil, ${body})`
  })
  return `wrk.headers["Content-Type"] = "application/json"
local requests = nil
local at = 0
function request()
  if requests == nil then requests = {\n${requests.join(',\n')}\n} end
  at = at % #requests + 1
  return requests[at]
end
`
}

async function measureWithClient(load: Load): Promise<Seen> {
  const { target, scenario, connections, seconds, folder } = load
  const file = join(folder, 'requests.json')
  const requests = scenario.requests(target.ids)
  const { method, status } = scenario
  const order = { url: target.url, method, status, requests, connections, seconds }
  await writeFile(file, JSON.stringify(order))
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'client.ts'), file])
  return JSON.parse(stdout) as Seen
}
