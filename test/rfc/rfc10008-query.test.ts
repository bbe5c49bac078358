/** QUERY (RFC 10008): a safe method whose content is the query. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import shop from '../../examples/shop.ts'
import { admin, serve, type TestService } from '../service.ts'

let s: TestService

before(async () => {
  s = await serve(shop)
  for (const [sku, price, stock] of [
    ['A', '1.00', 1],
    ['B', '2.00', 0],
    ['C', '3.00', 5],
  ]) {
    await s.request('POST /products', admin, { sku, name: `Thing ${sku}`, price, stock })
  }
})
after(() => s[Symbol.asyncDispose]())

const either = { any: [{ sku: 'A' }, { stock: { gte: 5 } }] }

async function skus(line: string, body: object): Promise<string[]> {
  const response = await s.request(line, {}, body)
  assert.equal(response.status, 200, response.text)
  return response.json.map((item: { sku: string }) => item.sku)
}

it('alternatives and negation are in the content; sort and limit in the target', async () => {
  assert.deepEqual(await skus('QUERY /products', either), ['A', 'C'])
  assert.deepEqual(await skus('QUERY /products?sort=-sku', either), ['C', 'A'])
  assert.deepEqual(await skus('QUERY /products?limit=1', either), ['A'])
  assert.deepEqual(await skus('QUERY /products', { not: either }), ['B'])
  assert.deepEqual(await skus('QUERY /products?stock[gt]=0', { price: { lt: '3' } }), ['A'])
  assert.deepEqual(await skus('QUERY /products', {}), ['A', 'B', 'C'])
  assert.deepEqual(await skus('QUERY /products', { any: [] }), [])
})

it('no header field and no link repeats the content, which may be private (§4)', async () => {
  const secret = { name: { contains: 'Thing' } }
  for (const accept of ['application/json', 'application/hal+json', 'text/csv']) {
    const response = await s.request(
      'QUERY /products?limit=1',
      { accept, 'content-type': 'application/json' },
      secret,
    )
    assert.equal(response.status, 200)
    assert.equal(response.fields.location, undefined)
    assert.doesNotMatch(
      JSON.stringify([response.fields, accept.includes('hal') && response.json._links]),
      /contains|rel=\\"self/,
    )
  }
})

it('the next page of a QUERY is a QUERY with the same content', async () => {
  for (const content of [either, { stock: { gte: 1 } }]) {
    const first = await s.request('QUERY /products?limit=1', {}, content)
    const next = /<([^>]*)>; rel="next"/.exec(String(first.fields.link))?.[1]
    assert.match(String(next), /^\/products\?limit=1&after=[\w-]+$/)
    assert.deepEqual(await skus(`QUERY ${next}`, content), ['C'])
    assert.equal((await s.request(`QUERY ${next}`, {}, { any: [{ sku: 'B' }] })).status, 400)
    assert.equal((await s.request(`GET ${next}`)).status, 400)
  }
})

it('a condition works on the result (§2.6): 304 until it changes', async () => {
  const { fields } = await s.request('QUERY /products', {}, either)
  const condition = { 'if-none-match': String(fields.etag) }
  assert.equal((await s.request('QUERY /products', condition, either)).status, 304)
  assert.equal((await s.request('QUERY /products', condition, { not: either })).status, 200)
  await s.request('POST /products', admin, { sku: 'D', name: 'D', price: '1', stock: 9 })
  assert.equal((await s.request('QUERY /products', condition, either)).status, 200)
})

it('content of no type, or of another, is 415 with Accept-Query (§3)', async () => {
  for (const fields of [{}, { 'content-type': 'text/plain' }]) {
    const response = await s.request('QUERY /products', fields, '{}')
    assert.equal(response.status, 415)
    assert.equal(response.fields['accept-query'], 'application/json')
  }
  const { fields } = await s.request('OPTIONS /products')
  assert.equal(fields['accept-query'], 'application/json')
  assert.match(String(fields.allow), /QUERY/)
})

it('malformed content is 400, and content against the rules 422 with every place', async () => {
  const type = { 'content-type': 'application/json' }
  assert.equal((await s.request('QUERY /products', type, '{"sku":')).status, 400)
  assert.equal((await s.request('QUERY /products', type, '')).status, 400)
  const wrong = { stok: 1, stock: { foo: 1, gte: '1' }, price: 3, any: [{ sku: null }, 7], not: [] }
  const response = await s.request('QUERY /products', {}, wrong)
  assert.equal(response.status, 422)
  assert.deepEqual(
    response.json.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/stok', '/stock/foo', '/stock/gte', '/price', '/any/0/sku', '/any/1', '/not'],
  )
})

it('20 conditions, including those of the URI, and 5 levels are accepted, one more is 422', async () => {
  const conditions = (count: number) => ({
    all: Array.from({ length: count }, () => ({ stock: 1 })),
  })
  assert.deepEqual(await skus('QUERY /products', conditions(20)), ['A'])
  assert.equal((await s.request('QUERY /products', {}, conditions(21))).status, 422)
  assert.equal((await s.request('QUERY /products?stock=1', {}, conditions(20))).status, 422)
  const two = 'QUERY /products?stock=1&stock[gte]=1'
  assert.equal((await s.request(two, {}, conditions(18))).status, 200)
  assert.equal((await s.request(two, {}, conditions(19))).status, 422)
  const levels = (depth: number): object => (depth === 1 ? { stock: 1 } : { not: levels(depth - 1) })
  assert.deepEqual(await skus('QUERY /products', levels(5)), ['A'])
  assert.equal((await s.request('QUERY /products', {}, levels(6))).status, 422)
  assert.equal((await s.request('QUERY /products', {}, levels(20))).status, 422)
})

it('groups count like comparisons, even empty ones: 120 nodes are accepted, 121 are 422', async () => {
  // The root, twenty elements, and the empty filters within each.
  const filter = (last: number) => ({
    all: [...Array(19).fill(5), last].map((count) => ({ all: Array(count).fill({}) })),
  })
  assert.equal((await s.request('QUERY /products', {}, filter(4))).status, 200)
  const refused = await s.request('QUERY /products', {}, filter(5))
  assert.equal(refused.status, 422)
  assert.match(refused.json.errors[0].detail, /^Must have at most 120 filters and conditions\.$/)
  const groups = (depth: number): object => (depth === 0 ? {} : { all: Array(20).fill(groups(depth - 1)) })
  const most = await s.request('QUERY /products', {}, groups(3))
  assert.equal(most.json.errors.length, 1, 'reading ends at the first node too many')
})

it('content has at most 64 KiB (RFC 9110 §15.5.14): one octet more is 413', async () => {
  const padded = (length: number) => `{"stock":1${' '.repeat(length - 11)}}`
  const type = { 'content-type': 'application/json' }
  assert.equal((await s.request('QUERY /products', type, padded(65_536))).status, 200)
  assert.equal((await s.request('QUERY /products', type, padded(65_537))).status, 413)
})

it('an item has no QUERY: 405', async () => {
  assert.equal((await s.request('QUERY /products/A', {}, {})).status, 405)
})
