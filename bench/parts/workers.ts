/**
 * Compares the service in several processes with one, each on its own file. A hand-written server in
 * as many processes shows the gain that the machine allows.
 */

import { join } from 'node:path'
import { byPosition } from '../dialect.ts'
import { copyFilled } from '../fill.ts'
import { type Figures, measureAll } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { startTarget, type Target } from '../target.ts'
import { knowsWorkers, writeSampleFields } from '../targets.ts'
import { type WorkloadName, workloads } from '../workload.ts'

const reads: readonly WorkloadName[] = ['item GET', 'list of 20', 'list at any depth']
/** Not measured on the hand-written server: its processes would lock each other's file. */
const writes: readonly WorkloadName[] = ['create', 'patch']

export interface Workers {
  readonly workers: number
  /** By workload, then `one` and `several`; for reads also `bareOne` and `bareSeveral`. */
  readonly workloads: Readonly<Record<string, Figures>>
}

/** Returns undefined when the service has no workers, after printing so. */
export async function measureWorkers(run: Run): Promise<Workers | undefined> {
  const { rows, workers } = run.options
  if (!knowsWorkers()) {
    process.stderr.write('SKIPPED: workers: restwell serve has no option --workers\n')
    return undefined
  }
  await using targets = new Targets()
  const one = await targets.add(startFilledService(run, { name: 'one', rows }))
  const several = await targets.add(startFilledService(run, { name: 'several', rows, workers }))
  await writeSampleFields(one, run.folder)
  await targets.add(startBare(run, 'bareOne', 1))
  await targets.add(startBare(run, 'bareSeveral', workers))
  const read = await measureAll(targets.all, named(reads), run.setting)
  const written = await measureAll([one, several], named(writes), run.setting)
  return { workers, workloads: { ...read, ...written } }
}

function named(names: readonly WorkloadName[]) {
  return workloads.filter(({ name }) => names.includes(name))
}

async function startBare({ folder, options }: Run, name: string, processes: number): Promise<Target> {
  const { rows } = options
  const database = join(folder, `${name}.db`)
  await copyFilled('plain', rows, database)
  const server = processes === 1 ? 'sqlite.ts' : 'cluster.ts'
  const script = join(import.meta.dirname, '../servers', server)
  const args = [script, join(folder, 'fields.json'), database, String(processes)]
  return startTarget({ name, args, dialect: byPosition, rows, bulk: '/bulk' })
}
