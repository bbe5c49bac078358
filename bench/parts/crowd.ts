/** Item GETs beside many idle and slow connections, far below saturation. */

import { gather } from '../crowd.ts'
import { measure, median } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { type Workload, workloads } from '../workload.ts'

export const crowdSize = { idle: 1000, slow: 200 } as const

/** p99 in milliseconds. */
export interface CrowdResult {
  readonly alone: number
  readonly crowded: number
}

export async function measureCrowd(run: Run): Promise<CrowdResult> {
  await using targets = new Targets()
  const service = await targets.add(startFilledService(run, { rows: run.options.rows }))
  const [workload] = workloads as readonly [Workload]
  const setting = { ...run.setting, connections: 4 }
  await measure(service, workload, { ...setting, seconds: run.setting.warmUpSeconds })
  const results: { alone: number[]; crowded: number[] } = { alone: [], crowded: [] }
  for (let round = 0; round < run.setting.rounds; round += 1) {
    results.alone.push((await measure(service, workload, setting)).p99)
    const crowd = await gather(service.url, crowdSize)
    results.crowded.push((await measure(service, workload, setting)).p99)
    crowd.disperse()
  }
  return { alone: median(results.alone), crowded: median(results.crowded) }
}
