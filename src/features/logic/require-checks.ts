/** Refuses a record that fails checks of its resource. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { RecordCheckModel } from '../../definition/logic/logic-model.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import { findFailedChecks, type RecordCheckContext } from './record-checks.ts'

/** Refuses 422 with a fault for each check that a record with these values (in column order) fails. */
export async function requireChecks(
  service: RecordCheckContext,
  caller: Principal,
  resource: ResourceModel,
  values: readonly Stored[],
): Promise<void> {
  const found = await findFailedChecks(service, resource, values)
  const failed = found.filter(({ field }) => !isSetLater(resource, field, values))
  if (failed.length > 0) throw invalidContent(checkFaults(resource, caller, failed))
}

/** Whether only `before.create` can set the field, and it has not run yet. Its check follows then. */
function isSetLater({ fieldByName, logic }: ResourceModel, name: string, values: readonly Stored[]): boolean {
  const known = fieldByName.get(name)
  if (!known?.readOnly || !known.required || !logic?.before.create) return false
  return (values[known.index] ?? null) === null
}

/** The fault of each check. It points to its field only for a caller who may see or set the field. */
export function checkFaults(
  resource: ResourceModel,
  caller: Principal,
  failed: readonly RecordCheckModel[],
): readonly ContentFault[] {
  return failed.map(({ field, message }) => ({
    pointer: isKnown(resource, caller, field) ? `/${field}` : '',
    rule: 'check',
    detail: message,
  }))
}

function isKnown(resource: ResourceModel, caller: Principal, name: string): boolean {
  const field = resource.fieldByName.get(name)
  if (!field) return true
  const { visibility, writability } = rightsOf(resource, caller)
  return [visibility, writability].some((rights) => (rights.get(field)?.kind ?? 'never') !== 'never')
}
