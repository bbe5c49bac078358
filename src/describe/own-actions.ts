/** Built-in tables in the generated client: their actions, and secrets that are shown once. */

import type { OwnAction, ProofName } from '../definition/built-in-table.ts'
import { proofs } from '../definition/current-password.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { formatTypescriptType } from './typescript-types.ts'

/** The actions of a built-in table; undefined where it has none. `row`: the type of its items, where it is known. */
export function formatOwnActions(resource: ResourceModel, row?: string): string | undefined {
  const actions = Object.entries(resource.traits.actions ?? {})
  if (actions.length === 0) return undefined
  const members = actions.map(([name, action]) => {
    const input = action.takes ? action.takes.map(proofType).join(' | ') : 'Record<never, never>'
    const result = resultType(resource, action, row)
    return `      readonly ${name}: { readonly on: 'item'; readonly input: ${input}; readonly result: ${result} }\n`
  })
  return `{\n${members.join('')}    }`
}

function proofType(name: ProofName): string {
  return `{ readonly ${name}: ${proofs[name].schema.type === 'string' ? 'string' : 'unknown'} }`
}

function resultType(resource: ResourceModel, { shows }: OwnAction, row: string | undefined): string {
  if (!shows) return 'undefined'
  const secrets = shows.map((name) => secretMember(resource, name))
  if (row === undefined) return `{ ${['readonly id: string', ...secrets].join('; ')} }`
  return secrets.length === 0 ? row : `${row} & { ${secrets.join('; ')} }`
}

/** The member of a secret. One that depends on the item is optional. */
function secretMember({ traits, fieldByName }: ResourceModel, name: string): string {
  const optional = name === traits.shownOnce ? '' : '?'
  return `readonly ${name}${optional}: ${formatTypescriptType(fieldByName.get(name)?.schema, 2)}`
}

/** The fields that some responses to a POST show, and no later ones. */
export function fieldsShownInPart({ traits, fieldByName }: ResourceModel): readonly FieldModel[] {
  return (traits.shownInPart ?? []).flatMap((name) => fieldByName.get(name) ?? [])
}

/** The members that a new item of the resource has in the client beside those of its row; undefined: none. */
export function formatShownOnce(resource: ResourceModel): string | undefined {
  const { shownOnce, shownInPart = [] } = resource.traits
  const members = [shownOnce ?? [], shownInPart].flat().map((name) => secretMember(resource, name))
  return members.length === 0 ? undefined : `{ ${members.join('; ')} }`
}
