/** The relations and sub-collections of a resource that an audience may use: it sees the reference and may read the target. */

import type { InverseRelation, RelationModel, ResourceModel } from '../definition/model.ts'
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

export interface AudienceSubCollection {
  readonly relation: InverseRelation
  /** The resource of its items, with the methods that the audience may use here. */
  readonly items: AudienceResource
}

/** Returns the sub-collections of the resource's items, in the order of their declaration. */
export function audienceSubCollections(
  { resource, may }: AudienceResource,
  findPart: (resource: ResourceModel) => AudienceResource | undefined,
): readonly AudienceSubCollection[] {
  if (may.read === 'never') return []
  return [...resource.relations.values()].flatMap((relation) => {
    const items = relation.kind === 'inverse' ? findPart(relation.target) : undefined
    if (relation.kind !== 'inverse' || !items) return []
    const collectionMethods = items.collectionMethods.filter((method) => isOffered(method, relation, items))
    const isUsable = collectionMethods.some((method) => method !== 'OPTIONS')
    return isUsable ? [{ relation, items: { ...items, collectionMethods } }] : []
  })
}

/** Listing shows the reference to the parent, and creating sets it. */
function isOffered(method: string, { field }: InverseRelation, { sees, writes }: AudienceResource): boolean {
  if (method === 'OPTIONS') return true
  if (method === 'POST') return !field.readOnly && (field.fromPrincipal || writes(field) !== 'never')
  return sees(field) !== 'never'
}
