/** The values of an item after state transitions: what they set, and what they require. */

import {
  FIRST_FIELD_INDEX,
  type FieldModel,
  type JsonValue,
  type ResourceModel,
  type Stored,
  type TransitionModel,
} from '../definition/model.ts'
import { isNow, type Now } from '../definition/now.ts'
import { type ContentFault, invalidContent } from '../refusal.ts'

/**
 * The field values (beginning with the first field) with what the transitions set by themselves;
 * refuses 422 where one requires a field that would be absent.
 */
export function applyTransitions(
  resource: ResourceModel,
  taken: readonly TransitionModel[],
  fields: readonly Stored[],
  moment: string,
): readonly Stored[] {
  if (taken.length === 0) return fields
  const values = [...fields]
  for (const { sets } of taken) {
    for (const [name, value] of sets) {
      // The definition was checked: a transition sets only fields that are there.
      const field = resource.field.get(name) as FieldModel
      values[field.index - FIRST_FIELD_INDEX] = settingOf(field, value, moment)
    }
  }
  const faults = taken.flatMap((transition) => absentIn(values, transition, resource))
  if (faults.length > 0) throw invalidContent(faults)
  return values
}

export function settingOf(field: FieldModel, value: Now | JsonValue, moment: string): Stored {
  if (value === null) return null
  if (!isNow(value)) return field.encode(value)
  return field.encode(field.kind === 'date' ? moment.slice(0, 10) : moment)
}

export function absentIn(
  values: readonly Stored[],
  { name, requires }: TransitionModel,
  resource: ResourceModel,
): readonly ContentFault[] {
  const absent = requires.filter((required) => {
    const field = resource.field.get(required) as FieldModel
    return values[field.index - FIRST_FIELD_INDEX] === null
  })
  const detail = `This field must be there to ${name}.`
  return absent.map((required) => ({ pointer: `/${required}`, rule: 'required', detail }))
}
