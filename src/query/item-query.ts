/** What the client asked to see of one item: some of its fields, and what it refers to. */

import type { Principal } from '../access/principal.ts'
import type { FieldModel, ResourceModel } from '../declare/model.ts'
import { parseEmbed } from './embed.ts'
import { parseFields } from './fields.ts'
import { parseParameters } from './parameter.ts'
import { type Sight, type SightOf, sightsOf } from './sight.ts'

/** How records are to be shown; the same for one and for many. */
export interface Showing {
  /** Undefined: all that the caller may see. */
  readonly fields: ReadonlySet<FieldModel> | undefined
  readonly embeds: readonly FieldModel[]
}

export const wholeShowing: Showing = Object.freeze({ fields: undefined, embeds: [] })

export function parseItemQuery(
  resource: ResourceModel,
  who: Principal,
  query: string | undefined,
): Showing {
  const parameters = parseParameters(query, ['fields', 'embed', 'format'])
  if (parameters.length === 0) return wholeShowing
  const values = new Map(parameters)
  const sightOf = sightsOf(who)
  const sight = sightOf(resource)
  return Object.freeze(parseShowing(sightOf, sight, values))
}

/** A reference that is embedded is shown itself, so that both are there or neither. */
export function parseShowing(
  sightOf: SightOf,
  sight: Sight,
  values: ReadonlyMap<string, string>,
): Showing {
  if (!values.has('fields') && !values.has('embed')) return wholeShowing
  const fields = parseFields(sight, values.get('fields'))
  const embeds = parseEmbed(sightOf, sight, values.get('embed'))
  return { fields: fields && new Set([...fields, ...embeds]), embeds }
}
