/** Proactive negotiation over the wire (RFC 9110 §12). */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import shop from '../../examples/shop.ts'
import { admin, serve, type TestService } from '../service.ts'

const json = 'application/json'
const xml = 'application/xml'
const forms = 'application/prs.hal-forms+json'

describe('negotiation (RFC 9110 §12)', () => {
  let s: TestService
  let request: TestService['request']
  before(async () => {
    s = await serve(shop)
    request = s.request
    const body = { sku: 'A', name: 'A', price: '1.00' }
    assert.equal((await request('POST /products', admin, body)).status, 201)
  })
  after(() => s[Symbol.asyncDispose]())

  async function chosen(accept: string | undefined, path = '/products/A') {
    const response = await request(`GET ${path}`, accept === undefined ? {} : { accept })
    return response.status === 200 ? response.fields['content-type'] : response.status
  }

  test('no Accept, an empty one or */* is JSON; specificity precedes order; q may be anywhere (§12.5.1)', async () => {
    assert.equal(await chosen(undefined), json)
    assert.equal(await chosen(''), json)
    assert.equal(await chosen('*/*'), json)
    assert.equal(await chosen('APPLICATION/XML'), xml)
    assert.equal(await chosen('*/*, application/xml'), json)
    assert.equal(await chosen('*/*;q=0.1, application/xml;q=0.5'), xml)
    assert.equal(await chosen('application/*;q=0.9, application/json;q=0.1'), forms)
    assert.equal(await chosen('application/json;q=0.4, application/xml;q=0.6'), xml)
    assert.equal(await chosen('application/hal+json'), 'application/hal+json')
  })

  test('a percent-encoded name of the parameter names the format too (RFC 3986 §6.2.2.2)', async () => {
    for (const name of ['format', '%66ormat', 'forma%74', '%66%6f%72%6D%61%74']) {
      assert.equal(await chosen(undefined, `/products/A?${name}=xml`), xml)
      assert.equal(await chosen(undefined, `/products?${name}=%78ml`), xml)
      assert.equal(await chosen(undefined, `/problems?${name}=xml`), xml)
      const problem = await request(`GET /products/none?${name}=xml`)
      assert.equal(problem.fields['content-type'], 'application/problem+xml')
    }
  })

  test('q=0 excludes (§12.4.2)', async () => {
    assert.equal(await chosen('application/json;q=0, application/xml'), xml)
    assert.equal(await chosen('application/json;q=0, */*'), forms)
    assert.equal(await chosen('*/*;q=0'), 406)
  })

  test('charset=utf-8 does not restrict; an unknown parameter is ignored (§12.5.1)', async () => {
    assert.equal(await chosen('application/json;charset=utf-8'), json)
    assert.equal(await chosen('application/json;v=2'), json)
    assert.equal(await chosen('application/json;charset=iso-8859-1'), 406)
  })

  test('406 lists the offered formats, with links, before any effect (§15.5.7)', async () => {
    const response = await request('GET /products', { accept: 'image/png' })
    assert.equal(response.status, 406)
    assert.ok(response.json.offered.includes('text/csv'))
    assert.match(
      response.fields.link as string,
      /<\/products\?format=xml>; rel="alternate"; type="application\/xml"/,
    )
    const body = { sku: 'B', name: 'B', price: '1.00' }
    const post = await request('POST /products', { ...admin, accept: 'image/png' }, body)
    assert.equal(post.status, 406)
    assert.equal((await request('GET /products/B')).status, 404)
    assert.equal(
      (await request('PATCH /products/A', { ...admin, accept: 'text/csv' }, { name: 'C' })).status,
      406,
    )
    assert.equal((await request('GET /products/A')).json.name, 'A')
  })

  test('DELETE is never 406', async () => {
    await request('POST /products', admin, { sku: 'GONE', name: 'B', price: '1.00' })
    assert.equal((await request('DELETE /products/GONE', { ...admin, accept: 'image/png' })).status, 204)
  })

  test('errors are problem+json, or problem+xml if XML is preferred, and never 406', async () => {
    const type = async (accept: string | undefined, path = '/nothing') => {
      const response = await request(`GET ${path}`, accept === undefined ? {} : { accept })
      assert.equal(response.status, 404)
      return response.fields['content-type']
    }
    for (const accept of [
      undefined,
      '*/*',
      json,
      'image/png',
      'text/csv',
      'application/json, application/xml;q=0.9',
      'application/xml, application/problem+json',
      forms,
    ]) {
      assert.equal(await type(accept), 'application/problem+json', String(accept))
    }
    for (const accept of [
      xml,
      'application/problem+xml',
      'application/xml, */*;q=0.1',
      'application/xml, application/json;q=0.9',
    ]) {
      assert.equal(await type(accept), 'application/problem+xml', accept)
    }
    assert.equal(await type(json, '/products/NONE?format=xml'), 'application/problem+xml')
    assert.equal(await type(xml, '/products/NONE?format=json'), 'application/problem+json')
  })

  test('Accept-Language and Accept-Charset never cause a refusal (§12.5.2, §12.5.4)', async () => {
    const fields = { 'accept-language': 'xx', 'accept-charset': 'utf-7' }
    const response = await request('GET /products/A', fields)
    assert.equal(response.status, 200)
    assert.doesNotMatch(response.fields.vary as string, /Charset/)
  })

  test('strong tags differ by media type; If-Match accepts any of them (§8.8.3)', async () => {
    const tags = await Promise.all(
      [json, xml, forms, 'application/hal+json'].map(
        async (accept) => (await request('GET /products/A', { accept })).fields.etag as string,
      ),
    )
    assert.equal(new Set(tags).size, 4)
    for (const tag of tags) {
      const response = await request('PATCH /products/A', { ...admin, 'if-match': tag }, { name: 'A' })
      assert.equal(response.status, 200, response.text)
    }
    const fields = { accept: xml, 'if-none-match': tags[1] as string }
    assert.equal((await request('GET /products/A', fields)).status, 304)
    assert.equal((await request('GET /products/A', { ...fields, accept: json })).status, 200)
  })

  test('the offered actions change the entity tag only of formats that show them', async () => {
    const tag = async (accept: string, fields = {}) =>
      (await request('GET /products/A', { accept, ...fields })).fields.etag
    assert.notEqual(await tag(forms), await tag(forms, admin))
    assert.equal(await tag(json), await tag(json, admin))
  })

  test('Vary is the same on every variant and outcome of a URI (§12.5.5)', async () => {
    const { etag } = (await request('GET /products/A')).fields
    const replies = [
      await request('GET /products/A'),
      await request('GET /products/A', { accept: xml }),
      await request('GET /products/A', { accept: forms, ...admin }),
      await request('GET /products/A', { accept: 'image/png' }),
      await request('GET /products/A', { 'if-none-match': etag as string }),
      await request('HEAD /products/A'),
      await request('GET /products/NONE'),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 406, 304, 200, 404],
    )
    assert.equal(new Set(replies.map(({ fields }) => fields.vary)).size, 1)
    assert.match(
      replies[0]?.fields.vary as string,
      /^Accept, Accept-Encoding, Accept-Language, Authorization, Cookie$/,
    )
  })

  test('JSON has no charset parameter (RFC 8259 §11)', async () => {
    assert.equal(await chosen('application/json'), 'application/json')
  })

  test('?format= selects the format, regardless of Accept (docs/reference/http/formats.md, Formats)', async () => {
    for (const [name, type] of [
      ['json', json],
      ['xml', xml],
      ['hal', 'application/hal+json'],
      ['hal-forms', forms],
    ]) {
      assert.equal(await chosen('image/png', `/products/A?format=${name}`), type)
    }
    assert.equal(await chosen(json, '/products?format=csv'), 'text/csv')
    assert.equal(await chosen(json, '/products?format=ndjson'), 'application/x-ndjson')
    for (const target of ['/products/A?format=csv', '/products/A?format=nope', '/?format=csv']) {
      assert.equal(await chosen(json, target), 400)
    }
    const { json: problem } = await request('GET /products/A?format=nope')
    assert.deepEqual([problem.type, problem.parameter], ['/problems/invalid-parameter', 'format'])
    assert.match(problem.detail, /must be one of: json, hal-forms, hal, xml, html/)
  })

  test('a negotiated response has no Content-Location: the URI of the request names it (§8.7)', async () => {
    const response = await request('GET /products?limit=5', { accept: xml })
    assert.equal(response.fields['content-location'], undefined)
    const fields = { accept: xml, 'if-none-match': response.fields.etag as string }
    const unmodified = await request('GET /products?limit=5', fields)
    assert.deepEqual([unmodified.status, unmodified.fields['content-location']], [304, undefined])
  })

  test('formats with actions are private, others are public (docs/reference/http/caching.md, Conditional requests and caching)', async () => {
    const control = async (accept: string) =>
      (await request('GET /products/A', { accept })).fields['cache-control']
    assert.equal(await control(json), 'no-cache')
    assert.equal(await control(xml), 'no-cache')
    assert.equal(await control(forms), 'private, no-cache')
  })
})
