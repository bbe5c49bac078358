/** Creates the runner of a service with logic. Services without logic do not load this folder. */

import type { ResourceModel } from '../../definition/model.ts'
import type { LogicRunner } from '../../requests/write/logic-runner.ts'
import type { LogicContext } from './collected-run.ts'
import { LogicRun } from './logic-run.ts'
import { planDeletion, runsDeletionHooks } from './planned-deletion.ts'
import { requireChecks } from './require-checks.ts'

export function createLogicRunner(context: LogicContext): LogicRunner {
  return {
    withStore: (store) => createLogicRunner({ ...context, store }),
    begin: (request) => LogicRun.begin(context, request),
    runsHooks: (resource) => hasHooks(resource) || runsDeletionHooks(resource),
    runsDeletionHooks,
    requireChecks: (caller, resource, values) => requireChecks(context, caller, resource, values),
    planDeletion: (caller, resource, row) => planDeletion(context, caller, { resource, row }),
  }
}

function hasHooks({ logic }: ResourceModel): boolean {
  return Object.keys(logic?.before ?? {}).length > 0
}
