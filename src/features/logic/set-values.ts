/** Puts the values that a hook has set into the row to be stored. */

import { system } from '../../access/principal.ts'
import type { FieldModel, JsonValue, ResourceModel, Stored } from '../../definition/model.ts'
import { type ContentFault, Refusal } from '../../refusal.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { LogicContext } from './collected-run.ts'
import type { ItemChanges } from './hook-tools.ts'

interface SetContext {
  readonly service: LogicContext
  readonly resource: ResourceModel
  readonly place: string
}

/** The values with the changes. Throws a LogicFailure for an invalid value and for a required field without one. */
export async function applyChanges(
  context: SetContext,
  values: readonly Stored[],
  changes: ItemChanges,
): Promise<readonly Stored[]> {
  const { resource, place } = context
  const changed = changes.size === 0 ? values : await encodeChanges(context, values, changes)
  const missing = resource.fields.find(({ required, kind, index }) => {
    return required && kind !== 'password' && (changed[index] ?? null) === null
  })
  if (missing) throw new LogicFailure(place, `${place} must set '${missing.name}', which is required.`)
  return changed
}

async function encodeChanges(
  { service, resource, place }: SetContext,
  values: readonly Stored[],
  changes: ItemChanges,
): Promise<readonly Stored[]> {
  const drafted = new Map<FieldModel, JsonValue | undefined>()
  const members: Record<string, unknown> = {}
  for (const [name, value] of changes) {
    const present = value === null || value === undefined ? undefined : value
    drafted.set(resource.fieldByName.get(name) as FieldModel, present as JsonValue | undefined)
    if (present !== undefined) members[name] = present
  }
  requireNoFaults(place, resource.validate(members))
  const draft = { values: drafted, faults: [], seenSets: new Set<FieldModel>() }
  try {
    const fields = await encodeValues(service, system, resource.fields, draft, values)
    return [...values.slice(0, values.length - fields.length), ...fields]
  } catch (error) {
    if (error instanceof Refusal) requireNoFaults(place, error.options.errors ?? [])
    throw error
  }
}

function requireNoFaults(place: string, faults: readonly ContentFault[]): void {
  if (faults.length === 0) return
  const reasons = faults.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(' ')
  throw new LogicFailure(place, `${place} sets a value that is not valid. ${reasons}`)
}
