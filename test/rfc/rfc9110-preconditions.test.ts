/** RFC 9110 §13.1 and §13.2: the preconditions of a request, and when they are evaluated. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../service.ts'
import { books, serveBook, tagOf } from './conditional-books.ts'

const absent = '/books/019a0000-0000-7000-8000-000000000000'

describe('If-Match (§13.1.1)', () => {
  test('permits the write with a current tag, and refuses it with any other', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const put = { title: 'B' }
    assert.equal((await s.request(`PUT ${uri}`, { 'if-match': '"x"' }, put)).status, 412)
    assert.equal((await s.request(`PUT ${uri}`, { 'if-match': tag }, put)).status, 200)
    assert.equal((await s.request(`PUT ${uri}`, { 'if-match': tag }, put)).status, 412)
    assert.equal((await s.request(`DELETE ${uri}`, { 'if-match': tag })).status, 412)
  })

  test('a weak tag never matches', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.equal((await s.request(`DELETE ${uri}`, { 'if-match': `W/${tag}` })).status, 412)
  })

  test('a list matches by any of its tags; a tag may contain commas and obs-text', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const match = { 'if-match': `"a,b", "\xe9",, W/${tag}, ${tag}` }
    assert.equal((await s.request(`PATCH ${uri}`, match, { pages: 1 })).status, 200)
  })

  test('a value that is not an entity tag matches nothing, and neither does * in a list', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    for (const match of [tag.slice(1, -1), `*, ${tag}`, `${tag} ${tag}`, "'x'", '']) {
      assert.equal((await s.request(`DELETE ${uri}`, { 'if-match': match })).status, 412, match)
    }
  })

  test('* is true if the item exists', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    assert.equal((await s.request(`PATCH ${uri}`, { 'if-match': '*' }, { pages: 1 })).status, 200)
  })

  test('any tag of the current version matches, from any representation', async () => {
    await using s = await serve(books)
    const title = 'x'.repeat(2000)
    const { location: uri } = (await s.request('POST /books', {}, { title })).fields
    for (const coding of ['gzip', 'br', 'zstd', 'identity', 'gzip;q=1, identity;q=0']) {
      const tag = tagOf(await s.request(`GET ${uri}`, { 'accept-encoding': coding }))
      const patched = await s.request(`PATCH ${uri}`, { 'if-match': tag }, { pages: coding.length })
      assert.equal(patched.status, 200, coding)
      const stale = await s.request(`PATCH ${uri}`, { 'if-match': tag }, { pages: 0 })
      assert.equal(stale.status, 412, coding)
    }
  })

  test('on GET it is evaluated too (§13.1.1)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.equal((await s.request(`GET ${uri}`, { 'if-match': tag })).status, 200)
    assert.equal((await s.request(`GET ${uri}`, { 'if-match': '"x"' })).status, 412)
  })
})

describe('If-None-Match (§13.1.2)', () => {
  test('a tag that is known is 304 on GET and HEAD, by weak comparison, in a list, by *', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await s.request(`${method} ${uri}`, { 'if-none-match': match })
        assert.equal(response.status, 304, match)
        assert.equal(tagOf(response), tag, match)
      }
    }
    for (const match of ['"x"', tag.slice(1, -1), `*, ${tag}`]) {
      assert.equal((await s.request(`GET ${uri}`, { 'if-none-match': match })).status, 200, match)
    }
  })

  test('a tag that is known is no 304 where an earlier condition fails (§13.2.2)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const known = { 'if-none-match': tag }
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT'
    const status = async (more: Record<string, string>) =>
      (await s.request(`GET ${uri}`, { ...known, ...more })).status
    assert.equal(await status({}), 304)
    assert.equal(await status({ 'if-match': '"x"' }), 412)
    assert.equal(await status({ 'if-match': tag }), 304)
    assert.equal(await status({ 'if-unmodified-since': past }), 412)
    assert.equal(await status({ 'if-modified-since': past }), 304)
  })

  test('a tag that is known is 412 on methods that change something', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const known = { 'if-none-match': tag }
    assert.equal((await s.request(`PUT ${uri}`, known, { title: 'B' })).status, 412)
    assert.equal((await s.request(`PATCH ${uri}`, known, { title: 'B' })).status, 412)
    assert.equal((await s.request(`DELETE ${uri}`, known)).status, 412)
    assert.equal((await s.request(`DELETE ${uri}`, { 'if-none-match': '*' })).status, 412)
  })

  test('it is compared with the tag of the coding that would be sent (§8.8.3.3)', async () => {
    await using s = await serve(books)
    const { location: uri } = (await s.request('POST /books', {}, { title: 'x'.repeat(2000) })).fields
    const plain = tagOf(await s.request(`GET ${uri}`))
    const coded = tagOf(await s.request(`GET ${uri}`, { 'accept-encoding': 'gzip' }))
    assert.notEqual(plain, coded)
    const statusFor = async (match: string, coding: string) =>
      (await s.request(`GET ${uri}`, { 'if-none-match': match, 'accept-encoding': coding })).status
    assert.equal(await statusFor(plain, 'identity'), 304)
    assert.equal(await statusFor(coded, 'gzip'), 304)
    assert.equal(await statusFor(plain, 'gzip'), 200)
    assert.equal(await statusFor(coded, 'identity'), 200)
    assert.equal(await statusFor(`${plain}, ${coded}`, 'gzip'), 304)
  })

  test('a 304 has the tag of the 200, whichever tags the client names (§15.4.5)', async () => {
    await using s = await serve(books)
    for (const title of ['x', 'x'.repeat(2000)]) {
      const { location: uri } = (await s.request('POST /books', {}, { title })).fields
      const get = (fields: Record<string, string>) => s.request(`GET ${uri}`, fields)
      const codings = ['identity', 'gzip', 'br', 'zstd', 'gzip, identity;q=0']
      const tags = await Promise.all(
        codings.map(async (coding) => tagOf(await get({ 'accept-encoding': coding }))),
      )
      // Tags that no response has had name nothing.
      const guesses = tags.map((tag) => tag.replace(/(?:\.[a-z]{1,2})?"$/, '"'))
      for (const [at, coding] of codings.entries()) {
        for (const match of [...tags, ...guesses, [...guesses, ...tags].join(', '), '*']) {
          const response = await get({ 'accept-encoding': coding, 'if-none-match': match })
          assert.equal(tagOf(response), tags[at], `${coding} ${match}`)
          const isNamed = match === '*' || match.split(', ').includes(String(tags[at]))
          assert.equal(response.status, isNamed ? 304 : 200, `${coding} ${match}`)
        }
      }
    }
  })

  test('If-None-Match: * with PUT creates an absent item, and refuses an existing one (§13.1.2)', async () => {
    await using s = await serve(books)
    const fresh = { 'if-none-match': '*' }
    assert.equal((await s.request('PUT /named/a', fresh, { title: 'A' })).status, 201)
    assert.equal((await s.request('PUT /named/a', fresh, { title: 'A' })).status, 412)
  })

  test('If-Match with PUT where nothing is yet is 412, even * (§13.1.1)', async () => {
    await using s = await serve(books)
    for (const match of ['*', '"x"']) {
      assert.equal((await s.request('PUT /named/a', { 'if-match': match }, { title: 'A' })).status, 412)
    }
    assert.equal((await s.request('GET /named/a')).status, 404)
  })
})

describe('when conditions count (§13.2)', () => {
  test('they are ignored if the response would be an error: 404, 405, 406, 413, 415 (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const never = { 'if-match': '"x"' }
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      assert.equal((await s.request(`${method} ${absent}`, never)).status, 404, method)
    }
    assert.equal((await s.request(`PATCH ${absent}`, never, { title: 'B' })).status, 404)
    assert.equal((await s.request(`PUT ${absent}`, never, { title: 'B' })).status, 404)
    assert.equal((await s.request(`POST ${uri}`, never, { title: 'B' })).status, 405)
    assert.equal((await s.request(`GET ${uri}`, { ...never, accept: 'image/png' })).status, 406)
    assert.equal((await s.request(`PUT ${uri}`, { ...never, 'content-type': 'text/x' }, 'x')).status, 415)
    assert.equal((await s.request('GET /nothing', never)).status, 404)
    assert.equal((await s.request('GET /books/', never)).status, 301)
  })

  test('they are evaluated before the content: 412 precedes 400, 409 and 422 (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const never = { 'if-match': '"x"', 'content-type': 'application/json' }
    assert.equal((await s.request(`PUT ${uri}`, never, '{')).status, 412)
    assert.equal((await s.request(`PUT ${uri}`, never, '{}')).status, 412)
  })

  test('OPTIONS ignores them (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    assert.equal((await s.request(`OPTIONS ${uri}`, { 'if-match': '"x"' })).status, 204)
  })

  test('412 has the current entity tag in its problem and in ETag (RFC 9110 §13.1.1)', async () => {
    await using s = await serve(books)
    for (const title of ['A', 'x'.repeat(2000)]) {
      const { location: uri } = (await s.request('POST /books', {}, { title })).fields
      const fields = { 'if-match': '"x"', 'accept-encoding': 'br' }
      const refused = await s.request(`PATCH ${uri}`, fields, { pages: 1 })
      const current = tagOf(await s.request(`GET ${uri}`, { 'accept-encoding': 'br' }))
      assert.equal(refused.json.type, '/problems/precondition-failed')
      assert.equal(tagOf(refused), current)
      assert.equal(refused.json.entityTag, current)
    }
  })

  test('428 if a precondition is required and missing; 412 if it is false', async () => {
    await using s = await serve(books)
    const created = await s.request('POST /guarded', {}, { title: 'A' })
    const uri = created.fields.location
    const refused = await s.request(`PUT ${uri}`, { 'content-type': 'application/json' }, '{')
    assert.equal(refused.status, 428)
    assert.equal(refused.fields['cache-control'], 'no-store')
    assert.equal((await s.request(`DELETE ${uri}`)).status, 428)
    assert.equal((await s.request(`DELETE ${uri}`, { 'if-match': '"x"' })).status, 412)
    assert.equal((await s.request(`PUT ${uri}`, { 'if-none-match': '*' }, { title: 'B' })).status, 412)
    assert.equal((await s.request('DELETE /guarded/nothing')).status, 404)
    assert.equal((await s.request(`DELETE ${uri}`, { 'if-match': tagOf(created) })).status, 204)
  })

  test('where one is required, If-None-Match is enough for a PUT that creates, and for no other', async () => {
    await using s = await serve(books)
    const put = async (fields: Record<string, string>) =>
      (await s.request('PUT /reserved/a', fields, { slug: 'a', title: 'A' })).status
    const refused = await s.request('PUT /reserved/a', {}, { slug: 'a', title: 'A' })
    assert.deepEqual([refused.status, refused.json.detail], [428, 'Send If-None-Match: * to create it.'])
    assert.equal(await put({ 'if-none-match': '*' }), 201)
    assert.equal(await put({ 'if-none-match': '"x"' }), 428)
  })
})

describe('a collection that is streamed, without validators (§13.1)', () => {
  for (const accept of ['text/csv', 'application/x-ndjson']) {
    test(`${accept}: If-None-Match: * is 304 with the fields of the 200, a tag never matches`, async () => {
      await using s = await serve(books)
      await s.request('POST /books', {}, { title: 'A' })
      const full = await s.request('GET /books', { accept })
      for (const method of ['GET', 'HEAD']) {
        const known = await s.request(`${method} /books`, { accept, 'if-none-match': '*' })
        assert.equal(known.status, 304)
        for (const name of ['cache-control', 'vary', 'content-location', 'etag']) {
          assert.equal(known.fields[name], full.fields[name], name)
        }
        const other = { accept, 'if-none-match': '"x"' }
        assert.equal((await s.request(`${method} /books`, other)).status, 200)
      }
    })

    test(`${accept}: If-Match: * is true, a tag never matches`, async () => {
      await using s = await serve(books)
      assert.equal((await s.request('GET /books', { accept, 'if-match': '*' })).status, 200)
      assert.equal((await s.request('GET /books', { accept, 'if-match': '"x"' })).status, 412)
    })
  }
})
