/** Measures the servers in turns, so that other load affects all of them. */

import { ask, type BenchRequest } from './ask.ts'
import { applyLoad, NoAnswers, type Seen, WrongAnswers } from './load.ts'
import { untilAtRest } from './rest.ts'
import type { Target } from './target.ts'
import type { Workload } from './workload.ts'

export interface Setting {
  readonly rounds: number
  readonly seconds: number
  /** Large programs need longer until V8 has optimised them. */
  readonly warmUpSeconds: number
  readonly connections: number
  /** A folder for files. */
  readonly folder: string
  /** Waits until no server works on earlier requests. */
  readonly rest?: () => Promise<void>
}

export interface Measure extends Seen {
  /** Microseconds of processor time per request, all threads. */
  readonly processor: number
}

/** The median of several rounds, and the minimum and maximum of requests per second. */
export interface Figure {
  readonly perSecond: number
  readonly least: number
  readonly most: number
  readonly p50: number
  readonly p99: number
  readonly processor: number
}

/** By name of the server, for one workload. */
export type Figures = Readonly<Record<string, Figure>>

/** Measures every workload on every server, by name of the workload. */
export async function measureAll(
  targets: readonly Target[],
  workloads: readonly Workload[],
  setting: Setting,
): Promise<Readonly<Record<string, Figures>>> {
  const results: Record<string, Figures> = {}
  for (const [at, workload] of workloads.entries()) {
    const warmUpSeconds = setting.warmUpSeconds * (at === 0 ? firstWarmUp : 1)
    results[workload.name] = await measureWorkload(targets, workload, { ...setting, warmUpSeconds })
  }
  return results
}

/** The first warm-up of a run is longer by this factor, because no code is compiled yet. */
const firstWarmUp = 3

async function measureWorkload(
  targets: readonly Target[],
  workload: Workload,
  setting: Setting,
): Promise<Figures> {
  const able = targets.filter((target) => isAble(target, workload))
  const measures = new Map<string, Measure[]>(able.map(({ name }) => [name, []]))
  const seconds = setting.warmUpSeconds
  const whole = { ...setting, rest: () => untilAtRest(targets) }
  for (const target of able) await measure(target, workload, { ...whole, seconds })
  for (let round = 0; round < setting.rounds; round += 1) {
    for (const target of inTurn(able, round)) {
      measures.get(target.name)?.push(await measure(target, workload, whole))
    }
  }
  const figures = [...measures].map(([name, all]) => [name, figureOf(all)] as const)
  process.stderr.write(`  ${workload.name}: ${figures.map(tell).join(', ')}\n`)
  return Object.fromEntries(figures)
}

/**
 * Returns another order for each round, so that each server follows every other about equally
 * often.
 */
export function inTurn<One>(all: readonly One[], round: number): readonly One[] {
  const { length } = all
  // 0, -1, 1, -2, 2, …: every step has another width.
  return all.map((_, at) => {
    const place = at % 2 === 0 ? at / 2 : length - (at + 1) / 2
    return all[(place + round) % length] as One
  })
}

function tell([name, { perSecond }]: readonly [string, Figure]): string {
  return `${name} ${perSecond.toFixed(0)}/s`
}

/** Some servers have no tokens. */
function isAble({ token }: Target, { name }: Workload): boolean {
  return name !== 'item GET by token' || token !== undefined
}

type RoundSetting = Omit<Setting, 'rounds' | 'warmUpSeconds'>

/** Measures one round, and repeats it when necessary. */
export function measure(target: Target, workload: Workload, setting: RoundSetting): Promise<Measure> {
  const name = `${target.name}, ${workload.name}`
  let { seconds } = setting
  return insist(name, async () => {
    try {
      return await measureOnce(target, workload, { ...setting, seconds })
    } catch (error) {
      // The round was too short for a slow server.
      if (error instanceof NoAnswers) seconds *= 2
      throw error
    }
  })
}

const attempts = 5

/**
 * A round in which other load made a server refuse requests is repeated, and the repetition is
 * printed.
 */
export async function insist<Result>(name: string, round: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof WrongAnswers) || attempt === attempts) throw error
      process.stderr.write(`  AGAIN: ${name}: ${error.message}\n`)
    }
  }
}

/** Checks some responses before the load; under load, each status and the average size. */
export async function measureOnce(
  target: Target,
  workload: Workload,
  { connections, seconds, folder, rest }: RoundSetting,
): Promise<Measure> {
  const { url } = target
  const requests = await workload.requests(target)
  const size = await check(target, workload, requests.slice(0, samples))
  const load = { url, requests: requests.slice(requests.length > samples ? samples : 0) }
  await rest?.()
  const before = target.processorTime()
  const seen = await applyLoad({ ...load, connections, seconds, folder }).catch((error) => {
    // The number of deleted items is unknown after a partial round.
    if (workload.name === 'delete') target.noteSpent(error instanceof NoAnswers ? 0 : Infinity)
    throw error
  })
  const processor = (target.processorTime() - before) / seen.requests
  if (workload.name === 'delete') target.noteSpent(seen.requests + samples)
  allowSize(`${target.name}, ${workload.name}`, seen.octets, size)
  return { ...seen, processor }
}

const samples = 4

/** Returns the average octets of a response. Throws when one is wrong. */
async function check(
  { url, name }: Target,
  workload: Workload,
  requests: readonly BenchRequest[],
): Promise<number> {
  let octets = 0
  for (const request of requests) {
    const answer = await ask(url, request)
    if (!workload.isRight(answer)) {
      throw new Error(`${name}, ${workload.name}, ${request.path}: ${answer.text.slice(0, 500)}`)
    }
    const fields = answer.rawFields.reduce((sum, part) => sum + part.length + 2, 0)
    octets += 17 + fields + 2 + Buffer.byteLength(answer.text)
  }
  return octets / requests.length
}

/** The load client accepts a 200 instead of a 304, but a 200 is far longer. */
function allowSize(name: string, seen: number, expected: number): void {
  if (Math.abs(seen - expected) < 0.25 * expected) return
  throw new Error(`${name}: answers have ${seen.toFixed(0)} octets, not ${expected.toFixed(0)}`)
}

function figureOf(measures: readonly Measure[]): Figure {
  const rates = measures.map(({ perSecond }) => perSecond)
  return {
    perSecond: median(rates),
    least: Math.min(...rates),
    most: Math.max(...rates),
    p50: median(measures.map(({ p50 }) => p50)),
    p99: median(measures.map(({ p99 }) => p99)),
    processor: median(measures.map(({ processor }) => processor)),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const pair = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]] as [number, number]
  return (pair[0] + pair[1]) / 2
}
