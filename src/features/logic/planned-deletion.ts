/**
 * Plans a deletion that clears references of items with checks. The store would clear them by itself;
 * here each becomes a write whose record is checked first.
 */

import type { Principal } from '../../access/principal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { type ContentFault, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { findVisibleUri } from '../../requests/read/find-item.ts'
import {
  cascadeOf,
  clearingWrite,
  findClearedRows,
  findDeletedRows,
  type ReferenceTo,
  referencesTo,
} from '../../requests/write/deletion-cascade.ts'
import type { DeletionPlan } from '../../requests/write/logic-runner.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import type { Row } from '../../store/row.ts'
import type { UpdateWrite } from '../../store/write.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { findFailedChecks } from './record-checks.ts'
import { checkFaults } from './require-checks.ts'

type DeletionContext = Pick<ServiceContext, 'model' | 'store' | 'clock'>

/** The writes that clear references to the row and to all rows that its deletion deletes. */
export async function planDeletion(
  service: DeletionContext,
  caller: Principal,
  { resource, row }: { readonly resource: ResourceModel; readonly row: Row },
): Promise<DeletionPlan> {
  const cleared = clearedReferences(resource)
  if (cleared.length === 0) return { writes: [], tables: [] }
  const deleted = await findDeletedRows(service.store, resource, row)
  const changes = await findClearedRows(service.store, cleared, deleted)
  const at = currentTimestamp(service)
  const writes = changes.map((change) => clearingWrite(change, deleted, at))
  for (const [index, { resource: changed }] of changes.entries()) {
    await requireValidAfterClearing(service, caller, changed, writes[index] as UpdateWrite)
  }
  return { writes, tables: [...new Set(cleared.map(({ from }) => from.name))] }
}

/** The references with `onDelete: 'clear'`, of resources with checks, that a deletion can reach. */
const clearedReferences = memoizeByObject((root: ResourceModel): readonly ReferenceTo[] =>
  [...cascadeOf(root)]
    .flatMap((resource) => referencesTo(resource, 'clear'))
    .filter(({ from }) => (from.logic?.checks.length ?? 0) > 0),
)

/** Whether the deletion of an item of the resource runs hooks, of this or of another resource. */
export const runsDeletionHooks = memoizeByObject((root: ResourceModel): boolean => {
  const deleted = [...cascadeOf(root)]
  const cleared = deleted.flatMap((resource) => referencesTo(resource, 'clear'))
  return (
    deleted.some(({ logic }) => logic?.before.delete) || cleared.some(({ from }) => from.logic?.before.update)
  )
})

/** Names the item and its faults only to a caller who may read the item. */
export async function requireValidAfterClearing(
  service: DeletionContext,
  caller: Principal,
  resource: ResourceModel,
  { identity, values }: UpdateWrite,
): Promise<void> {
  const failed = await findFailedChecks(service, resource, values)
  if (failed.length === 0) return
  const uri = await findVisibleUri(service, caller, resource, identity)
  const errors: readonly ContentFault[] = uri === undefined ? [] : checkFaults(resource, caller, failed)
  const detail = `Without the deleted item, ${uri ?? 'another item'} would not be valid.`
  throw refuse('invalid-content', { detail, ...(errors.length > 0 && { errors }) })
}
