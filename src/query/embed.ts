/** `embed=author`: which referenced items are shown along with a record. */

import type { FieldModel } from '../declare/model.ts'
import { didYouMean } from '../declare/suggestion.ts'
import { invalidParameter, namesIn, unknownIn } from './parameter.ts'
import type { Sight, SightOf } from './sight.ts'

export const mostEmbeds = 5

/** References the caller may see on some record, to what it may read in part at least. */
export function parseEmbed(
  sightOf: SightOf,
  { resource, rights }: Sight,
  value: string | undefined,
): readonly FieldModel[] {
  if (value === undefined) return []
  const seen = resource.fields.filter((field) => rights.sight.get(field)?.kind !== 'never')
  const open = seen.filter(
    ({ ref }) => ref !== undefined && sightOf(ref.resource).rights.read.kind !== 'never',
  )
  const names = namesIn('embed', value)
  if (names.length > mostEmbeds) {
    throw invalidParameter('embed', `names more than ${mostEmbeds} references`)
  }
  return names.map((name) => {
    const field = open.find((one) => one.name === name)
    if (field) return field
    if (seen.some((one) => one.name === name && one.ref === undefined)) {
      throw invalidParameter('embed', `names '${name}', which refers to nothing`)
    }
    const known = open.map((one) => one.name)
    throw unknownIn('embed', `No reference '${name}' to embed.`, didYouMean(name, known))
  })
}
