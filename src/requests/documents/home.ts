/**
 * The entry point: links to every collection that the caller may list, and the actions that need no
 * collection, such as signing up.
 */

import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import type { JsonValue, Model } from '../../definition/model.ts'
import { reservedSegment } from '../../definition/paths.ts'
import type { Link } from '../../http/link.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { findServiceActions } from '../../views/declared-actions.ts'
import { isListable } from '../../views/form-input.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { extensionRelation, relationName } from '../../views/link-relation.ts'
import {
  auditUri,
  batchUri,
  catalogUri,
  collectionUri,
  docsUri,
  eventsUri,
  homeUri,
  openApiUri,
  problemsUri,
  statusUri,
} from '../../views/uri.ts'
import { hasDocument, type ServiceContext } from '../context/service-context.ts'
import type { Document } from '../context/target.ts'
import { accountParameter } from '../explanations/access-explanation.ts'
import { findOwnAccount } from '../read/find-item.ts'

export const home: Document = {
  route: '/',
  summary: 'The entry point, with links to everything else',
  schema: {
    type: 'object',
    properties: { title: { type: 'string' }, links: { type: 'object' } },
    required: ['title', 'links'],
  },
  name: 'home',
  personal: true,
  async load({ service, caller }) {
    const links = await linksOf(service, caller)
    const data = { title: service.model.title, links: byRelation(links) }
    const actions = [...actionsOf(service.model, caller), ...findServiceActions(service.model, caller)]
    return { data, hypermedia: { links, actions } }
  },
}

async function linksOf(service: ServiceContext, caller: Principal): Promise<readonly Link[]> {
  const { model } = service
  const account = await findOwnAccount(service, caller)
  const listed = [...model.resources.values()].filter((resource) => isListable(resource, caller))
  const collections = listed.map((resource) => ({
    target: collectionUri(model, resource),
    rel: extensionRelation(resource.name),
  }))
  return [
    { target: homeUri(model), rel: 'self' },
    ...collections,
    ...(account ? [{ target: account.uri, rel: extensionRelation('account') }] : []),
    ...serviceLinks(model),
    ...(isPermittedAdmin(model, caller, 'status') ? [{ target: statusUri(model), rel: 'status' }] : []),
    ...(isPermittedAdmin(model, caller, 'audit') ? [...auditLinks(service), explanationLink(model)] : []),
  ]
}

function auditLinks(service: ServiceContext): readonly Link[] {
  const target = auditUri(service.model)
  return hasDocument(service, target) ? [{ target, rel: extensionRelation('audit') }] : []
}

function explanationLink({ base }: Model): Link {
  const target = `${base}/{collection}/{id}/${reservedSegment}/access{?${accountParameter}}`
  return { target, rel: extensionRelation('explain-access'), templated: 'true' }
}

/** Links to the descriptions of the service (RFC 8631). */
function serviceLinks(model: Model): readonly Link[] {
  return [
    { target: eventsUri(model), rel: extensionRelation('events') },
    { target: batchUri(model), rel: extensionRelation('batch') },
    { target: problemsUri(model), rel: extensionRelation('problems') },
    { target: catalogUri(model), rel: 'api-catalog' },
    { target: openApiUri(model), rel: 'service-desc', type: 'application/json' },
    { target: docsUri(model), rel: 'service-doc', type: 'text/html' },
  ]
}

/** A collection shows its own form. These are the forms of collections that the caller cannot list. */
function actionsOf(model: Model, caller: Principal): readonly Action[] {
  return [...model.resources.values()].flatMap((resource) => {
    const signUp = caller.kind === 'anonymous' && resource === model.accounts?.resource
    if (isListable(resource, caller) && !signUp) return []
    const creation = findCreateAction(model, resource, caller)
    if (!creation) return []
    const label = signUp
      ? { name: 'sign-up', title: 'Sign up' }
      : { name: `create-${resource.name}`, title: `Create in ${resource.name}` }
    return [{ ...creation, ...label }]
  })
}

function byRelation(links: readonly Link[]): JsonValue {
  const followed = links.filter(({ templated }) => templated === undefined)
  return Object.fromEntries(followed.map(({ target, rel }) => [relationName(rel) ?? rel, target]))
}
