/** `embed=author`: the referenced items to embed. */

import type { FieldModel } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields, QueryableFieldsOf } from './queryable-fields.ts'

export const maxEmbeds = 5

/**
 * Parses the references to embed. Refuses a reference that the caller sees on no row, or to a
 * resource that the caller may not read.
 */
export function parseEmbed(
  queryableFields: QueryableFieldsOf,
  { resource, rights }: QueryableFields,
  value: string | undefined,
): readonly FieldModel[] {
  if (value === undefined) return []
  const visible = resource.fields.filter((field) => rights.visibility.get(field)?.kind !== 'never')
  const embeddable = visible.filter(
    ({ ref }) => ref !== undefined && queryableFields(ref.resource).rights.read.kind !== 'never',
  )
  const names = parseNames('embed', value)
  if (names.length > maxEmbeds) {
    throw invalidParameter('embed', `has more than ${maxEmbeds} references`)
  }
  return names.map((name) => {
    const reference = embeddable.find((field) => field.name === name)
    if (reference) return reference
    if (visible.some((field) => field.name === name && field.ref === undefined)) {
      throw invalidParameter('embed', `has '${name}', which is not a reference`)
    }
    const known = embeddable.map((field) => field.name)
    throw unknownName('embed', `Unknown reference '${name}'.`, didYouMean(name, known))
  })
}
