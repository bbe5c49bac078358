/** RFC 9110 and related RFCs: methods, content, and the successful responses of each method. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { anyone, integer, nobody, resource, service, text } from 'restwell'
import { serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const books = service({
  title: 'Books',
  resources: {
    books: resource({ title: text({ max: 50 }), pages: integer().optional() }, { access: open }),
    pamphlets: resource({ title: text() }, { access: open, methods: ['GET', 'POST'] }),
    tracts: resource({ title: text() }, { access: { ...open, update: nobody } }),
  },
})

const absent = '/books/019a0000-0000-7000-8000-000000000000'
const asJson = { 'content-type': 'application/json' }

describe('the methods of a resource (RFC 9110 §9.1, §15.5.6)', () => {
  test('a known method that is not offered is 405, with exactly the methods offered in Allow', async () => {
    await using s = await serve(books)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH']) {
      const response = await s.ask(`${method} /books`)
      assert.equal(response.status, 405, method)
      assert.equal(response.fields.allow, 'GET, HEAD, POST, QUERY, OPTIONS')
    }
    for (const method of ['POST', 'TRACE', 'PROPFIND', 'QUERY']) {
      const response = await s.ask(`${method} ${absent}`)
      assert.equal(response.status, 405, method)
      assert.equal(response.fields.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    }
  })

  test('a method that the definition drops is 405 like any other', async () => {
    await using s = await serve(books)
    const response = await s.ask('DELETE /pamphlets/1')
    assert.equal(response.status, 405)
    assert.equal(response.fields.allow, 'GET, HEAD, OPTIONS')
  })

  test('405 is decided before credentials, Content-Type and content', async () => {
    await using s = await serve(books)
    const fields = { authorization: 'Basic nonsense', 'content-type': 'text/nonsense' }
    assert.equal((await s.ask('PUT /books', fields, '{')).status, 405)
    assert.equal((await s.ask('SEARCH /books', {}, 'untyped')).status, 405)
  })

  test('an unknown collection is 404 for every method, OPTIONS among them', async () => {
    await using s = await serve(books)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      assert.equal((await s.ask(`${method} /films`)).status, 404, method)
      assert.equal((await s.ask(`${method} /films/1`)).status, 404, method)
    }
  })

  test('Allow of a 405 is that of OPTIONS and never has the method refused', async () => {
    await using s = await serve(books)
    for (const path of ['/books', absent, '/pamphlets', '/pamphlets/1', '/', '/problems']) {
      const refused = await s.ask(`PROPFIND ${path}`)
      const offered = await s.ask(`OPTIONS ${path}`)
      assert.equal(refused.fields.allow, offered.fields.allow, path)
      assert.doesNotMatch(refused.fields.allow as string, /PROPFIND/)
    }
  })

  test('405, which is heuristically cacheable, requires revalidation', async () => {
    await using s = await serve(books)
    assert.equal((await s.ask('DELETE /books')).fields['cache-control'], 'no-cache')
  })
})

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
    assert.equal((await s.ask('GET /books', fields)).status, 200)
  })

  test('a repeated field that allows one value is 400 (§5.3)', async () => {
    await using s = await serve(books)
    const twice = { 'content-type': ['application/json', 'application/json'] }
    assert.equal((await s.ask('POST /books', twice, '{"title":"A"}')).status, 400)
    const authorization = ['Basic YTpi', 'Basic YTpj']
    assert.equal((await s.ask('GET /books', { authorization })).status, 400)
  })

  test('content that is not well-formed is 400, well-formed content against the rules 422 (§15.5.21)', async () => {
    await using s = await serve(books)
    const malformed = await s.ask('POST /books', asJson, '{"title":}')
    assert.equal(malformed.status, 400)
    assert.equal(malformed.json.type, '/problems/malformed-content')
    const invalid = await s.ask('POST /books', {}, { title: 1 })
    assert.equal(invalid.status, 422)
    assert.equal(invalid.json.type, '/problems/invalid-content')
  })

  test('a failed precondition precedes malformed content (§13.2.1)', async () => {
    await using s = await serve(books)
    const post = await s.ask('POST /books', {}, { title: 'A' })
    const fields = { ...asJson, 'if-match': '"other"' }
    const uri = post.fields.location
    assert.equal((await s.ask(`PUT ${uri}`, fields, '{')).status, 412)
    assert.equal((await s.ask(`PATCH ${uri}`, fields, '{')).status, 412)
  })
})

describe('content (RFC 9110 §8, §15.5.14, §15.5.16)', () => {
  test('415 for a Content-Type lists the accepted types, and never has Accept-Encoding (§12.5.3)', async () => {
    await using s = await serve(books)
    const types =
      'application/merge-patch+json, application/json-patch+json, application/json, application/xml, application/x-www-form-urlencoded'
    const post = await s.ask('POST /books', { 'content-type': 'text/plain' }, 'A')
    assert.equal(post.status, 415)
    assert.equal(post.json.type, '/problems/unsupported-media-type')
    assert.equal(post.fields.accept, 'application/json, application/xml, application/x-www-form-urlencoded')
    assert.equal(
      post.fields['accept-post'],
      'application/json, application/xml, application/x-www-form-urlencoded',
    )
    assert.equal(post.fields['accept-encoding'], undefined)
    const patch = await s.ask(`PATCH ${absent}`, { 'content-type': 'text/plain' }, 'A')
    assert.equal(patch.status, 415)
    assert.equal(patch.fields.accept, types)
    assert.equal(patch.fields['accept-patch'], types)
    const put = await s.ask(`PUT ${absent}`, { 'content-type': 'text/plain' }, 'A')
    assert.equal(put.status, 415)
    assert.equal(put.fields.accept, 'application/json, application/xml, application/x-www-form-urlencoded')
  })

  test('an unsupported content coding is 415 with Accept-Encoding (§12.5.3)', async () => {
    await using s = await serve(books)
    for (const coding of ['compress', 'nonsense', 'identity, nonsense']) {
      const fields = { ...asJson, 'content-encoding': coding }
      const response = await s.ask('POST /books', fields, gzipSync('{"title":"A"}'))
      assert.equal(response.status, 415, coding)
      assert.equal(response.json.type, '/problems/unsupported-content-coding')
      assert.notEqual(response.fields['accept-encoding'], undefined)
      assert.equal(response.fields.accept, undefined)
    }
    const identity = { ...asJson, 'content-encoding': 'identity' }
    assert.equal((await s.ask('POST /books', identity, '{"title":"A"}')).status, 201)
  })

  test('content without Content-Type is 415 (docs/reference/http.md, Formats)', async () => {
    await using s = await serve(books)
    assert.equal((await s.ask('POST /books', {}, '{"title":"A"}')).status, 415)
  })

  test('PATCH accepts a merge patch as application/json too (docs/reference/http.md, Methods)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    for (const type of ['application/merge-patch+json', 'application/json', 'Application/JSON']) {
      const response = await s.ask(`PATCH ${location}`, { 'content-type': type }, '{"pages":7}')
      assert.equal(response.status, 200, type)
    }
    const merge = { 'content-type': 'application/merge-patch+json' }
    assert.equal((await s.ask('POST /books', merge, '{"title":"A"}')).status, 415)
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
      assert.equal((await s.ask('POST /books', fields, '{"title":"A"}')).status, status, charset)
    }
  })

  test('Content-Range in PUT is 400 (§14.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    const fields = { ...asJson, 'content-range': 'bytes 0-12/13' }
    assert.equal((await s.ask(`PUT ${location}`, fields, '{"title":"B"}')).status, 400)
    assert.equal((await s.ask(`GET ${location}`)).json.title, 'A')
  })

  test('Content-Location and unknown fields of a PUT are not stored (§8.7, §9.3.4)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    const fields = { 'content-location': '/elsewhere', 'x-colour': 'red' }
    await s.ask(`PUT ${location}`, fields, { title: 'B' })
    const response = await s.ask(`GET ${location}`)
    assert.equal(response.fields['content-location'], `${location}?format=json`)
    assert.equal(response.fields['x-colour'], undefined)
    assert.doesNotMatch(response.text, /elsewhere|red/)
  })

  test('Content-Digest is ignored, right or wrong (docs/decisions/0003)', async () => {
    await using s = await serve(books)
    const fields = { ...asJson, 'content-digest': 'sha-256=:AAAA:' }
    assert.equal((await s.ask('POST /books', fields, '{"title":"A"}')).status, 201)
  })

  test('content of the maximum length is accepted, one octet more is 413, sized or chunked (§15.5.14)', async () => {
    await using s = await serve(books, { limits: { content: 30 } })
    const body = (length: number) => `{"title":"${'a'.repeat(length - 12)}"}`
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      const fields = { ...asJson, ...framing }
      assert.equal((await s.ask('POST /books', fields, body(30))).status, 201)
      const response = await s.ask('POST /books', fields, body(31))
      assert.equal(response.status, 413)
      assert.equal(response.json.type, '/problems/content-too-large')
    }
  })

  test('content that is announced too long is refused before any of it is read (§15.5.14)', async () => {
    await using s = await serve(books, { limits: { content: 30 } })
    const fields = { ...asJson, expect: '100-continue', 'content-length': '31' }
    assert.equal((await s.ask('POST /books', fields)).status, 413)
  })

  test('missing content is 400, however the message is framed (docs/reference/http.md, Formats)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    for (const line of ['POST /books', `PUT ${location}`, `PATCH ${location}`]) {
      for (const framing of [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const response = await s.ask(line, { ...asJson, ...framing }, '')
        assert.equal(response.status, 400, line)
        assert.equal(response.json.type, '/problems/malformed-content')
      }
    }
    assert.equal((await s.ask('POST /books')).status, 400)
  })

  test('content has no meaning in GET, HEAD and DELETE and is ignored (§9.3.1, §9.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    for (const [method, status] of [
      ['GET', 200],
      ['HEAD', 200],
      ['DELETE', 204],
    ] as const) {
      assert.equal((await s.ask(`${method} ${location}`, {}, 'anything {')).status, status)
    }
  })
})

describe('OPTIONS (RFC 9110 §9.3.7)', () => {
  test('a collection is 204 with Allow and Accept-Post', async () => {
    await using s = await serve(books)
    const response = await s.ask('OPTIONS /books')
    assert.equal(response.status, 204)
    assert.equal(response.text, '')
    assert.equal(response.fields.allow, 'GET, HEAD, POST, QUERY, OPTIONS')
    assert.equal(
      response.fields['accept-post'],
      'application/json, application/xml, application/x-www-form-urlencoded',
    )
    assert.equal(response.fields['accept-patch'], undefined)
  })

  test('an item is 204 with Allow and Accept-Patch (RFC 5789 §3.1), existing or not', async () => {
    await using s = await serve(books)
    const response = await s.ask(`OPTIONS ${absent}`)
    assert.equal(response.status, 204)
    assert.equal(response.fields.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    assert.equal(
      response.fields['accept-patch'],
      'application/merge-patch+json, application/json-patch+json, application/json, application/xml, application/x-www-form-urlencoded',
    )
    assert.equal(response.fields['accept-post'], undefined)
  })

  test('methods and formats that are not offered are not advertised', async () => {
    await using s = await serve(books)
    assert.equal((await s.ask('OPTIONS /pamphlets/1')).fields['accept-patch'], undefined)
  })

  test('Allow is the same for every caller, permitted or not', async () => {
    await using s = await serve(books)
    const response = await s.ask('OPTIONS /tracts/1')
    assert.equal(response.fields.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
  })

  test('Accept, preconditions and Range are ignored (§13.2.1)', async () => {
    await using s = await serve(books)
    const fields = { accept: 'image/png', 'if-match': '"x"', range: 'bytes=0-1' }
    assert.equal((await s.ask('OPTIONS /books', fields)).status, 204)
  })

  test('OPTIONS * describes the server', async () => {
    await using s = await serve(books)
    const response = await s.ask('OPTIONS *')
    assert.equal(response.status, 204)
    assert.match(response.fields.allow as string, /GET/)
  })
})

describe('conflicts (RFC 9110 §15.5.10)', () => {
  const keyed = service({
    title: 'Keyed',
    resources: {
      tags: resource({ name: text(), colour: text().unique() }, { key: 'name', access: open }),
      named: resource({ title: text() }, { put: 'create', access: open }),
    },
  })

  test('a duplicate key or unique value is 409 naming the field', async () => {
    await using s = await serve(keyed)
    await s.ask('POST /tags', {}, { name: 'a', colour: 'red' })
    const key = await s.ask('POST /tags', {}, { name: 'a', colour: 'blue' })
    assert.equal(key.status, 409)
    assert.equal(key.json.type, '/problems/duplicate')
    assert.deepEqual(
      key.json.errors.map((error: { pointer: string }) => error.pointer),
      ['/name'],
    )
    const unique = await s.ask('POST /tags', {}, { name: 'b', colour: 'red' })
    assert.equal(unique.status, 409)
    assert.equal(unique.json.errors[0].pointer, '/colour')
    assert.equal((await s.ask('GET /tags')).json.length, 1)
  })

  test('a PUT with another id than its URI is 422 (§9.3.4 leaves the choice)', async () => {
    await using s = await serve(keyed)
    const { location } = (await s.ask('POST /named', {}, { title: 'A' })).fields
    const other = absent.slice('/books/'.length)
    const replaced = await s.ask(`PUT ${location}`, {}, { id: other, title: 'B' })
    assert.equal(replaced.status, 422)
    assert.equal(replaced.json.errors[0].pointer, '/id')
    const created = await s.ask(`PUT /named/${other}`, {}, { id: 'x', title: 'B' })
    assert.equal(created.status, 422)
    assert.equal(created.json.errors[0].pointer, '/id')
  })
})

describe('successful responses (RFC 9110 §9.3, §15.3)', () => {
  test("POST's 201 has Location, Content-Location, the new item and its validators (§9.3.3)", async () => {
    await using s = await serve(books)
    const post = await s.ask('POST /books', {}, { title: 'A' })
    assert.equal(post.status, 201)
    assert.equal(post.fields.location, `/books/${post.json.id}`)
    assert.equal(post.fields['content-location'], post.fields.location)
    const read = await s.ask(`GET ${post.fields.location}`)
    assert.equal(read.text, post.text)
    assert.equal(read.fields.etag, post.fields.etag)
    assert.equal(read.fields['last-modified'], post.fields['last-modified'])
    assert.match(read.fields.etag as string, /^"[!#-~]+"$/)
  })

  test("PUT's 200 has the item and Content-Location and no validators (§9.3.4)", async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    const put = await s.ask(`PUT ${location}`, {}, { title: 'B' })
    assert.equal(put.status, 200)
    assert.equal(put.fields['content-location'], location)
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.fields['last-modified'], undefined)
    assert.equal((await s.ask(`GET ${location}`)).text, put.text)
  })

  test("PUT's 201 has the URI of the item and no validators (§9.3.4)", async () => {
    const named = service({
      title: 'Named',
      resources: { notes: resource({ title: text() }, { put: 'create', access: open }) },
    })
    await using s = await serve(named)
    const uri = absent.replace('books', 'notes')
    const put = await s.ask(`PUT ${uri}`, {}, { title: 'A' })
    assert.equal(put.status, 201)
    assert.equal(put.fields.location, uri)
    assert.equal(put.fields['content-location'], uri)
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.fields['last-modified'], undefined)
    assert.equal((await s.ask(`GET ${uri}`)).text, put.text)
  })

  test("PATCH's 200 has the item, Content-Location and its new ETag (RFC 5789 §2)", async () => {
    await using s = await serve(books)
    const post = await s.ask('POST /books', {}, { title: 'A' })
    const patched = await s.ask(`PATCH ${post.fields.location}`, {}, { title: 'B' })
    assert.equal(patched.status, 200)
    assert.equal(patched.fields['content-location'], post.fields.location)
    assert.notEqual(patched.fields.etag, post.fields.etag)
    const read = await s.ask(`GET ${post.fields.location}`)
    assert.equal(read.text, patched.text)
    assert.equal(read.fields.etag, patched.fields.etag)
  })

  test('204 has no Content-Length, Transfer-Encoding, Content-Type or body (§8.6, §15.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    for (const line of ['OPTIONS /books', `DELETE ${location}`]) {
      const response = await s.ask(line)
      assert.equal(response.status, 204)
      assert.equal(response.text, '')
      for (const name of ['content-length', 'transfer-encoding', 'content-type']) {
        assert.equal(response.fields[name], undefined, name)
      }
    }
  })

  test('DELETE is 204, then the item is 404 for every method at once (§9.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    assert.equal((await s.ask(`DELETE ${location}`)).status, 204)
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      assert.equal((await s.ask(`${method} ${location}`)).status, 404, method)
    }
    for (const method of ['PUT', 'PATCH']) {
      assert.equal((await s.ask(`${method} ${location}`, {}, { title: 'B' })).status, 404, method)
    }
    assert.deepEqual((await s.ask('GET /books')).json, [])
  })

  test('DELETE is never 406 (docs/reference/http.md, Methods)', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    assert.equal((await s.ask(`DELETE ${location}`, { accept: 'image/png' })).status, 204)
  })

  test("HEAD has GET's fields and the length of its content, without it (§9.3.2)", async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'Ä' })).fields
    for (const path of ['/', '/books', `${location}`, absent, '/nothing', '/problems/not-found']) {
      const get = await s.ask(`GET ${path}`)
      const head = await s.ask(`HEAD ${path}`)
      assert.equal(head.status, get.status, path)
      assert.equal(head.text, '')
      const { date: _d, 'request-id': _r, ...ofHead } = head.fields
      const { date: _e, 'request-id': _s, ...ofGet } = get.fields
      assert.deepEqual(ofHead, ofGet, path)
      assert.equal(Number(head.fields['content-length']), Buffer.byteLength(get.text))
    }
  })
})
