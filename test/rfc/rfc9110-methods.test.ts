/** RFC 9110 §9 and §15: methods, conflicts, and the successful responses of each method. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resource, service, text } from 'restwell'
import { maskPositions } from '../positions.ts'
import { type Reply, serve } from '../service.ts'
import { absent, books, open } from './method-books.ts'

describe('the methods of a resource (RFC 9110 §9.1, §15.5.6)', () => {
  test('a known method that is not offered is 405, with exactly the methods offered in Allow', async () => {
    await using s = await serve(books)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH']) {
      const response = await s.request(`${method} /books`)
      assert.equal(response.status, 405, method)
      assert.equal(response.fields.allow, 'GET, HEAD, POST, QUERY, OPTIONS')
    }
    for (const method of ['POST', 'TRACE', 'PROPFIND', 'QUERY']) {
      const response = await s.request(`${method} ${absent}`)
      assert.equal(response.status, 405, method)
      assert.equal(response.fields.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    }
  })

  test('a method that the definition drops is 405 like any other', async () => {
    await using s = await serve(books)
    const response = await s.request('DELETE /pamphlets/1')
    assert.equal(response.status, 405)
    assert.equal(response.fields.allow, 'GET, HEAD, OPTIONS')
  })

  test('405 is decided before credentials, Content-Type and content', async () => {
    await using s = await serve(books)
    const fields = { authorization: 'Basic nonsense', 'content-type': 'text/nonsense' }
    assert.equal((await s.request('PUT /books', fields, '{')).status, 405)
    assert.equal((await s.request('SEARCH /books', {}, 'untyped')).status, 405)
  })

  test('an unknown collection is 404 for every method, OPTIONS among them', async () => {
    await using s = await serve(books)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      assert.equal((await s.request(`${method} /films`)).status, 404, method)
      assert.equal((await s.request(`${method} /films/1`)).status, 404, method)
    }
  })

  test('Allow of a 405 is that of OPTIONS and never has the method refused', async () => {
    await using s = await serve(books)
    for (const path of ['/books', absent, '/pamphlets', '/pamphlets/1', '/', '/problems']) {
      const refused = await s.request(`PROPFIND ${path}`)
      const offered = await s.request(`OPTIONS ${path}`)
      assert.equal(refused.fields.allow, offered.fields.allow, path)
      assert.doesNotMatch(refused.fields.allow as string, /PROPFIND/)
    }
  })

  test('405, which is heuristically cacheable, requires revalidation', async () => {
    await using s = await serve(books)
    assert.equal((await s.request('DELETE /books')).fields['cache-control'], 'no-cache')
  })
})

describe('OPTIONS (RFC 9110 §9.3.7)', () => {
  test('a collection is 204 with Allow and Accept-Post', async () => {
    await using s = await serve(books)
    const response = await s.request('OPTIONS /books')
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
    const response = await s.request(`OPTIONS ${absent}`)
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
    assert.equal((await s.request('OPTIONS /pamphlets/1')).fields['accept-patch'], undefined)
  })

  test('Allow is the same for every caller, permitted or not', async () => {
    await using s = await serve(books)
    const response = await s.request('OPTIONS /tracts/1')
    assert.equal(response.fields.allow, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
  })

  test('Accept, preconditions and Range are ignored (§13.2.1)', async () => {
    await using s = await serve(books)
    const fields = { accept: 'image/png', 'if-match': '"x"', range: 'bytes=0-1' }
    assert.equal((await s.request('OPTIONS /books', fields)).status, 204)
  })

  test('OPTIONS * describes the server', async () => {
    await using s = await serve(books)
    const response = await s.request('OPTIONS *')
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
    await s.request('POST /tags', {}, { name: 'a', colour: 'red' })
    const key = await s.request('POST /tags', {}, { name: 'a', colour: 'blue' })
    assert.equal(key.status, 409)
    assert.equal(key.json.type, '/problems/duplicate')
    assert.deepEqual(
      key.json.errors.map((error: { pointer: string }) => error.pointer),
      ['/name'],
    )
    const unique = await s.request('POST /tags', {}, { name: 'b', colour: 'red' })
    assert.equal(unique.status, 409)
    assert.equal(unique.json.errors[0].pointer, '/colour')
    assert.equal((await s.request('GET /tags')).json.length, 1)
  })

  test('a PUT with another id than its URI is 422 (§9.3.4 leaves the choice)', async () => {
    await using s = await serve(keyed)
    const { location } = (await s.request('POST /named', {}, { title: 'A' })).fields
    const other = absent.slice('/books/'.length)
    const replaced = await s.request(`PUT ${location}`, {}, { id: other, title: 'B' })
    assert.equal(replaced.status, 422)
    assert.equal(replaced.json.errors[0].pointer, '/id')
    const created = await s.request(`PUT /named/${other}`, {}, { id: 'x', title: 'B' })
    assert.equal(created.status, 422)
    assert.equal(created.json.errors[0].pointer, '/id')
  })
})

describe('successful responses (RFC 9110 §9.3, §15.3)', () => {
  test("POST's 201 has Location, Content-Location, the new item and its validators (§9.3.3)", async () => {
    await using s = await serve(books)
    const post = await s.request('POST /books', {}, { title: 'A' })
    assert.equal(post.status, 201)
    assert.equal(post.fields.location, `/books/${post.json.id}`)
    assert.equal(post.fields['content-location'], post.fields.location)
    const read = await s.request(`GET ${post.fields.location}`)
    assert.equal(read.text, post.text)
    assert.equal(read.fields.etag, post.fields.etag)
    assert.equal(read.fields['last-modified'], post.fields['last-modified'])
    assert.match(read.fields.etag as string, /^"[!#-~]+"$/)
  })

  test("PUT's 200 has the item and Content-Location and no validators (§9.3.4)", async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    const put = await s.request(`PUT ${location}`, {}, { title: 'B' })
    assert.equal(put.status, 200)
    assert.equal(put.fields['content-location'], location)
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.fields['last-modified'], undefined)
    assert.equal((await s.request(`GET ${location}`)).text, put.text)
  })

  test("PUT's 201 has the URI of the item and no validators (§9.3.4)", async () => {
    const named = service({
      title: 'Named',
      resources: { notes: resource({ title: text() }, { put: 'create', access: open }) },
    })
    await using s = await serve(named)
    const uri = absent.replace('books', 'notes')
    const put = await s.request(`PUT ${uri}`, {}, { title: 'A' })
    assert.equal(put.status, 201)
    assert.equal(put.fields.location, uri)
    assert.equal(put.fields['content-location'], uri)
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.fields['last-modified'], undefined)
    assert.equal((await s.request(`GET ${uri}`)).text, put.text)
  })

  test("PATCH's 200 has the item, Content-Location and its new ETag (RFC 5789 §2)", async () => {
    await using s = await serve(books)
    const post = await s.request('POST /books', {}, { title: 'A' })
    const patched = await s.request(`PATCH ${post.fields.location}`, {}, { title: 'B' })
    assert.equal(patched.status, 200)
    assert.equal(patched.fields['content-location'], post.fields.location)
    assert.notEqual(patched.fields.etag, post.fields.etag)
    const read = await s.request(`GET ${post.fields.location}`)
    assert.equal(read.text, patched.text)
    assert.equal(read.fields.etag, patched.fields.etag)
  })

  test('204 has no Content-Length, Transfer-Encoding, Content-Type or body (§8.6, §15.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    for (const line of ['OPTIONS /books', `DELETE ${location}`]) {
      const response = await s.request(line)
      assert.equal(response.status, 204)
      assert.equal(response.text, '')
      for (const name of ['content-length', 'transfer-encoding', 'content-type']) {
        assert.equal(response.fields[name], undefined, name)
      }
    }
  })

  test('DELETE is 204, then the item is 404 for every method at once (§9.3.5)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    assert.equal((await s.request(`DELETE ${location}`)).status, 204)
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      assert.equal((await s.request(`${method} ${location}`)).status, 404, method)
    }
    for (const method of ['PUT', 'PATCH']) {
      assert.equal((await s.request(`${method} ${location}`, {}, { title: 'B' })).status, 404, method)
    }
    assert.deepEqual((await s.request('GET /books')).json, [])
  })

  test('DELETE is never 406 (docs/reference/http.md, Methods)', async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'A' })).fields
    assert.equal((await s.request(`DELETE ${location}`, { accept: 'image/png' })).status, 204)
  })

  test("HEAD has GET's fields and the length of its content, without it (§9.3.2)", async () => {
    await using s = await serve(books)
    const { location } = (await s.request('POST /books', {}, { title: 'Ä' })).fields
    for (const path of ['/', '/books', `${location}`, absent, '/nothing', '/problems/not-found']) {
      const get = await s.request(`GET ${path}`)
      const head = await s.request(`HEAD ${path}`)
      assert.equal(head.status, get.status, path)
      assert.equal(head.text, '')
      const fieldsOf = ({
        fields: { date: _d, 'request-id': _r, 'server-timing': _s, link, ...rest },
      }: Reply) => {
        return { ...rest, link: maskPositions(String(link)) }
      }
      assert.deepEqual(fieldsOf(head), fieldsOf(get), path)
      assert.equal(Number(head.fields['content-length']), Buffer.byteLength(get.text))
    }
  })
})
