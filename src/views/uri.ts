/** The URIs of the service: path-absolute references, so that they work behind any proxy. */

import type { InterfaceVersion } from '../definition/interface-version.ts'
import { IDENTITY, type InverseRelation, type Model, type ResourceModel } from '../definition/model.ts'
import { isNested, parentFieldOf } from '../definition/nested-resources.ts'
import { reservedSegment } from '../definition/paths.ts'
import { formatQueryString, parseQueryString } from '../http/query-string.ts'
import { formatPath } from '../http/request-target.ts'
import { versionParameter } from '../query/query-parameter.ts'
import { type ProblemName, problemTypes } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'

export function homeUri({ base }: Model): string {
  return base === '' ? '/' : base
}

export function collectionUri(model: Model, resource: ResourceModel): string {
  return collectionUris(model)(resource)
}

const collectionUris = memoizeByObject(({ base }: Model) =>
  memoizeByObject((resource: ResourceModel) => formatPath(base, [resource.name])),
)

export function itemUri(model: Model, resource: ResourceModel, row: Row): string {
  if (!isNested(resource)) return referenceUri(model, resource, idOf(resource, row))
  return formatPath(itemCollectionUri(model, resource, row), [idOf(resource, row)])
}

/** The URI of the collection that the item belongs to: deliveries are below their webhook, credentials below their account. */
export function itemCollectionUri(model: Model, resource: ResourceModel, row: Row): string {
  const above = parentFieldOf(resource)
  if (!above?.ref?.inverse) return collectionUri(model, resource)
  return formatPath(referenceUri(model, above.ref.resource, String(row[above.outputIndex])), [
    above.ref.inverse,
  ])
}

/** The URI of an item by its id. */
export function referenceUri(model: Model, resource: ResourceModel, id: string): string {
  return formatPath(collectionUri(model, resource), [id])
}

/** An item, and the inverse that leads from it to a sub-collection. */
export interface SubCollectionParent {
  readonly resource: ResourceModel
  readonly relation: InverseRelation
  readonly row: Row
}

/** The URI of the items that refer to an item: `/projects/{id}/tasks`. */
export function subCollectionUri(model: Model, { resource, relation, row }: SubCollectionParent): string {
  return formatPath(itemUri(model, resource, row), [relation.name])
}

/** The URI of a member of a set of references. */
export function elementUri(
  model: Model,
  { resource, id, name }: { readonly resource: ResourceModel; readonly id: string; readonly name: string },
  member: string,
): string {
  return formatPath(collectionUri(model, resource), [id, name, member])
}

/** The URI of the versions of an item: `/tasks/{id}/history`. */
export function historyUri(model: Model, resource: ResourceModel, row: Row): string {
  return formatPath(itemUri(model, resource, row), ['history'])
}

/** The URI of a resource of the service below the item or the list with this path: `/tasks/{id}/-/links`. */
export function reservedUri(path: string, name: string): string {
  return formatPath(path, [reservedSegment, name])
}

/** The path of the item or the list that such a resource belongs to. */
export function pathAboveReserved(uri: string): string {
  return uri.slice(0, uri.lastIndexOf(`/${reservedSegment}/`))
}

/** The URI of the links of the item or the list with this path. */
export function linksetUri(path: string): string {
  return reservedUri(path, 'links')
}

/** The URI of the groups of the list with this path. */
export function aggregateUri(path: string): string {
  return reservedUri(path, 'aggregate')
}

/** The URI of the changes of the list with this path. */
export function listEventsUri(path: string): string {
  return reservedUri(path, 'events')
}

/** The URI of a published schema, in the version of the interface that is shown. */
export function schemaUri({ base, shownVersion }: Model, name: string): string {
  const uri = formatPath(base, ['schemas', name])
  return shownVersion ? `${uri}?${versionParameter}=${shownVersion.name}` : uri
}

/** The URI of a document of the service, by its segments below the base path. */
function documentUri(...segments: readonly string[]) {
  return ({ base }: Model): string => formatPath(base, segments)
}

export const problemsUri = documentUri('problems')
/** Below the base path; a proxy must forward the root URI of RFC 8615 to it. */
export const catalogUri = documentUri('.well-known', 'api-catalog')
export const openApiUri = documentUri('openapi.json')
export const docsUri = documentUri('docs')
export const signInUri = documentUri('sign-in')
export const secondFactorUri = documentUri('sign-in', 'second-factor')
export const passkeyUri = documentUri('sign-in', 'passkey')
export const signOutUri = documentUri('sign-out')
export const statusUri = documentUri('status')

/** The URI of a document or a built-in collection that a definition may move (`paths`). */
function movableUri(name: keyof Model['paths']) {
  return ({ base, paths }: Model): string => formatPath(base, [paths[name]])
}

export const relationsUri = movableUri('relations')
export const passwordResetsUri = movableUri('password-resets')
export const signInLinksUri = movableUri('sign-in-links')
export const verificationsUri = movableUri('verifications')
export const invitationsUri = movableUri('invitations')
export const eventsUri = movableUri('events')
export const batchUri = movableUri('batch')
export const auditUri = movableUri('audit')

export function problemUri({ base }: Model, type: string): string {
  return formatPath(base, ['problems', type])
}

/** The `type` of a problem: its registered URI, else that of its document. */
export function problemTypeUri(model: Model, type: ProblemName): string {
  return problemTypes[type].registered ?? problemUri(model, type)
}

/** The name at the end of the `type` of a problem. */
export function problemNameOf(type: string): ProblemName {
  // The types come from problemTypeUri.
  return type.slice(type.search(/[^/#]*$/)) as ProblemName
}

export function relationUri({ base, paths }: Model, name: string): string {
  return formatPath(base, [paths.relations, name])
}

/** The id of an item: the value of its key if the resource has one, else the identity. */
export function idOf(resource: ResourceModel, row: Row): string {
  return String(row[resource.keyField?.index ?? IDENTITY])
}

/** The URI for forms whose method HTML cannot send. */
export function formUri({ base }: Model, segments: readonly string[]): string {
  return formatPath(base, ['forms', ...segments])
}

/** The URI of the form for a collection or item, by the URI of that. */
export function formUriOf({ base }: Model, uri: string): string {
  return formatPath(base, ['forms']) + uri.slice(base.length)
}

/** The URI with the parameter `api-version`. */
export function uriInVersion(uri: string, { name }: InterfaceVersion): string {
  const [path = '', query] = uri.split('?', 2)
  const others =
    parseQueryString(query ?? '')?.filter(([one]) => one !== versionParameter && one !== '') ?? []
  return `${path}?${formatQueryString([...others, [versionParameter, name]])}`
}
