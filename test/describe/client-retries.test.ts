/** Requests that the client repeats, and changes that it follows over broken connections. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from 'restwell/client'
import definition from '../../examples/shop.ts'
import { openService } from '../../src/index.ts'
import { eventually } from '../eventually.ts'
import { authorization, options, tea } from './client-shop.ts'

/** Returns these responses first, then passes requests on. */
function failing(responses: (Response | Error)[], handle: (request: Request) => Promise<Response>) {
  const sent: Request[] = []
  const fetch = async (request: Request) => {
    sent.push(request.clone())
    const response = responses.shift()
    if (response instanceof Error) throw response
    return response ?? handle(request)
  }
  return { sent, fetch }
}

const unavailable = () => new Response(null, { status: 503, headers: { 'retry-after': '0' } })

test('safe requests and requests with a key are repeated, with the same key', async () => {
  await using service = await openService(definition, options)
  const { sent, fetch } = failing([unavailable(), new TypeError('lost')], service.handle)
  const { products } = client<typeof definition>('http://localhost', { authorization, fetch })
  await products.create(tea)
  assert.equal(sent.length, 3)
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  assert.match(keys[0] ?? '', /^"[0-9a-f]{32}"$/)
  assert.equal(new Set(keys).size, 1)
})

test('other requests are sent once', async () => {
  await using service = await openService(definition, options)
  const { sent, fetch } = failing([unavailable()], service.handle)
  const { products } = client<typeof definition>('http://localhost', { authorization, fetch })
  await assert.rejects(products.remove('TEA'), { status: 503 })
  assert.equal(sent.length, 1)
})

test('retries end, and so does patience: more than a minute is not waited for', async () => {
  await using service = await openService(definition, options)
  const few = failing([unavailable(), unavailable(), unavailable()], service.handle)
  const twice = client<typeof definition>('http://localhost', { fetch: few.fetch, retries: 2 })
  await assert.rejects(twice.products.list(), { status: 503 })
  assert.equal(few.sent.length, 3)
  const late = new Response(null, { status: 429, headers: { 'retry-after': '61' } })
  const long = failing([late], service.handle)
  const patient = client<typeof definition>('http://localhost', { fetch: long.fetch })
  await assert.rejects(patient.products.list(), { status: 429 })
  assert.equal(long.sent.length, 1)
})

test('changes yields each change once, over broken connections, 429 and 503', async () => {
  const service = await openService(definition, options)
  let requests = 0
  const unreliable = async (request: Request) => {
    requests += 1
    if (requests === 2) return new Response(null, { status: 503, headers: { 'retry-after': '0' } })
    if (requests === 3) return new Response(null, { status: 429, headers: { 'retry-after': '0' } })
    if (requests === 4) throw new TypeError('The connection failed')
    const response = await service.handle(request)
    return requests === 1 ? cutAfter(response, 3) : response
  }
  const api = client<typeof definition>('http://localhost', { authorization, fetch: unreliable, retries: 0 })
  const { products } = client<typeof definition>('http://localhost', {
    authorization,
    fetch: (request) => service.handle(request),
  })
  const changes = api.products.changes({ stock: { gte: 1 } })
  const first = changes.next()
  await eventually(() => requests > 0)
  const skus = ['A', 'B', 'C', 'D']
  for (const sku of skus) await products.create({ ...tea, sku, stock: 1 })
  await products.create({ ...tea, sku: 'NONE' })
  const seen = [(await first).value]
  while (seen.length < skus.length) seen.push((await changes.next()).value)
  await changes.return()
  assert.deepEqual(
    seen.map((change) => change?.item?.sku),
    skus,
  )
  assert.ok(requests > 4)
  const rest = api.products.changes({ after: seen[1]?.id as string })
  assert.equal((await rest.next()).value?.item?.sku, 'C')
  await rest.return()
  await service.close()
})

/** The response, whose connection breaks after so many parts of its body. Its client connects again soon. */
function cutAfter({ status, headers, body }: Response, count: number): Response {
  let left = count
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      const text = new TextDecoder().decode(part)
      controller.enqueue(new TextEncoder().encode(text.replace(/^retry: .*/, 'retry: 10')))
      left -= 1
      if (left === 0) controller.error(new TypeError('The connection broke'))
    },
  })
  return new Response(body?.pipeThrough(cut) ?? null, { status, headers })
}
