/**
 * Every route, method and kind of caller, enumerated from the model, has a decision in the table
 * below. The test fails for a resource or document that is added without one.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBelowItem } from '../../src/describe/create-capabilities.ts'
import { stylesheet } from '../../src/html/assets.ts'
import { knownMethods } from '../../src/http/method.ts'
import { documentsFor } from '../documents.ts'
import { admin, type SendRequest, serve } from '../service.ts'
import { account, as, bearer, definition } from './sample.ts'

/** Known methods that no route offers are the same 405 for all callers. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS']

/** The statuses by route and method, for: anonymous, member, owner, admin, reading token. */
const callers = ['anonymous', 'member', 'owner', 'admin', 'reader'] as const
type Decisions = Readonly<Record<string, string>>

const everyone = '200 200 200 200 200'
const table: Readonly<Record<string, Decisions>> = {
  '/': { GET: everyone },
  '/.well-known/change-password': { GET: '303 303 303 303 303' },
  '/.well-known/api-catalog': { GET: everyone },
  '/openapi.json': { GET: everyone },
  '/schemas': { GET: everyone },
  // A schema that only some callers may see; it is 404 for the others.
  '/schemas/{name}': { GET: '404 200 200 200 404' },
  '/client.js': { GET: everyone },
  '/client.d.ts': { GET: everyone },
  '/problems': { GET: everyone },
  '/problems/{type}': { GET: everyone },
  '/relations': { GET: everyone },
  // A relation that only callers who may list tokens can see.
  '/relations/{name}': { GET: '404 200 200 200 200' },
  '/assets/{name}': { GET: everyone },
  '/docs': { GET: everyone },
  '/events': { GET: everyone },
  '/sign-in': { GET: everyone, POST: '422 422 422 422 422' },
  '/-/session': { GET: everyone },
  '/sign-out': { GET: everyone, POST: '403 403 403 403 403' },
  '/status': { GET: '401 403 403 200 403' },
  '/health/live': { GET: everyone },
  '/health/ready': { GET: everyone },
  '/audit': { GET: '401 403 403 200 403' },
  '/batch': { GET: everyone, POST: '422 422 422 422 422' },
  // The requests have JSON, which is no form.
  '/batch/{collection}': { GET: everyone, POST: '415 415 415 415 415' },
  '/forms/{collection}': { GET: '401 200 200 200 403', POST: '401 422 422 422 403' },
  // A collection without bulk creation; test/html/import.test.ts has one with it.
  '/forms/{collection}?_import=file': { GET: '303 303 303 303 303', POST: '401 400 400 400 403' },
  '/forms/{collection}/{id}': { GET: '401 404 200 200 403', POST: '400 400 400 400 400' },
  '/sign-in/second-factor': { GET: '303 303 303 303 303', POST: '303 303 303 303 303' },
  '/sign-in/passkey': { GET: everyone, POST: '422 422 422 422 422' },
  '/metrics': { GET: '401 403 403 200 403' },
  '/users': { GET: everyone, QUERY: everyone, POST: '422 422 422 422 403' },
  // An account of another member; its owner is the account itself.
  '/users/{id}': {
    GET: everyone,
    PUT: '401 403 422 422 403',
    PATCH: '401 403 200 200 403',
    DELETE: '401 403 204 204 403',
  },
  '/users/{id}/history': { GET: '401 200 200 200 200' },
  '/users/{id}/history/{version}': { GET: '401 404 404 404 404' },
  '/articles': { GET: everyone, QUERY: everyone, POST: '401 422 422 422 403' },
  // A draft, which only its author and admins see.
  '/articles/{id}': {
    GET: '404 404 200 200 404',
    PUT: '401 404 422 422 403',
    PATCH: '401 404 200 200 403',
    DELETE: '401 404 204 204 403',
  },
  '/articles/{id}/history': { GET: '404 404 200 200 404' },
  // No version of the item.
  '/articles/{id}/history/{version}': { GET: '404 404 404 404 404' },
  '/notes': { GET: everyone, QUERY: everyone, POST: '401 422 422 422 403' },
  '/notes/{id}': {
    GET: '404 404 200 404 404',
    PUT: '401 404 422 404 403',
    PATCH: '401 404 200 404 403',
    DELETE: '401 404 204 404 403',
  },
  '/vaults': {
    GET: '401 403 403 403 403',
    QUERY: '401 403 403 403 403',
    POST: '401 403 403 403 403',
  },
  '/vaults/{id}': {
    GET: '401 403 403 403 403',
    PUT: '401 403 403 403 403',
    PATCH: '401 403 403 403 403',
    DELETE: '401 403 403 403 403',
  },
  '/tokens': { GET: '401 200 200 200 200', POST: '401 201 201 201 403' },
  '/tokens/{id}': { GET: '401 404 200 404 404', DELETE: '401 404 204 404 403' },
  // For administrators only, by default.
  '/webhooks': { GET: '401 403 403 200 403', POST: '401 403 403 422 403' },
  '/webhooks/{id}': {
    GET: '401 403 403 404 403',
    PATCH: '401 403 403 404 403',
    DELETE: '401 403 403 404 403',
  },
}

test('each route, method and kind of caller has the decision that is written down for it', async () => {
  await using s = await serve(definition)
  const { resources } = s.service.model
  const routes = [...resources.keys()].flatMap((name) => [`/${name}`, `/${name}/{id}`])
  const kept = [...resources.values()].filter(({ history }) => history)
  // Tests of explanations and previews compare their paths with unknown ones, for every kind of caller.
  const others = [...documentsFor(s.service.model).values()].filter(
    ({ name }) => name !== 'access-explanation' && name !== 'preview',
  )
  const own = others.flatMap(({ route }) =>
    isBelowItem(route) ? kept.map(({ name }) => route.replace('{collection}', name)) : [route],
  )
  assert.deepEqual(new Set(Object.keys(table)), new Set([...routes, ...own]))
  const decided: Record<string, Record<string, string>> = {}
  for (const route of Object.keys(table)) {
    decided[route] = {}
    for (const method of methods.filter((one) => one !== 'HEAD' && one !== 'OPTIONS')) {
      const statuses: number[] = []
      for (const caller of callers) statuses.push(await decision(s.request, route, method, caller))
      if (statuses.some((status) => status !== 405)) decided[route][method] = statuses.join(' ')
    }
  }
  assert.deepEqual(decided, table)
})

test('HEAD is decided as GET, OPTIONS for everyone alike, and what is not offered is 405', async () => {
  await using s = await serve(definition)
  for (const [route, decisions] of Object.entries(table)) {
    for (const [at, caller] of callers.entries()) {
      const expected = Number(decisions.GET?.split(' ')[at])
      assert.equal(await decision(s.request, route, 'HEAD', caller), expected, `HEAD ${route} ${caller}`)
      assert.equal(await decision(s.request, route, 'OPTIONS', caller), 204, `OPTIONS ${route}`)
    }
  }
  for (const method of [...knownMethods].filter((one) => !methods.includes(one) && one !== 'CONNECT')) {
    for (const route of Object.keys(table)) {
      assert.equal(await decision(s.request, route, method, 'anonymous'), 405, `${method} ${route}`)
    }
  }
})

let created = 0

/** The status for an item of the route; a new item if the method may change it. */
async function decision(
  request: SendRequest,
  route: string,
  method: string,
  caller: (typeof callers)[number],
): Promise<number> {
  created += 1
  const owner = await once(request, 'owner', () => account(request, 'owner').then(as))
  const [, above = route, below = ''] = /^(.*\{id\})(\/.*)$/.exec(route) ?? []
  const place = () => placeOf(request, above, owner)
  const changes = ['PUT', 'PATCH', 'DELETE'].includes(method)
  const { path, owner: own = owner } = changes ? await place() : await once(request, above, place)
  const fields = await fieldsOf(request, caller, own)
  const body = ['POST', 'PUT', 'PATCH', 'QUERY'].includes(method) ? bodyOf(method, route) : undefined
  return (await request(`${method} ${path}${below.replace('{version}', 'x')}`, fields, body)).status
}

const known = new Map<SendRequest, Map<string, Promise<unknown>>>()

/** Created once for each service. */
function once<T>(request: SendRequest, name: string, make: () => Promise<T>): Promise<T> {
  const ofService = known.get(request) ?? new Map<string, Promise<unknown>>()
  known.set(request, ofService)
  const existing = ofService.get(name) ?? make()
  ofService.set(name, existing)
  return existing as Promise<T>
}

/** Content that no POST or PUT accepts: access is decided before content. */
function bodyOf(method: string, route: string): object {
  if (method !== 'PATCH') return {}
  return route.startsWith('/users')
    ? { name: `n${created}` }
    : route.startsWith('/notes')
      ? { text: `t${created}` }
      : { title: `t${created}` }
}

async function fieldsOf(request: SendRequest, caller: string, owner: Record<string, string>) {
  if (caller === 'anonymous') return {}
  if (caller === 'admin') return admin
  if (caller === 'owner') return owner
  if (caller === 'member') return once(request, caller, () => account(request, 'member').then(as))
  return once(request, caller, () => readerOf(request))
}

/** A token of another member that may read everything and change nothing. */
async function readerOf(request: SendRequest) {
  const other = await account(request, 'reader')
  const token = await request('POST /tokens', as(other), { scopes: ['*:read'] })
  return bearer(token.json.token)
}

interface Place {
  readonly path: string
  /** Whose it is, where that is another than the owner of all the rest. */
  readonly owner?: Record<string, string>
}

async function placeOf(request: SendRequest, route: string, owner: Record<string, string>): Promise<Place> {
  const create = async (path: string, body: object) =>
    String((await request(`POST ${path}`, owner, body)).fields.location)
  switch (route) {
    case '/assets/{name}':
      return { path: `/assets/${stylesheet.name}` }
    case '/schemas/{name}':
      return { path: '/schemas/tokens.create' }
    case '/problems/{type}':
      return { path: '/problems/forbidden' }
    case '/relations/{name}':
      return { path: '/relations/tokens' }
    case '/batch/{collection}':
      return { path: '/batch/articles' }
    case '/forms/{collection}':
      return { path: '/forms/articles' }
    case '/forms/{collection}?_import=file':
      return { path: '/forms/articles?_import=file' }
    case '/forms/{collection}/{id}':
      return { path: `/forms${await create('/articles', { title: 'x' })}` }
    case '/users/{id}': {
      const fresh = await account(request, `fresh${created}`)
      return { path: `/users/${fresh.id}`, owner: as(fresh) }
    }
    case '/articles/{id}':
      return { path: await create('/articles', { title: 'x' }) }
    case '/notes/{id}': {
      const article = await create('/articles', { title: 'x' })
      return {
        path: await create('/notes', { text: 'x', article: article.split('/')[2], rank: 'high' }),
      }
    }
    case '/tokens/{id}':
      return { path: await create('/tokens', {}) }
    case '/webhooks/{id}':
      return { path: '/webhooks/01900000-0000-7000-8000-000000000001' }
    case '/vaults/{id}':
      return { path: '/vaults/01900000-0000-7000-8000-000000000001' }
    default:
      return { path: route }
  }
}
