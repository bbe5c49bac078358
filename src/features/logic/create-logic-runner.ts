/** Creates the runner of a service with logic. Services without logic do not load this folder. */

import type { ResourceModel } from '../../definition/model.ts'
import type { LogicRunner } from '../../requests/write/logic-runner.ts'
import type { LogicContext } from './collected-run.ts'
import { LogicRun } from './logic-run.ts'
import { planDeletion, runsDeletionHooks } from './planned-deletion.ts'
import { requireChecks } from './require-checks.ts'

export function createLogicRunner(context: Omit<LogicContext, 'store'>): LogicRunner {
  return {
    begin: (store, request) =>
      LogicRun.begin({ ...context, store }, request, { isChecked: request.caller.kind !== 'system' }),
    runsHooks: (resource) => hasHooks(resource) || runsDeletionHooks(resource),
    runsDeletionHooks,
    requireChecks: (store, caller, { resource, values }) =>
      requireChecks({ ...context, store }, caller, resource, values),
    planDeletion: (store, caller, deleted) => planDeletion({ ...context, store }, caller, deleted),
  }
}

function hasHooks({ logic }: ResourceModel): boolean {
  return Object.keys(logic?.before ?? {}).length > 0
}
