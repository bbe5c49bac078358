/** The query parameters of an item: the fields to show and the relations to embed. */

import { type FieldModel, outputFields, type ResourceModel } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { systemFields } from '../definition/system-fields.ts'
import { oldName } from '../definition/version-names.ts'
import { type Embed, parseEmbed } from './embed-parameter.ts'
import { parseKnownParameters, parseNames, unknownName, versionParameter } from './query-parameter.ts'
import { type QueryableFields, type QueryCaller, queryableFieldsOf } from './queryable-fields.ts'

/** The parts of each item to show. */
export interface ItemSelection {
  /** Undefined means all fields that the caller may see. */
  readonly fields: ReadonlySet<FieldModel> | undefined
  readonly embeds: readonly Embed[]
  /** The members to show of items that code converts to an older version; undefined: all. */
  readonly members?: ReadonlySet<string> | undefined
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
  return Object.freeze(parseSelection(queryableFieldsOf(resource, by), new Map(parameters)))
}

/** Parses `fields` and `embed`. An embedded reference is also shown as a field. */
export function parseSelection(
  queryable: QueryableFields,
  values: ReadonlyMap<string, string>,
): ItemSelection {
  if (!values.has('fields') && !values.has('embed')) return fullSelection
  const embeds = parseEmbed(queryable, values.get('embed'))
  const chosen = values.get('fields')
  const { version, resource } = queryable
  if (chosen !== undefined && version?.resources.get(resource.name)?.conversion) {
    return { fields: undefined, embeds, members: parseMembers(queryable, chosen) }
  }
  const fields = parseFields(queryable, chosen)
  const references = embeds.flatMap(({ relation }) => (relation.kind === 'inverse' ? [] : relation.field))
  return { fields: fields && new Set([...fields, ...references]), embeds }
}

/**
 * Parses the fields to show, including `createdAt` and `updatedAt`; undefined means all. A field
 * that the caller sees on some rows only is allowed, and left out of the others.
 */
function parseFields(
  queryable: QueryableFields,
  value: string | undefined,
): ReadonlySet<FieldModel> | undefined {
  if (value === undefined) return undefined
  const known = new Map(visibleFields(queryable).map((field) => [nameOf(queryable, field), field]))
  const chosen = new Set<FieldModel>()
  for (const name of parseNames('fields', value)) {
    const field = known.get(name)
    if (field) chosen.add(field)
    else if (name !== 'id') throw unknownField(name, known.keys())
  }
  return chosen
}

/**
 * Parses the members to show of items that code converts to an older version. The code gets all
 * fields, because a member may come from any of them.
 */
function parseMembers(queryable: QueryableFields, value: string): ReadonlySet<string> {
  const { resource, version } = queryable
  const own = version?.resources.get(resource.name)?.own.fields ?? []
  const visible = visibleFields(queryable).map((field) => nameOf(queryable, field))
  const known = new Set([...visible, ...own.map(({ name }) => name), 'id'])
  const names = parseNames('fields', value)
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw unknownField(unknown, known)
  return new Set(['id', ...names])
}

function visibleFields({ resource, rights }: QueryableFields): readonly FieldModel[] {
  const visible = outputFields(resource).filter((field) => rights.visibility.get(field)?.kind !== 'never')
  return [...systemFields.values(), ...visible]
}

/** The name that the client uses; empty, which no client can send, where its version does not have the field. */
function nameOf({ resource, version }: QueryableFields, { name }: FieldModel): string {
  return version ? (oldName(version, resource, name) ?? '') : name
}

function unknownField(name: string, known: Iterable<string>) {
  return unknownName('fields', `Unknown field '${name}'.`, didYouMean(name, [...known, 'id']))
}
