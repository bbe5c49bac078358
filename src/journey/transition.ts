/** State fields: a change of state is a transition, which must be declared, open now, and permitted. */

import {
  FIRST_FIELD,
  type FieldModel,
  type JsonValue,
  type ResourceModel,
  type StateModel,
  type Stored,
  type TransitionModel,
} from '../declare/model.ts'
import { isNow, type Now } from '../declare/now.ts'
import { type ContentFault, type Refusal, refuse } from '../refusal.ts'
import { never } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { type Draft, invalid, isVisibleTo, type Sender } from './input.ts'

export interface TransitionVerdict {
  /** The transitions that the draft takes, where they are open. */
  readonly taken: readonly TransitionModel[]
  /** Says which is open now, and not for this caller: 403. */
  readonly forbidden: string | undefined
  /** None leads from here to there: 409. */
  readonly conflict: Refusal | undefined
}

/**
 * Holds every state in the draft against what is open in the row. Where the sender does not see the
 * state, every refusal is the same 409, so that none tells which state it is.
 */
export function judgeTransitions(sender: Sender, draft: Draft, row: Row): TransitionVerdict {
  const taken: TransitionModel[] = []
  let forbidden: string | undefined
  let conflict: Refusal | undefined
  for (const field of sender.resource.fields) {
    const next = draft.values.get(field)
    if (!field.state || next === undefined) continue
    const present = String(row[field.at])
    const ways = openFrom(field.state, present).filter(({ to }) => to === next)
    if (ways.some((way) => sender.holds(sender.rights.transitions.get(way) ?? never))) {
      taken.push(...ways)
    } else if (!isVisibleTo(sender, field)) {
      conflict ??= closedUnseen(field)
    } else if (next === present) {
      if (isExclusive(field.state, present))
        conflict ??= closed(field, field.state, { present, next })
    } else if (ways.length === 0) {
      conflict ??= closed(field, field.state, { present, next })
    } else {
      taken.push(...ways)
      forbidden ??= `Your account may not make the '${field.name}' '${next}'.`
    }
  }
  return { taken, forbidden, conflict }
}

/**
 * The field values (beginning with the first field) with what the transitions set by themselves;
 * refuses 422 where one requires a field that would be absent.
 */
export function afterTransitions(
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
      values[field.at - FIRST_FIELD] = settingOf(field, value, moment)
    }
  }
  const faults = taken.flatMap((transition) => absentIn(values, transition, resource))
  if (faults.length > 0) throw invalid(faults)
  return values
}

function settingOf(field: FieldModel, value: Now | JsonValue, moment: string): Stored {
  if (value === null) return null
  if (!isNow(value)) return field.encode(value)
  return field.encode(field.kind === 'date' ? moment.slice(0, 10) : moment)
}

function absentIn(
  values: readonly Stored[],
  { name, requires }: TransitionModel,
  resource: ResourceModel,
): readonly ContentFault[] {
  const absent = requires.filter((required) => {
    const field = resource.field.get(required) as FieldModel
    return values[field.at - FIRST_FIELD] === null
  })
  const detail = `This field must be there to ${name}.`
  return absent.map((required) => ({ pointer: `/${required}`, rule: 'required', detail }))
}

export function openFrom({ transitions }: StateModel, present: string) {
  return transitions.filter(({ from }) => from.includes(present))
}

function isExclusive({ transitions }: StateModel, present: string): boolean {
  return transitions.some(({ to, exclusive }) => exclusive && to === present)
}

function closed(
  field: FieldModel,
  state: StateModel,
  { present, next }: { readonly present: string; readonly next: JsonValue },
): Refusal {
  const open = openFrom(state, present).map(({ name, to }) => ({ name, to }))
  const ways = open.map(({ name, to }) => `${name} (to '${to}')`).join(', ')
  const detail = open.length === 0 ? 'No transition leaves it.' : `Open now: ${ways}.`
  const already = next === present ? ' already' : ''
  return refuse('state-conflict', {
    detail: `The '${field.name}' is '${present}'${already}. ${detail}`,
    errors: [{ pointer: `/${field.name}`, rule: 'state', detail }],
    members: { open },
  })
}

function closedUnseen({ name }: FieldModel): Refusal {
  const detail = 'No transition that is open to you leads there now.'
  return refuse('state-conflict', {
    detail: `The '${name}' cannot change like this. ${detail}`,
    errors: [{ pointer: `/${name}`, rule: 'state', detail }],
  })
}
