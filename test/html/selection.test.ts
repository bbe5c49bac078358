/** The form of a list that changes several items: each is judged by itself. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, openShop } from '../browser/shop.ts'
import { admin, type TestService } from '../service.ts'

const html = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }

test('five drafts are published at once; a row that is refused says why', async () => {
  await using shop = await openShop()
  const ids = await writeArticles(shop, 5)
  await shop.request(`PATCH /articles/${ids[0]}`, as('editor'), { status: 'published' })
  const sent = await post(shop, '/batch/articles', as('editor'), { id: ids, change: 'transition:publish' })
  assert.equal(sent.status, 200, sent.text)
  assert.match(sent.text, /<h1>Publish: \d of 5 done<\/h1>/)
  const { json } = await shop.request('GET /articles', admin)
  assert.deepEqual(new Set(json.map(({ status }: { status: string }) => status)), new Set(['published']))
  // Only editors archive. The member may read published articles, but change none of them.
  const others = await post(shop, '/batch/articles', as('member'), { id: ids, change: 'delete' })
  assert.match(others.text, /<h1>Delete: 0 of 5 done<\/h1>/)
  assert.equal((await shop.request('GET /articles', admin)).json.length, 5)
})

test('a field is set on each item; invalid values and absent items are told by row', async () => {
  await using shop = await openShop(3)
  const change = { id: ['TEA-001', 'TEA-002', 'NONE'], change: 'set', field: 'stock', value: '40' }
  const set = await post(shop, '/batch/products', admin, change)
  assert.match(set.text, /<h1>Set: 2 of 3 done<\/h1>/)
  assert.match(set.text, /<a href="\/products\/NONE">NONE<\/a><\/th><td><span class="fault">/)
  assert.equal((await shop.request('GET /products/TEA-002')).json.stock, 40)
  const wrong = await post(shop, '/batch/products', admin, { ...change, value: 'many' })
  assert.match(wrong.text, /<h1>Set: 0 of 3 done<\/h1>/)
  assert.equal((await shop.request('GET /products/TEA-002')).json.stock, 40)
})

test('the results are data for programs', async () => {
  await using shop = await openShop(2)
  const body = new URLSearchParams([
    ['id', 'TEA-001'],
    ['id', 'TEA-009'],
    ['change', 'delete'],
  ]).toString()
  const { json } = await shop.request(
    'POST /batch/products',
    { ...html, accept: 'application/json', ...admin },
    body,
  )
  assert.deepEqual(
    json.results.map(({ href, status }: { href: string; status: number }) => [href, status]),
    [
      ['/products/TEA-001', 204],
      ['/products/TEA-009', 404],
    ],
  )
})

test('a list offers what the caller may do with some of its items, and nothing else is accepted', async () => {
  await using shop = await openShop(1)
  const anonymous = await shop.request('GET /products', { accept: 'text/html' })
  assert.doesNotMatch(anonymous.text, /class="pick"/)
  const editor = await shop.request('GET /products', { accept: 'text/html', ...as('editor') })
  assert.match(editor.text, /name="id" value="TEA-001" aria-labelledby="r0"><\/td><th id="r0"/)
  assert.doesNotMatch(editor.text, /value="delete"/)
  const refused = await post(shop, '/batch/products', as('editor'), { id: ['TEA-001'], change: 'delete' })
  assert.equal(refused.status, 422)
  const none = await post(shop, '/batch/products', admin, { change: 'delete' })
  assert.match(none.text, /Select items in the list first\./)
  assert.equal((await post(shop, '/batch/nothing', admin, { id: ['a'], change: 'delete' })).status, 404)
  const many = Array.from({ length: 201 }, (_, at) => `TEA-${at}`)
  assert.equal((await post(shop, '/batch/products', admin, { id: many, change: 'delete' })).status, 422)
  const json = { ...admin, accept: 'text/html' }
  assert.equal((await shop.request('POST /batch/products', json, { id: ['TEA-001'] })).status, 415)
})

test('a dry run changes nothing', async () => {
  await using shop = await openShop(1)
  const change = { id: ['TEA-001'], change: 'set', field: 'stock', value: '40' }
  const tried = await post(shop, '/batch/products?dry-run=true', admin, change)
  assert.equal(tried.status, 200)
  assert.equal((await shop.request('GET /products/TEA-001')).json.stock, 1)
})

async function writeArticles(shop: TestService, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) {
    const { json } = await shop.request('POST /articles', as('editor'), {
      slug: `a-${at}`,
      title: `Article ${at}`,
    })
    ids.push(json.id)
  }
  return ids
}

function post(
  shop: TestService,
  uri: string,
  who: Record<string, string>,
  values: Readonly<Record<string, string | readonly string[]>>,
) {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return shop.request(`POST ${uri}`, { ...html, ...who }, new URLSearchParams(pairs).toString())
}
