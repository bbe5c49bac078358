/** `fields=title,author`: the fields to show, besides the id. */

import { type FieldModel, outputFields } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { systemFields } from '../definition/system-fields.ts'
import { parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields } from './queryable-fields.ts'

/**
 * Parses the fields to show, including `createdAt` and `updatedAt`; undefined means all. A field
 * that the caller sees on some rows only is allowed, and left out of the others.
 */
export function parseFields(
  { resource, rights }: QueryableFields,
  value: string | undefined,
): ReadonlySet<FieldModel> | undefined {
  if (value === undefined) return undefined
  const visible = outputFields(resource).filter((field) => rights.visibility.get(field)?.kind !== 'never')
  const known = new Map([...systemFields, ...visible.map((field) => [field.name, field] as const)])
  const chosen = new Set<FieldModel>()
  for (const name of parseNames('fields', value)) {
    const field = known.get(name)
    if (field) chosen.add(field)
    else if (name !== 'id') {
      const hint = didYouMean(name, [...known.keys(), 'id'])
      throw unknownName('fields', `Unknown field '${name}'.`, hint)
    }
  }
  return chosen
}
