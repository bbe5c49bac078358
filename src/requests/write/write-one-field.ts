/** Writes an item in which one field has another value: a set of references, or a file. */

import type { Stored } from '../../definition/model.ts'
import { nextVersion, updateRow } from '../../store/row-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ElementTarget, FileTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { beginLogic } from './before-hooks.ts'
import type { PlannedChange } from './planned-change.ts'
import { currentTimestamp } from './prepare-insert.ts'

interface FieldChange {
  readonly value: Stored
  /** The response to the request, whether the value is another one or not. */
  readonly response: ViewResponse
}

/** The change of the item to the value; without writes where it has that value. */
export async function writeOneField(
  context: RequestContext<ElementTarget | FileTarget>,
  { row, rights }: FoundItem,
  { value, response }: FieldChange,
): Promise<PlannedChange> {
  const { service, unit, caller, target } = context
  const { resource, field } = target
  if (row[field.index] === value) return { writes: [], response }
  const values = nextVersion(resource, row, currentTimestamp(unit), new Map([[field, value]]))
  if (resource.logic) await service.logic?.requireChecks(unit.store, caller, { resource, values })
  const session = beginLogic(context, resource, 'update')
  if (session) {
    await session.replace({ resource, row, values, action: undefined, right: rights.update })
    return { writes: session.writes, response }
  }
  const write = updateRow(resource, row, values, { right: rights.update })
  return { writes: [write], response }
}
