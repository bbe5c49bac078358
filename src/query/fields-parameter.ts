/** `fields=title,author`: the fields to show, besides the id. */

import { type FieldModel, outputFields } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { systemFields } from '../definition/system-fields.ts'
import { oldName } from '../definition/version-names.ts'
import { parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields } from './queryable-fields.ts'

/**
 * Parses the fields to show, including `createdAt` and `updatedAt`; undefined means all. A field
 * that the caller sees on some rows only is allowed, and left out of the others.
 */
export function parseFields(
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
export function parseMembers(queryable: QueryableFields, value: string): ReadonlySet<string> {
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
