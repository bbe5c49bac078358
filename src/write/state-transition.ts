/** State fields: a change of state is a transition, which must be declared, open now, and permitted. */

import type { FieldModel, JsonValue, StateModel, TransitionModel } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { isVisibleTo, type RecordDraft, type WriterRights } from './record-draft.ts'

export interface TransitionCheck {
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
export function checkTransitions(
  writer: WriterRights,
  draft: RecordDraft,
  row: Row,
): TransitionCheck {
  const taken: TransitionModel[] = []
  let forbidden: string | undefined
  let conflict: Refusal | undefined
  for (const field of writer.resource.fields) {
    const next = draft.values.get(field)
    if (!field.state || next === undefined) continue
    const present = String(row[field.index])
    const ways = transitionsFrom(field.state, present).filter(({ to }) => to === next)
    if (ways.some((way) => writer.holds(writer.rights.transitions.get(way) ?? never))) {
      taken.push(...ways)
    } else if (!isVisibleTo(writer, field)) {
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

export function transitionsFrom({ transitions }: StateModel, present: string) {
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
  const open = transitionsFrom(state, present).map(({ name, to }) => ({ name, to }))
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
