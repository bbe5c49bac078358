/**
 * The links of an item: to itself, its collection, its schema, the referenced items that the caller
 * may read, its history and its sub-collections. The store evaluates the conditions of links together with the row.
 */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { isListableThrough, isShownBelow } from '../access/sub-collection-rights.ts'
import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import { cacheFormattedLink, type Link } from '../http/link.ts'
import { type Condition, never, onReferenced } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { readField } from '../store/row-fields.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { extensionRelation } from './link-relation.ts'
import {
  collectionUri,
  historyUri,
  itemCollectionUri,
  itemUri,
  referenceUri,
  type SubCollectionParent,
  schemaUri,
  subCollectionUri,
} from './uri.ts'
import { type BuildLinks, type FieldSelector, isRowDependent } from './visible-fields.ts'

export interface LinkBuilder {
  readonly conditions: readonly Condition[]
  readonly buildLinks: BuildLinks
}

export function createLinkBuilder(model: Model, resource: ResourceModel, caller: Principal): LinkBuilder {
  const references = referencesOf(resource)
  const inverses = inversesOf(resource).filter((relation) => isListableThrough(relation, caller))
  if (references.length + inverses.length === 0 && !resource.history) return ownLinkBuilder(model)(resource)
  const { history } = rightsOf(resource, caller)
  const seen = new Map(references.map((field) => [field, readConditionThrough(field, caller)]))
  return {
    conditions: [...seen.values(), history].filter(isRowDependent),
    buildLinks(row, visibleFields, isTrue) {
      const shown = visibleFields.fields.filter(
        (field) => field.ref && row[field.outputIndex] !== null && isTrue(seen.get(field) ?? never),
      )
      const links = shown.map((field) => referenceLink(model, field, row))
      const below = inverses
        .filter((relation) => isShownBelow(relation, caller, row))
        .map((relation) => subCollectionLink(model, { resource, relation, row }))
      const former = isTrue(history) ? [historyLink(model, resource, row)] : []
      return [...selfAndCollectionLinks(model, resource, row), ...former, ...links, ...below]
    },
  }
}

const referencesOf = memoizeByObject(({ fields, relations }: ResourceModel) =>
  fields.filter((field) => relations.get(field.name)?.kind === 'reference'),
)

const inversesOf = memoizeByObject(({ relations }: ResourceModel) =>
  [...relations.values()].filter((relation) => relation.kind === 'inverse'),
)

/** For resources without references, inverses and a history, whose links are the same for every caller. */
const ownLinkBuilder = memoizeByObject((model: Model) =>
  memoizeByObject(
    (resource: ResourceModel): LinkBuilder => ({
      conditions: [],
      buildLinks: (row) => selfAndCollectionLinks(model, resource, row),
    }),
  ),
)

function selfAndCollectionLinks(model: Model, resource: ResourceModel, row: Row): readonly Link[] {
  if (!resource.itemMethods.has('GET')) return []
  const self = { target: itemUri(model, resource, row), rel: 'self' }
  if (isNested(resource)) {
    return [self, { target: itemCollectionUri(model, resource, row), rel: 'collection' }]
  }
  const shared = collectionAndSchemaLinks(model)(resource)
  const { isListed, result } = resource.traits
  const read = (name: string) => readField(resource, row, name)
  const led = result && read(result)
  return [
    self,
    ...shared.filter(({ rel }) => rel !== 'collection' || (isListed?.(read) ?? true)),
    ...(typeof led === 'string' ? [{ target: led, rel: extensionRelation('result') }] : []),
  ]
}

/** The links that all items of a collection share. */
const collectionAndSchemaLinks = memoizeByObject((model: Model) =>
  memoizeByObject((resource: ResourceModel): readonly Link[] => {
    const collection = cacheFormattedLink({
      target: collectionUri(model, resource),
      rel: 'collection',
    })
    const listed = resource.collectionMethods.has('GET') ? [collection] : []
    return [...listed, schemaLink(model, resource)]
  }),
)

/** The `describedby` link to the schema of an item. */
export function schemaLink(model: Model, resource: ResourceModel): Link {
  return schemaLinks(model)(resource)
}

const schemaLinks = memoizeByObject((model: Model) =>
  memoizeByObject((resource: ResourceModel) =>
    cacheFormattedLink({
      target: schemaUri(model, resource.name),
      rel: 'describedby',
      type: 'application/schema+json',
    }),
  ),
)

/** The condition under which the caller may read the item that the field refers to. */
function readConditionThrough(field: FieldModel, caller: Principal): Condition {
  const target = field.ref?.resource
  if (!target?.itemMethods.has('GET')) return never
  const { read } = rightsOf(target, caller)
  return isRowDependent(read) ? onReferenced(field.name, read) : read
}

function referenceLink(model: Model, field: FieldModel, row: Row): Link {
  // Callers pass only references.
  const target = field.ref?.resource as ResourceModel
  const uri = referenceUri(model, target, String(row[field.outputIndex]))
  return { target: uri, rel: extensionRelation(field.name) }
}

/** RFC 5829 §3.1. */
function historyLink(model: Model, resource: ResourceModel, row: Row): Link {
  return { target: historyUri(model, resource, row), rel: 'version-history' }
}

function subCollectionLink(model: Model, parent: SubCollectionParent): Link {
  return { target: subCollectionUri(model, parent), rel: extensionRelation(parent.relation.name) }
}

/** The same selector, which also builds the links of each row. */
export function selectorWithLinks(
  selector: FieldSelector,
  { conditions, buildLinks }: LinkBuilder,
): FieldSelector {
  return { ...selector, conditions: [...selector.conditions, ...conditions], buildLinks }
}
