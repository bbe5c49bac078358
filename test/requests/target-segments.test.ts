/** The segments of target URIs: percent-encoding (RFC 3986 §2.1) and ids. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ref, resource, service, text } from 'restwell'
import { serve } from '../service.ts'
import { absentId, open, shelf } from './every-key-kind.ts'

describe('encoding', () => {
  test('a percent-encoded unreserved character is the character (RFC 3986 §6.2.2.2)', async () => {
    await using s = await serve(shelf)
    await s.request('POST /tags', {}, { name: 'abc' })
    for (const path of ['/%74ags/abc', '/tags/%61bc', '/t%61gs/%61%62%63']) {
      assert.equal((await s.request(`GET ${path}`)).json.id, 'abc', path)
    }
    assert.equal((await s.request('GET /%74ags/')).fields.location, '/tags')
    const { id } = (await s.request('POST /books', {}, { title: 'A' })).json
    assert.equal((await s.request(`GET /books/${id.replaceAll('-', '%2D')}`)).json.title, 'A')
  })

  test('%2F within a key is data, in Location and links too', async () => {
    await using s = await serve(shelf)
    const created = await s.request('POST /tags', {}, { name: 'a/b' })
    assert.equal(created.fields.location, '/tags/a%2Fb')
    const read = await s.request('GET /tags/a%2fb')
    assert.equal(read.json.id, 'a/b')
    assert.match(read.fields.link as string, /<\/tags\/a%2Fb\/-\/links>; rel="linkset"/)
    assert.equal((await s.request('GET /tags/a%2fb/-/links')).json.linkset[0].anchor, '/tags/a%2Fb')
    assert.equal((await s.request('GET /tags/a/b')).status, 404)
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
      const created = await s.request('POST /tags', {}, { name })
      assert.equal(created.status, 201, `${name}: ${created.text}`)
      const { location } = created.fields
      assert.match(location as string, /^\/tags\/[A-Za-z0-9\-._~!$&'()*+,;=:@%]+$/)
      const read = await s.request(`GET ${location}`)
      assert.equal(read.status, 200, name)
      assert.equal(read.json.id, name)
      assert.equal((await s.request(`PATCH ${location}`, {}, { note: 'x' })).status, 200)
      assert.equal((await s.request(`DELETE ${location}`)).status, 204)
    }
  })

  test('a key that a path cannot contain is 422', async () => {
    await using s = await serve(shelf)
    for (const name of ['', '.', '..']) {
      assert.equal((await s.request('POST /tags', {}, { name })).status, 422, JSON.stringify(name))
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
      const response = await s.request(`GET ${path}`)
      assert.equal(response.status, 400, path)
      assert.equal(response.json.type, '/problems/malformed-request')
    }
  })

  test('dot segments never traverse: 404', async () => {
    await using s = await serve(shelf)
    await s.request('POST /tags', {}, { name: 'abc' })
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
    for (const path of paths) assert.equal((await s.request(`GET ${path}`)).status, 404, path)
  })

  test('paths are case-sensitive', async () => {
    await using s = await serve(shelf)
    await s.request('POST /tags', {}, { name: 'abc' })
    for (const path of ['/Tags', '/TAGS/abc', '/tags/ABC', '/PROBLEMS']) {
      assert.equal((await s.request(`GET ${path}`)).status, 404, path)
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
        assert.equal((await s.request(`${method} /books/${id}`)).status, 404, `${method} ${id}`)
      }
      assert.equal((await s.request(`PATCH /books/${id}`, {}, { title: 'x' })).status, 404)
      assert.equal((await s.request(`PUT /books/${id}`, {}, { title: 'x' })).status, 404)
    }
    assert.equal((await s.request('GET /books/1/2')).status, 404)
  })

  test('an id is a UUIDv7, and each item has its own', async () => {
    await using s = await serve(shelf)
    const ids = new Set<string>()
    for (let count = 0; count < 20; count += 1) {
      ids.add((await s.request('POST /books', {}, { title: 'A' })).json.id)
    }
    assert.equal(ids.size, 20)
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('an integer key is reached by its one spelling', async () => {
    await using s = await serve(shelf)
    for (const n of [0, 42, -7, 9007199254740991]) {
      const created = await s.request('POST /numbers', {}, { n })
      assert.equal(created.status, 201)
      assert.equal(created.fields.location, `/numbers/${n}`)
      assert.equal(created.json.id, String(n))
      assert.equal((await s.request(`GET /numbers/${n}`)).json.n, n)
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
      assert.equal((await s.request(`GET /numbers/${id}`)).status, 404, id)
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
      const created = await s.request(`POST /${collection}`, {}, { [field]: value })
      assert.equal(created.fields.location, `/${collection}/${value}`, created.text)
      const read = await s.request(`GET ${created.fields.location}`)
      assert.deepEqual([read.json.id, read.json[field]], [value, value])
    }
    const upper = await s.request('POST /people', {}, { address: 'Grace@Example.ORG' })
    assert.equal(upper.fields.location, '/people/grace@example.org')
    assert.equal((await s.request('GET /people/Grace@example.org')).status, 404)
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
    await s.request('POST /tags', {}, { name: 'old' })
    const note = await s.request('POST /notes', {}, { tag: 'old' })
    const renamed = await s.request('PATCH /tags/old', {}, { name: 'new name' })
    assert.equal(renamed.status, 200)
    assert.equal(renamed.json.id, 'new name')
    assert.equal(renamed.fields['content-location'], '/tags/new%20name')
    const read = await s.request(`GET ${note.fields.location}`)
    assert.equal(read.json.tag, 'new name')
    const [links] = (await s.request(`GET ${note.fields.location}/-/links`)).json.linkset
    assert.deepEqual(links[`${s.url}/relations/tag`], [{ href: '/tags/new%20name' }])
    assert.notEqual(read.fields.etag, note.fields.etag)
  })

  test('a key may be used again, and no entity tag repeats for other content', async () => {
    await using s = await serve(shelf)
    const first = await s.request('POST /tags', {}, { name: 'a', note: 'one' })
    await s.request('DELETE /tags/a')
    const second = await s.request('POST /tags', {}, { name: 'a', note: 'two' })
    assert.equal(second.status, 201)
    assert.notEqual(second.fields.etag, first.fields.etag)
    const conditional = await s.request('GET /tags/a', { 'if-none-match': first.fields.etag as string })
    assert.equal(conditional.status, 200)
  })
})
