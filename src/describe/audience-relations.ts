/** The relations of a resource that an audience may use: it sees the reference and may read the target. */

import type { RelationModel, ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'

export interface AudienceRelation {
  readonly relation: RelationModel
  readonly target: AudienceResource
}

/** Returns the relations in the order of the model. `findPart` finds the part of a resource that the audience may use. */
export function audienceRelations(
  part: AudienceResource,
  findPart: (resource: ResourceModel) => AudienceResource | undefined,
): readonly AudienceRelation[] {
  return [...part.resource.relations.values()].flatMap((relation) => {
    const target = findPart(relation.target)
    if (!target || target.may.read === 'never') return []
    const owner = relation.kind === 'inverse' ? target : part
    return owner.sees(relation.field) === 'never' ? [] : [{ relation, target }]
  })
}

/** The relations that the audience may filter by. */
export function comparableRelations(
  part: AudienceResource,
  findPart: (resource: ResourceModel) => AudienceResource | undefined,
): readonly AudienceRelation[] {
  return audienceRelations(part, findPart).filter(
    ({ relation: { kind, name, field } }) =>
      field.filterable && (kind === 'inverse' || part.attributes.has(name)),
  )
}
