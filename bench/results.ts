/** The results of each part with its machine and settings. */

import { availableParallelism, cpus, totalmem } from 'node:os'
import { loader } from './load.ts'
import type { Options, PartName } from './options.ts'
import type { PageCost } from './pages.ts'
import type { CrowdResult } from './parts/crowd.ts'
import type { Definitions } from './parts/definitions.ts'
import type { Demo } from './parts/demo.ts'
import type { DerivedCosts } from './parts/derived.ts'
import type { Growth } from './parts/growth.ts'
import type { Latency } from './parts/latency.ts'
import type { Start } from './parts/start.ts'
import type { TenantCosts } from './parts/tenants.ts'
import type { Throughput } from './parts/throughput.ts'
import type { Workers } from './parts/workers.ts'
import { connections } from './run.ts'

export interface PartResults {
  readonly throughput: Throughput
  readonly demo: Demo
  readonly growth: Growth
  readonly workers: Workers
  /** By server. */
  readonly latency: Readonly<Record<string, Latency>>
  readonly crowd: CrowdResult
  readonly start: Start
  readonly definitions: Definitions
  readonly pages: readonly PageCost[]
  readonly tenants: TenantCosts
  readonly derived: DerivedCosts
  readonly postgres: Omit<Throughput, 'memory'>
}

/** The machine and settings of a part. */
export interface Circumstances {
  readonly machine: string
  readonly setting: string
}

export type Results = {
  readonly [Name in PartName]?: Circumstances & { readonly result: PartResults[Name] }
}

export function circumstancesOf({ rounds, seconds, warmUpSeconds }: Options): Circumstances {
  const [{ model } = { model: 'unknown processor' }] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const pace = `${rounds} rounds of ${seconds} s after ${warmUpSeconds} s to warm up`
  return {
    machine: `${availableParallelism()} × ${model}, ${memory} GiB, ${process.platform}, Node.js ${process.versions.node}`,
    setting: `${loader}, ${connections} connections, ${pace}`,
  }
}
