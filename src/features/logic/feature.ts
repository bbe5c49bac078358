/** The code of a definition: checks, hooks, actions, jobs and schedules. */

import { type DefinitionPart, reportTakenPath } from '../../definition/definition-part.ts'
import { jobsOf } from '../../definition/job.ts'
import { hasAfterHooks, placesOfCode, runsInBackground } from '../../definition/logic/declared-hooks.ts'
import type { Model } from '../../definition/model.ts'
import { afterConsumerName, jobConsumerName } from './consumer-names.ts'
import { declareJobs } from './jobs/jobs-resource.ts'
import { createLazyAccess } from './lazy-access.ts'
import { loadLogicRunner, startHookQueue } from './load-logic.ts'
import type { findFailedChecks as FindFailedChecks } from './record-checks.ts'

export const logic = {
  name: 'logic',
  definition: {
    options: ['logic'],
    declare({ accounts, administrators, declarations, logic: code, paths, faults }) {
      if (!code.values().some(runsInBackground)) return {}
      if (declarations.has(paths.jobs))
        reportTakenPath(faults, paths.jobs, 'an action of the definition runs in the background')
      return { tables: [declareJobs({ accounts, administrators })] }
    },
  } satisfies DefinitionPart,
  commands: { retry: async () => (await import('./retry-command.ts')).retry },
  scripts: {
    createAccess: createLazyAccess,
    createRunner: loadLogicRunner,
    async findFailedChecks(...record: Parameters<typeof FindFailedChecks>) {
      const { findFailedChecks } = await import('./record-checks.ts')
      return findFailedChecks(...record)
    },
  },
  figures: {
    after: (model: Model) => (hasAfterHooks(model) ? afterConsumerName : undefined),
    jobs: (model: Model) => jobsOf(model) && jobConsumerName,
  },
  startSingleTasks: startHookQueue,
  isUsed: (model: Model) =>
    placesOfCode(model).some(({ logic: code, actions }) => code !== undefined || actions.size > 0),
  load: async () => (await import('./parts.ts')).logicParts,
}
