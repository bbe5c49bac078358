/** Requests as people first write them: each is accepted, or refused with the remedy. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, decimal, integer, list, resource, service, text } from 'restwell'
import { serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Shop',
  resources: {
    products: resource(
      {
        name: text(),
        price: decimal({ scale: 2 }).optional(),
        prices: list(decimal({ scale: 2 })).optional(),
      },
      { access: open, bulk: true },
    ),
    numbers: resource({ n: integer(), note: text().optional() }, { key: 'n', access: open }),
  },
})

let s: TestService
before(async () => {
  s = await serve(definition)
})
after(() => s[Symbol.asyncDispose]())

describe('JSON sent without a Content-Type, as `curl -d` does', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const json = '{"name":"Tea & <b>","price":"1=1"}'

  for (const [method, body] of [
    ['POST', json],
    ['POST', ` [${json}]`],
    ['PUT', json],
    ['PATCH', json],
  ] as const) {
    test(`${method} reports that ${body.trim()[0]} is not a form, and what to send (RFC 9110 §8.3)`, async () => {
      const { location } = (await s.request('POST /products', {}, { name: 'Tea' })).fields
      const target = method === 'POST' ? '/products' : location
      const { status, json: problem } = await s.request(`${method} ${target}`, form, body)
      assert.equal(status, 422)
      assert.match(problem.detail, /its Content-Type is application\/x-www-form-urlencoded/)
      assert.match(problem.detail, /Content-Type: application\/json/)
      assert.deepEqual(problem.errors, undefined)
    })
  }

  test('a form whose values look like JSON is a form', async () => {
    const created = await s.request('POST /products', form, 'name=%7B%22a%22%3A1%7D')
    assert.equal(created.status, 201)
    assert.equal(created.json.name, '{"a":1}')
  })
})

describe('a decimal sent as a number', () => {
  for (const [sent, shown] of [
    [2.5, '"2.50"'],
    [3, '"3.00"'],
    [-0.1, '"-0.10"'],
    [12.34, '"12.34"'],
  ] as const) {
    test(`${sent} is 422 and shows ${shown}`, async () => {
      const { status, json } = await s.request('POST /products', {}, { name: 'Tea', price: sent })
      assert.equal(status, 422)
      assert.deepEqual(json.errors, [
        { pointer: '/price', rule: 'type', detail: `Must be a decimal string: ${shown}.` },
      ])
    })
  }

  test('a number with more fraction digits than the field is refused with the expected form', async () => {
    const { json } = await s.request('POST /products', {}, { name: 'Tea', price: 2.555 })
    assert.match(json.errors[0].detail, /^Must be a decimal string such as .*with at most/)
  })

  test('a number in a list or in QUERY is refused too', async () => {
    const { json } = await s.request('POST /products', {}, { name: 'Tea', prices: ['1.00', 2.5] })
    assert.deepEqual(json.errors, [
      { pointer: '/prices/1', rule: 'type', detail: 'Must be a decimal string: "2.50".' },
    ])
    const query = await s.request('QUERY /products', {}, { price: { gte: 2.5 } })
    assert.equal(query.status, 422)
    assert.match(query.text, /a decimal string such as \\"2\.50\\"/)
  })
})

describe('the id in a PATCH (RFC 7396 §2)', () => {
  test('may be repeated unchanged, beside other fields', async () => {
    const { location, json } = await createItem('/products', { name: 'Tea' })
    const body = { id: json.id, name: 'Mate' }
    const patched = await s.request(`PATCH ${location}`, {}, body)
    assert.equal(patched.status, 200)
    assert.equal(patched.json.name, 'Mate')
    const xml = `<products><id>${json.id}</id><name>Tea</name></products>`
    const type = { 'content-type': 'application/xml' }
    assert.equal((await s.request(`PATCH ${location}`, type, xml)).status, 200)
  })

  test('is 422 with another value, and so is createdAt with any', async () => {
    const { location, json } = await createItem('/products', { name: 'Tea' })
    for (const body of [
      { id: '019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37' },
      { id: null },
      { createdAt: json.createdAt },
    ]) {
      const refused = await s.request(`PATCH ${location}`, {}, body)
      assert.equal(refused.status, 422, JSON.stringify(body))
      assert.equal(refused.json.errors[0].rule, 'readOnly')
    }
  })

  test('is the key as text where the resource has one', async () => {
    const { location } = await createItem('/numbers', { n: 7 })
    const patched = await s.request(`PATCH ${location}`, {}, { id: '7', note: 'seven' })
    assert.equal(patched.status, 200)
    assert.equal((await s.request(`PATCH ${location}`, {}, { id: '8' })).status, 422)
  })

  test('is in the published schema of a change', async () => {
    const { json } = await s.request('GET /schemas/products.patch')
    assert.equal(json.properties.id.type, 'string')
  })

  async function createItem(uri: string, body: unknown) {
    const { fields, json } = await s.request(`POST ${uri}`, {}, body)
    return { location: fields.location, json }
  }
})

test('a media type parameter that the service does not know is ignored (RFC 9110 §12.5.1)', async () => {
  for (const accept of ['application/json;version=2', 'application/json; profile="x"; v=1']) {
    const { status, fields } = await s.request('GET /products', { accept })
    assert.equal(status, 200, accept)
    assert.equal(fields['content-type'], 'application/json')
  }
  const type = { 'content-type': 'application/json;version=2' }
  assert.equal((await s.request('POST /products', type, '{"name":"Tea"}')).status, 201)
})
