/** The sub-collections that an audience may use. */

import type { InverseRelation, ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'

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
