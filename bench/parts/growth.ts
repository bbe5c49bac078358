/** Compares the service with a thousand rows and with a million. */

import { type Figures, measureAll } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { type WorkloadName, workloads } from '../workload.ts'

export const growthRows = { few: 1000, many: 1_000_000 } as const

const asked: readonly WorkloadName[] = [
  'item GET',
  'list of 20',
  'list at any depth',
  'filtered list',
  'create',
]

/** By workload, then `few` and `many`. */
export type Growth = Readonly<Record<string, Figures>>

export async function measureGrowth(run: Run): Promise<Growth> {
  await using targets = new Targets()
  for (const name of ['few', 'many'] as const) {
    await targets.add(startFilledService(run, { name, rows: growthRows[name] }))
  }
  const chosen = workloads.filter(({ name }) => asked.includes(name))
  return await measureAll(targets.all, chosen, run.setting)
}
