/** The query parameters of an item: the fields to show and the relations to embed. */

import type { Principal } from '../access/principal.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { type Embed, parseEmbed } from './embed-parameter.ts'
import { parseFields, parseMembers } from './fields-parameter.ts'
import { parseKnownParameters, versionParameter } from './query-parameter.ts'
import {
  type QueryableFields,
  type QueryableFieldsOf,
  queryableFieldsFor,
  queryableFieldsInVersion,
} from './queryable-fields.ts'

/** The parts of each item to show. */
export interface ItemSelection {
  /** Undefined means all fields that the caller may see. */
  readonly fields: ReadonlySet<FieldModel> | undefined
  readonly embeds: readonly Embed[]
  /** The members to show of items that code converts to an older version; undefined: all. */
  readonly members?: ReadonlySet<string> | undefined
}

/** The caller of a query, and the version whose names it uses. */
export interface QueryCaller {
  readonly caller: Principal
  readonly version?: InterfaceVersion | undefined
}

/** The fields that the caller may query, by the names of its version. */
export function queryableFieldsOfCaller({ caller, version }: QueryCaller): QueryableFieldsOf {
  return version ? queryableFieldsInVersion(version)(caller) : queryableFieldsFor(caller)
}

export const fullSelection: ItemSelection = Object.freeze({ fields: undefined, embeds: [] })

/** Parses the query of an item; refuses 400. */
export function parseItemQuery(
  resource: ResourceModel,
  by: QueryCaller,
  query: string | undefined,
): ItemSelection {
  const own = by.version ? [versionParameter] : []
  const parameters = parseKnownParameters(query, ['fields', 'embed', 'format', ...own])
  if (parameters.length === 0) return fullSelection
  const values = new Map(parameters)
  const queryableFieldsOf = queryableFieldsOfCaller(by)
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
  const embeds = parseEmbed(queryableFieldsOf, queryable, values.get('embed'))
  const chosen = values.get('fields')
  const { version, resource } = queryable
  if (chosen !== undefined && version?.resources.get(resource.name)?.conversion) {
    return { fields: undefined, embeds, members: parseMembers(queryable, chosen) }
  }
  const fields = parseFields(queryable, chosen)
  const references = embeds.flatMap(({ relation }) => (relation.kind === 'inverse' ? [] : relation.field))
  return { fields: fields && new Set([...fields, ...references]), embeds }
}
