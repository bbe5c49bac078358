/** Checks state transitions: a change of state must be declared, open from the present state, and permitted. */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import type { StateModel, TransitionModel } from '../../definition/state-model.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import { never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { isVisibleTo, type RecordDraft, type WriterRights } from './draft-builder.ts'

export interface TransitionCheck {
  /** The open transitions to the states of the draft. */
  readonly taken: readonly TransitionModel[]
  /** The 403: a transition is open, but not for this caller. */
  readonly forbidden: Refusal | undefined
  /** The 409: no transition leads from the present state to that of the draft. */
  readonly conflict: Refusal | undefined
}

/**
 * Checks every state in the draft against the present state of the row. When the caller does not see
 * the state, every refusal is the same 409, so that none reveals it.
 */
export function evaluateTransitions(writer: WriterRights, draft: RecordDraft, row: Row): TransitionCheck {
  const taken: TransitionModel[] = []
  let forbidden: Refusal | undefined
  let conflict: Refusal | undefined
  for (const field of writer.resource.fields) {
    const next = draft.values.get(field)
    if (!field.state || next === undefined) continue
    const present = String(row[field.index])
    const open = transitionsFrom(field.state, present).filter(({ to }) => to === next)
    if (open.some((transition) => isPermitted(writer, transition))) {
      taken.push(...open)
    } else if (!isVisibleTo(writer, field)) {
      conflict ??= hiddenConflict(field)
    } else if (next === present) {
      if (isExclusive(field.state, present)) conflict ??= stateConflict(field, field.state, { present, next })
    } else if (open.length === 0) {
      conflict ??= stateConflict(field, field.state, { present, next })
    } else {
      taken.push(...open)
      forbidden ??= refuse('forbidden', {
        detail: `Your account may not make the '${field.name}' '${next}'.`,
        namedField: field.name,
      })
    }
  }
  return { taken, forbidden, conflict }
}

function isPermitted({ rights, isTrue }: WriterRights, transition: TransitionModel): boolean {
  return isTrue(rights.transitions.get(transition) ?? never)
}

function transitionsFrom({ transitions }: StateModel, present: string) {
  return transitions.filter(({ from }) => from.includes(present))
}

function isExclusive({ transitions }: StateModel, present: string): boolean {
  return transitions.some(({ to, exclusive }) => exclusive && to === present)
}

function stateConflict(
  field: FieldModel,
  state: StateModel,
  { present, next }: { readonly present: string; readonly next: JsonValue },
): Refusal {
  const open = transitionsFrom(state, present).map(({ name, to }) => ({ name, to }))
  const list = open.map(({ name, to }) => `${name} (to '${to}')`).join(', ')
  const detail = open.length === 0 ? 'No transition leaves this state.' : `Possible transitions: ${list}.`
  const already = next === present ? ' already' : ''
  return refuse('state-conflict', {
    detail: `The '${field.name}' is '${present}'${already}. ${detail}`,
    namedField: field.name,
    errors: [{ pointer: `/${field.name}`, rule: 'state', detail }],
    members: { open },
  })
}

function hiddenConflict({ name }: FieldModel): Refusal {
  const detail = 'No transition that you may make leads to this state now.'
  return refuse('state-conflict', {
    detail: `The '${name}' cannot change like this. ${detail}`,
    namedField: name,
    errors: [{ pointer: `/${name}`, rule: 'state', detail }],
  })
}
