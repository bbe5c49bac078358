/** RFC 9264: the linkset of an item or a list, and the reserved segment that it is below. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, email, owner, password, ref, resource, role, service, text } from 'restwell'
import shop from '../../examples/shop.ts'
import { admin, adminPassword, basic, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Projects',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password({ min: 12 }),
        role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
      },
      { access: { create: anyone } },
    ),
    notes: resource(
      { text: text(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author'), create: role('user') } },
    ),
    projects: resource(
      { slug: text({ max: 40 }), name: text() },
      { key: 'slug', access: open, tombstones: true, put: 'create' },
    ),
    tasks: resource(
      { title: text(), project: ref('projects', { inverse: 'tasks' }).optional() },
      { access: open },
    ),
    secrets: resource(
      { slug: text({ max: 40 }) },
      { key: 'slug', access: { create: anyone, read: role('admin') } },
    ),
  },
})

describe('the linkset of an item', () => {
  test('has all links of the item, its formats first (§4.2), and is linked (§6.1)', async () => {
    await using s = await serve(definition)
    await s.request('POST /projects', {}, { slug: 'a', name: 'A' })
    const task = await s.request('POST /tasks', {}, { title: 'T', project: 'a' })
    const uri = String(task.fields.location)
    const link = /<([^>]*)>; rel="linkset"; type="application\/linkset\+json"/.exec(
      String((await s.request(`GET ${uri}`)).fields.link),
    )?.[1]
    assert.equal(link, `${uri}/-/links`)
    const { status, fields, json } = await s.request(`GET ${link}`)
    assert.deepEqual([status, fields['content-type']], [200, 'application/linkset+json'])
    const [context] = json.linkset
    assert.equal(context.anchor, uri)
    assert.deepEqual(
      context.alternate.map(({ href }: { href: string }) => href.slice(uri.length)),
      ['?format=json', '?format=hal-forms', '?format=hal', '?format=xml', '?format=html'],
    )
    assert.deepEqual(Object.keys(context).slice(0, 2), ['anchor', 'alternate'])
    assert.deepEqual(context.collection, [{ href: '/tasks' }])
    assert.deepEqual(context[`${s.url}/relations/project`], [{ href: '/projects/a' }])
    for (const [rel, links] of Object.entries(context)) {
      if (rel === 'anchor') continue
      for (const { href } of links as { href: string }[]) {
        if (rel === 'monitor') continue
        assert.equal((await s.request(`GET ${href}`)).status, 200, href)
      }
    }
  })

  test('is found with the rights of the item: 404, 410 and 301 as for the item', async () => {
    await using s = await serve(definition)
    await s.request('POST /projects', {}, { slug: 'a', name: 'A' })
    await s.request('POST /secrets', {}, { slug: 'a' })
    await s.request('PATCH /projects/a', {}, { slug: 'b' })
    const moved = await s.request('GET /projects/a/-/links?format=linkset')
    assert.deepEqual([moved.status, moved.fields.location], [301, '/projects/b/-/links?format=linkset'])
    await s.request('DELETE /projects/b')
    const statuses = await Promise.all(
      [
        '/projects/b/-/links',
        '/projects/c/-/links',
        '/secrets/a/-/links',
        '/secrets/-/links',
        '/secrets/c/-/links',
      ].map(async (path) => (await s.request(`GET ${path}`)).status),
    )
    assert.deepEqual(statuses, [410, 404, 401, 401, 401])
  })

  test('of an item that the caller may not read is the same 404 as of an absent item', async () => {
    await using s = await serve(definition)
    await s.request('POST /users', {}, { email: 'ada@example.org', password: adminPassword })
    const ada = basic('ada@example.org', adminPassword)
    const { location } = (await s.request('POST /notes', ada, { text: 'x' })).fields
    assert.equal((await s.request(`GET ${location}/-/links`, ada)).status, 200)
    await s.request('POST /users', {}, { email: 'bob@example.org', password: adminPassword })
    const bob = basic('bob@example.org', adminPassword)
    const absent = '/notes/019a0000-0000-7000-8000-000000000000'
    const replies = await Promise.all([location, absent].map((uri) => s.request(`GET ${uri}/-/links`, bob)))
    for (const { status, json, fields } of replies) {
      assert.deepEqual([status, json.detail], [404, replies[0]?.json.detail])
      assert.deepEqual(
        [fields.vary, fields['cache-control']],
        ['Accept, Accept-Encoding, Authorization, Cookie', 'private, no-cache'],
      )
    }
  })

  test('has the methods GET, HEAD and OPTIONS, conditions, and no parameters without effect', async () => {
    await using s = await serve(definition)
    await s.request('POST /projects', {}, { slug: 'a', name: 'A' })
    const first = await s.request('GET /projects/a/-/links')
    const known = { 'if-none-match': String(first.fields.etag) }
    assert.equal((await s.request('GET /projects/a/-/links', known)).status, 304)
    const options = await s.request('OPTIONS /projects/a/-/links')
    assert.deepEqual([options.status, options.fields.allow], [204, 'GET, HEAD, OPTIONS'])
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'QUERY']) {
      assert.equal((await s.request(`${method} /projects/a/-/links`)).status, 405, method)
    }
    assert.equal((await s.request('GET /projects/a/-/links?fields=name')).status, 400)
    assert.equal((await s.request('GET /projects/a/-/links', { accept: 'text/html' })).status, 406)
    assert.equal((await s.request('HEAD /projects/a/-/links')).fields.etag, first.fields.etag)
  })
})

test('a list and a sub-collection have linksets too', async () => {
  await using s = await serve(definition)
  await s.request('POST /projects', {}, { slug: 'a', name: 'A' })
  for (const uri of ['/tasks', '/projects/a/tasks']) {
    const { fields } = await s.request(`GET ${uri}?limit=5`)
    assert.match(String(fields.link), new RegExp(`<${uri}/-/links>; rel="linkset"`))
    const [context] = (await s.request(`GET ${uri}/-/links`)).json.linkset
    assert.equal(context.anchor, uri)
    assert.equal(context.alternate[0].href, `${uri}?format=json`)
    assert.deepEqual(context.up, uri === '/tasks' ? undefined : [{ href: '/projects/a' }])
  }
  assert.equal((await s.request('GET /projects/b/tasks/-/links')).status, 404)
})

describe('the segment - is reserved (docs/reference/http.md, Resources and URIs)', () => {
  test('it is no key: 422 in content, 404 in a URI, also as %2D (RFC 3986 §6.2.2.2)', async () => {
    await using s = await serve(definition)
    const refused = await s.request('POST /projects', {}, { slug: '-', name: 'A' })
    assert.deepEqual([refused.status, refused.json.errors[0].rule], [422, 'reserved'])
    await s.request('POST /projects', {}, { slug: 'a', name: 'A' })
    assert.equal((await s.request('PATCH /projects/a', {}, { slug: '-' })).status, 422)
    for (const path of [
      '/projects/-',
      '/projects/%2D',
      '/-',
      '/-/links',
      '/projects/a/-',
      '/projects/a/-/nothing',
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        assert.equal(
          (await s.request(`${method} ${path}`, {}, { name: 'A' })).status,
          404,
          `${method} ${path}`,
        )
      }
    }
    assert.equal((await s.request('GET /projects/a/%2D/links')).status, 200)
    assert.equal((await s.request('GET /projects/a/-/-/links')).status, 404)
  })
})

const person = { email: 'ada@example.org', password: adminPassword }

describe('header sections (RFC 8288 §3, docs/reference/http/hypermedia.md, Hypermedia)', () => {
  /** Octets of the status line, the field lines and the empty line, over TLS behind a proxy. */
  async function headerSection(s: Awaited<ReturnType<typeof serve>>, target: string, fields = {}) {
    const reply = await s.request(`GET ${target}`, { ...fields, 'x-forwarded-proto': 'https' })
    assert.equal(reply.status, 200, reply.text)
    const names = Object.entries(reply.fields).filter(
      ([name]) => !['connection', 'keep-alive'].includes(name),
    )
    const lines = names.flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => `${name}: ${value}\r\n`),
    )
    return { reply, octets: 'HTTP/1.1 200 OK\r\n\r\n'.length + lines.join('').length }
  }

  test('at most 750 octets for an item in JSON, and 900 for a page of a list', async () => {
    await using s = await serve(shop, { rate: 1200, trusted: ['127.0.0.1'] })
    for (let n = 10; n < 40; n += 1) {
      const made = { sku: `MUG-${n}`, name: 'Mug', price: '12.00', stock: n }
      assert.equal((await s.request('POST /products', admin, made)).status, 201)
    }
    assert.equal((await s.request('POST /users', {}, { ...person, name: 'Ada' })).status, 201)
    for (const caller of [{}, basic(person.email, person.password)]) {
      const item = await headerSection(s, '/products/MUG-10', caller)
      assert.ok(item.octets <= 750, `${item.octets} octets`)
      const first = await headerSection(s, '/products?limit=10', caller)
      assert.ok(first.octets <= 900, `${first.octets} octets`)
      const next = /<([^>]*)>; rel="next"/.exec(String(first.reply.fields.link))?.[1]
      const second = await headerSection(s, String(next), caller)
      assert.match(String(second.reply.fields.link), /rel="prev".*rel="next"/)
      assert.ok(second.octets <= 900, `${second.octets} octets`)
    }
  })

  test('an item has the links that a client follows from header fields, and one to all others', async () => {
    await using s = await serve(shop)
    await s.request('POST /products', admin, { sku: 'A', name: 'A', price: '1.00' })
    const relations = (link: unknown) => [...String(link).matchAll(/rel="([^"]*)"/g)].map(([, rel]) => rel)
    const item = await s.request('GET /products/A')
    assert.deepEqual(relations(item.fields.link), ['collection', 'describedby', 'linkset'])
    const other = await s.request('GET /products/A?format=json')
    assert.deepEqual(relations(other.fields.link), ['self', 'collection', 'describedby', 'linkset'])
    const list = await s.request('GET /products')
    assert.deepEqual(relations(list.fields.link), ['describedby', 'monitor', 'linkset'])
    for (const name of ['content-location', 'accept-ranges', 'content-security-policy', 'referrer-policy']) {
      assert.equal(item.fields[name], undefined, name)
    }
    assert.equal(item.fields['x-content-type-options'], 'nosniff')
    assert.equal(item.fields['cross-origin-resource-policy'], 'same-origin')
    const xml = await s.request('GET /products/A', { accept: 'application/xml' })
    assert.ok(xml.fields['content-security-policy'])
    assert.ok(xml.fields['referrer-policy'])
  })

  test('next is never left out, however long its URI is', async () => {
    await using s = await serve(shop)
    for (const sku of ['A', 'B']) await s.request('POST /products', admin, { sku, name: 'A', price: '1.00' })
    const filters = Array.from({ length: 8 }, () => `name[in]=A,${'x'.repeat(900)}`).join('&')
    const { status, fields } = await s.request(`GET /products?limit=1&${filters}`)
    assert.equal(status, 200)
    assert.match(String(fields.link), /rel="next"/)
  })
})
