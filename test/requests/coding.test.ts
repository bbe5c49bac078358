/** Content codings of requests and responses (RFC 9110 §8.4, §12.5.3). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, deflateSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { anyone, resource, service, text } from 'restwell'
import { cases } from '../cases.ts'
import { serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = service({
  title: 'Notes',
  resources: { notes: resource({ title: text({ max: 100_000 }) }, { access: open }) },
})

const decoders = {
  identity: (octets: Buffer) => octets,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const

/** A note whose representation has exactly so many octets. */
async function noteOf(s: TestService, octets: number): Promise<string> {
  const created = await s.request('POST /notes', {}, { title: 'x' })
  const title = 'x'.repeat(1 + octets - created.octets.length)
  const uri = created.fields.location as string
  assert.equal((await s.request(`PATCH ${uri}`, {}, { title })).octets.length, octets)
  return uri
}

describe('responses', () => {
  test('more than 1024 octets are coded, 1024 are not', async () => {
    await using s = await serve(notes)
    const accepted = { 'accept-encoding': 'gzip' }
    const small = await s.request(`GET ${await noteOf(s, 1024)}`, accepted)
    assert.equal(small.fields['content-encoding'], undefined)
    const large = await s.request(`GET ${await noteOf(s, 1025)}`, accepted)
    assert.equal(large.fields['content-encoding'], 'gzip')
    assert.equal(gunzipSync(large.octets).length, 1025)
  })

  test('octets are counted, not characters', async () => {
    await using s = await serve(notes)
    const accepted = { 'accept-encoding': 'br' }
    const { location } = (await s.request('POST /notes', {}, { title: '€'.repeat(350) })).fields
    assert.equal((await s.request(`GET ${location}`, accepted)).fields['content-encoding'], 'br')
  })

  test('each coding is the same content, smaller, under a tag of its own (§8.8.3.3)', async () => {
    await using s = await serve(notes)
    const uri = await noteOf(s, 5000)
    const plain = await s.request(`GET ${uri}`)
    const tags = new Set([plain.fields.etag])
    for (const coding of ['gzip', 'br', 'zstd'] as const) {
      const reply = await s.request(`GET ${uri}`, { 'accept-encoding': coding })
      assert.equal(reply.fields['content-encoding'], coding)
      assert.equal(Number(reply.fields['content-length']), reply.octets.length)
      assert.ok(reply.octets.length < plain.octets.length / 2)
      assert.deepEqual(decoders[coding](reply.octets), plain.octets)
      tags.add(reply.fields.etag)
    }
    assert.equal(tags.size, 4)
  })

  test('Accept-Encoding is followed to the letter (§12.5.3)', async () => {
    await using s = await serve(notes)
    const uri = await noteOf(s, 5000)
    const chosen: [string, string | undefined][] = [
      ['', undefined],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['deflate', undefined],
      ['gzip;q=0', undefined],
      ['gzip;q=0.5, br;q=0.8', 'br'],
      ['gzip, br, zstd', 'zstd'],
      ['*', 'zstd'],
      ['*, zstd;q=0', 'br'],
      ['gzip;q=0.5, identity', undefined],
      ['identity;q=0.5, gzip;q=0.5', 'gzip'],
      ['identity;q=0, gzip', 'gzip'],
      ['*;q=0, gzip', 'gzip'],
    ]
    for (const [accepted, coding] of chosen) {
      const reply = await s.request(`GET ${uri}`, { 'accept-encoding': accepted })
      assert.equal(reply.status, 200, accepted)
      assert.equal(reply.fields['content-encoding'], coding, accepted)
    }
    const without = await s.request(`GET ${uri}`)
    assert.equal(without.fields['content-encoding'], undefined)
  })

  test('if identity is excluded even small content is encoded, with a separate entity tag', async () => {
    await using s = await serve(notes)
    const uri = await noteOf(s, 200)
    const plain = await s.request(`GET ${uri}`, { 'accept-encoding': 'gzip' })
    const forced = { 'accept-encoding': 'gzip, identity;q=0' }
    const coded = await s.request(`GET ${uri}`, forced)
    assert.equal(coded.fields['content-encoding'], 'gzip')
    assert.deepEqual(gunzipSync(coded.octets), plain.octets)
    assert.notEqual(coded.fields.etag, plain.fields.etag)
    const known = (fields: object, tag: unknown) =>
      s.request(`GET ${uri}`, { ...fields, 'if-none-match': tag as string })
    assert.equal((await known(forced, coded.fields.etag)).status, 304)
    assert.equal((await known(forced, plain.fields.etag)).status, 200)
    assert.equal((await known({ 'accept-encoding': 'gzip' }, coded.fields.etag)).status, 200)
  })

  test('if identity is excluded a streamed list is coded, and has no entity tag', async () => {
    await using s = await serve(notes)
    await noteOf(s, 200)
    const fields = { accept: 'application/x-ndjson', 'accept-encoding': 'gzip, identity;q=0' }
    const coded = await s.request('GET /notes', fields)
    assert.equal(coded.status, 200)
    assert.equal(coded.fields['content-encoding'], 'gzip')
    assert.equal(coded.fields.etag, undefined)
    assert.equal(gunzipSync(coded.octets).toString().split('\n').length, 2)
  })

  test('406 where nothing is left, before anything has an effect; DELETE shows nothing (§12.5.3)', async () => {
    await using s = await serve(notes)
    const uri = await noteOf(s, 200)
    for (const accepted of ['*;q=0', 'identity;q=0', 'deflate, identity;q=0', 'identity;q=0, gzip;q=0']) {
      const nothing = { 'accept-encoding': accepted }
      assert.equal((await s.request(`GET ${uri}`, nothing)).status, 406, accepted)
      const refused = await s.request('POST /notes', nothing, { title: 'A' })
      assert.equal(refused.status, 406)
      assert.deepEqual(refused.json.offered, ['identity', 'zstd', 'br', 'gzip'])
    }
    assert.equal((await s.request('GET /notes')).json.length, 1)
    assert.equal((await s.request(`DELETE ${uri}`, { 'accept-encoding': '*;q=0' })).status, 204)
  })

  test('responses to writes are coded too', async () => {
    await using s = await serve(notes)
    const accepted = { 'accept-encoding': 'zstd' }
    const created = await s.request('POST /notes', accepted, { title: 'x'.repeat(2000) })
    assert.equal(created.fields['content-encoding'], 'zstd')
    const { id } = JSON.parse(zstdDecompressSync(created.octets).toString())
    assert.equal(created.fields.location, `/notes/${id}`)
    assert.equal(created.fields.etag, (await s.request(`GET /notes/${id}`, accepted)).fields.etag)
  })

  test('for any Accept-Encoding the content decodes to the same octets (random)', async (t) => {
    await using s = await serve(notes)
    const uri = await noteOf(s, 3000)
    const plain = await s.request(`GET ${uri}`)
    const element = fc
      .tuple(
        fc.constantFrom('gzip', 'br', 'zstd', 'identity', '*', 'deflate', 'x'),
        fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ';q=2', ' ; Q=0.1'),
      )
      .map((parts) => parts.join(''))
    const property = fc.asyncProperty(fc.array(element, { maxLength: 5 }), async (elements) => {
      const reply = await s.request(`GET ${uri}`, { 'accept-encoding': elements.join(', ') })
      if (reply.status === 406) return
      const coding = (reply.fields['content-encoding'] ?? 'identity') as keyof typeof decoders
      assert.deepEqual(decoders[coding](reply.octets), plain.octets)
    })
    const seed = Date.now() % 2 ** 31
    t.diagnostic(`seed ${seed}`)
    await fc.assert(property, { seed, numRuns: cases(1000) })
  })
})

describe('requests', () => {
  const asJson = { 'content-type': 'application/json' }
  const coded = (value: unknown) => gzipSync(JSON.stringify(value))

  test('gzip and x-gzip are decoded (§8.4.1.3)', async () => {
    await using s = await serve(notes)
    for (const coding of ['gzip', 'x-gzip', 'GZIP']) {
      const fields = { ...asJson, 'content-encoding': coding }
      const created = await s.request('POST /notes', fields, coded({ title: coding }))
      assert.equal(created.status, 201, created.text)
      assert.equal(created.json.title, coding)
    }
  })

  test('the limit applies to decoded content: exactly as much is accepted, one octet more is 413', async () => {
    await using s = await serve(notes, { limits: { content: 2000 } })
    const fields = { ...asJson, 'content-encoding': 'gzip' }
    const body = (octets: number) => gzipSync(JSON.stringify({ title: 'x' }).padEnd(octets))
    assert.equal((await s.request('POST /notes', fields, body(2000))).status, 201)
    assert.equal((await s.request('POST /notes', fields, body(2001))).status, 413)
  })

  test('a gzip bomb is 413, and is not expanded', async () => {
    await using s = await serve(notes)
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
    assert.ok(bomb.length < 1024 * 1024)
    const before = process.memoryUsage().rss
    const reply = await s.request('POST /notes', { ...asJson, 'content-encoding': 'gzip' }, bomb)
    assert.equal(reply.status, 413)
    assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024)
  })

  test('content that is not gzip, or truncated gzip, is 400 with that reason', async () => {
    await using s = await serve(notes)
    const fields = { ...asJson, 'content-encoding': 'gzip' }
    const good = coded({ title: 'A' })
    for (const body of [Buffer.from('{"title":"A"}'), good.subarray(0, -4), deflateSync('{}')]) {
      const { status, json } = await s.request('POST /notes', fields, body)
      assert.equal(status, 400)
      assert.equal(json.detail, 'The content is not valid gzip.')
    }
  })

  test('any other coding, or gzip twice, is 415 with Accept-Encoding (§15.5.16)', async () => {
    await using s = await serve(notes)
    for (const coding of ['br', 'deflate', 'gzip, gzip', 'zstd', 'x']) {
      const reply = await s.request('POST /notes', { ...asJson, 'content-encoding': coding }, 'x')
      assert.equal(reply.status, 415, coding)
      assert.equal(reply.fields['accept-encoding'], 'gzip')
      assert.equal(reply.fields.accept, undefined)
    }
  })
})
