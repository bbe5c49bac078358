/** `fields=title,author`: which fields of a record are shown; its id always is. */

import type { FieldModel } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { systemFields } from '../definition/system-fields.ts'
import { parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields } from './queryable-fields.ts'

/**
 * The fields to show, the times among them; undefined where all are. One that the caller sees on
 * some records only may be asked for, and is left out of the others.
 */
export function parseFields(
  { resource, rights }: QueryableFields,
  value: string | undefined,
): ReadonlySet<FieldModel> | undefined {
  if (value === undefined) return undefined
  const seen = resource.fields.filter((field) => rights.visibility.get(field)?.kind !== 'never')
  const known = new Map([...systemFields, ...seen.map((field) => [field.name, field] as const)])
  const chosen = new Set<FieldModel>()
  for (const name of parseNames('fields', value)) {
    const field = known.get(name)
    if (field) chosen.add(field)
    else if (name !== 'id') {
      const hint = didYouMean(name, [...known.keys(), 'id'])
      throw unknownName('fields', `No field '${name}' to show.`, hint)
    }
  }
  return chosen
}
