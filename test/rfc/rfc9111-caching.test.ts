/** RFC 9111, RFC 9110 §12.5.5: the cache fields of every response. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, email, owner, password, ref, resource, self, service, signedIn, text } from 'restwell'
import shop from '../../examples/shop.ts'
import { maskPositions } from '../positions.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const note = { title: text({ max: 5000 }) }
const definition = service({
  title: 'Caches',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique().visibleTo(self), password: password() },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    plain: resource(note, { access: open, formerly: ['simple'], tombstones: true }),
    fresh: resource(note, { access: open, cache: { maxAge: 60, staleWhileRevalidate: 30 } }),
    unshared: resource(note, { access: open, cache: { maxAge: 60, shared: false } }),
    secret: resource(note, {
      access: { read: signedIn, create: signedIn, update: signedIn },
      cache: { maxAge: 60 },
    }),
    mixed: resource(
      {
        ...note,
        author: ref('users').fromPrincipal(),
        remark: text().optional().visibleTo(owner('author')),
      },
      { access: { ...open, create: signedIn }, cache: { maxAge: 60 } },
    ),
    guarded: resource(note, { access: open, conditional: 'required' }),
    kept: resource({ slug: text(), ...note }, { key: 'slug', access: open }),
  },
})

const cacheOf = ({ fields }: Reply) => fields['cache-control']

async function make(s: TestService, path: string, body: object = { title: 'A' }) {
  const created = await s.request(`POST ${path}`, admin, body)
  assert.equal(created.status, 201, created.text)
  return created.fields.location as string
}

describe('Cache-Control (RFC 9111 §5.2.2)', () => {
  test('health is no-store with any status', async () => {
    await using s = await serve(definition)
    for (const path of ['/health/live', '/health/ready']) {
      assert.equal(cacheOf(await s.request(`GET ${path}`)), 'no-store')
      assert.equal(cacheOf(await s.request(`HEAD ${path}`)), 'no-store')
      assert.equal(cacheOf(await s.request(`GET ${path}?format=html`)), 'no-store')
      assert.equal(cacheOf(await s.request(`GET ${path}?x=1`)), 'no-store')
      assert.equal(cacheOf(await s.request(`POST ${path}`)), 'no-store')
    }
    s.service.retire('It stops.')
    assert.equal(cacheOf(await s.request('GET /health/ready')), 'no-store')
  })
  test('public responses are stored and revalidated, unless they have a max-age', async () => {
    await using s = await serve(definition)
    for (const [path, expected] of [
      ['/plain', 'no-cache'],
      ['/fresh', 'max-age=60, stale-while-revalidate=30'],
      ['/unshared', 'private, max-age=60'],
    ] as const) {
      const uri = await make(s, path)
      for (const target of [path, uri]) {
        for (const method of ['GET', 'HEAD']) {
          assert.equal(cacheOf(await s.request(`${method} ${target}`)), expected, target)
          assert.equal(cacheOf(await s.request(`${method} ${target}`, admin)), expected, target)
        }
      }
    }
  })

  test('responses that depend on the caller are private, and only anonymous ones have a max-age (§3.5)', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/mixed')
    assert.equal(cacheOf(await s.request(`GET ${uri}`)), 'max-age=60')
    assert.equal(cacheOf(await s.request(`GET ${uri}`, admin)), 'private, no-cache')
    await make(s, '/secret')
    assert.equal(cacheOf(await s.request('GET /secret', admin)), 'private, no-cache')
    assert.equal(cacheOf(await s.request('GET /users')), 'private, no-cache')
  })

  test('a request with a session cookie that does not count gets no lifetime: a cache would give it to the person', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/mixed')
    for (const target of [uri, '/mixed', '/mixed?format=hal']) {
      for (const site of ['same-site', 'cross-site', 'same-origin', 'none']) {
        for (const round of [1, 2, 3]) {
          const sent = { cookie: 'restwell=x', 'sec-fetch-site': site }
          const reply = await s.request(`GET ${target}`, sent)
          assert.doesNotMatch(String(cacheOf(reply)), /max-age/, `${target} ${site} ${round}`)
          const again = await s.request(`GET ${target}`, {
            ...sent,
            'if-none-match': String(reply.fields.etag),
          })
          assert.doesNotMatch(String(cacheOf(again)), /max-age/, `${target} ${site} ${round}`)
        }
      }
      const other = { cookie: 'other=x', 'sec-fetch-site': 'same-site' }
      assert.match(String(cacheOf(await s.request(`GET ${target}`, other))), /max-age=60/)
    }
  })

  test('the response of a write cannot be reused for a later GET (RFC 9110 §9.3.3)', async () => {
    await using s = await serve(definition)
    const created = await s.request('POST /fresh', {}, { title: 'A' })
    const uri = created.fields.location
    const put = await s.request(`PUT ${uri}`, {}, { title: 'B' })
    const patched = await s.request(`PATCH ${uri}`, {}, { title: 'C' })
    const deleted = await s.request(`DELETE ${uri}`)
    for (const reply of [created, put, patched, deleted]) assert.equal(cacheOf(reply), 'no-cache')
  })

  test('every error has Cache-Control: no-store for credentials and failures, otherwise no-cache', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/plain')
    const guarded = await make(s, '/guarded')
    const deleted = await make(s, '/plain')
    await s.request(`DELETE ${deleted}`)
    const wrong = { authorization: 'Basic bm9ib2R5OngK' }
    const replies: [number, string, Promise<Reply>][] = [
      [400, 'no-cache', s.request('GET /plain?x=1')],
      [401, 'no-store', s.request('GET /secret')],
      [401, 'no-store', s.request('GET /plain', wrong)],
      [403, 'no-store', s.request('DELETE /users/019a0000-0000-7000-8000-000000000000', admin)],
      [404, 'no-cache', s.request('GET /nothing')],
      [404, 'no-cache', s.request('GET /plain/nothing')],
      [404, 'private, no-cache', s.request('GET /users/nothing')],
      [405, 'no-cache', s.request('DELETE /plain')],
      [406, 'no-cache', s.request('GET /plain', { accept: 'image/png' })],
      [410, 'no-cache', s.request(`GET ${deleted}`)],
      [412, 'no-cache', s.request(`DELETE ${uri}`, { 'if-match': '"x"' })],
      [414, 'no-cache', s.request(`GET /plain?${'x'.repeat(9000)}`)],
      [415, 'no-cache', s.request('POST /plain', { 'content-type': 'text/x' }, 'x')],
      [422, 'no-cache', s.request('POST /plain', {}, {})],
      [428, 'no-store', s.request(`DELETE ${guarded}`)],
      [501, 'no-store', s.request('BREW /plain')],
    ]
    for (const [status, expected, reply] of replies) {
      assert.equal((await reply).status, status)
      assert.equal(cacheOf(await reply), expected, String(status))
    }
  })

  test('301, 304 and OPTIONS have Cache-Control too', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/kept', { slug: 'old', title: 'A' })
    const { etag } = (await s.request(`GET ${uri}`)).fields
    assert.equal(cacheOf(await s.request(`GET ${uri}`, { 'if-none-match': etag as string })), 'no-cache')
    await s.request(`PATCH ${uri}`, {}, { slug: 'new' })
    for (const path of ['/plain/', '/simple', '/simple/1', uri]) {
      const moved = await s.request(`GET ${path}`)
      assert.equal(moved.status, 301, path)
      assert.equal(cacheOf(moved), 'no-cache', path)
    }
    assert.equal(cacheOf(await s.request('OPTIONS /plain')), 'no-cache')
  })

  test('every response to be revalidated has a validator, and none has Expires (RFC 9111 §5.3)', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/plain')
    for (const path of ['/', '/problems', '/plain', uri, '/users', '/fresh', '/health/ready']) {
      const { fields } = await s.request(`GET ${path}`)
      assert.ok(fields.etag, path)
      assert.equal(fields.expires, undefined)
      assert.equal(fields.pragma, undefined)
    }
  })
})

describe('Vary (RFC 9110 §12.5.5)', () => {
  test('is the same on every outcome of a URI, without duplicates or *', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/plain', { title: 'x'.repeat(2000) })
    const { etag } = (await s.request(`GET ${uri}`)).fields
    const outcomes: (readonly [number, () => Promise<Reply>])[] = [
      [200, () => s.request(`GET ${uri}`)],
      [200, () => s.request(`GET ${uri}`, { 'accept-encoding': 'gzip' })],
      [200, () => s.request(`GET ${uri}`, admin)],
      [200, () => s.request(`HEAD ${uri}`)],
      [304, () => s.request(`GET ${uri}`, { 'if-none-match': etag as string })],
      [406, () => s.request(`GET ${uri}`, { accept: 'image/png' })],
      [406, () => s.request(`GET ${uri}`, { 'accept-encoding': '*;q=0' })],
      [405, () => s.request(`POST ${uri}`, {}, {})],
      [401, () => s.request(`GET ${uri}`, { authorization: 'Basic x' })],
      [412, () => s.request(`PUT ${uri}`, { 'if-match': '"x"' }, {})],
      [422, () => s.request(`PUT ${uri}`, {}, {})],
      [204, () => s.request(`OPTIONS ${uri}`)],
      [200, () => s.request(`PATCH ${uri}`, {}, { title: 'B' })],
      [204, () => s.request(`DELETE ${uri}`)],
      [410, () => s.request(`GET ${uri}`)],
    ]
    for (const [status, outcome] of outcomes) {
      const reply = await outcome()
      assert.equal(reply.status, status)
      assert.equal(reply.fields.vary, 'Accept, Accept-Encoding, Accept-Language', String(status))
    }
  })

  test('a URI with a format does not vary by Accept, and one for programs by caller only where its data can (§12.5.5)', async () => {
    await using s = await serve(shop)
    for (const [path, vary] of [
      ['/products?format=json', 'Accept-Encoding, Prefer'],
      ['/products?format=csv', 'Accept-Encoding, Prefer'],
      ['/products?format=hal-forms', 'Accept-Encoding, Prefer, Authorization, Cookie'],
      ['/products?format=html', 'Accept-Encoding, Accept-Language, Prefer, Authorization, Cookie'],
      ['/products', 'Accept, Accept-Encoding, Accept-Language, Prefer, Authorization, Cookie'],
      ['/articles?format=json', 'Accept-Encoding, Prefer, Authorization, Cookie'],
    ] as const) {
      const replies = [
        await s.request(`GET ${path}`),
        await s.request(`GET ${path}`, { ...admin, accept: 'application/xml' }),
      ]
      for (const { fields } of replies) assert.equal(fields.vary, vary, path)
      const isAlike = !/html|hal|articles/.test(path) && path.includes('format')
      if (isAlike) assert.equal(replies[0]?.text, replies[1]?.text)
    }
  })

  test('names Prefer on collections, and Authorization if callers may see different content', async () => {
    await using s = await serve(definition)
    for (const [path, vary] of [
      ['/plain', 'Accept, Accept-Encoding, Accept-Language, Prefer'],
      ['/users', 'Accept, Accept-Encoding, Accept-Language, Prefer, Authorization, Cookie'],
      ['/users/x', 'Accept, Accept-Encoding, Accept-Language, Authorization, Cookie'],
      ['/secret', 'Accept, Accept-Encoding, Accept-Language, Prefer, Authorization, Cookie'],
      ['/', 'Accept, Accept-Encoding, Accept-Language, Authorization, Cookie'],
      ['/problems', 'Accept, Accept-Encoding, Accept-Language'],
    ] as const) {
      assert.equal((await s.request(`GET ${path}`)).fields.vary, vary, path)
    }
  })
})

describe('HEAD and Range (RFC 9110 §9.3.2, §14.2)', () => {
  test("HEAD has all of GET's fields and its length, in every coding (RFC 9110 §9.3.2)", async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/plain', { title: 'é'.repeat(1000) })
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      for (const path of [uri, '/plain', '/']) {
        const coded = { 'accept-encoding': coding }
        const full = await s.request(`GET ${path}`, coded)
        const head = await s.request(`HEAD ${path}`, coded)
        const without = ({ date, 'request-id': _, 'server-timing': _s, link, ...rest }: Reply['fields']) => {
          return { ...rest, link: maskPositions(String(link)) }
        }
        assert.deepEqual(without(head.fields), without(full.fields))
        assert.equal(Number(head.fields['content-length']), full.octets.length)
        assert.equal(head.octets.length, 0)
      }
    }
  })

  test('Range is ignored, and no Accept-Ranges invites it (RFC 9110 §14.2, §14.3)', async () => {
    await using s = await serve(definition)
    const uri = await make(s, '/plain')
    const full = await s.request(`GET ${uri}`)
    for (const range of ['bytes=0-3', 'bytes=9999-', 'bytes=x', 'items=1-2', '']) {
      const reply = await s.request(`GET ${uri}`, { range, 'if-range': full.fields.etag as string })
      assert.equal(reply.status, 200, range)
      assert.equal(reply.text, full.text)
      assert.equal(reply.fields['accept-ranges'], undefined)
    }
  })
})

test('Location and Content-Location name what caches are to invalidate (RFC 9111 §4.4)', async () => {
  await using s = await serve(definition)
  const created = await s.request('POST /kept', {}, { slug: 'a', title: 'A' })
  assert.equal(created.fields.location, '/kept/a')
  assert.equal(created.fields['content-location'], '/kept/a')
  const put = await s.request('PUT /kept/a', {}, { slug: 'a', title: 'B' })
  assert.equal(put.fields['content-location'], '/kept/a')
})
