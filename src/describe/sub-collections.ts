/** The sub-collections that an audience may use, and their operations in an OpenAPI document. */

import type { InverseRelation, JsonSchema, ResourceModel } from '../definition/model.ts'
import { collectionOperations } from './collection-operations.ts'
import { camelCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import { moved, type Operation, type Operations } from './operation-parts.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { securityRequirements } from './security-schemes.ts'

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

/** The operations at `/{parent}/{id}/{relation}`: those of the collection, which also depend on the parent. */
export function subCollectionOperations(
  parent: AudienceResource,
  { relation, items }: AudienceSubCollection,
  context: OperationContext,
): Operations {
  const { resource } = parent
  const own = camelCase(items.resource.name)
  const id = `${camelCase(resource.name)}_${relation.name.replaceAll('-', '_')}`
  const entries = Object.entries(collectionOperations(items, context, relation.field))
  return Object.fromEntries(
    entries.map(([method, operation]): [string, Operation] => [
      method,
      {
        ...operation,
        ...(method === 'OPTIONS' ? {} : dependingOn(parent, operation, context)),
        operationId: id + operation.operationId.slice(own.length),
        tags: [resource.name],
      },
    ]),
  )
}

/** The parts of an operation that differ below an item. */
function dependingOn(parent: AudienceResource, operation: Operation, context: OperationContext) {
  const { name, tombstones } = parent.resource
  const responses = operation.responses as JsonSchema
  const closed = !parent.isOpenToAnonymous('read')
  return {
    summary: `${operation.summary}, below one of ${name}`,
    ...(closed ? { security: securityRequirements(context.capabilities.schemes, false) } : {}),
    responses: {
      ...responses,
      ...moved(context),
      ...problemReferences(context, tombstones ? [404, 410] : [404]),
    },
  }
}
