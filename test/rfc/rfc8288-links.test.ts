/** Links (RFC 8288), the API catalog (RFC 9727) and HAL, each with its own media type. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  email,
  nobody,
  password,
  ref,
  resource,
  role,
  service,
  state,
  text,
  where,
} from 'restwell'
import shop from '../../examples/shop.ts'
import type { Rule } from '../../src/definition/rule.ts'
import { admin, serve } from '../service.ts'

const hal = { accept: 'application/hal+json' }
const forms = { accept: 'application/prs.hal-forms+json' }

describe('links (RFC 8288)', () => {
  test('an item links to its collection and its linkset, and on 201 to itself; the linkset has its alternates and what it refers to', async () => {
    await using s = await serve(shop)
    const created = await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const uri = created.fields.location as string
    const author = `/users/${created.json.author}`
    assert.ok(created.fields.link?.includes(`<${uri}>; rel="self"`))
    for (const link of [created.fields.link, (await s.request(`GET ${uri}`, admin)).fields.link]) {
      assert.ok(link?.includes('</articles>; rel="collection"'))
      assert.ok(link?.includes(`<${uri}/-/links>; rel="linkset"; type="application/linkset+json"`))
    }
    const [links] = (await s.request(`GET ${uri}/-/links`, admin)).json.linkset
    assert.deepEqual(links[`${s.url}/relations/author`], [{ href: author }])
    assert.ok(links.alternate.some(({ href }: { href: string }) => href === `${uri}?format=xml`))
  })

  test('every alternate has its declared type, and every link of the entry point resolves', async () => {
    await using s = await serve(shop)
    for (const path of ['/', '/products', '/problems', '/.well-known/api-catalog']) {
      const { link } = (await s.request(`GET ${path}`)).fields
      for (const [, target, rel, type] of String(link).matchAll(
        /<([^>]*)>; rel="([^"]*)"(?:; type="((?:[^"\\]|\\.)*)")?/g,
      )) {
        // A stream does not end.
        if (rel === 'monitor') continue
        const accept = rel === 'service-doc' && type ? { accept: type } : {}
        const response = await s.request(`GET ${target}`, accept)
        assert.equal(response.status, 200, `${target} ${rel}`)
        // The type of a link need not name the charset that its target states.
        const [sent = ''] = String(response.fields['content-type']).split('; charset')
        if (type) assert.equal(sent, type.replaceAll('\\', ''))
      }
    }
  })

  test('a collection links to its first and next page with its filters, and to none after the last', async () => {
    await using s = await serve(shop)
    for (const sku of ['A', 'B']) {
      await s.request('POST /products', admin, { sku, name: sku, price: '1.00' })
    }
    const first = await s.request('GET /products?limit=1&format=hal')
    const { self, next, search } = first.json._links
    assert.equal(self.href, '/products?limit=1')
    assert.equal(search.templated, true)
    assert.match(search.href, /^\/products\{\?.*limit.*\}$/)
    const last = await s.request(`GET ${next.href}`, hal)
    assert.deepEqual([last.json._embedded.item[0].sku, last.json._links.next], ['B', undefined])
  })

  test('`item` and templates are in bodies alone (RFC 8288 §3.1)', async () => {
    await using s = await serve(shop)
    const { fields } = await s.request('GET /products', hal)
    assert.doesNotMatch(fields.link as string, /rel="item"|rel="search"|\{/)
  })

  test('items that the caller may not see are not linked', async () => {
    await using s = await serve(hidden)
    const secret = await s.request('POST /secrets', admin, { name: 'hush', level: 'high' })
    const plain = await s.request('POST /secrets', admin, { name: 'open', level: 'low' })
    for (const [created, visible] of [
      [secret, false],
      [plain, true],
    ] as const) {
      const note = await s.request('POST /notes', admin, { about: created.json.id })
      const uri = note.fields.location as string
      for (const fields of [{}, hal, forms]) {
        const { text } = await s.request(`GET ${uri}`, fields)
        if (text.includes('_links')) {
          assert.equal(JSON.parse(text)._links['rw:about'] !== undefined, visible)
        }
      }
      const linkset = await s.request(`GET ${uri}/-/links`)
      assert.equal(linkset.text.includes(`/secrets/${created.json.id}`), visible)
      const list = (await s.request('GET /notes', hal)).json._embedded.item
      const entry = list.find((item: { id: string }) => item.id === note.json.id)
      assert.equal(entry._links['rw:about'] !== undefined, visible)
      const ofAdmin = await s.request(`GET ${uri}`, { ...admin, ...hal })
      assert.ok(ofAdmin.json._links['rw:about'])
    }
  })
})

describe('HAL and HAL-FORMS', () => {
  test('templates are in HAL-FORMS alone, links in both, neither in plain JSON', async () => {
    await using s = await serve(shop)
    await s.request('POST /products', admin, { sku: 'A', name: 'A', price: '1.00' })
    const inHal = (await s.request('GET /products/A', { ...admin, ...hal })).json
    const inForms = (await s.request('GET /products/A', { ...admin, ...forms })).json
    const plain = (await s.request('GET /products/A', admin)).json
    assert.deepEqual(inHal._links, inForms._links)
    assert.equal(inHal._templates, undefined)
    assert.deepEqual(Object.keys(inForms._templates), ['default', 'delete'])
    assert.equal(plain._links, undefined)
    const { _links, ...own } = inHal
    assert.deepEqual(own, plain)
  })

  test('a property has type, limits, options, present value, and whether it is required', async () => {
    await using s = await serve(shop)
    await s.request('POST /products', admin, { sku: 'A', name: 'A', price: '1.00' })
    const { _templates } = (await s.request('GET /products/A', { ...admin, ...forms })).json
    assert.deepEqual(_templates.default, {
      title: 'Edit',
      method: 'PUT',
      target: '/products/A',
      contentType: 'application/json',
      properties: [
        {
          name: 'sku',
          required: true,
          value: 'A',
          minLength: 1,
          maxLength: 40,
          regex: '^[A-Z0-9-]+$',
        },
        { name: 'name', required: true, value: 'A', minLength: 1, maxLength: 200 },
        {
          name: 'price',
          required: true,
          value: '1.00',
          regex: '^(?:[0-9]{1,16}(?:\\.[0-9]{1,2})?|-0{1,16}(?:\\.0{1,2})?)$',
          min: '0',
        },
        { name: 'stock', value: 0, type: 'number', min: 0, max: 9007199254740991, step: 1 },
      ],
    })
  })

  test('creating is offered where some content could succeed, with the values it must have', async () => {
    const offered = async (create: Rule) => {
      const status = state({ initial: 'one', transitions: { go: { from: 'one', to: 'two' } } })
      const fields = { name: text(), open: boolean(), status }
      const one = resource(fields, { access: { read: anyone, create } })
      await using s = await serve(service({ title: 'One', resources: { things: one } }))
      return (await s.request('GET /things', forms)).json._templates?.default?.properties
    }
    assert.equal(await offered(where({ status: 'two' })), undefined)
    assert.equal((await offered(where({ status: 'one' })))?.length, 2)
    const [, fixed] = await offered(where({ open: true }))
    assert.deepEqual([fixed.value, fixed.readOnly, fixed.required], [true, true, true])
  })

  test('embed works in HAL and XML too (docs/reference/http/lists.md, Lists)', async () => {
    await using s = await serve(shop)
    await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const plain = (await s.request('GET /articles?embed=author', admin)).json[0]
    for (const format of [hal, forms]) {
      const [item] = (await s.request('GET /articles?embed=author', { ...admin, ...format })).json._embedded
        .item
      assert.deepEqual(item._embedded['rw:author'], plain._embedded.author)
      assert.equal(item._links['rw:author'].href, `/users/${plain.author}`)
    }
    const inXml = await s.request('GET /articles?embed=author&format=xml', admin)
    assert.match(inXml.text, /<_embedded><author><id>[^<]*<\/id>.*<\/author><\/_embedded><\/item>/)
    const lines = await s.request('GET /articles?embed=author&format=ndjson', admin)
    assert.deepEqual(JSON.parse(lines.text), plain)
    const chosen = await s.request('GET /articles?fields=slug&format=csv', admin)
    assert.match(chosen.text, /^id,slug\r\n[^,]*,a\r\n$/)
    assert.match(
      (await s.request('GET /articles?fields=slug&format=xml', admin)).text,
      /<item><id>[^<]*<\/id><slug>a<\/slug><\/item>/,
    )
  })

  test('a QUERY is shown in any format (RFC 10008)', async () => {
    await using s = await serve(shop)
    await s.request('POST /products', admin, { sku: 'A', name: 'A', price: '1.00' })
    const fields = { ...forms, 'content-type': 'application/json' }
    const response = await s.request('QUERY /products', fields, '{"sku":"A"}')
    assert.equal(response.status, 200, response.text)
    assert.equal(response.json._embedded.item[0].sku, 'A')
    assert.equal(response.json._links.self, undefined)
    const streamed = await s.request('QUERY /products', { ...fields, accept: 'text/csv' }, '{"sku":"B"}')
    assert.match(streamed.text, /^id,sku,[^\r]*\r\n$/)
  })

  test('a deletion that references block is not offered: it would be 409 (docs/reference/http.md, Methods)', async () => {
    await using s = await serve(hidden)
    const secret = await s.request('POST /secrets', { ...admin, ...forms }, { name: 'a', level: 'low' })
    const uri = secret.fields.location as string
    assert.ok(secret.json._templates.delete)
    const note = await s.request('POST /notes', admin, { about: secret.json.id })
    const referenced = await s.request(`GET ${uri}`, { ...admin, ...forms })
    assert.equal(referenced.json._templates.delete, undefined)
    assert.notEqual(referenced.fields.etag, secret.fields.etag)
    assert.equal((await s.request(`DELETE ${uri}`, admin)).status, 409)
    await s.request(`DELETE ${note.fields.location}`, admin)
    assert.ok((await s.request(`GET ${uri}`, { ...admin, ...forms })).json._templates.delete)
  })
})

describe('/.well-known/api-catalog (RFC 9727)', () => {
  test('it is a linkset with the profile and absolute references (§4.1), and HEAD has its type', async () => {
    await using s = await serve(shop)
    const get = await s.request('GET /.well-known/api-catalog')
    assert.equal(
      get.fields['content-type'],
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    const [catalog, home] = get.json.linkset
    assert.equal(catalog.anchor, `${s.url}/.well-known/api-catalog`)
    assert.deepEqual(catalog.item, [{ href: `${s.url}/`, title: 'Example shop' }])
    assert.equal(home.anchor, `${s.url}/`)
    assert.equal(home['service-desc'][0].href, `${s.url}/openapi.json`)
    assert.deepEqual(home['service-doc'], [{ href: `${s.url}/docs`, type: 'text/html' }])
    const head = await s.request('HEAD /.well-known/api-catalog')
    assert.match(head.fields.link as string, /<\/\.well-known\/api-catalog>; rel="api-catalog"/)
    const reply = await s.request('GET /.well-known/api-catalog', {
      accept: 'application/linkset+json',
    })
    assert.equal(reply.status, 200)
  })
})

const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: nobody } },
)
const everyone = {
  read: anyone,
  create: role('admin'),
  update: role('admin'),
  delete: role('admin'),
}

const hidden = service({
  title: 'Hidden',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users,
    secrets: resource(
      { name: text(), level: choice(['low', 'high']) },
      { access: { ...everyone, read: [where({ level: 'low' }), role('admin')] } },
    ),
    notes: resource({ about: ref('secrets') }, { access: everyone }),
  },
})
