/** Requests per second of every workload, for the service and all other servers. */

import { type Figures, measureAll } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { startOpponent, writeSampleFields } from '../targets.ts'
import { workloads } from '../workload.ts'

export interface Throughput {
  readonly rows: number
  readonly workloads: Readonly<Record<string, Figures>>
  /** MiB by server, after all workloads. */
  readonly memory: Readonly<Record<string, number>>
}

export async function measureThroughput(run: Run): Promise<Throughput> {
  const { rows, against, only } = run.options
  const { folder } = run
  await using targets = new Targets()
  const service = await targets.add(startFilledService(run, { rows }))
  await writeSampleFields(service, folder)
  for (const name of against) await targets.add(startOpponent(name, { rows, folder }))
  const chosen = workloads.filter(({ name }) => only.includes(name))
  const figures = await measureAll(targets.all, chosen, run.setting)
  const memory = targets.all.map((target) => [target.name, target.memory()])
  return { rows, workloads: figures, memory: Object.fromEntries(memory) }
}
