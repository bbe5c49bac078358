/** The methods and status codes of RFC 9110, on the demo over a real socket. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import shop from '../../examples/shop.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

const ada = { email: 'ada@example.org', name: 'Ada', password: 'analytical engine' }
const asAda = basic(ada.email, ada.password)

describe('methods and status codes on the demo', () => {
  let shopService: TestService
  let request: TestService['request']
  let adaUri: string

  before(async () => {
    shopService = await serve(shop)
    request = shopService.request
    const response = await request('POST /users', {}, ada)
    assert.equal(response.status, 201, response.text)
    adaUri = response.fields.location as string
  })
  after(() => shopService[Symbol.asyncDispose]())

  let created = 0
  async function article(fields: object = {}) {
    created += 1
    const slug = `article-${created}`
    const response = await request('POST /articles', asAda, { slug, title: 'A title', ...fields })
    assert.equal(response.status, 201, response.text)
    return { uri: response.fields.location as string, ...response.json }
  }

  describe('the methods', () => {
    test('GET /{collection} is 200 with a list of representations, all of them by following next', async () => {
      for (const sku of ['A', 'B', 'C', 'D', 'E']) {
        const body = { sku, name: sku, price: '1.00' }
        assert.equal((await request('POST /products', admin, body)).status, 201)
      }
      const found: string[] = []
      let next: string | undefined = '/products?limit=2'
      while (next !== undefined) {
        const response = await request(`GET ${next}`)
        assert.equal(response.status, 200)
        assert.ok(response.json.length <= 2)
        found.push(...response.json.map((item: { id: string }) => item.id))
        next = /<([^>]*)>; rel="next"/.exec(response.fields.link as string)?.[1]
      }
      assert.deepEqual(found, ['A', 'B', 'C', 'D', 'E'])
    })

    test('GET /{collection}/{id} is 200 with one representation', async () => {
      const response = await request(`GET ${adaUri}`)
      assert.equal(response.status, 200)
      assert.equal(response.fields['content-type'], 'application/json')
      assert.equal(response.json.id, adaUri.split('/').at(-1))
      assert.equal(response.json.name, 'Ada')
    })

    test('POST /{collection} is 201, and each call creates a new one', async () => {
      const first = await article()
      const second = await article()
      assert.notEqual(first.id, second.id)
      assert.equal((await request(`GET ${first.uri}`, asAda)).json.slug, first.slug)
      assert.equal((await request(`GET ${second.uri}`, asAda)).json.slug, second.slug)
    })

    test('PUT /{collection}/{id} is 200 and replaces the item in full', async () => {
      const { uri, slug } = await article({ body: 'Some text', tags: ['a'] })
      const response = await request(`PUT ${uri}`, asAda, { slug, title: 'Another' })
      assert.equal(response.status, 200)
      const { json } = await request(`GET ${uri}`, asAda)
      assert.deepEqual([json.title, json.body, json.tags], ['Another', undefined, []])
    })

    test('PUT twice leaves the same state as once', async () => {
      const { uri, slug } = await article()
      const once = await request(`PUT ${uri}`, asAda, { slug, title: 'Twice' })
      const twice = await request(`PUT ${uri}`, asAda, { slug, title: 'Twice' })
      assert.deepEqual(twice.json, once.json)
    })

    test('PATCH /{collection}/{id} is 200 and updates the item in part', async () => {
      const { uri } = await article({ body: 'Some text' })
      const response = await request(`PATCH ${uri}`, asAda, { title: 'Patched' })
      assert.equal(response.status, 200)
      assert.deepEqual([response.json.title, response.json.body], ['Patched', 'Some text'])
    })

    test('DELETE /{collection}/{id} is 204 with an empty body; the item is then absent', async () => {
      const { uri } = await article()
      const response = await request(`DELETE ${uri}`, asAda)
      assert.equal(response.status, 204)
      assert.equal(response.text, '')
      assert.equal((await request(`GET ${uri}`, asAda)).status, 404)
      assert.equal((await request(`DELETE ${uri}`, asAda)).status, 404)
    })
  })

  describe('the statuses', () => {
    test('301 Moved Permanently: a trailing slash redirects to the URI without it', async () => {
      const response = await request('GET /users/?limit=1')
      assert.equal(response.status, 301)
      assert.equal(response.fields.location, '/users?limit=1')
    })

    test('400 Bad Request: invalid JSON', async () => {
      const response = await request('POST /users', { 'content-type': 'application/json' }, '{"name":')
      assert.equal(response.status, 400)
      assert.equal(response.json.type, '/problems/malformed-content')
    })

    test('401 Unauthorized: authentication is required and missing, or invalid', async () => {
      const missing = await request('POST /articles', {}, { slug: 'x', title: 'X' })
      assert.equal(missing.status, 401)
      assert.match(missing.fields['www-authenticate'] as string, /^Basic realm="Example shop"/)
      const invalid = await request('GET /products', basic('ada@example.org', 'wrong'))
      assert.equal(invalid.status, 401)
    })

    test('403 Forbidden: authenticated, and not permitted', async () => {
      const body = { sku: 'X', name: 'X', price: '1.00' }
      assert.equal((await request('POST /products', asAda, body)).status, 403)
    })

    test('404 Not Found: no such collection, no such item', async () => {
      assert.equal((await request('GET /nothing')).status, 404)
      assert.equal((await request('GET /users/nobody')).status, 404)
    })

    test('405 Method Not Allowed, with Allow', async () => {
      const response = await request('DELETE /users')
      assert.equal(response.status, 405)
      assert.equal(response.fields.allow, 'GET, HEAD, POST, QUERY, OPTIONS')
    })

    test('409 Conflict: an attempt to create a duplicate', async () => {
      const response = await request('POST /users', {}, ada)
      assert.equal(response.status, 409)
      assert.equal(response.json.type, '/problems/duplicate')
      assert.equal(response.json.errors[0].pointer, '/email')
    })

    test('422 Unprocessable Entity: data that fails validation, every fault at its place', async () => {
      const response = await request('POST /users', {}, { email: 'no', name: '', password: 'short' })
      assert.equal(response.status, 422)
      const pointers = response.json.errors.map((error: { pointer: string }) => error.pointer)
      assert.deepEqual(pointers.sort(), ['/email', '/name', '/password'])
    })

    test('500 Internal Server Error shows nothing of its cause', async () => {
      const { store } = shopService.service
      const find = store.find
      store.find = () => {
        throw new Error('secret cause')
      }
      const response = await request('GET /products/A')
      store.find = find
      assert.equal(response.status, 500)
      assert.doesNotMatch(response.text, /secret cause/)
      assert.ok(shopService.observations.some(({ kind }) => kind === 'bug'))
    })

    test('503 Service Unavailable has Retry-After', async () => {
      shopService.service.retire('The service is stopping.')
      const response = await request('GET /health/ready')
      assert.equal(response.status, 503)
      assert.match(response.fields['retry-after'] as string, /^\d+$/)
    })
  })
})
