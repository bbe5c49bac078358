/** Target URIs (RFC 9110 §7.1): how they are resolved, and the URIs in responses. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, email, password, ref, resource, service, text } from 'restwell'
import { admin, adminLogin, serve } from '../service.ts'
import { absentId, open, shelf } from './every-key-kind.ts'

describe('trailing slashes', () => {
  test('GET and HEAD of /books/ are 301 to /books, with the query', async () => {
    await using s = await serve(shelf)
    for (const method of ['GET', 'HEAD']) {
      const response = await s.request(`${method} /books/?limit=1&x=%5B`)
      assert.equal(response.status, 301)
      assert.equal(response.fields.location, '/books?limit=1&x=%5B')
      assert.equal(response.fields['cache-control'], 'no-cache')
    }
    assert.equal((await s.request(`GET /books/${absentId}/`)).fields.location, `/books/${absentId}`)
    assert.equal((await s.request('GET /problems/')).fields.location, '/problems')
  })

  test('other methods are 404, and the detail names the right URI', async () => {
    await using s = await serve(shelf)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await s.request(`${method} /books/`)
      assert.equal(response.status, 404, method)
      assert.match(response.json.detail, / \/books\?$/)
    }
  })

  test('empty segments within a path are no item: 404', async () => {
    await using s = await serve(shelf)
    for (const path of ['//', '//books', '/books//', '/books//x', `/books/${absentId}//`]) {
      assert.equal((await s.request(`GET ${path}`)).status, 404, path)
    }
  })

  test('an unknown path with a slash is 404', async () => {
    await using s = await serve(shelf)
    assert.equal((await s.request('GET /nothing/')).status, 404)
  })
})

describe('former names', () => {
  test('a renamed collection is 301 for every method, with the query', async () => {
    await using s = await serve(shelf)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const name of ['tomes', 'volumes']) {
        const collection = await s.request(`${method} /${name}?limit=1`)
        assert.equal(collection.status, 301, method)
        assert.equal(collection.fields.location, '/books?limit=1')
        const item = await s.request(`${method} /${name}/${absentId}?x=%20`)
        assert.equal(item.status, 301)
        assert.equal(item.fields.location, `/books/${absentId}?x=%20`)
        assert.equal(item.fields['cache-control'], 'no-cache')
      }
    }
  })

  test('a former name with a trailing slash needs one redirect', async () => {
    await using s = await serve(shelf)
    assert.equal((await s.request('GET /tomes/')).fields.location, '/books')
  })

  test('a redirect is short, and never to another host', async () => {
    await using s = await serve(shelf)
    const response = await s.request('GET /tomes//evil.example')
    assert.equal(response.status, 404)
    const encoded = await s.request('GET /tomes/%2F%2Fevil.example')
    assert.equal(encoded.fields.location, '/books/%2F%2Fevil.example')
  })
})

describe('a base path', () => {
  const based = service({
    title: 'Based',
    base: '/api/v1',
    accounts: { resource: 'users', login: 'email', password: 'password' },
    resources: {
      users: resource(
        { email: email().unique(), password: password() },
        { key: 'email', access: { read: anyone } },
      ),
      books: resource(
        { title: text(), next: ref('books').optional() },
        { access: open, formerly: ['tomes'] },
      ),
    },
  })

  test('is honoured in Location, Content-Location, Link and bodies', async () => {
    await using s = await serve(based)
    const created = await s.request('POST /api/v1/books', {}, { title: 'A' })
    assert.equal(created.status, 201)
    const uri = `/api/v1/books/${created.json.id}`
    assert.equal(created.fields.location, uri)
    assert.equal(created.fields['content-location'], uri)
    await s.request('POST /api/v1/books', {}, { title: 'B', next: created.json.id })
    const page = await s.request('GET /api/v1/books?limit=1')
    assert.match(page.fields.link as string, /<\/api\/v1\/books\/-\/links>; rel="linkset"/)
    assert.match(page.fields.link as string, /<\/api\/v1\/books\?limit=1&after=[^>]+>; rel="next"/)
    const read = await s.request(`GET ${uri}`)
    for (const target of (read.fields.link as string).matchAll(/<([^>]*)>/g)) {
      assert.match(target[1] as string, /^\/api\/v1\//)
    }
  })

  test('is honoured at the entry point', async () => {
    await using s = await serve(based)
    const home = await s.request('GET /api/v1', admin)
    assert.equal(home.status, 200)
    for (const uri of Object.values(home.json.links as Record<string, string>)) {
      assert.ok(uri.startsWith('/api/v1'), uri)
      assert.equal((await s.request(`GET ${uri}`, admin)).status, 200, uri)
    }
    assert.equal(home.json.links.account, `/api/v1/users/${adminLogin}`)
  })

  test("is honoured in problems' types, which resolve", async () => {
    await using s = await serve(based)
    const { type } = (await s.request('GET /api/v1/nothing')).json
    assert.equal(type, '/api/v1/problems/not-found')
    assert.equal((await s.request(`GET ${type}`)).json.status, 404)
  })

  test('is honoured in redirects', async () => {
    await using s = await serve(based)
    const location = async (path: string) => (await s.request(`GET ${path}`)).fields.location
    assert.equal(await location('/api/v1/'), '/api/v1')
    assert.equal(await location('/api/v1/books/'), '/api/v1/books')
    assert.equal(await location('/api/v1/tomes/x?a=b'), '/api/v1/books/x?a=b')
  })

  test('URIs outside the base are 404', async () => {
    await using s = await serve(based)
    for (const path of [
      '/',
      '/api/v1//',
      '/books',
      '/api',
      '/api/books',
      '/api/v2/books',
      '/API/v1/books',
      '/v1/books',
    ]) {
      assert.equal((await s.request(`GET ${path}`)).status, 404, path)
    }
  })
})
