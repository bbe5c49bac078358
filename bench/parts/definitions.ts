/** The cost of a definition by its size: 4, 50 and 200 resources of 31 fields, and the demo. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from '../ask.ts'
import { memoryOf, processorTimeOf } from '../process-tree.ts'
import { median } from '../rounds.ts'
import type { Run } from '../run.ts'
import { urlOf } from '../target.ts'
import { installPackage } from './start.ts'

export const definitionSizes = [4, 50, 200] as const

export interface Definitions {
  readonly demo: DefinitionCost
  /** By the number of resources. */
  readonly sizes: Readonly<Record<string, DefinitionCost>>
}

export interface DefinitionCost {
  /** Milliseconds to the first response, with new tables and with existing ones. */
  readonly firstStart: number
  readonly laterStart: number
  /** MiB after the start, and after one request to each collection. */
  readonly idleMemory: number
  readonly usedMemory: number
  /** Microseconds of processor time for the first request to a collection. */
  readonly firstRequest: number
  /** Octets of /openapi.json, and milliseconds of processor time to build it. */
  readonly description: number
  readonly describing: number
}

/** Returns undefined when packages cannot be installed, after printing why. */
export async function measureDefinitions(run: Run): Promise<Definitions | undefined> {
  const installed = installPackage(run.folder)
  if (installed === undefined) return undefined
  const source = join(import.meta.dirname, '../..')
  copyFileSync(join(source, 'examples/shop.ts'), join(installed, 'shop.ts'))
  copyFileSync(join(source, 'bench/large-service.ts'), join(installed, 'large.ts'))
  const costOf = (file: string, resources: number) =>
    measureDefinition({ installed, file, resources, rounds: run.options.rounds })
  const sizes: Record<string, DefinitionCost> = {}
  for (const size of definitionSizes) sizes[size] = await costOf('large.ts', size)
  return { demo: await costOf('shop.ts', 0), sizes }
}

interface Plan {
  readonly installed: string
  readonly file: string
  readonly resources: number
  readonly rounds: number
}

async function measureDefinition(plan: Plan): Promise<DefinitionCost> {
  const firstStart = await timeStart(plan, async () => {})
  const later: number[] = []
  let used: Used | undefined
  for (let round = 0; round < plan.rounds; round += 1) {
    later.push(
      await timeStart(plan, async (url, pid) => {
        used ??= await useOnce(url, pid)
      }),
    )
  }
  if (used === undefined) throw new Error('At least one round is needed')
  return { firstStart, laterStart: median(later), ...used }
}

type Used = Omit<DefinitionCost, 'firstStart' | 'laterStart'>

/** Measures from the start of the process to its first response, then uses and stops it. */
async function timeStart(
  { installed, file, resources }: Plan,
  use: (url: string, pid: number) => Promise<void>,
): Promise<number> {
  const command = join(installed, 'node_modules/restwell/bin/restwell.js')
  const database = `file:${join(installed, `${file}-${resources}.db`)}`
  const environment = { DATABASE_URL: database, RESOURCES: String(resources), LOG_LEVEL: 'fatal' }
  const began = performance.now()
  const child = spawn(process.execPath, [command, 'serve', join(installed, file), '--port', '0'], {
    env: { ...process.env, RESTWELL_RATE: 'off', RESTWELL_SAMPLE: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = await urlOf(child)
  await ask(url, { method: 'GET', path: '/health/live', status: 200 })
  const time = performance.now() - began
  await use(url, child.pid as number)
  child.kill('SIGTERM')
  await exited
  return time
}

async function useOnce(url: string, pid: number): Promise<Used> {
  const idleMemory = memoryOf(pid)
  const get = (path: string) => ask(url, { method: 'GET', path, status: 200 })
  const { links } = JSON.parse((await get('/')).text) as { links: Record<string, string> }
  const collections = Object.entries(links).flatMap(([name, uri]) => (uri === `/${name}` ? uri : []))
  const begun = processorTimeOf(pid)
  for (const path of collections.filter((uri) => uri !== '/problems')) await get(path)
  const asked = processorTimeOf(pid)
  const usedMemory = memoryOf(pid)
  const description = (await get('/openapi.json')).text
  return {
    idleMemory,
    usedMemory,
    firstRequest: (asked - begun) / collections.length,
    description: Buffer.byteLength(description),
    describing: (processorTimeOf(pid) - asked) / 1000,
  }
}
