/** `put: 'create'`: items that clients name (RFC 9110 §9.3.4). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  nobody,
  password,
  resource,
  role,
  self,
  service,
  text,
} from 'restwell'
import { admin, basic, type Reply, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const users = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')], delete: self } },
)
const accounts = {
  resource: 'users',
  login: 'email',
  password: 'password',
  roles: 'role',
} as const

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)

function pointersOf(response: Reply): string[] {
  assert.equal(response.status, 422, response.text)
  return response.json.errors.map((error: { pointer: string }) => error.pointer).sort()
}

describe("put: 'create'", () => {
  const named = service({
    title: 'Named',
    accounts,
    resources: {
      users,
      pages: resource({ title: text() }, { put: 'create', access: open }),
      tags: resource(
        { name: text({ pattern: '^[a-z]+$' }), colour: text().default('red') },
        { key: 'name', put: 'create', access: open },
      ),
      numbers: resource(
        { n: integer(), note: text().optional() },
        {
          key: 'n',
          put: 'create',
          access: open,
        },
      ),
      logs: resource(
        { text: text() },
        {
          put: 'create',
          access: { read: anyone, create: anyone, update: nobody },
        },
      ),
      plans: resource(
        { text: text() },
        {
          put: 'create',
          access: { read: role('admin'), create: role('admin'), update: anyone },
        },
      ),
    },
  })
  const page = '/pages/019a0000-0000-7000-8000-000000000001'

  test('a UUID that the client chose is 201, then 200', async () => {
    await using s = await serve(named)
    const created = await s.request(`PUT ${page}`, {}, { title: 'A' })
    assert.equal(created.status, 201)
    assert.equal(created.fields.location, page)
    assert.equal(created.json.id, page.split('/').at(-1))
    assert.equal((await s.request(`PUT ${page}`, {}, { title: 'B' })).status, 200)
    assert.equal((await s.request(`GET ${page}`)).json.title, 'B')
  })

  test('the body may contain the id of the URI', async () => {
    await using s = await serve(named)
    const id = page.split('/').at(-1)
    assert.equal((await s.request(`PUT ${page}`, {}, { id, title: 'A' })).status, 201)
    assert.equal((await s.request('PUT /tags/abc', {}, { id: 'abc', name: 'abc' })).status, 201)
  })

  test('a key needs not be in the body, and another one than that of the URI is 422', async () => {
    await using s = await serve(named)
    const created = await s.request('PUT /tags/abc', {}, {})
    assert.equal(created.status, 201, created.text)
    assert.deepEqual([created.json.id, created.json.name, created.json.colour], ['abc', 'abc', 'red'])
    assert.deepEqual(pointersOf(await s.request('PUT /tags/def', {}, { name: 'xyz' })), ['/name'])
  })

  test('an integer key is the number of the URI, in its one spelling', async () => {
    await using s = await serve(named)
    const created = await s.request('PUT /numbers/42', {}, { n: 42 })
    assert.equal(created.status, 201)
    assert.deepEqual([created.json.id, created.json.n, created.fields.location], ['42', 42, '/numbers/42'])
    assert.deepEqual(pointersOf(await s.request('PUT /numbers/43', {}, { n: '43' })), ['/n'])
    assert.equal((await s.request('PUT /numbers/-7', {}, {})).json.n, -7)
    for (const id of ['042', '+42', '4.0', '-0', 'x', '9007199254740992']) {
      assert.equal((await s.request(`PUT /numbers/${id}`, {}, {})).status, 404, id)
    }
    assert.equal((await s.request('GET /numbers')).json.length, 2)
  })

  test('an id that no item can have is 404, for any content', async () => {
    await using s = await serve(named)
    for (const path of ['/pages/1', `${page.toUpperCase().replace('PAGES', 'pages')}F`, '/tags/A1']) {
      assert.equal((await s.request(`PUT ${path}`, {}, { title: 'A' })).status, 404, path)
      const malformed = await s.request(`PUT ${path}`, { 'content-type': 'application/json' }, '{')
      assert.equal(malformed.status, 404, path)
    }
  })

  test('If-None-Match: * creates once and is 412 afterwards (RFC 9110 §13.1.2)', async () => {
    await using s = await serve(named)
    const once = { 'if-none-match': '*' }
    assert.equal((await s.request(`PUT ${page}`, once, { title: 'A' })).status, 201)
    assert.equal((await s.request(`PUT ${page}`, once, { title: 'B' })).status, 412)
    assert.equal((await s.request(`GET ${page}`)).json.title, 'A')
  })

  test('If-Match on an absent item is 412, and nothing is created (RFC 9110 §13.1.1)', async () => {
    await using s = await serve(named)
    for (const tag of ['*', '"x"']) {
      const response = await s.request(`PUT ${page}`, { 'if-match': tag }, { title: 'A' })
      assert.equal(response.status, 412)
    }
    assert.equal((await s.request(`GET ${page}`)).status, 404)
  })

  test('of concurrent creates one is 201', async () => {
    await using s = await serve(named)
    const bodies = Array.from({ length: 8 }, (_, index) => ({ title: String(index) }))
    const responses = await Promise.all(
      bodies.map((body) => s.request(`PUT ${page}`, { 'if-none-match': '*' }, body)),
    )
    const statuses = responses.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, ...Array(7).fill(412)])
  })

  test('an item created again never has an earlier ETag', async () => {
    await using s = await serve(named)
    for (const uri of [page, '/tags/abc']) {
      const tags = new Set<string | undefined>()
      const body = (title: string) => (uri === page ? { title } : { colour: title })
      for (let round = 0; round < 3; round += 1) {
        await s.request(`PUT ${uri}`, {}, body('A'))
        tags.add((await s.request(`GET ${uri}`)).fields.etag)
        await s.request(`PUT ${uri}`, {}, body('B'))
        tags.add((await s.request(`GET ${uri}`)).fields.etag)
        assert.equal((await s.request(`DELETE ${uri}`)).status, 204)
      }
      assert.equal(tags.size, 6)
    }
  })

  test('a caller who may create but not update can create, and not replace', async () => {
    await using s = await serve(named)
    const uri = page.replace('pages', 'logs')
    assert.equal((await s.request(`PUT ${uri}`, {}, { text: 'A' })).status, 201)
    assert.equal((await s.request(`PUT ${uri}`, {}, { text: 'B' })).status, 401)
    assert.equal((await s.request(`PUT ${uri}`, admin, { text: 'B' })).status, 403)
    assert.equal((await s.request(`GET ${uri}`)).json.text, 'A')
  })

  test('for a caller who may not create, an absent item is 404 before content is read', async () => {
    await using s = await serve(named)
    await s.request('POST /users', {}, ada)
    const uri = page.replace('pages', 'plans')
    assert.equal((await s.request(`PUT ${uri}`, asAda, { text: 'A' })).status, 404)
    const malformed = await s.request(`PUT ${uri}`, { 'content-type': 'application/json' }, '{')
    assert.equal(malformed.status, 404)
    assert.equal((await s.request(`PUT ${uri}`, admin, { text: 'A' })).status, 201)
  })

  test('without the option a PUT to an absent item is 404', async () => {
    const plain = service({
      title: 'Plain',
      resources: { pages: resource({ title: text() }, { access: open }) },
    })
    await using s = await serve(plain)
    assert.equal((await s.request(`PUT ${page}`, {}, { title: 'A' })).status, 404)
  })
})
