/** The home page: the figures of each collection, of the items that the caller may read. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, state } from '../../src/index.ts'
import { as, openShop } from '../browser/shop.ts'
import { admin, serve } from '../service.ts'

test('the home page counts what the caller may read, by state, and offers a new item', async () => {
  await using shop = await openShop(2)
  for (const slug of ['a', 'b']) await shop.request('POST /articles', as('editor'), { slug, title: slug })
  const card = async (name: string, who = {}) => {
    const { text } = await shop.request('GET /', { accept: 'text/html', ...who })
    return new RegExp(`<li class="card"><a href="/${name}">.*?</li>`, 's').exec(text)?.[0] ?? ''
  }
  const mine = await card('articles', admin)
  assert.match(mine, /<p>2 articles, changed <time/)
  assert.match(mine, /2 draft, 0 published, 0 archived/)
  assert.match(mine, /<a href="\/forms\/articles">New article<\/a>/)
  const anonymous = await card('articles')
  assert.match(anonymous, /<p>0 articles<\/p>/)
  assert.doesNotMatch(anonymous, /New article|draft/)
  assert.match(await card('products'), /<p>2 products, changed/)
})

test('the bar of a collection has the tones of its states', async () => {
  const access = { read: anyone, create: anyone, update: anyone }
  const status = state({
    initial: 'open',
    transitions: { start: { from: 'open', to: 'begun' }, end: { from: 'begun', to: 'done' } },
    tones: { begun: 'warning', done: 'good' },
  })
  await using site = await serve(
    service({ title: 'Tasks', resources: { tasks: resource({ status }, { access }) } }),
  )
  await site.request('POST /tasks', {}, {})
  const { text } = await site.request('GET /', { accept: 'text/html' })
  const looks = [...text.matchAll(/<rect (\S+) x=/g)].map(([, look]) => look)
  assert.deepEqual(looks, ['class="part-0"', 'data-tone="warning"', 'data-tone="good"'])
})
