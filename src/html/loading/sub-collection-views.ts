/** Loads the sub-collections that the HTML page of an item shows: the first items of each, and its form. */

import { rightsOf } from '../../access/rights.ts'
import { isListableThrough, isShownBelow, subCollectionRights } from '../../access/sub-collection-rights.ts'
import { IDENTITY, type InverseRelation } from '../../definition/model.ts'
import { createListQuery, parseListParameters } from '../../query/list-query.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { relationsBaseUri } from '../../requests/context/service-context.ts'
import { loadListPage } from '../../requests/read/list-page.ts'
import { findPermittedCreation } from '../../requests/read/permitted-creation.ts'
import { all, equals } from '../../store/condition.ts'
import { createLinkBuilder, selectorWithLinks } from '../../views/item-links.ts'
import { idOf, subCollectionUri } from '../../views/uri.ts'
import type { CollectionView, ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'

const maxShown = 10

/** The sub-collections of the item that the caller may list, by the name of the relation. */
export async function loadSubCollections(
  context: RequestContext,
  item: ItemView,
): Promise<ReadonlyMap<string, CollectionView>> {
  const views = new Map<string, CollectionView>()
  // One after the other: a request uses one connection.
  for (const [name, relation] of item.visibleFields.resource.relations) {
    if (relation.kind !== 'inverse' || !isListableThrough(relation, context.caller)) continue
    if (!isShownBelow(relation, context.caller, item.row)) continue
    views.set(name, await loadSubCollection(context, item, relation))
  }
  return views
}

async function loadSubCollection(
  context: RequestContext,
  { row, visibleFields }: ItemView,
  relation: InverseRelation,
): Promise<CollectionView> {
  const { service, unit, caller, format, origin } = context
  const { model } = unit
  const parent = { resource: visibleFields.resource, relation, row }
  const resource = relation.target
  const uri = subCollectionUri(model, parent)
  const within = [visibleFields.resource.name, idOf(visibleFields.resource, row), relation.name]
  const selector = createFieldSelector(rightsOf(resource, caller), 'list')
  const { view, links } = await loadListPage({
    unit,
    caller,
    selector: selectorWithLinks(selector, createLinkBuilder(model, resource, caller)),
    uri,
    readCondition: all([
      equals([relation.field.name], row[IDENTITY] as string),
      subCollectionRights(relation, caller).read,
    ]),
    query: createListQuery(
      parseListParameters({ resource, within }, { caller }, `limit=${maxShown}`),
      undefined,
      unit.cursors,
    ),
    format,
  })
  const creation = await findPermittedCreation(context, resource, parent)
  const hypermedia = {
    links: [{ target: uri, rel: 'self' }, ...links],
    actions: creation ? [creation] : [],
    relations: relationsBaseUri(service, origin),
  }
  return { ...view, parentField: relation.field, hypermedia }
}
