/** HTML pages of lists: what they count, their facets, columns, order, refused filters and sizes. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { anyone, choice, resource, service, text } from '../../src/index.ts'
import { as, openShop } from '../browser/shop.ts'
import { admin, serve } from '../service.ts'

const browser = { accept: 'text/html' }

test('a list says which of how many items it shows', async () => {
  await using shop = await openShop(60)
  const read = async (uri: string) => (await shop.request(`GET ${uri}`, browser)).text
  const first = await read('/products')
  assert.match(first, /<p class="count">1–50 of 60 products<\/p>/)
  const next = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&')
  assert.match(await read(String(next)), /<p class="count">51–60 of 60 products<\/p>/)
  assert.match(await read('/products?stock=0'), /<p class="count">8 products<\/p>/)
  assert.match(await read('/products?sku=TEA-001'), /<p class="count">1 product<\/p>/)
  assert.match(await read('/products?limit=20'), /<p class="count">1–20 of 60 products<\/p>/)
})

test('a list of more than 10,000 items is not counted, and its facets have no counts', async () => {
  const access = { read: anyone, create: anyone }
  const notes = resource({ title: text(), kind: choice(['a', 'b']).default('a') }, { access, bulk: true })
  await using site = await serve(service({ title: 'Notes', resources: { notes } }))
  const many = Array.from({ length: 1000 }, (_, at) => ({ title: `Note ${at}` }))
  for (let batch = 0; batch < 10; batch += 1) await site.request('POST /notes', {}, many)
  const within = await site.request('GET /notes', browser)
  assert.match(within.text, /1–50 of 10,000 notes/)
  assert.match(within.text, />A <small>10,000<\/small>/)
  await site.request('POST /notes', {}, { title: 'One more' })
  const beyond = await site.request('GET /notes', browser)
  assert.match(beyond.text, /1–50 of many notes<\/p>/)
  assert.doesNotMatch(beyond.text, />A <small>/)
})

test('facets count the items that the caller may read, under the other filters', async () => {
  await using shop = await openShop()
  for (const slug of ['a', 'b', 'c']) {
    await shop.request('POST /articles', as('editor'), { slug, title: slug.toUpperCase() })
  }
  const { json: mine } = await shop.request('POST /articles', as('member'), { slug: 'd', title: 'D' })
  await shop.request(`PATCH /articles/${mine.id}`, as('member'), { status: 'published' })
  const facetsOf = async (uri: string, who = {}) => {
    const { text } = await shop.request(`GET ${uri}`, { ...browser, ...who })
    const facets = /<nav class="facets".*?<\/nav>/s.exec(text)?.[0] ?? ''
    return [...facets.matchAll(/>([^<>]+) <small>(\d+)<\/small>/g)].map(
      ([, name, count]) => `${name} ${count}`,
    )
  }
  const all = ['The editor 3', 'The member 1', 'Draft 3', 'Published 1', 'Archived 0']
  assert.deepEqual(await facetsOf('/articles', admin), all)
  const drafts = ['The editor 3', 'Draft 3', 'Published 1', 'Archived 0']
  assert.deepEqual(await facetsOf('/articles?status=draft', admin), drafts)
  const anonymous = ['The member 1', 'Draft 0', 'Published 1', 'Archived 0']
  assert.deepEqual(await facetsOf('/articles'), anonymous)
})

test('the header of a reference sorts by the title that the column shows', async () => {
  await using shop = await openShop()
  await shop.request('POST /articles', as('editor'), { slug: 'a', title: 'A' })
  const { text } = await shop.request('GET /articles', { ...browser, ...admin })
  assert.match(text, /<a href="\/articles\?sort=author\.name">Author<\/a>/)
  const sorted = await shop.request('GET /articles?sort=author.name', { ...browser, ...admin })
  assert.equal(sorted.status, 200)
  assert.match(sorted.text, /aria-sort="ascending"><a href="\/articles\?sort=-author\.name">Author/)
})

test('the columns of a list can be chosen; the form sends each name for itself', async () => {
  await using shop = await openShop(1)
  const chosen = await shop.request('GET /forms/products?fields=name&fields=createdAt&sort=-name', browser)
  assert.equal(chosen.status, 303)
  assert.equal(chosen.fields.location, '/products?sort=-name&fields=name,createdAt')
  const { text } = await shop.request(`GET ${chosen.fields.location}`, browser)
  const heads = [...text.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]+)/g)].map(([, name]) => name)
  assert.deepEqual(heads, ['Name', 'Created at'])
  assert.match(text, /name="fields" value="name" checked/)
  assert.match(text, /name="fields" value="price">/)
})

test('a refused filter shows its form again, with the value and the fault', async () => {
  await using shop = await openShop(1)
  const refused = await shop.request('GET /products?price%5Bgte%5D=dear&stock%5Blte%5D=3', browser)
  assert.equal(refused.status, 400)
  assert.match(refused.text, /<input id="filter-price-gte-"[^>]* value="dear"[^>]* aria-invalid="true"/)
  assert.match(refused.text, /<p class="fault" id="filter-price-gte--fault">Must be a decimal/)
  assert.match(refused.text, /<input id="filter-stock-lte-"[^>]* value="3"/)
  const unknown = await shop.request('GET /products?pice=3', browser)
  assert.doesNotMatch(unknown.text, /<form class="filter"/)
})

test('an empty list offers the next step', async () => {
  await using shop = await openShop()
  const read = async (uri: string, who = {}) =>
    (await shop.request(`GET ${uri}`, { ...browser, ...who })).text
  assert.match(
    await read('/products?stock=1'),
    /No products match\..*<a class="button" href="\/products">Clear filters/s,
  )
  assert.match(await read('/products', admin), /No products yet\..*>New product<\/a>/s)
  assert.doesNotMatch(await read('/products'), />New product</)
})

test('long lists in a cell are cut, with the number of the others', async () => {
  await using shop = await openShop()
  await shop.request('POST /articles', as('editor'), {
    slug: 'a',
    title: 'A',
    tags: ['1', '2', '3', '4', '5'],
  })
  const { text } = await shop.request('GET /articles', { ...browser, ...admin })
  assert.match(text, /<li>3<\/li><li>\+2<\/li><\/ul>/)
})

test('a page of 50 rows has less than 40 kB (8 kB compressed), CSS 10 kB and the script 25 kB compressed', async () => {
  await using shop = await openShop()
  for (let number = 0; number < 50; number += 1) {
    const title = `The title of article number ${number}, which has a usual length`
    await shop.request('POST /articles', as('editor'), {
      slug: `article-${number}`,
      title,
      tags: ['http', 'rest'],
    })
  }
  const { text } = await shop.request('GET /articles', { ...browser, ...admin })
  assert.equal(text.match(/<tr>/g)?.length, 51)
  assert.ok(Buffer.byteLength(text) < 40_000, `${Buffer.byteLength(text)} octets`)
  assert.ok(gzipSync(text).length < 8000, `${gzipSync(text).length} octets compressed`)
  for (const [kind, most] of [
    ['css', 10_000],
    ['js', 25_000],
  ] as const) {
    const name = new RegExp(`/assets/[^"]+\\.${kind}`).exec(text)?.[0]
    const size = gzipSync((await shop.request(`GET ${name}`)).text).length
    assert.ok(size < most, `${kind}: ${size} octets compressed`)
  }
})
