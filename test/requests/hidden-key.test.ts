/** A refused creation reveals nothing about items and values that the caller may not see (RFC 9110 §15.5.5). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, email, owner, password, ref, resource, self, service, signedIn, text } from 'restwell'
import { basic, type Reply, serve, type TestService } from '../service.ts'

const definition = service({
  title: 'Tenants',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique().visibleTo(self), password: password() },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    pages: resource(
      {
        name: text({ pattern: '^[a-z]+$' }),
        title: text({ min: 3 }),
        code: text().unique().optional(),
        author: ref('users').fromPrincipal(),
      },
      {
        key: 'name',
        put: 'create',
        bulk: true,
        access: { read: owner('author'), create: signedIn, update: owner('author') },
      },
    ),
  },
})

const pass = 'a good password'
const [ada, bob] = ['ada@example.org', 'bob@example.org'].map((login) => basic(login, pass))

async function twoTenants(): Promise<TestService> {
  const s = await serve(definition)
  for (const login of ['ada@example.org', 'bob@example.org']) {
    await s.request('POST /users', {}, { email: login, password: pass })
  }
  const created = await s.request('PUT /pages/hers', ada, { title: 'Hers', code: 'a1' })
  assert.equal(created.status, 201)
  return s
}

function comparableParts({ status, json }: Reply): unknown {
  const { instance: _, ...rest } = json
  return { status, ...rest }
}

describe("put: 'create' at the key of an item that the caller may not see", () => {
  const attempts: readonly [string, Record<string, string>, unknown][] = [
    ['content against the schema', {}, { title: 'x' }],
    ['an unknown field', {}, { title: 'Mine', extra: 1 }],
    ['a key other than that of the URI', {}, { title: 'Mine', name: 'other' }],
    ['content that is no object', {}, []],
    ['malformed JSON', { 'content-type': 'application/json' }, '{'],
    ['a media type that is not accepted', { 'content-type': 'image/png' }, 'x'],
    ['If-Match', { 'if-match': '*' }, { title: 'Mine' }],
  ]
  test('is refused for every fault that is refused at a free key, in the same bytes', async () => {
    await using s = await twoTenants()
    for (const [what, fields, body] of attempts) {
      const free = await s.request('PUT /pages/free', { ...bob, ...fields }, body)
      const hidden = await s.request('PUT /pages/hers', { ...bob, ...fields }, body)
      assert.ok(free.status >= 400, what)
      assert.deepEqual(comparableParts(hidden), comparableParts(free), what)
    }
  })

  test('is 404 for content that is valid, and changes nothing', async () => {
    await using s = await twoTenants()
    const hidden = await s.request('PUT /pages/hers', bob, { title: 'Mine' })
    assert.equal(hidden.status, 404)
    assert.equal((await s.request('GET /pages/hers', ada)).json.title, 'Hers')
  })

  test('is 401 without credentials, as at a free key', async () => {
    await using s = await twoTenants()
    const [hidden, free] = await Promise.all(
      ['hers', 'free'].map((name) => s.request(`PUT /pages/${name}`, {}, { title: 'Mine' })),
    )
    assert.deepEqual(comparableParts(hidden as Reply), comparableParts(free as Reply))
  })
})

test('POST of many with a repeated unique value names only the repetitions, not stored values', async () => {
  await using s = await twoTenants()
  const rows = ['a1', 'b1', 'b1', 'c1'].map((code, at) => ({
    name: `page${'abcd'[at]}`,
    title: 'Many',
    code,
  }))
  const { status, json } = await s.request('POST /pages', bob, rows)
  assert.equal(status, 409)
  const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer)
  assert.deepEqual(pointers, ['/2/code'])
})
