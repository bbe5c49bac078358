/** The service in several processes beside the service in one, each on a file of its own. */

import { type Figures, measureAll } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { knowsWorkers } from '../targets.ts'
import { type WorkloadName, workloads } from '../workload.ts'

const asked: readonly WorkloadName[] = [
  'item GET',
  'list of 20',
  'list at any depth',
  'create',
  'patch',
]

export interface Workers {
  readonly workers: number
  /** By workload, then `one` and `several`. */
  readonly workloads: Readonly<Record<string, Figures>>
}

/** Undefined where the service does not know how, which is said aloud. */
export async function measureWorkers(run: Run): Promise<Workers | undefined> {
  const { rows, workers } = run.options
  if (!knowsWorkers()) {
    process.stderr.write('SKIPPED: workers: restwell serve has no option --workers\n')
    return undefined
  }
  await using targets = new Targets()
  await targets.add(startFilledService(run, { name: 'one', rows }))
  await targets.add(startFilledService(run, { name: 'several', rows, workers }))
  const chosen = workloads.filter(({ name }) => asked.includes(name))
  return { workers, workloads: await measureAll(targets.all, chosen, run.setting) }
}
