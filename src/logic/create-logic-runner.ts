/** Creates the runner of a service with logic. Services without logic do not load this folder. */

import type { LogicRunner } from '../context/logic-runner.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { planDeletion } from './planned-deletion.ts'
import { requireChecks } from './require-checks.ts'

export function createLogicRunner(context: Pick<ServiceContext, 'model' | 'store' | 'clock'>): LogicRunner {
  return {
    requireChecks: (caller, resource, values) => requireChecks(context.store, caller, resource, values),
    planDeletion: (caller, resource, row) => planDeletion(context, caller, { resource, row }),
  }
}
