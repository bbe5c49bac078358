/** `embed=author`: which referenced items are shown along with a record. */

import type { FieldModel } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields, QueryableFieldsOf } from './queryable-fields.ts'

export const maxEmbeds = 5

/** References the caller may see on some record, to what it may read in part at least. */
export function parseEmbed(
  queryableFields: QueryableFieldsOf,
  { resource, rights }: QueryableFields,
  value: string | undefined,
): readonly FieldModel[] {
  if (value === undefined) return []
  const seen = resource.fields.filter((field) => rights.visibility.get(field)?.kind !== 'never')
  const open = seen.filter(
    ({ ref }) => ref !== undefined && queryableFields(ref.resource).rights.read.kind !== 'never',
  )
  const names = parseNames('embed', value)
  if (names.length > maxEmbeds) {
    throw invalidParameter('embed', `names more than ${maxEmbeds} references`)
  }
  return names.map((name) => {
    const field = open.find((one) => one.name === name)
    if (field) return field
    if (seen.some((one) => one.name === name && one.ref === undefined)) {
      throw invalidParameter('embed', `names '${name}', which refers to nothing`)
    }
    const known = open.map((one) => one.name)
    throw unknownName('embed', `No reference '${name}' to embed.`, didYouMean(name, known))
  })
}
