/** The context of a run: options, a folder, and servers that stop at its end. */

import { join } from 'node:path'
import { copyFilled } from './fill.ts'
import type { Options } from './options.ts'
import type { Setting } from './rounds.ts'
import type { Target } from './target.ts'
import { type ServicePlan, startService } from './targets.ts'

export const connections = 64

export interface Run {
  readonly options: Options
  readonly setting: Setting
  /** A temporary folder of the run. */
  readonly folder: string
}

export function runOf(options: Options, folder: string): Run {
  const { rounds, seconds, warmUpSeconds } = options
  return { options, folder, setting: { rounds, seconds, warmUpSeconds, connections, folder } }
}

/** Starts the service on a copy of the filled SQLite file. */
export async function startFilledService(
  { folder, options }: Run,
  plan: Omit<ServicePlan, 'database'>,
): Promise<Target> {
  const file = join(folder, `${plan.name ?? 'restwell'}-${plan.rows}.db`)
  await copyFilled('service', plan.rows, file)
  return startService({ ...plan, database: `file:${file}`, profile: options.profile })
}

/** Servers that run together and stop together. */
export class Targets implements AsyncDisposable {
  readonly all: Target[] = []

  /** Undefined: the server could not be started. */
  async add<Started extends Target | undefined>(starting: Promise<Started>): Promise<Started> {
    const target = await starting
    if (target !== undefined) this.all.push(target)
    return target
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const target of this.all) await target.stop()
  }
}
