/** The query parameters of an item: the fields to show and the relations to embed. */

import type { Principal } from '../access/principal.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { type Embed, parseEmbed } from './embed-parameter.ts'
import { parseFields } from './fields-parameter.ts'
import { parseKnownParameters } from './query-parameter.ts'
import { type QueryableFields, type QueryableFieldsOf, queryableFieldsFor } from './queryable-fields.ts'

/** The parts of each item to show. */
export interface ItemSelection {
  /** Undefined means all fields that the caller may see. */
  readonly fields: ReadonlySet<FieldModel> | undefined
  readonly embeds: readonly Embed[]
}

export const fullSelection: ItemSelection = Object.freeze({ fields: undefined, embeds: [] })

/** Parses the query of an item; refuses 400. */
export function parseItemQuery(
  resource: ResourceModel,
  caller: Principal,
  query: string | undefined,
): ItemSelection {
  const parameters = parseKnownParameters(query, ['fields', 'embed', 'format'])
  if (parameters.length === 0) return fullSelection
  const values = new Map(parameters)
  const queryableFieldsOf = queryableFieldsFor(caller)
  const queryable = queryableFieldsOf(resource)
  return Object.freeze(parseSelection(queryableFieldsOf, queryable, values))
}

/** Parses `fields` and `embed`. An embedded reference is also shown as a field. */
export function parseSelection(
  queryableFieldsOf: QueryableFieldsOf,
  queryable: QueryableFields,
  values: ReadonlyMap<string, string>,
): ItemSelection {
  if (!values.has('fields') && !values.has('embed')) return fullSelection
  const fields = parseFields(queryable, values.get('fields'))
  const embeds = parseEmbed(queryableFieldsOf, queryable, values.get('embed'))
  const references = embeds.flatMap(({ relation }) => (relation.kind === 'inverse' ? [] : relation.field))
  return { fields: fields && new Set([...fields, ...references]), embeds }
}
