/** Connects the models of a definition: references in both directions, and relations by name. */

import type { FieldModel, RelationModel, ResourceModel } from './model.ts'
import { isNested } from './nested-resources.ts'

/**
 * Fills `referencedBy` and `relations` of every model, except for tables whose references are none.
 * Where two relations have the same name the first is kept; the checks report the others.
 */
export function linkReferences(models: ReadonlyMap<string, ResourceModel>): void {
  for (const resource of models.values()) {
    if (resource.traits.unrelated) continue
    for (const field of resource.fields) linkReference(resource, field)
  }
}

function linkReference(resource: ResourceModel, field: FieldModel): void {
  // Unknown targets are faults, which the checks report.
  const target = (field.ref ?? field.refs)?.resource as ResourceModel | undefined
  if (!target) return
  if (!resource.traits.unconstrained) {
    // The models are not frozen yet.
    const referencedBy = target.referencedBy as { resource: ResourceModel; field: FieldModel }[]
    referencedBy.push({ resource, field })
  }
  // Items below others are found by the sub-collection only.
  if (!isNested(resource)) {
    const kind = field.ref ? 'reference' : 'references'
    addRelation(resource, { kind, name: field.name, target, field })
  }
  const inverse = field.ref?.inverse
  if (inverse !== undefined) addRelation(target, { kind: 'inverse', name: inverse, target: resource, field })
}

/** The relation that `exists` follows by this name: a reference, or the inverse of one. */
export function findRuleStep(resource: ResourceModel, name: string): RelationModel | undefined {
  const field = resource.fieldByName.get(name)
  if (field?.ref?.resource) return { kind: 'reference', name, target: field.ref.resource, field }
  return ruleInverses(resource).find((inverse) => inverse.name === name)
}

/** The inverses that `exists` can follow: to collections that it can name. */
export function ruleInverses({ relations }: ResourceModel): readonly RelationModel[] {
  return [...relations.values()].filter(({ kind, target }) => kind === 'inverse' && target.declared)
}

function addRelation({ relations }: ResourceModel, relation: RelationModel): void {
  if (!relations.has(relation.name)) (relations as Map<string, RelationModel>).set(relation.name, relation)
}

/** Whether the members of the field have URIs, which add and remove them: a change of the item, like PATCH. */
export function hasElementUris({ itemMethods }: ResourceModel, { refs, immutable }: FieldModel): boolean {
  return refs !== undefined && !immutable && itemMethods.has('PATCH')
}
