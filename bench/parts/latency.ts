/** The latency of reads during writes, and of a single write. */

import { setTimeout as pause } from 'node:timers/promises'
import { untilAtRest } from '../rest.ts'
import { insist, inTurn, type Measure, measure, measureOnce, median, type Setting } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import type { Target } from '../target.ts'
import { type Opponent, startOpponent, writeSampleFields } from '../targets.ts'
import { type Workload, workloads } from '../workload.ts'

/** Milliseconds. */
export interface Latency {
  /** p99 of item GETs over 64 connections: alone, and while 64 more create. */
  readonly readAlone: number
  readonly readBesideWrites: number
  /** The median of creates over one connection. */
  readonly loneWrite: number
}

/** Servers that write on the thread that reads. */
const compared: readonly Opponent[] = ['sqlite', 'fastify']

const [get, create] = [workloadOf('item GET'), workloadOf('create')]

/** By server. */
export async function measureLatency(run: Run): Promise<Readonly<Record<string, Latency>>> {
  const { rows, against } = run.options
  const { folder } = run
  await using targets = new Targets()
  await writeSampleFields(await targets.add(startFilledService(run, { rows })), folder)
  for (const name of compared.filter((one) => against.includes(one))) {
    await targets.add(startOpponent(name, { rows, folder }))
  }
  const setting = { ...run.setting, rest: () => untilAtRest(targets.all) }
  const seconds = run.setting.warmUpSeconds
  for (const target of targets.all) await measureRound(target, { ...setting, seconds })
  const rounds = new Map<string, Latency[]>(targets.all.map(({ name }) => [name, []]))
  for (let round = 0; round < run.setting.rounds; round += 1) {
    for (const target of inTurn(targets.all, round)) {
      rounds.get(target.name)?.push(await measureRound(target, setting))
    }
  }
  const results = [...rounds].map(([name, all]) => [name, middleOf(all)] as const)
  for (const [name, latency] of results) tell(name, latency)
  return Object.fromEntries(results)
}

async function measureRound(target: Target, setting: Setting): Promise<Latency> {
  // In a shorter time p99 would only show how long connections take to be accepted.
  const longer = { ...setting, seconds: Math.max(3, setting.seconds) }
  const alone = await measure(target, get, longer)
  const beside = await insist(`${target.name}, reads beside writes`, () => both(target, longer))
  const lone = await measure(target, create, { ...setting, connections: 1 })
  return { readAlone: alone.p99, readBesideWrites: beside.p99, loneWrite: lone.p50 }
}

/** Measures reads while other connections write. */
async function both(target: Target, { rest, ...setting }: Setting): Promise<Measure> {
  await rest?.()
  const reading = measureOnce(target, get, setting)
  await pause(connected)
  const [read] = await Promise.allSettled([reading, measureOnce(target, create, setting)])
  if (read.status === 'rejected') throw read.reason
  return read.value
}

/** Milliseconds until the readers are connected. */
const connected = 500

function workloadOf(name: Workload['name']): Workload {
  return workloads.find((one) => one.name === name) as Workload
}

function middleOf(all: readonly Latency[]): Latency {
  return {
    readAlone: median(all.map(({ readAlone }) => readAlone)),
    readBesideWrites: median(all.map(({ readBesideWrites }) => readBesideWrites)),
    loneWrite: median(all.map(({ loneWrite }) => loneWrite)),
  }
}

function tell(name: string, { readAlone, readBesideWrites, loneWrite }: Latency): void {
  const reads = `${readAlone.toFixed(1)} ms, beside writes ${readBesideWrites.toFixed(1)} ms`
  process.stderr.write(`  p99 of reads: ${name} ${reads}; a lone write ${loneWrite.toFixed(2)} ms\n`)
}
