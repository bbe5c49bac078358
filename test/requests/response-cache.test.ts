/** Pages that are sent as they were: never one that is no longer true, and never without bound. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, ref, resource, service, text } from '../../src/index.ts'
import { createResponseCache } from '../../src/requests/read/response-cache.ts'
import type { RowQuery } from '../../src/store/store.ts'
import { handling } from '../handling.ts'
import { maskPositions } from '../positions.ts'
import { type Reply, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const authors = resource({ slug: text({ max: 20 }), name: text({ max: 20 }) }, { access: open, key: 'slug' })
const books = resource({ title: text({ max: 50 }), author: ref('authors') }, { access: open })
const library = service({ title: 'Library', resources: { authors, books } })

const page = (body: string) => ({ status: 200, fields: { ETag: '"1"' }, body })

test('a response is cached when it is requested again, and removed when its revisions change', () => {
  const memory = createResponseCache()
  memory.put('books', '1', page('one'))
  assert.equal(memory.get('books', '1'), undefined)
  memory.put('books', '1', page('one'))
  assert.equal(memory.get('books', '1')?.body, 'one')
  assert.equal(memory.get('books', '2'), undefined)
  assert.equal(memory.get('books', '1'), undefined)
})

test('a full cache evicts the least recently used response, and never stores a huge one', () => {
  const memory = createResponseCache(8_000)
  const twice = (name: string, body: string) => {
    memory.put(name, '1', page(body))
    memory.put(name, '1', page(body))
  }
  for (const name of ['a', 'b', 'c']) twice(name, 'x'.repeat(2_000))
  assert.ok(memory.get('a', '1'))
  twice('d', 'x'.repeat(2_000))
  assert.equal(memory.get('b', '1'), undefined)
  assert.ok(memory.get('a', '1'))
  const large = createResponseCache()
  large.put('e', '1', page('x'.repeat(200_000)))
  large.put('e', '1', page('x'.repeat(200_000)))
  assert.equal(large.get('e', '1'), undefined)
})

test('a page whose table is written during loading has the tag of the state that it shows (RFC 9110 §8.8.1)', async () => {
  await using s = await handling(library)
  const { store } = s.service
  const list = store.list.bind(store)
  let loads = 0
  Object.assign(store, {
    revision: () => (loads === 0 ? 7 : 8),
    list(question: RowQuery) {
      loads += 1
      return list(question)
    },
  })
  const { fields } = await s.handle('GET /authors')
  assert.match(fields.etag ?? '', /^"r8-/)
  assert.equal(loads, 2)
})

const linksOf = (reply: Reply | undefined) => maskPositions(String(reply?.fields.link))

test('a cached list shows every change at once, and the same octets between changes', async () => {
  await using s = await serve(library)
  await s.request('POST /authors', {}, { slug: 'ada', name: 'Ada' })
  for (const title of ['One', 'Two']) await s.request('POST /books', {}, { title, author: 'ada' })
  const read = async () => {
    const replies = []
    for (let time = 0; time < 4; time += 1) replies.push(await s.request('GET /books?embed=author'))
    for (const reply of replies) {
      assert.equal(reply.text, replies[0]?.text)
      assert.equal(reply.fields.etag, replies[0]?.fields.etag)
      assert.equal(linksOf(reply), linksOf(replies[0]))
    }
    return replies[0]!
  }
  const before = await read()
  // Embedded items, and the key that a reference shows, belong to another table.
  await s.request('PATCH /authors/ada', patch, { name: 'Augusta' })
  const renamed = await read()
  assert.notEqual(renamed.fields.etag, before.fields.etag)
  assert.match(renamed.text, /Augusta/)
  await s.request('PATCH /authors/ada', patch, { slug: 'countess' })
  assert.match((await read()).text, /"author":"countess"/)
  const [first] = (await read()).json
  await s.request(`DELETE /books/${first.id}`)
  assert.equal((await read()).json.length, 1)
})

test('formats, codings and preferences have separate cache entries', async () => {
  await using s = await serve(library)
  await s.request('POST /authors', {}, { slug: 'ada', name: 'Ada' })
  for (let at = 0; at < 30; at += 1) {
    await s.request('POST /books', {}, { title: `Book ${at}`, author: 'ada' })
  }
  for (let time = 0; time < 3; time += 1) {
    const plain = await s.request('GET /books')
    const coded = await s.request('GET /books', { 'accept-encoding': 'gzip' })
    const xml = await s.request('GET /books', { accept: 'application/xml' })
    const counted = await s.request('GET /books', { prefer: 'count=exact' })
    const head = await s.request('HEAD /books')
    assert.equal(plain.fields['content-encoding'], undefined)
    assert.equal(coded.fields['content-encoding'], 'gzip')
    assert.match(xml.text, /^<\?xml/)
    assert.equal(counted.fields['total-count'], '30')
    assert.equal(plain.fields['total-count'], undefined)
    assert.equal(head.text, '')
    assert.equal(head.fields.etag, plain.fields.etag)
    assert.equal(new Set([plain, coded, xml].map(({ fields }) => fields.etag)).size, 3)
  }
})

const patch = { 'content-type': 'application/merge-patch+json' }
