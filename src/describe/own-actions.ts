/** The actions of built-in tables in descriptions: what each takes and shows. */

import { type ItemOperation, operationsOf } from '../definition/item-operations.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { formatTypescriptType } from './typescript-types.ts'

interface OwnAction {
  readonly summary: string
  /** Undefined: nothing. */
  readonly takes?: 'confirmation'
  /** Undefined: 202 without content. */
  readonly shows?: 'item' | 'secret' | 'recovery codes'
}

export const ownActions: Readonly<Record<ItemOperation, OwnAction>> = {
  ping: { summary: 'Send a test' },
  rotate: { summary: 'Replace the secret; the previous one signs for another day', shows: 'secret' },
  redeliver: { summary: 'Send the message again; 409 when its change is not kept any more' },
  cancel: { summary: 'Cancel a job', shows: 'item' },
  confirm: {
    summary: 'Confirm an authenticator with a code, or a passkey; the first one comes with recovery codes',
    takes: 'confirmation',
    shows: 'recovery codes',
  },
}

/** The actions of a built-in table in the generated client; undefined where it has none. */
export function formatOwnActions({ resource }: AudienceResource, row: string): string | undefined {
  const names = operationsOf(resource.traits)
  if (names.length === 0) return undefined
  const results = {
    item: row,
    secret: `${row} & { readonly secret: string }`,
    'recovery codes': '{ readonly id: string; readonly recoveryCodes?: readonly string[] }',
  }
  const members = names.map((name) => {
    const { takes, shows } = ownActions[name]
    const result = shows ? results[shows] : 'undefined'
    const input = takes
      ? '{ readonly code: string } | { readonly response: unknown }'
      : 'Record<never, never>'
    return `      readonly ${name}: { readonly on: 'item'; readonly input: ${input}; readonly result: ${result} }\n`
  })
  return `{\n${members.join('')}    }`
}

/** The fields that some responses to a POST show, and no later ones. */
export function fieldsShownInPart({ traits, fieldByName }: ResourceModel): readonly FieldModel[] {
  return (traits.shownInPart ?? []).flatMap((name) => fieldByName.get(name) ?? [])
}

/** The members that a new item of the resource has in the client beside those of its row; undefined: none. */
export function formatShownOnce(resource: ResourceModel): string | undefined {
  const { shownOnce } = resource.traits
  const inPart = fieldsShownInPart(resource).map(
    ({ name, schema }) => `readonly ${name}?: ${formatTypescriptType(schema, 2)}`,
  )
  const members = shownOnce === undefined ? inPart : [`readonly ${shownOnce}: string`]
  return members.length === 0 ? undefined : `{ ${members.join('; ')} }`
}
