/** The client of a service (`restwell/client` and /client.js): requests, preconditions, problems, lists. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Conflict, client, isProblem, Problem } from 'restwell/client'
import definition from '../../examples/shop.ts'
import { clientScript } from '../../src/describe/client-source.ts'
import { anyone, nobody, openService, ref, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { serve } from '../service.ts'
import { authorization, options, shopping, tea } from './client-shop.ts'

test('the script is one module without imports', () => {
  const script = clientScript(checkDefinition(definition))
  assert.doesNotMatch(script, /^\s*import[\s{]/m)
  assert.doesNotMatch(script, /require\(/)
})

test('the content of /client.js runs unchanged, over a socket, with its own service', async () => {
  await using running = await serve(definition)
  const folder = mkdtempSync(join(tmpdir(), 'restwell-client-'))
  try {
    const file = join(folder, 'client.mjs')
    writeFileSync(file, (await running.request('GET /client.js')).text)
    const module = await import(pathToFileURL(file).href)
    const api = module.client(running.url, { authorization })
    await api.products.create(tea)
    assert.equal((await api.products.get('TEA')).price, '4.50')
    await assert.rejects(api.products.get('COFFEE'), { name: 'Problem', status: 404 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('create, get, patch, replace and remove work as named', async () => {
  await using shop = await shopping()
  const { products } = shop.api
  const created = await products.create(tea)
  assert.equal(created.id, 'TEA')
  assert.equal((await products.patch('TEA', { stock: 3 })).stock, 3)
  const { stock } = await products.replace('TEA', { ...tea, stock: 9 })
  assert.equal(stock, 9)
  await products.remove('TEA')
  await assert.rejects(products.get('TEA'), { status: 404 })
})

test('a client with dryRun tries its writes, and reads as usual', async () => {
  await using shop = await shopping()
  const fetch = (request: Request) => shop.service.handle(request)
  const trial = client<typeof definition>('http://localhost', { authorization, fetch, dryRun: true })
  assert.equal((await trial.products.create(tea)).price, '4.50')
  await assert.rejects(trial.products.create({ ...tea, price: 'x' }), { name: 'Problem', status: 422 })
  await shop.api.products.create(tea)
  assert.equal((await trial.products.patch('TEA', { name: 'Green tea' })).name, 'Green tea')
  await trial.products.remove('TEA')
  assert.equal((await trial.products.get('TEA')).name, 'Tea')
})

test('a batch is one request, whose later writes use the ids of earlier ones', async () => {
  await using shop = await shopping()
  const { api, sent } = shop
  await api.products.create(tea)
  sent.length = 0
  const responses = await api.batch(({ products, articles }) => {
    products.patch('TEA', { stock: 3 })
    articles.create({ slug: 'tea', title: 'Tea' })
    products.remove('TEA')
  })
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 201, 204],
  )
  assert.equal(sent.length, 1)
  await assert.rejects(api.products.get('TEA'), { status: 404 })
  const refused = api.batch(({ products }) => {
    products.create(tea)
    products.create(tea)
  })
  await assert.rejects(refused, { name: 'Problem', status: 409, index: 1 })
  await assert.rejects(api.products.get('TEA'), { status: 404 })
})

test('an id from a batch is bound where a later write has it', async () => {
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const notes = service({
    title: 'Notes',
    resources: {
      folders: resource({ name: text() }, { access }),
      notes: resource({ title: text(), folder: ref('folders') }, { access }),
    },
  })
  const running = await openService(notes, options)
  const api = client<typeof notes>('http://localhost', { fetch: (request) => running.handle(request) })
  const [folder, note] = await api.batch((batch) => {
    const { id } = batch.folders.create({ name: 'f' })
    batch.notes.create({ title: 'n', folder: id })
  })
  const { id } = (folder?.body ?? {}) as { id: string }
  assert.deepEqual(note?.body, { ...(note?.body as object), title: 'n', folder: id })
  await api.batch(({ folders }) => folders.assert(id))
  await running.close()
})

test('a list is an array with `next`, and `all` follows it to the end', async () => {
  await using shop = await shopping()
  const { products } = shop.api
  for (let at = 1; at <= 5; at++) await products.create({ ...tea, sku: `T-${at}` })
  const page = await products.list({ limit: 2 })
  assert.ok(Array.isArray(page))
  assert.deepEqual(
    page.map(({ sku }) => sku),
    ['T-1', 'T-2'],
  )
  const second = await page.next?.()
  assert.deepEqual(
    second?.map(({ sku }) => sku),
    ['T-3', 'T-4'],
  )
  const requests: string[] = []
  for await (const { sku } of products.all({ limit: 2 })) requests.push(sku)
  assert.deepEqual(requests, ['T-1', 'T-2', 'T-3', 'T-4', 'T-5'])
  assert.equal((await products.list({ limit: 5 })).next, undefined)
})

test('a write sends the version it is based on; after a replace the item is read again', async () => {
  await using shop = await shopping()
  const { products } = shop.api
  await products.create(tea)
  await products.patch('TEA', { stock: 1 })
  await products.replace('TEA', { ...tea, stock: 2 })
  await products.patch('TEA', { stock: 3 })
  const lines = shop.sent.map(({ method, headers }) => `${method} ${headers.has('if-match')}`)
  assert.deepEqual(lines, ['POST false', 'PATCH true', 'PUT true', 'GET false', 'PATCH true'])
})

test('a lost race is a Conflict with both versions, and the next write is based on the newer', async () => {
  await using shop = await shopping()
  const { products } = shop.api
  await products.create(tea)
  const { fetch } = { fetch: shop.service.handle }
  const other = client<typeof definition>('http://localhost', { authorization, fetch })
  await other.products.patch('TEA', { stock: 7 })
  const lost = await products.patch('TEA', { name: 'Green tea' }).catch((error) => error)
  assert.ok(lost instanceof Conflict && lost instanceof Problem)
  assert.equal(lost.status, 412)
  assert.deepEqual(lost.sent, { name: 'Green tea' })
  assert.equal((lost.current as { stock: number }).stock, 7)
  const merged = await products.patch('TEA', { name: 'Green tea' })
  assert.deepEqual([merged.name, merged.stock], ['Green tea', 7])
})

test('a problem is an error with its members', async () => {
  await using shop = await shopping()
  const error = await shop.api.products.create({ ...tea, price: 'much' }).catch((thrown) => thrown)
  assert.ok(error instanceof Problem)
  assert.equal(error.type, '/problems/invalid-content')
  assert.equal(error.errors?.[0]?.pointer, '/price')
  assert.match(error.message, /Invalid content/)
})

test('isProblem tells types of problems apart, also where their documents are elsewhere', async () => {
  await using shop = await shopping()
  await shop.api.products.create(tea)
  const refused = await shop.api.products.create(tea).catch((error: unknown) => error)
  assert.equal(isProblem(refused, 'duplicate'), true)
  assert.equal(isProblem(refused, 'not-found'), false)
  assert.equal(isProblem(new TypeError('duplicate'), 'duplicate'), false)
  const type = 'https://iana.org/assignments/http-problem-types#completed-upload'
  assert.equal(isProblem(new Problem(409, { type }), 'completed-upload'), true)
})

test('session has the account and the roles of the caller', async () => {
  await using shop = await shopping()
  const me = await shop.api.session()
  assert.deepEqual(me?.roles, ['admin'])
  assert.equal(me?.account, `/users/${me?.id}`)
  const { session } = client<typeof definition>('http://localhost', { fetch: shop.service.handle })
  assert.equal(await session(), undefined)
})

test('a client can be awaited, and its authorization can be computed for each request', async () => {
  await using service = await openService(definition, options)
  let count = 0
  const created = client<typeof definition>('http://localhost', {
    fetch: service.handle,
    authorization: async () => {
      count++
      return authorization
    },
  })
  const api = await created
  await api.products.list()
  await api.products.list()
  assert.equal(count, 2)
})

test('filters, orders and operators become parameters', async () => {
  const queries: string[] = []
  const fetch = async ({ url }: Request) => {
    queries.push(decodeURIComponent(new URL(url).search))
    return Response.json([])
  }
  const { articles } = client<typeof definition>('http://localhost', { fetch })
  await articles.list({ status: 'published', sort: ['-createdAt', 'title'], limit: 5 })
  await articles.list({ slug: { in: ['a,b', 'c'] }, tags: { has: 'x' }, 'author.name': 'Ada' })
  assert.equal(queries[0], '?status=published&sort=-createdAt,title&limit=5')
  assert.equal(queries[1], '?slug[in]=a\\,b,c&tags[has]=x&author.name=Ada')
})

test('a write of an item that its writer may not read gives its id (RFC 9110 §15.3.2)', async () => {
  const access = { read: nobody, create: anyone, update: anyone, delete: anyone }
  const letters = resource({ text: text({ max: 50 }) }, { access })
  const box = service({ title: 'Letter box', resources: { letters } })
  await using running = await openService(box, { database: 'file::memory:' })
  const api = client<typeof box>('http://localhost', { fetch: running.handle })
  const created = await api.letters.create({ text: 'Dear all' })
  assert.deepEqual(Object.keys(created), ['id'])
  assert.match(created.id, /^[0-9a-f-]{36}$/)
})

test('createMany creates all items or none, and count returns the number that match', async () => {
  const access = { read: anyone, create: anyone }
  const notes = resource({ text: text({ max: 5 }).unique() }, { access, bulk: true })
  const board = service({ title: 'Board', resources: { notes } })
  await using running = await openService(board, { database: 'file::memory:' })
  const { notes: api } = client<typeof board>('http://localhost', { fetch: running.handle })
  const created = await api.createMany([{ text: 'one' }, { text: 'two' }])
  assert.deepEqual(
    created.map(({ text }) => text),
    ['one', 'two'],
  )
  await assert.rejects(api.createMany([{ text: 'three' }, { text: 'too long' }]), { status: 422 })
  assert.equal(await api.count(), 2)
  assert.equal(await api.count({ text: { in: ['one', 'three'] } }), 1)
})

test('query sends the method QUERY, and its next page repeats the query (RFC 10008 §2)', async () => {
  await using shop = await shopping()
  const { products } = shop.api
  for (const sku of ['A', 'B', 'C', 'D']) await products.create({ ...tea, sku })
  const either = { any: [{ sku: 'A' }, { not: { sku: { in: ['A', 'B'] } } }] }
  for (const condition of [either, { sku: { in: ['A', 'C', 'D'] } }]) {
    const requests: string[] = []
    let page = await products.query(condition, { sort: '-sku', limit: 1, fields: ['sku'] })
    for (;;) {
      requests.push(...page.map(({ sku }) => sku))
      const next = await page.next?.()
      if (next === undefined) break
      page = next
    }
    assert.deepEqual(requests, ['D', 'C', 'A'])
  }
  assert.ok(shop.sent.some(({ method }) => method === 'QUERY'))
})

test('get and list embed the requested references', async () => {
  await using shop = await shopping()
  const { articles } = shop.api
  const { id } = await articles.create({ slug: 'a', title: 'A' })
  const one = await articles.get(id, { embed: ['author'] })
  const [first] = await articles.list({ fields: ['title'], embed: ['author'] })
  assert.equal(one._embedded?.author?.id, one.author)
  assert.equal(first?._embedded?.author?.id, one.author)
  assert.deepEqual(Object.keys(first ?? {}).toSorted(), ['_embedded', 'author', 'id', 'title'])
})

test('a token is created without an Idempotency-Key, shown once and removed', async () => {
  await using shop = await shopping()
  const { tokens } = shop.api
  const created = await tokens.create({ name: 'build', expiresIn: 60 })
  assert.match(created.token, /^rw_/)
  assert.equal((await tokens.list())[0]?.name, 'build')
  await tokens.remove(created.id)
  assert.equal(await tokens.count(), 0)
})

test('an id that no item can have is refused before a request is sent', async () => {
  await using shop = await shopping()
  for (const id of ['', '.', '..']) {
    await assert.rejects(async () => shop.api.products.get(id), TypeError, id)
    await assert.rejects(async () => shop.api.products.remove(id), TypeError, id)
  }
  assert.equal(shop.sent.length, 0)
})

test('with sendsTags false a write sends no tag, and the last one wins', async () => {
  await using shop = await shopping()
  const fetch = (request: Request) => shop.service.handle(request)
  const { products } = client<typeof definition>('http://localhost', {
    authorization,
    fetch,
    sendsTags: false,
  })
  await products.create(tea)
  await products.get('TEA')
  await shop.api.products.patch('TEA', { stock: 1 })
  assert.equal((await products.patch('TEA', { stock: 2 })).stock, 2)
  await shop.api.products.get('TEA')
  await products.patch('TEA', { stock: 3 })
  await assert.rejects(shop.api.products.patch('TEA', { stock: 4 }), Conflict)
})
