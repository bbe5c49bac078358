/** Applies state transitions to the values of an item: the fields that they set and require. */

import {
  FIRST_FIELD_INDEX,
  type FieldModel,
  type JsonValue,
  type ResourceModel,
  type Stored,
} from '../../definition/model.ts'
import { isNow, type Now } from '../../definition/now.ts'
import type { TransitionModel } from '../../definition/state-model.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'

/**
 * The field values (from the first field on) with the values that the transitions set; refuses 422
 * when a transition requires a field that would be absent.
 */
export function applyTransitionEffects(
  resource: ResourceModel,
  taken: readonly TransitionModel[],
  fields: readonly Stored[],
  now: string,
): readonly Stored[] {
  if (taken.length === 0) return fields
  const values = [...fields]
  for (const { sets } of taken) {
    for (const [name, value] of sets) {
      // The definition was checked: a transition sets only fields that exist.
      const field = resource.fieldByName.get(name) as FieldModel
      values[field.index - FIRST_FIELD_INDEX] = encodeSetting(field, value, now)
    }
  }
  const faults = taken.flatMap((transition) => findAbsent(values, transition, resource))
  if (faults.length > 0) throw invalidContent(faults)
  return values
}

function encodeSetting(field: FieldModel, value: Now | JsonValue, now: string): Stored {
  if (value === null) return null
  if (!isNow(value)) return field.encode(value)
  return field.encode(field.kind.order === 'day' ? now.slice(0, 10) : now)
}

function findAbsent(
  values: readonly Stored[],
  { name, requires }: TransitionModel,
  resource: ResourceModel,
): readonly ContentFault[] {
  const absent = requires.filter((required) => {
    const field = resource.fieldByName.get(required) as FieldModel
    return values[field.index - FIRST_FIELD_INDEX] === null
  })
  const detail = `Required to ${name}.`
  return absent.map((required) => ({ pointer: `/${required}`, rule: 'required', detail }))
}
