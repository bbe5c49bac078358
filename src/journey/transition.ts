/** State fields: a change of state is a transition, which must be declared, open now, and permitted. */

import type { FieldModel, StateModel } from '../declare/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { never } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import type { Draft, Sender } from './input.ts'

export interface TransitionVerdict {
  /** Says which is open now, and not for this caller: 403. */
  readonly forbidden: string | undefined
  /** None leads from here to there: 409. */
  readonly conflict: Refusal | undefined
}

/** Holds every change of state in the draft against what is open in the row. */
export function judgeTransitions(sender: Sender, draft: Draft, row: Row): TransitionVerdict {
  let forbidden: string | undefined
  let conflict: Refusal | undefined
  for (const field of sender.resource.fields) {
    const next = draft.values.get(field)
    const present = row[field.at]
    if (!field.state || next === undefined || next === present) continue
    const ways = openFrom(field.state, String(present)).filter(({ to }) => to === next)
    if (ways.length === 0) conflict ??= closed(field, field.state, String(present))
    else if (!ways.some((way) => sender.holds(sender.rights.transitions.get(way) ?? never))) {
      forbidden ??= `Your account may not make the '${field.name}' '${next}'.`
    }
  }
  return { forbidden, conflict }
}

function openFrom({ transitions }: StateModel, present: string) {
  return transitions.filter(({ from }) => from.includes(present))
}

function closed(field: FieldModel, state: StateModel, present: string): Refusal {
  const open = openFrom(state, present).map(({ name, to }) => ({ name, to }))
  const ways = open.map(({ name, to }) => `${name} (to '${to}')`).join(', ')
  const detail = open.length === 0 ? 'No transition leaves it.' : `Open now: ${ways}.`
  return refuse('state-conflict', {
    detail: `The '${field.name}' is '${present}'. ${detail}`,
    errors: [{ pointer: `/${field.name}`, rule: 'state', detail }],
    members: { open },
  })
}
