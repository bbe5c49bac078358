/**
 * The entry point: where a client that knows nothing else begins. It leads to every collection
 * that the caller may list, and to what it may do without having seen one, such as signing up.
 */

import { isForAdmin } from '../../access/authorize.ts'
import type { Principal } from '../../access/principal.ts'
import type { JsonValue, Model, ResourceModel } from '../../declare/model.ts'
import type { Link } from '../../http/link.ts'
import { creationOf } from '../../view/creation.ts'
import type { Action } from '../../view/hypermedia.ts'
import { isListed } from '../../view/input.ts'
import { relationName, relationOf } from '../../view/relation.ts'
import {
  catalogUri,
  collectionUri,
  docsUri,
  homeUri,
  openApiUri,
  problemsUri,
  statusUri,
} from '../../view/uri.ts'
import type { Context } from '../context.ts'
import type { Document } from '../document.ts'
import { findOwnAccount } from '../own-account.ts'

export const home: Document = {
  route: '/',
  summary: 'The entry point: where everything else is',
  schema: {
    type: 'object',
    properties: { title: { type: 'string' }, links: { type: 'object' } },
    required: ['title', 'links'],
  },
  name: 'home',
  personal: true,
  async show(context, who) {
    const links = await linksOf(context, who)
    return { title: context.model.title, links: byRelation(links) }
  },
  async hypermedia(context, who) {
    return { links: await linksOf(context, who), actions: actionsOf(context.model, who) }
  },
}

async function linksOf(context: Context, who: Principal): Promise<readonly Link[]> {
  const { model } = context
  const account = await findOwnAccount(context, who)
  const listed = [...model.resources.values()].filter((resource) => isListed(resource, who))
  const collections = listed.map((resource) => ({
    target: collectionUri(model, resource),
    rel: relationOf(resource.name),
  }))
  return [
    { target: homeUri(model), rel: 'self' },
    ...collections,
    ...(account ? [{ target: account.uri, rel: relationOf('account') }] : []),
    ...serviceLinks(model),
    ...(isForAdmin(model, who, 'status') ? [{ target: statusUri(model), rel: 'status' }] : []),
  ]
}

/** What describes the service as a whole (RFC 8631). */
function serviceLinks(model: Model): readonly Link[] {
  return [
    { target: problemsUri(model), rel: relationOf('problems') },
    { target: catalogUri(model), rel: 'api-catalog' },
    { target: openApiUri(model), rel: 'service-desc', type: 'application/json' },
    { target: docsUri(model), rel: 'service-doc', type: 'text/html' },
  ]
}

/** A collection offers its own form; here are those of collections that cannot be listed. */
function actionsOf(model: Model, who: Principal): readonly Action[] {
  return [...model.resources.values()].flatMap((resource) => {
    const signUp = who.kind === 'anonymous' && resource === model.accounts?.resource
    if (isListed(resource, who) && !signUp) return []
    const creation = creationOf(model, resource, who)
    return creation ? [{ ...creation, ...named(resource, signUp) }] : []
  })
}

function named(resource: ResourceModel, signUp: boolean) {
  if (signUp) return { name: 'sign-up', title: 'Sign up' }
  return { name: `create-${resource.name}`, title: `Create in ${resource.name}` }
}

function byRelation(links: readonly Link[]): JsonValue {
  return Object.fromEntries(links.map(({ target, rel }) => [relationName(rel) ?? rel, target]))
}
