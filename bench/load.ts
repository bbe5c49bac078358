/** Sends as many requests as a number of connections can in a given time, with wrk if installed. */

import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BenchRequest, messageOf } from './ask.ts'

export interface Load {
  readonly url: string
  readonly requests: readonly BenchRequest[]
  readonly connections: number
  /** An integer. */
  readonly seconds: number
  /** A folder for files. */
  readonly folder: string
}

/** The measurements of a client. */
export interface Seen {
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Average octets of a response. */
  readonly octets: number
}

/** Thrown when some responses under load were errors. */
export class WrongAnswers extends Error {}

/** Thrown when no response arrived in time. */
export class NoAnswers extends WrongAnswers {}

const run = promisify(execFile)

export const loader = spawnSync('wrk', ['--version']).error ? 'the bundled client' : 'wrk'

let loads = 0

/** Throws WrongAnswers when a response was an error. */
export function applyLoad(load: Load): Promise<Seen> {
  loads += 1
  const file = join(load.folder, `load-${loads % 4}`)
  return loader === 'wrk' ? applyWrk(load, file) : applyClient(load, file)
}

async function applyWrk(load: Load, file: string): Promise<Seen> {
  const { url, requests, connections, seconds } = load
  const messages = requests.map((request) => messageOf(url, request))
  await writeFile(file, messages.join('\0'))
  await writeFile(`${file}.lua`, luaOf(file))
  const amount = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s']
  const { stdout } = await run('wrk', [...amount, '--latency', '-s', `${file}.lua`, url])
  const faults = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)?.[0]
  if (faults !== undefined) throw new WrongAnswers(faults)
  const seen = readWrk(stdout)
  if (seen.requests === 0) throw new NoAnswers('No request was answered in time')
  return seen
}

/** Formatted in advance, so that the client costs little. */
function luaOf(file: string): string {
  return `local requests = {}
local at = 0
function init()
  local file = io.open(${JSON.stringify(file)}, "rb")
  for one in file:read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = one end
  file:close()
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`
}

function readWrk(text: string): Seen {
  const [, requests, , size, unit = ''] =
    /(\d+) requests in ([\d.]+)\w+, ([\d.]+)([KMG]?B) read/.exec(text) ?? []
  const octets = Number(size) * ({ B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }[unit] ?? Number.NaN)
  return {
    requests: Number(requests),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    p50: readMilliseconds(text, '50%'),
    p99: readMilliseconds(text, '99%'),
    octets: octets / Number(requests),
  }
}

function readMilliseconds(text: string, label: string): number {
  const [, value, unit = ''] = new RegExp(`${label}\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? []
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN)
}

async function applyClient(load: Load, file: string): Promise<Seen> {
  const { url, requests, connections, seconds } = load
  const messages = requests.map((request) => ({
    text: messageOf(url, request),
    status: request.status,
  }))
  await writeFile(file, JSON.stringify({ url, messages, connections, seconds }))
  const args = [join(import.meta.dirname, 'client.ts'), file]
  const { stdout } = await run(process.execPath, args).catch((cause) => {
    throw new WrongAnswers('The client met an answer that it should not', { cause })
  })
  return JSON.parse(stdout) as Seen
}
