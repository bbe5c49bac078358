/** Streams share the process: they yield to other requests, and only so many run at a time. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { openService } from 'restwell'
import { freshDatabase } from '../database.ts'
import { eventually } from '../eventually.ts'
import { serve, type TestService } from '../service.ts'
import { insertRows, rows } from './rows.ts'

interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

function begin(port: number, request: Ask = {}): Promise<IncomingMessage> {
  const headers = { accept: 'application/x-ndjson', ...request.headers }
  const { method = 'GET' } = request
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/rows', method, headers, agent: false }, resolve).on(
      'error',
      reject,
    )
  })
}

/** The number of batches of a stream, after the first, loaded in each turn of the event loop. */
function batchesPerTurn({ service: { store } }: TestService) {
  const counts: number[] = []
  const list = store.list.bind(store)
  let turn = 0
  store.list = (question) => {
    if (question.after !== undefined) counts[turn] = (counts[turn] ?? 0) + 1
    return list(question)
  }
  const timer = { stopped: false }
  const next = () => {
    turn += 1
    if (!timer.stopped) setImmediate(next)
  }
  setImmediate(next)
  return {
    stop() {
      timer.stopped = true
      return counts.filter((count) => count !== undefined)
    },
  }
}

for (const accept of ['application/x-ndjson', 'text/csv']) {
  test(`streams of ${accept} load one batch in a turn of the event loop, however many there are`, async () => {
    await using s = await serve(rows)
    await insertRows(s, 3000, 'x')
    const readers = 4
    const counter = batchesPerTurn(s)
    const incoming = await Promise.all(
      Array.from({ length: readers }, () => begin(s.port, { headers: { accept } })),
    )
    await Promise.all(incoming.map((one) => Array.fromAsync(one as AsyncIterable<Buffer>)))
    const counts = counter.stop()
    const batches = counts.reduce((sum, count) => sum + count, 0)
    assert.ok(batches >= readers * 29, String(batches))
    assert.equal(Math.max(...counts), 1)
  })
}

const streams = { perCaller: 2, perProcess: 3 }

test('a caller at its limit of streams gets 429, until one ends (RFC 6585 §4)', async () => {
  await using s = await serve(rows, { streams })
  await insertRows(s, 20_000, 'x'.repeat(1000))
  const first = await begin(s.port)
  const second = await begin(s.port)
  assert.deepEqual([first.statusCode, second.statusCode], [200, 200])
  const refused = await s.request('GET /rows', { accept: 'text/csv' })
  assert.equal(refused.status, 429)
  assert.match(refused.json.detail, /2 streams/)
  assert.match(String(refused.fields['retry-after']), /^\d+$/)
  assert.equal((await s.request('GET /rows?limit=2', { accept: 'text/csv' })).status, 200, 'a page')
  assert.equal((await s.request('HEAD /rows', { accept: 'text/csv' })).status, 200, 'no body to send')
  first.destroy()
  await once(first, 'close')
  const status = await eventually(async () => {
    const third = await begin(s.port)
    third.destroy()
    return third.statusCode !== 429 && third.statusCode
  })
  assert.equal(status, 200)
  second.destroy()
})

test('a process at its limit of streams responds with 503 (RFC 9110 §15.6.4)', async () => {
  await using s = await serve(rows, {
    streams,
    trusted: ['127.0.0.0/8'],
  })
  await insertRows(s, 20_000, 'x'.repeat(1000))
  const from = (last: number) => ({ 'x-forwarded-for': `192.0.2.${last}` })
  const begun = await Promise.all([1, 2, 3].map((last) => begin(s.port, { headers: from(last) })))
  assert.deepEqual(
    begun.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  )
  const refused = await s.request('GET /rows', { accept: 'text/csv', ...from(4) })
  assert.equal(refused.status, 503)
  assert.match(String(refused.fields['retry-after']), /^[1-5]$/)
  for (const stream of begun) stream.destroy()
})

test('streams that end, are requested with HEAD or are cut off release their place', async () => {
  await using s = await serve(rows, { streams })
  await insertRows(s, 300, 'x')
  for (let round = 0; round < 6; round += 1) {
    assert.equal((await s.request('GET /rows', { accept: 'text/csv' })).status, 200)
    assert.equal((await s.request('HEAD /rows', { accept: 'text/csv' })).status, 200)
    assert.equal((await s.request('GET /rows?limit=0', { accept: 'text/csv' })).status, 400)
  }
})

test('a response of openService with a cancelled body or for HEAD releases its place', async () => {
  await using opened = await openService(rows, { database: await freshDatabase() })
  const url = 'http://localhost/rows'
  const headers = { accept: 'text/csv' }
  for (let round = 0; round < 30; round += 1) {
    const head = await opened.handle(new Request(url, { method: 'HEAD', headers }))
    const response = await opened.handle(new Request(url, { headers }))
    // A machine that is busy with other tests may refuse either with 503.
    assert.notEqual(head.status, 429)
    assert.notEqual(response.status, 429)
    await response.body?.cancel()
  }
})
