/** RFC 9110 §8.8: validators of items and collections, and 304 (§15.4.5). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { boolean, integer, ref, resource, service, text, where } from 'restwell'
import { cases } from '../cases.ts'
import { lastingDatabase, onPostgres } from '../database.ts'
import { admin, type Reply, serve } from '../service.ts'
import { books, fields, open, serveBook, tagOf } from './conditional-books.ts'

describe('validators (§8.8)', () => {
  test('a tag is strong, the same for the same octets, and changes with them (§8.8.1)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.match(tag, /^"[!#-~]+"$/)
    assert.equal(tagOf(await s.request(`GET ${uri}`)), tag)
    assert.equal(tagOf(await s.request(`GET ${uri}`, admin)), tag)
    const patched = await s.request(`PATCH ${uri}`, {}, { pages: 1 })
    assert.notEqual(tagOf(patched), tag)
    assert.equal(tagOf(await s.request(`GET ${uri}`)), tagOf(patched))
    await s.request(`PATCH ${uri}`, {}, { pages: null })
    assert.notEqual(tagOf(await s.request(`GET ${uri}`)), tag)
  })

  test('two items never share a tag, even with the same content (§8.8.3)', async () => {
    const { s, tag } = await serveBook()
    await using _ = s
    assert.notEqual(tagOf(await s.request('POST /books', {}, { title: 'A' })), tag)
  })

  test('views of different callers differ in their tags exactly where their octets differ', async () => {
    await using s = await serve(books)
    const login = { email: 'ada@example.org', password: 'analytical' }
    const { location } = (await s.request('POST /users', {}, login)).fields
    const authorization = `Basic ${Buffer.from('ada@example.org:analytical').toString('base64')}`
    const own = await s.request(`GET ${location}`, { authorization })
    const other = await s.request(`GET ${location}`, admin)
    const nobody = await s.request(`GET ${location}`)
    assert.notEqual(own.text, other.text)
    assert.notEqual(tagOf(own), tagOf(other))
    assert.equal(tagOf(nobody), tagOf(other))
    assert.equal(nobody.text, other.text)
  })

  test('a change of what is shown through a reference changes the tag (§8.8.1)', async () => {
    await using s = await serve(books)
    await s.request('PUT /named/old', {}, { title: 'A' })
    const { location, etag } = (await s.request('POST /pages', {}, { book: 'old', text: 'x' })).fields
    const list = tagOf(await s.request('GET /pages'))
    await s.request('PATCH /named/old', {}, { slug: 'new' })
    const after = await s.request(`GET ${location}`)
    assert.equal(after.json.book, 'new')
    assert.notEqual(tagOf(after), etag)
    assert.notEqual(tagOf(await s.request('GET /pages')), list)
  })

  test('tags survive a restart, and change with the definition (§8.8.1)', async (t) => {
    const database = await lastingDatabase(t)
    const plain = (more: object) =>
      service({
        title: 'T',
        resources: { books: resource({ ...fields, ...more }, { access: open }) },
      })
    const tags: string[][] = []
    let uri = ''
    for (const definition of [plain({}), plain({}), plain({ copies: integer().default(0) })]) {
      await using s = await serve(definition, { database })
      if (uri === '') uri = (await s.request('POST /books', {}, { title: 'A' })).fields.location as string
      tags.push([tagOf(await s.request(`GET ${uri}`)), tagOf(await s.request('GET /books'))])
    }
    assert.deepEqual(tags[0], tags[1])
    assert.notEqual(tags[2]?.[0], tags[0]?.[0])
    assert.notEqual(tags[2]?.[1], tags[0]?.[1])
  })

  test('Last-Modified is the time of the last change, never after Date (§8.8.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const { json, fields } = await s.request(`GET ${uri}`)
    const stated = Date.parse(fields['last-modified'] as string)
    assert.equal(stated, Math.floor(Date.parse(json.updatedAt) / 1000) * 1000)
    s.advance(60_000)
    await s.request(`PATCH ${uri}`, {}, { pages: 1 })
    s.advance(-120_000)
    const later = (await s.request(`GET ${uri}`)).fields
    assert.ok(Date.parse(later['last-modified'] as string) <= Date.parse(later.date as string))
  })

  test('no two media types of one URI share a strong tag (§8.8.1)', async () => {
    await using s = await serve(books)
    const { uri } = await s
      .request('POST /books', {}, { title: 'A' })
      .then(({ fields }) => ({ uri: fields.location }))
    const paths = [
      '/',
      '/problems',
      '/problems/not-found',
      '/.well-known/api-catalog',
      '/health/live',
      '/schemas',
    ]
    for (const path of [...paths, String(uri), '/books', '/books/-/aggregate?aggregate=count']) {
      const types =
        'application/json,application/hal+json,application/prs.hal-forms+json,application/xml,text/html'
      const sent = new Map<string, string>()
      for (const accept of types.split(',')) {
        const { fields, status } = await s.request(`GET ${path}`, { accept })
        assert.equal(status, 200, `${path} ${accept}`)
        const type = String(fields['content-type'])
        const other = sent.get(String(fields.etag))
        assert.ok(other === undefined || other === type, `${path}: ${other} and ${type}`)
        sent.set(String(fields.etag), type)
      }
      assert.equal(sent.size, 5, path)
    }
  })

  test('documents have a validator too (RFC 9111 §4.3)', async () => {
    await using s = await serve(books)
    for (const path of ['/', '/problems', '/problems/not-found', '/health/live']) {
      const first = await s.request(`GET ${path}`)
      const again = await s.request(`GET ${path}`, { 'if-none-match': tagOf(first) })
      assert.equal(again.status, 304, path)
      assert.equal(tagOf(again), tagOf(first))
    }
  })
})

describe('304 (§15.4.5)', () => {
  test('has the Date, ETag, Vary, Cache-Control and Content-Location of the 200, and no content', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    for (const path of [uri, '/books', '/drafts', '/users', '/']) {
      const full = await s.request(`GET ${path}`)
      const response = await s.request(`GET ${path}`, { 'if-none-match': tagOf(full) })
      assert.equal(response.status, 304, path)
      for (const name of ['etag', 'vary', 'cache-control', 'content-location']) {
        assert.equal(response.fields[name], full.fields[name], name)
      }
      assert.ok(response.fields.date)
      for (const name of ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']) {
        assert.equal(response.fields[name], undefined, name)
      }
      assert.equal(response.octets.length, 0)
    }
  })

  test('for * it has the entity tag of the 200, of a large page too', async () => {
    await using s = await serve(books)
    for (let n = 0; n < 20; n += 1) await s.request('POST /books', {}, { title: `Book ${n}` })
    for (const coding of ['identity', 'gzip']) {
      const full = await s.request('GET /books', { 'accept-encoding': coding })
      const statusFor = { 'accept-encoding': coding, 'if-none-match': '*' }
      assert.equal(tagOf(await s.request('GET /books', statusFor)), tagOf(full))
    }
  })
})

describe('collections (§8.8, §13.1)', () => {
  test('the tag changes with every change of the collection, and of no other collection', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    const tags = new Set([tagOf(await s.request('GET /books'))])
    await s.request('POST /books', {}, { title: 'B' })
    tags.add(tagOf(await s.request('GET /books')))
    await s.request(`PATCH ${location}`, {}, { pages: 3 })
    tags.add(tagOf(await s.request('GET /books')))
    await s.request(`DELETE ${location}`)
    const last = tagOf(await s.request('GET /books'))
    tags.add(last)
    assert.equal(tags.size, 4)
    await s.request('POST /guarded', {}, { title: 'elsewhere' })
    assert.equal(tagOf(await s.request('GET /books')), last)
    assert.notEqual(tagOf(await s.request('GET /books?limit=1')), last)
  })

  test('a change of a hidden row does not change the entity tag of a list (docs/reference/http/caching.md, Conditional requests and caching)', async () => {
    await using s = await serve(books)
    await s.request('POST /drafts', {}, { title: 'seen', shown: 1 })
    const before = tagOf(await s.request('GET /drafts'))
    await s.request('POST /drafts', {}, { title: 'hidden', shown: 0 })
    assert.equal(tagOf(await s.request('GET /drafts')), before)
    await s.request('POST /drafts', {}, { title: 'seen', shown: 1 })
    assert.notEqual(tagOf(await s.request('GET /drafts')), before)
  })

  test('a hidden row that a reference could name by its key does not change the entity tag of a list', async () => {
    const hiding = { access: { ...open, read: where({ shown: true }) }, key: 'name' } as const
    const groups = resource({ name: text(), shown: boolean() }, hiding)
    const notes = resource({ group: ref('groups') }, { access: open })
    await using s = await serve(service({ title: 'Notes', resources: { groups, notes } }))
    await s.request('POST /groups', {}, { name: 'first', shown: true })
    await s.request('POST /notes', {}, { group: 'first' })
    const before = tagOf(await s.request('GET /notes'))
    await s.request('POST /groups', {}, { name: 'hidden', shown: false })
    assert.equal(tagOf(await s.request('GET /notes')), before)
    await s.request('PATCH /groups/first', {}, { name: 'renamed' })
    const renamed = await s.request('GET /notes')
    assert.equal(renamed.json[0].group, 'renamed')
    assert.notEqual(tagOf(renamed), before)
  })

  test('a page that gets a next one has another tag, for it is sent with another Link', async () => {
    await using s = await serve(books)
    await s.request('POST /drafts', {}, { title: 'first', shown: 1 })
    const before = tagOf(await s.request('GET /drafts?limit=1'))
    await s.request('POST /drafts', {}, { title: 'second', shown: 1 })
    const after = await s.request('GET /drafts?limit=1')
    assert.match(after.fields.link as string, /rel="next"/)
    assert.notEqual(tagOf(after), before)
  })

  const skip = onPostgres ? 'PostgreSQL has no table revisions: a 304 on a list loads its page.' : false
  test('a 304 on a list that all callers see alike loads no page', {
    skip,
  }, async () => {
    await using s = await serve(books)
    await s.request('POST /books', {}, { title: 'A' })
    const tag = tagOf(await s.request('GET /books'))
    const { store } = s.service
    const list = store.list
    store.list = () => assert.fail('a page was loaded')
    assert.equal((await s.request('GET /books', { 'if-none-match': tag })).status, 304)
    store.list = list
  })

  test("the conditions of a POST are on the collection's representation (§13.1)", async () => {
    await using s = await serve(books)
    for (const path of ['/books', '/drafts']) {
      const tag = tagOf(await s.request(`GET ${path}`))
      const item = path === '/books' ? { title: 'A' } : { title: 'A', shown: 1 }
      const created = await s.request(`POST ${path}`, { 'if-match': tag }, item)
      assert.equal(created.status, 201, created.text)
      const refused = await s.request(`POST ${path}`, { 'if-match': tag }, item)
      assert.equal(refused.status, 412)
      assert.equal(tagOf(refused), tagOf(await s.request(`GET ${path}`)))
      assert.equal((await s.request(`POST ${path}`, { 'if-none-match': '*' }, item)).status, 412)
      assert.equal((await s.request(`POST ${path}`, { 'if-none-match': '"x"' }, item)).status, 201)
    }
  })
})

describe('of concurrent writes with one tag exactly one succeeds (§13.1.1)', () => {
  const writers = 20
  const rounds = cases(200)
  const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
  const oneOf = (won: number) => [won, ...Array.from({ length: writers - 1 }, () => 412)]

  test(`${writers} writers of one item, ${rounds} times`, async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    for (let round = 0; round < rounds; round += 1) {
      const match = { 'if-match': tagOf(await s.request(`GET ${uri}`)) }
      const racing = Array.from({ length: writers }, (_, n) => {
        const title = `${round} ${n}`
        if (n % 2 === 0) return s.request(`PUT ${uri}`, match, { title })
        return s.request(`PATCH ${uri}`, match, { title })
      })
      assert.deepEqual(statuses(await Promise.all(racing)), oneOf(200))
    }
  })

  test('that create one item by PUT with If-None-Match: *', async () => {
    await using s = await serve(books)
    for (let round = 0; round < cases(50); round += 1) {
      const racing = Array.from({ length: writers }, (_, n) =>
        s.request(`PUT /named/n${round}`, { 'if-none-match': '*' }, { title: `${n}` }),
      )
      assert.deepEqual(statuses(await Promise.all(racing)), oneOf(201))
    }
  })

  test('that add to one collection by POST with If-Match', async () => {
    await using s = await serve(books)
    for (const path of ['/books', '/drafts']) {
      for (let round = 0; round < cases(50); round += 1) {
        const match = { 'if-match': tagOf(await s.request(`GET ${path}`)) }
        const item = path === '/books' ? { title: 'A' } : { title: 'A', shown: 1 }
        const racing = Array.from({ length: writers }, () => s.request(`POST ${path}`, match, item))
        assert.deepEqual(statuses(await Promise.all(racing)), oneOf(201))
      }
    }
  })
})
