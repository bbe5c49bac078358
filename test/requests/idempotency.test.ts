/** Idempotency-Key: one effect, and the same response again (docs/reference/http.md, "Methods"). */

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { describe, test } from 'node:test'
import { createService } from '../../src/service/service.ts'
import { cases } from '../cases.ts'
import { lastingDatabase, readRows } from '../database.ts'
import { eventually } from '../eventually.ts'
import { type Reply, serve, type TestService } from '../service.ts'
import { countOf, key, note, notes } from './keyed-notes.ts'

const day = 24 * 60 * 60 * 1000

/** Everything by which a client can distinguish two responses. */
function comparableParts({ status, fields, text }: Reply) {
  const { date, 'request-id': _, ...others } = fields
  return { status, fields: others, text }
}

describe('the same request under the same key', () => {
  test('POST creates one item and has the same response each time: status, body, Location, entity tag', async () => {
    await using s = await serve(notes)
    const first = await s.request('POST /notes', key, note)
    assert.equal(first.status, 201)
    for (let n = 0; n < 3; n += 1) {
      assert.deepEqual(comparableParts(await s.request('POST /notes', key, note)), comparableParts(first))
    }
    assert.equal(await countOf(s), 1)
    assert.equal((await s.request('POST /notes', {}, note)).status, 201)
    assert.equal(await countOf(s), 2)
  })

  test('PATCH is applied once, and its response is repeated even after the item has changed', async () => {
    await using s = await serve(notes)
    const { location } = (await s.request('POST /notes', {}, note)).fields
    const first = await s.request(`PATCH ${location}`, key, { count: 1 })
    await s.request(`PATCH ${location}`, {}, { count: 2 })
    assert.deepEqual(
      comparableParts(await s.request(`PATCH ${location}`, key, { count: 1 })),
      comparableParts(first),
    )
    assert.equal((await s.request(`GET ${location}`)).json.count, 2)
  })

  test('POST of many items creates them once, and shows them again', async () => {
    await using s = await serve(notes)
    const many = [{ name: 'A' }, { name: 'B' }]
    const first = await s.request('POST /parts', key, many)
    assert.equal(first.status, 201, first.text)
    assert.deepEqual(comparableParts(await s.request('POST /parts', key, many)), comparableParts(first))
    assert.equal(await countOf(s, 'parts'), 2)
  })

  test('the response to a PATCH that changes nothing is stored too', async () => {
    await using s = await serve(notes)
    const { location } = (await s.request('POST /notes', {}, note)).fields
    const first = await s.request(`PATCH ${location}`, key, { count: 0 })
    await s.request(`PATCH ${location}`, {}, { count: 2 })
    assert.deepEqual(
      comparableParts(await s.request(`PATCH ${location}`, key, { count: 0 })),
      comparableParts(first),
    )
  })

  test('the stored response precedes preconditions that the first request made false (docs/reference/http.md, "Order of decisions")', async () => {
    await using s = await serve(notes)
    const { location, etag } = (await s.request('POST /notes', {}, note)).fields
    const fields = { ...key, 'if-match': etag as string }
    const first = await s.request(`PATCH ${location}`, fields, { count: 1 })
    assert.equal(first.status, 200)
    assert.deepEqual(
      comparableParts(await s.request(`PATCH ${location}`, fields, { count: 1 })),
      comparableParts(first),
    )
  })

  test('an empty response is empty again: Prefer, and items that the caller may not read', async () => {
    await using s = await serve(notes)
    for (const [path, more] of [
      ['/notes', { prefer: 'return=minimal' }],
      ['/dropbox', {}],
    ] as const) {
      const first = await s.request(`POST ${path}`, { ...key, ...more }, note)
      assert.equal(first.octets.length, 0)
      const again = await s.request(`POST ${path}`, { ...key, ...more }, note)
      assert.deepEqual(comparableParts(again), comparableParts(first))
      assert.equal(await countOf(s, path.slice(1)), 1)
    }
  })

  test('the content coding is negotiated again, the content is the same', async () => {
    await using s = await serve(notes)
    const large = { title: 'x'.repeat(2000) }
    const coded = { ...key, 'accept-encoding': 'gzip' }
    const first = await s.request('POST /notes', coded, large)
    assert.equal(first.fields['content-encoding'], 'gzip')
    assert.deepEqual(comparableParts(await s.request('POST /notes', coded, large)), comparableParts(first))
    const plain = await s.request('POST /notes', key, large)
    assert.equal(plain.fields['content-encoding'], undefined)
    assert.equal(plain.json.title, large.title)
    assert.equal(plain.fields.etag, (await s.request(`GET ${plain.fields.location}`)).fields.etag)
  })

  test('only successes are stored: a refused request may be corrected', async () => {
    await using s = await serve(notes)
    assert.equal((await s.request('POST /notes', key, {})).status, 422)
    assert.equal((await s.request('POST /notes', key, note)).status, 201)
    assert.equal(await countOf(s), 1)
  })

  test('the stored response survives a restart of the service', async (t) => {
    const database = await lastingDatabase(t)
    const responses: object[] = []
    for (let start = 0; start < 2; start += 1) {
      await using s = await serve(notes, { database })
      responses.push(comparableParts(await s.request('POST /notes', key, note)))
      assert.equal(await countOf(s), 1)
    }
    assert.deepEqual(responses[1], responses[0])
  })
})

describe('requests at the same time', () => {
  /** A request whose content is delayed until it is released. */
  function slowly(s: TestService) {
    const fields = { ...key, 'content-type': 'application/json', expect: '100-continue' }
    const options = { port: s.port, host: '127.0.0.1', method: 'POST', path: '/notes' }
    const outgoing = httpRequest({ ...options, headers: fields })
    const status = new Promise<number>((resolve, reject) => {
      outgoing.on('response', (reply) => reply.resume() && resolve(reply.statusCode ?? 0))
      outgoing.on('error', reject)
    })
    // 100 means that the service is about to read the content.
    const wanted = new Promise<void>((resolve) => outgoing.on('continue', resolve))
    outgoing.flushHeaders()
    return { outgoing, status, wanted }
  }

  test('while a request runs, another with its key is 409, and gets its response afterwards', async () => {
    await using s = await serve(notes)
    const { outgoing, status, wanted } = slowly(s)
    await wanted
    const refused = await s.request('POST /notes', key, note)
    assert.equal(refused.status, 409)
    assert.equal(refused.json.type, '/problems/request-in-progress')
    assert.ok(refused.fields['retry-after'])
    assert.equal((await s.request('POST /notes', { 'idempotency-key': 'other' }, note)).status, 201)
    outgoing.end(JSON.stringify(note))
    assert.equal(await status, 201)
    assert.equal((await s.request('POST /notes', key, note)).status, 201)
    assert.equal(await countOf(s), 2)
  })

  test('one that is broken off sets its key free', async () => {
    await using s = await serve(notes)
    const { outgoing, status, wanted } = slowly(s)
    await wanted
    outgoing.destroy()
    await assert.rejects(status)
    // The service hears of the break a moment after the client.
    const reply = await eventually(async () => {
      const again = await s.request('POST /notes', key, note)
      return again.status !== 409 && again
    })
    assert.equal(reply.status, 201)
  })

  test(`of many concurrent requests exactly one has the effect, ${cases(50)} times`, async () => {
    await using s = await serve(notes)
    for (let round = 0; round < cases(50); round += 1) {
      const own = { 'idempotency-key': `round-${round}` }
      const racing = Array.from({ length: 20 }, () => s.request('POST /notes', own, note))
      const replies = await Promise.all(racing)
      const created = replies.filter(({ status }) => status === 201)
      assert.ok(created.length >= 1)
      assert.ok(replies.every(({ status }) => status === 201 || status === 409))
      assert.equal(new Set(created.map(({ fields }) => fields.location)).size, 1)
      assert.equal(await countOf(s), round + 1)
    }
  })

  test('of two nodes on one store one has the effect, and the other sends its response', async () => {
    await using s = await serve(notes)
    const { model, store } = s.service
    const nodes = await Promise.all(
      [1, 2].map(() => createService({ model, store, observe: () => undefined })),
    )
    for (let round = 0; round < 20; round += 1) {
      const replies = await Promise.all(nodes.map(({ handle }) => handle(keyedRequest(`k${round}`))))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [201, 201],
      )
      assert.equal(replies[0]?.fields.Location, replies[1]?.fields.Location)
      assert.equal(replies[0]?.body, replies[1]?.body)
      assert.equal(await countOf(s), round + 1)
    }
  })

  function keyedRequest(name: string) {
    const octets = Buffer.from(JSON.stringify(note))
    return {
      id: '019a0000-0000-7000-8000-000000000000',
      method: 'POST',
      target: '/notes',
      fields: { 'content-type': 'application/json', 'idempotency-key': name },
      content: {
        present: true,
        length: octets.length,
        read: async () => octets,
        async *stream() {
          yield octets
        },
      },
      client: { address: '127.0.0.1', secure: false },
    }
  }
})

describe('expiry', () => {
  test('a response is stored for 24 hours; afterwards the key is new', async () => {
    await using s = await serve(notes)
    const first = await s.request('POST /notes', key, note)
    s.advance(day - 60_000)
    const within = await s.request('POST /notes', key, note)
    assert.equal(within.fields.location, first.fields.location)
    s.advance(120_000)
    const after = await s.request('POST /notes', key, { title: 'B' })
    assert.equal(after.status, 201)
    assert.notEqual(after.fields.location, first.fields.location)
    const again = await s.request('POST /notes', key, { title: 'B' })
    assert.equal(again.fields.location, after.fields.location)
  })

  test('expired responses are deleted when new ones are stored, a few at a time', async (t) => {
    const database = await lastingDatabase(t)
    await using s = await serve(notes, { database })
    const under = (name: string) => s.request('POST /notes', { 'idempotency-key': name }, note)
    for (let n = 0; n < 25; n += 1) await under(`old-${n}`)
    s.advance(day + 1000)
    const countStored = async () =>
      Number((await readRows(database, 'select count(*) from "_replays"'))[0]?.[0])
    const counts = [await countStored()]
    for (let n = 0; n < 4; n += 1) {
      await under(`new-${n}`)
      counts.push(await countStored())
    }
    assert.deepEqual(counts, [25, 16, 7, 3, 4])
  })
})
