/** Target URIs (RFC 9110 §7.1): how they are resolved, and the URIs in responses. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, date, email, integer, password, ref, resource, service, text, uuid } from 'restwell'
import { admin, adminLogin, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const absentId = '019a0000-0000-7000-8000-000000000000'

const shelf = service({
  title: 'Shelf',
  resources: {
    books: resource({ title: text() }, { access: open, formerly: ['tomes', 'volumes'] }),
    tags: resource({ name: text(), note: text().optional() }, { key: 'name', access: open }),
    numbers: resource({ n: integer(), note: text().optional() }, { key: 'n', access: open }),
    days: resource({ day: date() }, { key: 'day', access: open }),
    people: resource({ address: email() }, { key: 'address', access: open }),
    sizes: resource({ size: choice(['s', 'm']) }, { key: 'size', access: open }),
    marks: resource({ mark: uuid() }, { key: 'mark', access: open }),
  },
})

describe('trailing slashes', () => {
  test('GET and HEAD of /books/ are 301 to /books, with the query', async () => {
    await using s = await serve(shelf)
    for (const method of ['GET', 'HEAD']) {
      const response = await s.ask(`${method} /books/?limit=1&x=%5B`)
      assert.equal(response.status, 301)
      assert.equal(response.fields.location, '/books?limit=1&x=%5B')
      assert.equal(response.fields['cache-control'], 'no-cache')
    }
    assert.equal((await s.ask(`GET /books/${absentId}/`)).fields.location, `/books/${absentId}`)
    assert.equal((await s.ask('GET /problems/')).fields.location, '/problems')
  })

  test('other methods are 404, and the detail names the right URI', async () => {
    await using s = await serve(shelf)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await s.ask(`${method} /books/`)
      assert.equal(response.status, 404, method)
      assert.match(response.json.detail, / \/books\?$/)
    }
  })

  test('empty segments within a path are no item: 404', async () => {
    await using s = await serve(shelf)
    for (const path of ['//', '//books', '/books//', '/books//x', `/books/${absentId}//`]) {
      assert.equal((await s.ask(`GET ${path}`)).status, 404, path)
    }
  })

  test('an unknown path with a slash is 404', async () => {
    await using s = await serve(shelf)
    assert.equal((await s.ask('GET /nothing/')).status, 404)
  })
})

describe('encoding', () => {
  test('a percent-encoded unreserved character is the character (RFC 3986 §6.2.2.2)', async () => {
    await using s = await serve(shelf)
    await s.ask('POST /tags', {}, { name: 'abc' })
    for (const path of ['/%74ags/abc', '/tags/%61bc', '/t%61gs/%61%62%63']) {
      assert.equal((await s.ask(`GET ${path}`)).json.id, 'abc', path)
    }
    assert.equal((await s.ask('GET /%74ags/')).fields.location, '/tags')
    const { id } = (await s.ask('POST /books', {}, { title: 'A' })).json
    assert.equal((await s.ask(`GET /books/${id.replaceAll('-', '%2D')}`)).json.title, 'A')
  })

  test('%2F within a key is data, in Location and links too', async () => {
    await using s = await serve(shelf)
    const created = await s.ask('POST /tags', {}, { name: 'a/b' })
    assert.equal(created.fields.location, '/tags/a%2Fb')
    const read = await s.ask('GET /tags/a%2fb')
    assert.equal(read.json.id, 'a/b')
    assert.match(read.fields.link as string, /<\/tags\/a%2Fb>; rel="self"/)
    assert.equal((await s.ask('GET /tags/a/b')).status, 404)
  })

  test('unusual characters of a key are encoded in Location, which resolves to the item', async () => {
    await using s = await serve(shelf)
    const names = [
      'a b',
      'ä',
      '東京',
      '100%',
      '%41',
      'a?b',
      'a#b',
      'a+b',
      'a&b=c',
      "it's",
      '"',
      '\\',
      '\u{1f600}',
      '…',
      ' ',
      'a\tb',
      ';',
      'a:b',
      '@',
      '//',
      '.a',
      '...',
      'x'.repeat(500),
    ]
    for (const name of names) {
      const created = await s.ask('POST /tags', {}, { name })
      assert.equal(created.status, 201, `${name}: ${created.text}`)
      const { location } = created.fields
      assert.match(location as string, /^\/tags\/[A-Za-z0-9\-._~!$&'()*+,;=:@%]+$/)
      const read = await s.ask(`GET ${location}`)
      assert.equal(read.status, 200, name)
      assert.equal(read.json.id, name)
      assert.equal((await s.ask(`PATCH ${location}`, {}, { note: 'x' })).status, 200)
      assert.equal((await s.ask(`DELETE ${location}`)).status, 204)
    }
  })

  test('a key that a path cannot contain is 422', async () => {
    await using s = await serve(shelf)
    for (const name of ['', '.', '..']) {
      assert.equal((await s.ask('POST /tags', {}, { name })).status, 422, JSON.stringify(name))
    }
  })

  test('%00, %zz, invalid UTF-8 and a raw fragment are 400', async () => {
    await using s = await serve(shelf)
    const malformed = ['/tags/%00', '/tags/%zz', '/tags/%', '/tags/%4', '/tags/%ff', '/tags/%c0%af']
    const more = [
      '/tags/%ed%a0%80',
      '/tags/a#b',
      '/tags#b',
      '/tags?limit=%zz',
      '/tags?x=%00',
      '/tags?limit=%ff',
    ]
    for (const path of [...malformed, ...more, '/nothing/%zz']) {
      const response = await s.ask(`GET ${path}`)
      assert.equal(response.status, 400, path)
      assert.equal(response.json.type, '/problems/malformed-request')
    }
  })

  test('dot segments never traverse: 404', async () => {
    await using s = await serve(shelf)
    await s.ask('POST /tags', {}, { name: 'abc' })
    const paths = [
      '/x/../tags',
      '/tags/../tags',
      '/tags/./abc',
      '/tags/%2e%2e/books',
      '/tags/..',
      '/./tags',
      '/%2E/tags',
      '/tags/.',
      '/tags/x/../abc',
    ]
    for (const path of paths) assert.equal((await s.ask(`GET ${path}`)).status, 404, path)
  })

  test('paths are case-sensitive', async () => {
    await using s = await serve(shelf)
    await s.ask('POST /tags', {}, { name: 'abc' })
    for (const path of ['/Tags', '/TAGS/abc', '/tags/ABC', '/PROBLEMS']) {
      assert.equal((await s.ask(`GET ${path}`)).status, 404, path)
    }
  })
})

describe('ids', () => {
  test('an id that cannot exist is 404, for every method', async () => {
    await using s = await serve(shelf)
    const ids = [
      '1',
      'x',
      '%20',
      'null',
      '-',
      "';drop%20table%20books;--",
      absentId.toUpperCase(),
      '_identity',
      '__proto__',
      'x'.repeat(5000),
    ]
    for (const id of ids) {
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        assert.equal((await s.ask(`${method} /books/${id}`)).status, 404, `${method} ${id}`)
      }
      assert.equal((await s.ask(`PATCH /books/${id}`, {}, { title: 'x' })).status, 404)
      assert.equal((await s.ask(`PUT /books/${id}`, {}, { title: 'x' })).status, 404)
    }
    assert.equal((await s.ask('GET /books/1/2')).status, 404)
  })

  test('an id is a UUIDv7, and each item has its own', async () => {
    await using s = await serve(shelf)
    const ids = new Set<string>()
    for (let count = 0; count < 20; count += 1) {
      ids.add((await s.ask('POST /books', {}, { title: 'A' })).json.id)
    }
    assert.equal(ids.size, 20)
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('an integer key is reached by its one spelling', async () => {
    await using s = await serve(shelf)
    for (const n of [0, 42, -7, 9007199254740991]) {
      const created = await s.ask('POST /numbers', {}, { n })
      assert.equal(created.status, 201)
      assert.equal(created.fields.location, `/numbers/${n}`)
      assert.equal(created.json.id, String(n))
      assert.equal((await s.ask(`GET /numbers/${n}`)).json.n, n)
    }
    for (const id of [
      '042',
      '+42',
      '42.0',
      '4e1',
      '-0',
      '00',
      '0x2a',
      '%2042',
      '9007199254740992',
      '1'.repeat(400),
    ]) {
      assert.equal((await s.ask(`GET /numbers/${id}`)).status, 404, id)
    }
  })

  test('keys of every kind name their item', async () => {
    await using s = await serve(shelf)
    const mark = '0b9e8a52-3a4c-4c69-8a55-0c3e1f1f9a10'
    const keys = [
      ['days', 'day', '2026-02-28'],
      ['people', 'address', 'ada@example.org'],
      ['sizes', 'size', 'm'],
      ['marks', 'mark', mark],
    ] as const
    for (const [collection, field, value] of keys) {
      const created = await s.ask(`POST /${collection}`, {}, { [field]: value })
      assert.equal(created.fields.location, `/${collection}/${value}`, created.text)
      const read = await s.ask(`GET ${created.fields.location}`)
      assert.deepEqual([read.json.id, read.json[field]], [value, value])
    }
    const upper = await s.ask('POST /people', {}, { address: 'Grace@Example.ORG' })
    assert.equal(upper.fields.location, '/people/grace@example.org')
    assert.equal((await s.ask('GET /people/Grace@example.org')).status, 404)
  })

  test('id shows the current value of the key, and a rename carries references along', async () => {
    const keyed = service({
      title: 'Keyed',
      resources: {
        tags: resource({ name: text() }, { key: 'name', access: open }),
        notes: resource({ tag: ref('tags') }, { access: open }),
      },
    })
    await using s = await serve(keyed)
    await s.ask('POST /tags', {}, { name: 'old' })
    const note = await s.ask('POST /notes', {}, { tag: 'old' })
    const renamed = await s.ask('PATCH /tags/old', {}, { name: 'new name' })
    assert.equal(renamed.status, 200)
    assert.equal(renamed.json.id, 'new name')
    assert.equal(renamed.fields['content-location'], '/tags/new%20name')
    const read = await s.ask(`GET ${note.fields.location}`)
    assert.equal(read.json.tag, 'new name')
    assert.match(read.fields.link as string, /<\/tags\/new%20name>; rel="[^"]*\/relations\/tag"/)
    assert.notEqual(read.fields.etag, note.fields.etag)
  })

  test('a key may be used again, and no entity tag repeats for other content', async () => {
    await using s = await serve(shelf)
    const first = await s.ask('POST /tags', {}, { name: 'a', note: 'one' })
    await s.ask('DELETE /tags/a')
    const second = await s.ask('POST /tags', {}, { name: 'a', note: 'two' })
    assert.equal(second.status, 201)
    assert.notEqual(second.fields.etag, first.fields.etag)
    const conditional = await s.ask('GET /tags/a', { 'if-none-match': first.fields.etag as string })
    assert.equal(conditional.status, 200)
  })
})

describe('former names', () => {
  test('a renamed collection is 301 for every method, with the query', async () => {
    await using s = await serve(shelf)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const name of ['tomes', 'volumes']) {
        const collection = await s.ask(`${method} /${name}?limit=1`)
        assert.equal(collection.status, 301, method)
        assert.equal(collection.fields.location, '/books?limit=1')
        const item = await s.ask(`${method} /${name}/${absentId}?x=%20`)
        assert.equal(item.status, 301)
        assert.equal(item.fields.location, `/books/${absentId}?x=%20`)
        assert.equal(item.fields['cache-control'], 'no-cache')
      }
    }
  })

  test('a former name with a trailing slash needs one redirect', async () => {
    await using s = await serve(shelf)
    assert.equal((await s.ask('GET /tomes/')).fields.location, '/books')
  })

  test('a redirect is short, and never to another host', async () => {
    await using s = await serve(shelf)
    const response = await s.ask('GET /tomes//evil.example')
    assert.equal(response.status, 404)
    const encoded = await s.ask('GET /tomes/%2F%2Fevil.example')
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
    const created = await s.ask('POST /api/v1/books', {}, { title: 'A' })
    assert.equal(created.status, 201)
    const uri = `/api/v1/books/${created.json.id}`
    assert.equal(created.fields.location, uri)
    assert.equal(created.fields['content-location'], uri)
    await s.ask('POST /api/v1/books', {}, { title: 'B', next: created.json.id })
    const page = await s.ask('GET /api/v1/books?limit=1')
    assert.match(page.fields.link as string, /<\/api\/v1\/books\?limit=1>; rel="first"/)
    assert.match(page.fields.link as string, /<\/api\/v1\/books\?limit=1&after=[^>]+>; rel="next"/)
    const read = await s.ask(`GET ${uri}`)
    for (const target of (read.fields.link as string).matchAll(/<([^>]*)>/g)) {
      assert.match(target[1] as string, /^\/api\/v1\//)
    }
  })

  test('is honoured at the entry point', async () => {
    await using s = await serve(based)
    const home = await s.ask('GET /api/v1', admin)
    assert.equal(home.status, 200)
    for (const uri of Object.values(home.json.links as Record<string, string>)) {
      assert.ok(uri.startsWith('/api/v1'), uri)
      assert.equal((await s.ask(`GET ${uri}`, admin)).status, 200, uri)
    }
    assert.equal(home.json.links.account, `/api/v1/users/${adminLogin}`)
  })

  test("is honoured in problems' types, which resolve", async () => {
    await using s = await serve(based)
    const { type } = (await s.ask('GET /api/v1/nothing')).json
    assert.equal(type, '/api/v1/problems/not-found')
    assert.equal((await s.ask(`GET ${type}`)).json.status, 404)
  })

  test('is honoured in redirects', async () => {
    await using s = await serve(based)
    const location = async (path: string) => (await s.ask(`GET ${path}`)).fields.location
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
      assert.equal((await s.ask(`GET ${path}`)).status, 404, path)
    }
  })
})
