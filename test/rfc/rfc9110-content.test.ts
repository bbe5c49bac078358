/** RFC 9110 §8: the content of requests; malformed requests (§15.5.1). */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { serve } from '../service.ts'
import { absent, books } from './method-books.ts'

const asJson = { 'content-type': 'application/json' }

describe('malformed requests (RFC 9110 §15.5.1)', () => {
  test('a malformed If-Modified-Since, Range or Prefer is ignored, not 400 (§13.1.3, §14.2, RFC 7240)', async () => {
    await using s = await serve(books)
    const fields = {
      'if-modified-since': 'yesterday',
      'if-unmodified-since': 'tomorrow',
      range: 'pages=1-2',
      prefer: 'speed=great',
      'x-unheard-of': '?',
    }
    assert.equal((await s.request('GET /books', fields)).status, 200)
  })

  test('a repeated field that allows one value is 400 (§5.3)', async () => {
    await using s = await serve(books)
    const twice = { 'content-type': ['application/json', 'application/json'] }
    assert.equal((await s.request('POST /books', twice, '{"title":"A"}')).status, 400)
    const authorization = ['Basic YTpi', 'Basic YTpj']
    assert.equal((await s.request('GET /books', { authorization })).status, 400)
  })

  test('content that is not well-formed is 400, well-formed content against the rules 422 (§15.5.21)', async () => {
    await using s = await serve(books)
    const malformed = await s.request('POST /books', asJson, '{"title":}')
    assert.equal(malformed.status, 400)
    assert.equal(malformed.json.type, '/problems/malformed-content')
    const invalid = await s.request('POST /books', {}, { title: 1 })
    assert.equal(invalid.status, 422)
    assert.equal(invalid.json.type, '/problems/invalid-content')
  })

  test('a failed precondition precedes malformed content (§13.2.1)', async () => {
    await using s = await serve(books)
    const post = await s.request('POST /books', {}, { title: 'A' })
    const fields = { ...asJson, 'if-match': '"other"' }
    const uri = post.fields.location
    assert.equal((await s.request(`PUT ${uri}`, fields, '{')).status, 412)
    assert.equal((await s.request(`PATCH ${uri}`, fields, '{')).status, 412)
  })
})

describe('content (RFC 9110 §8, §15.5.14, §15.5.16)', () => {
  test('415 for a Content-Type lists the accepted types, and never has Accept-Encoding (§12.5.3)', async () => {
    await using s = await serve(books)
    const types =
      'application/merge-patch+json, application/json-patch+json, application/json, application/xml, application/x-www-form-urlencoded'
    const post = await s.request('POST /books', { 'content-type': 'text/plain' }, 'A')
    assert.equal(post.status, 415)
    assert.equal(post.json.type, '/problems/unsupported-media-type')
    assert.equal(post.fields.accept, 'application/json, application/xml, application/x-www-form-urlencoded')
    assert.equal(
      post.fields['accept-post'],
      'application/json, application/xml, application/x-www-form-urlencoded',
    )
    assert.equal(post.fields['accept-encoding'], undefined)
    const patch = await s.request(`PATCH ${absent}`, { 'content-type': 'text/plain' }, 'A')
    assert.equal(patch.status, 415)
    assert.equal(patch.fields.accept, types)
    assert.equal(patch.fields['accept-patch'], types)
    const put = await s.request(`PUT ${absent}`, { 'content-type': 'text/plain' }, 'A')
    assert.equal(put.status, 415)
    assert.equal(
      put.fields.accept,
      'application/json, application/xml, application/x-www-form-urlencoded, application/hal+json',
    )
  })

  test('an unsupported content coding is 415 with Accept-Encoding (§12.5.3)', async () => {
    await using s = await serve(books)
    for (const coding of ['compress', 'nonsense', 'identity, nonsense']) {
      const fields = { ...asJson, 'content-encoding': coding }
      const response = await s.request('POST /books', fields, gzipSync('{"title":"A"}'))
      assert.equal(response.status, 415, coding)
      assert.equal(response.json.type, '/problems/unsupported-content-coding')
      assert.notEqual(response.fields['accept-encoding'], undefined)
      assert.equal(response.fields.accept, undefined)
    }
    const identity = { ...asJson, 'content-encoding': 'identity' }
    assert.equal((await s.request('POST /books', identity, '{"title":"A"}')).status, 201)
  })

  test('content without Content-Type is 415 (docs/reference/http/formats.md, Formats)', async () => {
    await using s = await serve(books)
    assert.equal((await s.request('POST /books', {}, '{"title":"A"}')).status, 415)
  })

  test('PATCH accepts a merge patch as application/json too (docs/reference/http.md, Methods)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    for (const type of ['application/merge-patch+json', 'application/json', 'Application/JSON']) {
      const response = await s.request(`PATCH ${location}`, { 'content-type': type }, '{"pages":7}')
      assert.equal(response.status, 200, type)
    }
    const merge = { 'content-type': 'application/merge-patch+json' }
    assert.equal((await s.request('POST /books', merge, '{"title":"A"}')).status, 415)
  })

  test('a charset of utf-8 is tolerated, any other is 415 (RFC 8259 §11)', async () => {
    await using s = await serve(books)
    for (const [charset, status] of [
      ['utf-8', 201],
      ['UTF-8', 201],
      ['"utf-8"', 201],
      ['latin1', 415],
      ['utf-16', 415],
    ] as const) {
      const fields = { 'content-type': `application/json; charset=${charset}` }
      assert.equal((await s.request('POST /books', fields, '{"title":"A"}')).status, status, charset)
    }
  })

  test('Content-Range in PUT is 400 (§14.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    const fields = { ...asJson, 'content-range': 'bytes 0-12/13' }
    assert.equal((await s.request(`PUT ${location}`, fields, '{"title":"B"}')).status, 400)
    assert.equal((await s.request(`GET ${location}`)).json.title, 'A')
  })

  test('Content-Location and unknown fields of a PUT are not stored (§8.7, §9.3.4)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    const fields = { 'content-location': '/elsewhere', 'x-colour': 'red' }
    await s.request(`PUT ${location}`, fields, { title: 'B' })
    const response = await s.request(`GET ${location}`)
    assert.equal(response.fields['content-location'], undefined)
    assert.equal(response.fields['x-colour'], undefined)
    assert.doesNotMatch(response.text, /elsewhere|red/)
  })

  test('Content-Digest of any content is verified as it was sent, coded or not (RFC 9530 §2)', async () => {
    await using s = await serve(books)
    const content = Buffer.from('{"title":"A"}')
    const coded = gzipSync(content)
    const digestOf = (octets: Uint8Array) => `sha-256=:${hash('sha256', octets, 'base64')}:`
    const post = (fields: object, octets: Uint8Array) =>
      s.request('POST /books', { ...asJson, ...fields }, octets)
    const gzip = { 'content-encoding': 'gzip' }
    assert.equal((await post({ 'content-digest': digestOf(content) }, content)).status, 201)
    assert.equal((await post({ ...gzip, 'content-digest': digestOf(coded) }, coded)).status, 201)
    assert.equal((await post({ 'content-digest': 'sha=:AAAA:' }, content)).status, 201, 'unknown: ignored')
    for (const [fields, octets] of [
      [{ 'content-digest': digestOf(coded) }, content],
      [{ ...gzip, 'content-digest': digestOf(content) }, coded],
      [{ 'content-digest': `${digestOf(content)}, sha-512=:${hash('sha512', 'x', 'base64')}:` }, content],
      [{ 'content-digest': 'sha-256=:AAAA:' }, content],
      [{ 'content-digest': 'sha-256' }, content],
    ] as const) {
      assert.equal((await post(fields, octets)).status, 400)
    }
    assert.equal((await s.request('GET /books')).json.length, 3)
    const wrong = { ...asJson, 'content-digest': digestOf(coded) }
    assert.equal((await s.request('QUERY /books', wrong, '{}')).status, 400)
    assert.equal(
      (await s.request('QUERY /books', { ...wrong, 'content-digest': digestOf(Buffer.from('{}')) }, '{}'))
        .status,
      200,
    )
  })

  test('content of the maximum length is accepted, one octet more is 413, sized or chunked (§15.5.14)', async () => {
    await using s = await serve(books, { limits: { content: 30 } })
    const body = (length: number) => `{"title":"${'a'.repeat(length - 12)}"}`
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      const fields = { ...asJson, ...framing }
      assert.equal((await s.request('POST /books', fields, body(30))).status, 201)
      const response = await s.request('POST /books', fields, body(31))
      assert.equal(response.status, 413)
      assert.equal(response.json.type, '/problems/content-too-large')
    }
  })

  test('content that is announced too long is refused before any of it is read (§15.5.14)', async () => {
    await using s = await serve(books, { limits: { content: 30 } })
    const fields = { ...asJson, expect: '100-continue', 'content-length': '31' }
    assert.equal((await s.request('POST /books', fields)).status, 413)
  })

  test('missing content is 400, however the message is framed (docs/reference/http/formats.md, Formats)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    for (const line of ['POST /books', `PUT ${location}`, `PATCH ${location}`]) {
      for (const framing of [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const response = await s.request(line, { ...asJson, ...framing }, '')
        assert.equal(response.status, 400, line)
        assert.equal(response.json.type, '/problems/malformed-content')
      }
    }
    assert.equal((await s.request('POST /books')).status, 400)
  })

  test('content has no meaning in GET, HEAD and DELETE and is ignored (§9.3.1, §9.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    for (const [method, status] of [
      ['GET', 200],
      ['HEAD', 200],
      ['DELETE', 204],
    ] as const) {
      assert.equal((await s.request(`${method} ${location}`, {}, 'anything {')).status, status)
    }
  })
})
