/** DELETE: items that refer to the deleted one, and tombstones (docs/reference/http.md, "Methods"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  owner,
  password,
  ref,
  resource,
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { basic, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

function library(onDelete: 'restrict' | 'cascade' | 'clear') {
  return service({
    title: 'Library',
    resources: {
      shelves: resource({ name: text() }, { access: open }),
      books: resource(
        { shelf: ref('shelves', { onDelete }).optional(), former: ref('shelves', { onDelete }).optional() },
        { access: open },
      ),
      pages: resource({ book: ref('books', { onDelete: 'cascade' }) }, { access: open }),
    },
  })
}

async function fill(s: Awaited<ReturnType<typeof serve>>) {
  const shelf = await s.request('POST /shelves', {}, { name: 'A' })
  const book = await s.request('POST /books', {}, { shelf: shelf.json.id })
  const page = await s.request('POST /pages', {}, { book: book.json.id })
  const uris = [shelf, book, page].map(({ fields }) => fields.location as string)
  return uris as [shelf: string, book: string, page: string]
}

describe('references to a deleted item', () => {
  test('restrict by default: 409 names those that the caller may see, and nothing is deleted', async () => {
    await using s = await serve(library('restrict'))
    const [shelf, book] = await fill(s)
    const response = await s.request(`DELETE ${shelf}`)
    assert.equal(response.status, 409)
    assert.equal(response.json.type, '/problems/referenced')
    assert.deepEqual(response.json.by, [book])
    assert.equal((await s.request(`GET ${shelf}`)).status, 200)
    await s.request(`PATCH ${book}`, {}, { shelf: null })
    assert.equal((await s.request(`DELETE ${shelf}`)).status, 204)
  })

  test('409 names every item that refers to it, each once', async () => {
    await using s = await serve(library('restrict'))
    const [shelf, book] = await fill(s)
    const id = shelf.split('/').at(-1)
    const other = await s.request('POST /books', {}, { shelf: id, former: id })
    const response = await s.request(`DELETE ${shelf}`)
    assert.equal(response.status, 409)
    assert.deepEqual(response.json.by.toSorted(), [book, other.fields.location].toSorted())
  })

  test('is deleted along where it cascades, in as many steps as there are', async () => {
    await using s = await serve(library('cascade'))
    const uris = await fill(s)
    assert.equal((await s.request(`DELETE ${uris[0]}`)).status, 204)
    for (const uri of uris) assert.equal((await s.request(`GET ${uri}`)).status, 404, uri)
    const changes = await s.service.store.readChanges(0, 100)
    assert.equal(changes.filter(({ kind }) => kind === 'deleted').length, 3)
  })

  test('loses its reference where it clears, and is a new version then', async () => {
    await using s = await serve(library('clear'))
    const [shelf, book] = await fill(s)
    const before = await s.request(`GET ${book}`)
    assert.equal((await s.request(`DELETE ${shelf}`)).status, 204)
    const after = await s.request(`GET ${book}`)
    assert.equal(after.status, 200)
    assert.ok(!('shelf' in after.json))
    assert.notEqual(after.fields.etag, before.fields.etag)
    const conditional = await s.request(`GET ${book}`, {
      'if-none-match': before.fields.etag as string,
    })
    assert.equal(conditional.status, 200)
  })

  test('cascade to at most 1,000 items: one more is 409 and not offered, and nothing is deleted', async () => {
    await using s = await serve(library('cascade'))
    const { store } = s.service
    const [shelf] = await fill(s)
    const now = new Date().toISOString()
    const identity = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`
    const insert = (index: number) => ({
      kind: 'insert' as const,
      table: 'books',
      values: [identity(index), 1, now, now, shelf.split('/').at(-1) as string],
      conditionAfter: { kind: 'always' as const },
    })
    // With the existing book and page: 1,001.
    await store.write(Array.from({ length: 999 }, (_, index) => insert(index)))
    const response = await s.request(`DELETE ${shelf}`)
    assert.equal(response.status, 409)
    assert.equal(await store.count('books', { kind: 'always' }), 1000)
    const isOffered = async () => {
      const { status, json } = await s.request(`GET ${shelf}`, {
        accept: 'application/prs.hal-forms+json',
      })
      assert.equal(status, 200)
      return 'delete' in json._templates
    }
    assert.equal(await isOffered(), false)
    assert.equal((await s.request(`DELETE /books/${identity(0)}`)).status, 204)
    assert.equal(await isOffered(), true)
    assert.equal((await s.request(`DELETE ${shelf}`)).status, 204)
    assert.equal(await store.count('books', { kind: 'always' }), 0)
  })
})

describe('tombstones', () => {
  const graves = service({
    title: 'Graves',
    accounts: { resource: 'users', login: 'email', password: 'password' },
    resources: {
      users: resource(
        { email: email().unique(), password: password() },
        { access: { read: anyone, create: anyone } },
      ),
      plain: resource({ title: text() }, { access: open }),
      stones: resource({ title: text() }, { tombstones: true, access: open }),
      tags: resource({ name: text() }, { key: 'name', tombstones: true, access: open }),
      papers: resource(
        {
          reach: choice(['public', 'private']),
          author: ref('users').fromPrincipal(),
        },
        {
          tombstones: true,
          access: {
            read: [where({ reach: 'public' }), owner('author')],
            create: signedIn,
            update: owner('author'),
            delete: owner('author'),
          },
        },
      ),
      named: resource({ title: text() }, { tombstones: true, put: 'create', access: open }),
    },
  })
  const ada = { email: 'ada@example.org', password: 'analytical' }
  const asAda = basic(ada.email, ada.password)
  const bob = { email: 'bob@example.org', password: 'bob builds' }
  const asBob = basic(bob.email, bob.password)

  test('a deleted item is 410 for every method if the resource has tombstones, otherwise 404', async () => {
    await using s = await serve(graves)
    for (const [collection, status] of [
      ['stones', 410],
      ['plain', 404],
    ] as const) {
      const { location } = (await s.request(`POST /${collection}`, {}, { title: 'A' })).fields
      assert.equal((await s.request(`DELETE ${location}`)).status, 204)
      for (const [method, body] of [
        ['GET', undefined],
        ['HEAD', undefined],
        ['DELETE', undefined],
        ['PUT', { title: 'B' }],
        ['PATCH', { title: 'B' }],
      ] as const) {
        assert.equal((await s.request(`${method} ${location}`, {}, body)).status, status, method)
      }
      assert.deepEqual((await s.request(`GET /${collection}`)).json, [])
    }
  })

  test('410 is a problem that must be revalidated', async () => {
    await using s = await serve(graves)
    const { location } = (await s.request('POST /stones', {}, { title: 'A' })).fields
    await s.request(`DELETE ${location}`)
    const response = await s.request(`GET ${location}`)
    assert.equal(response.json.type, '/problems/gone')
    assert.equal(response.fields['cache-control'], 'no-cache')
    assert.doesNotMatch(response.text, /"A"/)
  })

  test('410 is sent only to callers who could have read the item; for others it is 404 as if absent', async () => {
    await using s = await serve(graves)
    await s.request('POST /users', {}, ada)
    await s.request('POST /users', {}, bob)
    const hidden = (await s.request('POST /papers', asAda, { reach: 'private' })).fields.location
    const shown = (await s.request('POST /papers', asAda, { reach: 'public' })).fields.location
    for (const uri of [hidden, shown]) await s.request(`DELETE ${uri}`, asAda)
    const statuses = async (uri: string | undefined) => {
      const responses = [asAda, asBob, {}].map((caller) => s.request(`GET ${uri}`, { ...caller }))
      return (await Promise.all(responses)).map(({ status }) => status)
    }
    assert.deepEqual(await statuses(hidden), [410, 404, 404])
    assert.deepEqual(await statuses(shown), [410, 410, 410])
    const absent = '/papers/019a0000-0000-7000-8000-000000000000'
    const one = await s.request(`GET ${hidden}`, asBob)
    const other = await s.request(`GET ${absent}`, asBob)
    assert.deepEqual({ ...one.json, instance: '' }, { ...other.json, instance: '' })
  })

  test('an existing item takes precedence over the tombstone of another with its key', async () => {
    await using s = await serve(graves)
    await s.request('POST /tags', {}, { name: 'a' })
    await s.request('DELETE /tags/a')
    assert.equal((await s.request('GET /tags/a')).status, 410)
    assert.equal((await s.request('POST /tags', {}, { name: 'a' })).status, 201)
    assert.equal((await s.request('GET /tags/a')).status, 200)
    await s.request('DELETE /tags/a')
    assert.equal((await s.request('GET /tags/a')).status, 410)
  })

  test('if clients name items, a PUT creates a deleted one again', async () => {
    await using s = await serve(graves)
    const uri = '/named/019a0000-0000-7000-8000-000000000001'
    assert.equal((await s.request(`PUT ${uri}`, {}, { title: 'A' })).status, 201)
    await s.request(`DELETE ${uri}`)
    assert.equal((await s.request(`GET ${uri}`)).status, 410)
    assert.equal((await s.request(`PATCH ${uri}`, {}, { title: 'B' })).status, 410)
    assert.equal((await s.request(`PUT ${uri}`, {}, { title: 'B' })).status, 201)
    assert.equal((await s.request(`GET ${uri}`)).json.title, 'B')
  })
})
