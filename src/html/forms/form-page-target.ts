/** The targets below /forms that have an HTML page: the forms that create, import and edit items. */

import type { Model, ResourceModel } from '../../definition/model.ts'
import type { CollectionTarget, DocumentTable, DocumentTarget } from '../../requests/context/target.ts'
import { collectionUri, formUri } from '../../views/uri.ts'
import { importParameter } from './import-view.ts'

/** Below /forms, in the table of documents. */
const importRoute = `/{}?${importParameter}`

/** The HTML page with the form that creates an item of a collection, or edits an item. */
export function findForm(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  [, name = '', id, below, ...further]: readonly string[],
  query: string | undefined,
): DocumentTarget | undefined {
  const resource = model.resources.get(name)
  if (!resource || id === '' || further.length > 0) return undefined
  const form = (route: string, segments: readonly string[]) => {
    const document = documents.get(`/forms${route}`)
    const path = formUri(model, segments)
    return document && { kind: 'document' as const, document, parameter: undefined, path, query }
  }
  if (id === undefined) {
    const isImport = resource.bulk && new URLSearchParams(query).has(importParameter)
    const created = form(isImport ? importRoute : '/{}', [name])
    const collection = collectionTarget(model, resource)
    return created && { ...created, route: `/forms/${name}`, collection }
  }
  if (below === undefined) {
    const edited = form('/{}/{}', [name, id])
    return edited && { ...edited, route: `/forms/${name}/{id}`, item: { resource, id, below: [] } }
  }
  const relation = resource.relations.get(below)
  if (relation?.kind !== 'inverse') return undefined
  const created = form('/{}', [name, id, below])
  const collection = { ...collectionTarget(model, relation.target), parent: { resource, id, relation } }
  return created && { ...created, route: `/forms/${name}/{id}/${below}`, collection }
}

/** The collection, as a form that creates an item of it is sent to it. */
function collectionTarget(model: Model, resource: ResourceModel): CollectionTarget {
  const path = collectionUri(model, resource)
  const route = `/${resource.name}`
  const readsOtherResources = false
  return {
    kind: 'collection',
    resource,
    parent: undefined,
    path,
    query: undefined,
    route,
    readsOtherResources,
  }
}
