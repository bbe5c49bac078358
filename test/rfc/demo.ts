/** The demo with its sample, and every target that it has: documents, collections, items, errors. */

import assert from 'node:assert/strict'
import shop, { sample } from '../../examples/shop.ts'
import { isBelowItem } from '../../src/describe/create-capabilities.ts'
import { insertSample } from '../../src/service/first-start.ts'
import { documentsFor } from '../documents.ts'
import { admin, adminLogin, serve, type TestService } from '../service.ts'

export interface Demo extends TestService {
  /** Every path that is 200 for a GET of an admin. */
  readonly targets: readonly string[]
}

export async function serveDemo(): Promise<Demo> {
  const s = await serve(shop)
  await insertSample(s.service.model, s.service.store, sample)
  const created = await s.request('POST /tokens', admin, { name: 'for the test' })
  assert.equal(created.status, 201, created.text)
  const collections = [...s.service.model.resources.keys()].map((name) => `/${name}`)
  const items: string[] = []
  for (const path of collections) {
    const { json } = await s.request(`GET ${path}`, admin)
    for (const { id } of json.slice(0, 2)) items.push(`${path}/${encodeURIComponent(id)}`)
  }
  const own = [...documentsFor(s.service.model).values()].filter(
    // The form to change the password is elsewhere.
    ({ route }) => !isBelowItem(route) && !route.includes('/-/') && route !== '/.well-known/change-password',
  )
  const shown = await Promise.all(own.map(({ route }) => filled(s, route)))
  const account = (await s.request(`GET /users?email=${encodeURIComponent(adminLogin)}`, admin)).json[0].id
  const article = items.find((path) => path.startsWith('/articles/'))
  return Object.assign(s, {
    targets: [...shown, ...collections, ...items, `${article}/-/access?account=${account}`],
  })
}

/** An existing value for each path variable. */
const variables: Readonly<Record<string, (s: TestService) => Promise<string> | string>> = {
  '/problems/{type}': () => '/problems/not-found',
  '/schemas/{name}': () => '/schemas/articles',
  '/relations/{name}': () => '/relations/articles',
  '/forms/{collection}': () => '/forms/articles',
  // Articles of the demo have no bulk creation: its form is that for one item.
  '/forms/{collection}?_import=file': () => '/forms/articles',
  '/batch/{collection}': () => '/batch/articles',
  '/forms/{collection}/{id}': async (s) => {
    const { json } = await s.request('GET /articles', admin)
    return `/forms/articles/${json[0].id}`
  },
  '/assets/{name}': async (s) => {
    const page = await s.request('GET /', { accept: 'text/html' })
    return /"(\/assets\/[^"]+\.css)"/.exec(page.text)?.[1] ?? assert.fail('no asset')
  },
}

/** The path at a route, with its variable part filled in. */
async function filled(s: TestService, route: string): Promise<string> {
  if (!route.includes('{')) return route
  return (variables[route] ?? assert.fail(`Say in demo.ts what ${route} stands for`))(s)
}

export const formats = ['json', 'hal', 'hal-forms', 'xml', 'csv', 'ndjson', 'html'] as const
