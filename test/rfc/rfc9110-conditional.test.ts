/** RFC 9110 §8.8 and §13: validators, and requests that depend on them. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { anyone, email, integer, password, ref, resource, self, service, text, where } from 'restwell'
import { cases } from '../cases.ts'
import { onPostgres } from '../database.ts'
import { admin, type Reply, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const fields = { title: text({ max: 5000 }), pages: integer().optional() }
const books = service({
  title: 'Books',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique().visibleTo(self), password: password(), name: text().optional() },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    books: resource(fields, { access: open }),
    named: resource({ slug: text(), ...fields }, { key: 'slug', put: 'create', access: open }),
    guarded: resource(fields, { access: open, conditional: 'required' }),
    pages: resource({ book: ref('named'), text: text() }, { access: open }),
    drafts: resource({ title: text(), shown: integer() }, { access: { ...open, read: where({ shown: 1 }) } }),
  },
})

const absent = '/books/019a0000-0000-7000-8000-000000000000'

async function serveBook() {
  const s = await serve(books)
  const created = await s.ask('POST /books', {}, { title: 'A' })
  assert.equal(created.status, 201, created.text)
  return { s, uri: created.fields.location as string, tag: created.fields.etag as string }
}

const tagOf = ({ fields: { etag } }: Reply) => etag as string

describe('validators (§8.8)', () => {
  test('a tag is strong, the same for the same octets, and changes with them (§8.8.1)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.match(tag, /^"[!#-~]+"$/)
    assert.equal(tagOf(await s.ask(`GET ${uri}`)), tag)
    assert.equal(tagOf(await s.ask(`GET ${uri}`, admin)), tag)
    const patched = await s.ask(`PATCH ${uri}`, {}, { pages: 1 })
    assert.notEqual(tagOf(patched), tag)
    assert.equal(tagOf(await s.ask(`GET ${uri}`)), tagOf(patched))
    await s.ask(`PATCH ${uri}`, {}, { pages: null })
    assert.notEqual(tagOf(await s.ask(`GET ${uri}`)), tag)
  })

  test('two items never share a tag, even with the same content (§8.8.3)', async () => {
    const { s, tag } = await serveBook()
    await using _ = s
    assert.notEqual(tagOf(await s.ask('POST /books', {}, { title: 'A' })), tag)
  })

  test('views of different callers differ in their tags exactly where their octets differ', async () => {
    await using s = await serve(books)
    const login = { email: 'ada@example.org', password: 'analytical' }
    const { location } = (await s.ask('POST /users', {}, login)).fields
    const authorization = `Basic ${Buffer.from('ada@example.org:analytical').toString('base64')}`
    const own = await s.ask(`GET ${location}`, { authorization })
    const other = await s.ask(`GET ${location}`, admin)
    const nobody = await s.ask(`GET ${location}`)
    assert.notEqual(own.text, other.text)
    assert.notEqual(tagOf(own), tagOf(other))
    assert.equal(tagOf(nobody), tagOf(other))
    assert.equal(nobody.text, other.text)
  })

  test('a change of what is shown through a reference changes the tag (§8.8.1)', async () => {
    await using s = await serve(books)
    await s.ask('PUT /named/old', {}, { title: 'A' })
    const { location, etag } = (await s.ask('POST /pages', {}, { book: 'old', text: 'x' })).fields
    const list = tagOf(await s.ask('GET /pages'))
    await s.ask('PATCH /named/old', {}, { slug: 'new' })
    const after = await s.ask(`GET ${location}`)
    assert.equal(after.json.book, 'new')
    assert.notEqual(tagOf(after), etag)
    assert.notEqual(tagOf(await s.ask('GET /pages')), list)
  })

  test('tags survive a restart, and change with the definition (§8.8.1)', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'restwell-tags-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const database = `file:${join(folder, 'a.db')}`
    const plain = (more: object) =>
      service({
        title: 'T',
        resources: { books: resource({ ...fields, ...more }, { access: open }) },
      })
    const tags: string[][] = []
    let uri = ''
    for (const definition of [plain({}), plain({}), plain({ copies: integer().default(0) })]) {
      await using s = await serve(definition, { database })
      if (uri === '') uri = (await s.ask('POST /books', {}, { title: 'A' })).fields.location as string
      tags.push([tagOf(await s.ask(`GET ${uri}`)), tagOf(await s.ask('GET /books'))])
    }
    assert.deepEqual(tags[0], tags[1])
    assert.notEqual(tags[2]?.[0], tags[0]?.[0])
    assert.notEqual(tags[2]?.[1], tags[0]?.[1])
  })

  test('Last-Modified is the time of the last change, never after Date (§8.8.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const { json, fields } = await s.ask(`GET ${uri}`)
    const stated = Date.parse(fields['last-modified'] as string)
    assert.equal(stated, Math.floor(Date.parse(json.updatedAt) / 1000) * 1000)
    s.advance(60_000)
    await s.ask(`PATCH ${uri}`, {}, { pages: 1 })
    s.advance(-120_000)
    const later = (await s.ask(`GET ${uri}`)).fields
    assert.ok(Date.parse(later['last-modified'] as string) <= Date.parse(later.date as string))
  })

  test('documents have a validator too (RFC 9111 §4.3)', async () => {
    await using s = await serve(books)
    for (const path of ['/', '/problems', '/problems/not-found', '/health/live']) {
      const first = await s.ask(`GET ${path}`)
      const again = await s.ask(`GET ${path}`, { 'if-none-match': tagOf(first) })
      assert.equal(again.status, 304, path)
      assert.equal(tagOf(again), tagOf(first))
    }
  })
})

describe('If-Match (§13.1.1)', () => {
  test('permits the write with a current tag, and refuses it with any other', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const put = { title: 'B' }
    assert.equal((await s.ask(`PUT ${uri}`, { 'if-match': '"x"' }, put)).status, 412)
    assert.equal((await s.ask(`PUT ${uri}`, { 'if-match': tag }, put)).status, 200)
    assert.equal((await s.ask(`PUT ${uri}`, { 'if-match': tag }, put)).status, 412)
    assert.equal((await s.ask(`DELETE ${uri}`, { 'if-match': tag })).status, 412)
  })

  test('a weak tag never matches', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.equal((await s.ask(`DELETE ${uri}`, { 'if-match': `W/${tag}` })).status, 412)
  })

  test('a list matches by any of its tags; a tag may contain commas and obs-text', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const match = { 'if-match': `"a,b", "\xe9",, W/${tag}, ${tag}` }
    assert.equal((await s.ask(`PATCH ${uri}`, match, { pages: 1 })).status, 200)
  })

  test('a value that is not an entity tag matches nothing, and neither does * in a list', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    for (const match of [tag.slice(1, -1), `*, ${tag}`, `${tag} ${tag}`, "'x'", '']) {
      assert.equal((await s.ask(`DELETE ${uri}`, { 'if-match': match })).status, 412, match)
    }
  })

  test('* is true if the item exists', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    assert.equal((await s.ask(`PATCH ${uri}`, { 'if-match': '*' }, { pages: 1 })).status, 200)
  })

  test('any tag of the current version matches, from any representation', async () => {
    await using s = await serve(books)
    const title = 'x'.repeat(2000)
    const { location: uri } = (await s.ask('POST /books', {}, { title })).fields
    for (const coding of ['gzip', 'br', 'zstd', 'identity', 'gzip;q=1, identity;q=0']) {
      const tag = tagOf(await s.ask(`GET ${uri}`, { 'accept-encoding': coding }))
      const patched = await s.ask(`PATCH ${uri}`, { 'if-match': tag }, { pages: coding.length })
      assert.equal(patched.status, 200, coding)
      const stale = await s.ask(`PATCH ${uri}`, { 'if-match': tag }, { pages: 0 })
      assert.equal(stale.status, 412, coding)
    }
  })

  test('on GET it is evaluated too (§13.1.1)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    assert.equal((await s.ask(`GET ${uri}`, { 'if-match': tag })).status, 200)
    assert.equal((await s.ask(`GET ${uri}`, { 'if-match': '"x"' })).status, 412)
  })
})

describe('If-None-Match (§13.1.2)', () => {
  test('a tag that is known is 304 on GET and HEAD, by weak comparison, in a list, by *', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await s.ask(`${method} ${uri}`, { 'if-none-match': match })
        assert.equal(response.status, 304, match)
        assert.equal(tagOf(response), tag, match)
      }
    }
    for (const match of ['"x"', tag.slice(1, -1), `*, ${tag}`]) {
      assert.equal((await s.ask(`GET ${uri}`, { 'if-none-match': match })).status, 200, match)
    }
  })

  test('a tag that is known is no 304 where an earlier condition fails (§13.2.2)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const known = { 'if-none-match': tag }
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT'
    const status = async (more: Record<string, string>) =>
      (await s.ask(`GET ${uri}`, { ...known, ...more })).status
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
    assert.equal((await s.ask(`PUT ${uri}`, known, { title: 'B' })).status, 412)
    assert.equal((await s.ask(`PATCH ${uri}`, known, { title: 'B' })).status, 412)
    assert.equal((await s.ask(`DELETE ${uri}`, known)).status, 412)
    assert.equal((await s.ask(`DELETE ${uri}`, { 'if-none-match': '*' })).status, 412)
  })

  test('it is compared with the tag of the coding that would be sent (§8.8.3.3)', async () => {
    await using s = await serve(books)
    const { location: uri } = (await s.ask('POST /books', {}, { title: 'x'.repeat(2000) })).fields
    const plain = tagOf(await s.ask(`GET ${uri}`))
    const coded = tagOf(await s.ask(`GET ${uri}`, { 'accept-encoding': 'gzip' }))
    assert.notEqual(plain, coded)
    const statusFor = async (match: string, coding: string) =>
      (await s.ask(`GET ${uri}`, { 'if-none-match': match, 'accept-encoding': coding })).status
    assert.equal(await statusFor(plain, 'identity'), 304)
    assert.equal(await statusFor(coded, 'gzip'), 304)
    assert.equal(await statusFor(plain, 'gzip'), 200)
    assert.equal(await statusFor(coded, 'identity'), 200)
    assert.equal(await statusFor(`${plain}, ${coded}`, 'gzip'), 304)
  })

  test('small content is the same octets in every coding, and has one tag', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const response = await s.ask(`GET ${uri}`, { 'accept-encoding': 'gzip' })
    assert.equal(tagOf(response), tag)
    const known = { 'if-none-match': tag, 'accept-encoding': 'br' }
    assert.equal((await s.ask(`GET ${uri}`, known)).status, 304)
  })

  test('If-None-Match: * with PUT creates an absent item, and refuses an existing one (§13.1.2)', async () => {
    await using s = await serve(books)
    const fresh = { 'if-none-match': '*' }
    assert.equal((await s.ask('PUT /named/a', fresh, { title: 'A' })).status, 201)
    assert.equal((await s.ask('PUT /named/a', fresh, { title: 'A' })).status, 412)
  })

  test('If-Match with PUT where nothing is yet is 412, even * (§13.1.1)', async () => {
    await using s = await serve(books)
    for (const match of ['*', '"x"']) {
      assert.equal((await s.ask('PUT /named/a', { 'if-match': match }, { title: 'A' })).status, 412)
    }
    assert.equal((await s.ask('GET /named/a')).status, 404)
  })
})

describe('dates (§13.1.3, §13.1.4)', () => {
  const forms = (time: number) => {
    const date = new Date(time)
    const [imf, days, months] = [
      date.toUTCString(),
      ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
      'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
    ]
    const [day, clock] = [String(date.getUTCDate()), imf.slice(17, 25)]
    const month = months[date.getUTCMonth()]
    const year = String(date.getUTCFullYear())
    const weekday = days[date.getUTCDay()] ?? ''
    return [
      imf,
      `${weekday}, ${day.padStart(2, '0')}-${month}-${year.slice(2)} ${clock} GMT`,
      `${weekday.slice(0, 3)} ${month} ${day.padStart(2)} ${clock} ${year}`,
    ]
  }

  test('If-Modified-Since is 304 on GET and HEAD, in all three forms of a date (§5.6.7)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const modified = Date.parse((await s.ask(`GET ${uri}`)).fields['last-modified'] as string)
    s.advance(10_000)
    for (const date of forms(modified)) {
      for (const method of ['GET', 'HEAD']) {
        const response = await s.ask(`${method} ${uri}`, { 'if-modified-since': date })
        assert.equal(response.status, 304, date)
        assert.equal(tagOf(response), tag)
      }
    }
    for (const date of forms(modified - 1000)) {
      assert.equal((await s.ask(`GET ${uri}`, { 'if-modified-since': date })).status, 200, date)
    }
  })

  test('If-Modified-Since is ignored where it is invalid, several, or with other methods', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const future = new Date(Date.now() + 3_600_000).toUTCString()
    const past = new Date(Date.now() - 3_600_000).toUTCString()
    for (const date of ['yesterday', '0', `${past}, ${future}`]) {
      assert.equal((await s.ask(`GET ${uri}`, { 'if-modified-since': date })).status, 200, date)
    }
    const now = { 'if-modified-since': new Date().toUTCString() }
    assert.equal((await s.ask(`DELETE ${uri}`, now)).status, 204)
  })

  test('If-Modified-Since in the future is evaluated like any date (§13.1.3)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const future = new Date(Date.now() + 3_600_000).toUTCString()
    assert.equal((await s.ask(`GET ${uri}`, { 'if-modified-since': future })).status, 304)
    assert.equal((await s.ask(`HEAD ${uri}`, { 'if-modified-since': future })).status, 304)
  })

  test('If-Modified-Since is ignored beside If-None-Match, whether that matches or not (§13.1.3)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    s.advance(10_000)
    const since = new Date(Date.now() + 5000).toUTCString()
    const both = { 'if-none-match': '"x"', 'if-modified-since': since }
    assert.equal((await s.ask(`GET ${uri}`, both)).status, 200)
  })

  test('If-Unmodified-Since refuses a write of an item changed since, and permits it otherwise (§13.1.4)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const modified = Date.parse((await s.ask(`GET ${uri}`)).fields['last-modified'] as string)
    const [before] = forms(modified - 1000)
    const [same] = forms(modified)
    const change = { pages: 1 }
    const statusFor = async (date = '') =>
      (await s.ask(`PATCH ${uri}`, { 'if-unmodified-since': date }, change)).status
    assert.equal(await statusFor(before), 412)
    assert.equal(await statusFor(same), 200)
    assert.equal(await statusFor('yesterday'), 200)
  })

  test('If-Unmodified-Since is ignored beside If-Match (§13.1.4)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const old = new Date(0).toUTCString()
    const both = { 'if-match': tag, 'if-unmodified-since': old }
    assert.equal((await s.ask(`PATCH ${uri}`, both, { pages: 1 })).status, 200)
  })
})

describe('when conditions count (§13.2)', () => {
  test('they are ignored if the response would be an error: 404, 405, 406, 413, 415 (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const never = { 'if-match': '"x"' }
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      assert.equal((await s.ask(`${method} ${absent}`, never)).status, 404, method)
    }
    assert.equal((await s.ask(`PATCH ${absent}`, never, { title: 'B' })).status, 404)
    assert.equal((await s.ask(`PUT ${absent}`, never, { title: 'B' })).status, 404)
    assert.equal((await s.ask(`POST ${uri}`, never, { title: 'B' })).status, 405)
    assert.equal((await s.ask(`GET ${uri}`, { ...never, accept: 'image/png' })).status, 406)
    assert.equal((await s.ask(`PUT ${uri}`, { ...never, 'content-type': 'text/x' }, 'x')).status, 415)
    assert.equal((await s.ask('GET /nothing', never)).status, 404)
    assert.equal((await s.ask('GET /books/', never)).status, 301)
  })

  test('they are evaluated before the content: 412 precedes 400, 409 and 422 (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const never = { 'if-match': '"x"', 'content-type': 'application/json' }
    assert.equal((await s.ask(`PUT ${uri}`, never, '{')).status, 412)
    assert.equal((await s.ask(`PUT ${uri}`, never, '{}')).status, 412)
  })

  test('OPTIONS ignores them (§13.2.1)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    assert.equal((await s.ask(`OPTIONS ${uri}`, { 'if-match': '"x"' })).status, 204)
  })

  test('412 has the current entity tag in its problem and in ETag (RFC 9110 §13.1.1)', async () => {
    await using s = await serve(books)
    for (const title of ['A', 'x'.repeat(2000)]) {
      const { location: uri } = (await s.ask('POST /books', {}, { title })).fields
      const fields = { 'if-match': '"x"', 'accept-encoding': 'br' }
      const refused = await s.ask(`PATCH ${uri}`, fields, { pages: 1 })
      const current = tagOf(await s.ask(`GET ${uri}`, { 'accept-encoding': 'br' }))
      assert.equal(refused.json.type, '/problems/precondition-failed')
      assert.equal(tagOf(refused), current)
      assert.equal(refused.json.entityTag, current)
    }
  })

  test('428 if a precondition is required and missing; 412 if it is false', async () => {
    await using s = await serve(books)
    const created = await s.ask('POST /guarded', {}, { title: 'A' })
    const uri = created.fields.location
    const refused = await s.ask(`PUT ${uri}`, { 'content-type': 'application/json' }, '{')
    assert.equal(refused.status, 428)
    assert.equal(refused.fields['cache-control'], 'no-store')
    assert.equal((await s.ask(`DELETE ${uri}`)).status, 428)
    assert.equal((await s.ask(`DELETE ${uri}`, { 'if-match': '"x"' })).status, 412)
    assert.equal((await s.ask(`PUT ${uri}`, { 'if-none-match': '*' }, { title: 'B' })).status, 412)
    assert.equal((await s.ask('DELETE /guarded/nothing')).status, 404)
    assert.equal((await s.ask(`DELETE ${uri}`, { 'if-match': tagOf(created) })).status, 204)
  })
})

describe('304 (§15.4.5)', () => {
  test('has the Date, ETag, Vary, Cache-Control and Content-Location of the 200, and no content', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    for (const path of [uri, '/books', '/drafts', '/users', '/']) {
      const full = await s.ask(`GET ${path}`)
      const response = await s.ask(`GET ${path}`, { 'if-none-match': tagOf(full) })
      assert.equal(response.status, 304, path)
      for (const name of ['etag', 'vary', 'cache-control', 'content-location']) {
        assert.equal(response.fields[name], full.fields[name], name)
      }
      assert.ok(response.fields.date)
      for (const name of ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']) {
        assert.equal(response.fields[name], undefined, name)
      }
      assert.equal(response.octets.length, 0)
    }
  })

  test('for * it has the entity tag of the 200, of a large page too', async () => {
    await using s = await serve(books)
    for (let n = 0; n < 20; n += 1) await s.ask('POST /books', {}, { title: `Book ${n}` })
    for (const coding of ['identity', 'gzip']) {
      const full = await s.ask('GET /books', { 'accept-encoding': coding })
      const statusFor = { 'accept-encoding': coding, 'if-none-match': '*' }
      assert.equal(tagOf(await s.ask('GET /books', statusFor)), tagOf(full))
    }
  })
})

describe('a collection that is streamed, without validators (§13.1)', () => {
  for (const accept of ['text/csv', 'application/x-ndjson']) {
    test(`${accept}: If-None-Match: * is 304 with the fields of the 200, a tag never matches`, async () => {
      await using s = await serve(books)
      await s.ask('POST /books', {}, { title: 'A' })
      const full = await s.ask('GET /books', { accept })
      for (const method of ['GET', 'HEAD']) {
        const known = await s.ask(`${method} /books`, { accept, 'if-none-match': '*' })
        assert.equal(known.status, 304)
        for (const name of ['cache-control', 'vary', 'content-location', 'etag']) {
          assert.equal(known.fields[name], full.fields[name], name)
        }
        const other = { accept, 'if-none-match': '"x"' }
        assert.equal((await s.ask(`${method} /books`, other)).status, 200)
      }
    })

    test(`${accept}: If-Match: * is true, a tag never matches`, async () => {
      await using s = await serve(books)
      assert.equal((await s.ask('GET /books', { accept, 'if-match': '*' })).status, 200)
      assert.equal((await s.ask('GET /books', { accept, 'if-match': '"x"' })).status, 412)
    })
  }
})

describe('collections (§8.8, §13.1)', () => {
  test('the tag changes with every change of the collection, and of no other collection', async () => {
    await using s = await serve(books)
    const { location } = (await s.ask('POST /books', {}, { title: 'A' })).fields
    const tags = new Set([tagOf(await s.ask('GET /books'))])
    await s.ask('POST /books', {}, { title: 'B' })
    tags.add(tagOf(await s.ask('GET /books')))
    await s.ask(`PATCH ${location}`, {}, { pages: 3 })
    tags.add(tagOf(await s.ask('GET /books')))
    await s.ask(`DELETE ${location}`)
    const last = tagOf(await s.ask('GET /books'))
    tags.add(last)
    assert.equal(tags.size, 4)
    await s.ask('POST /guarded', {}, { title: 'elsewhere' })
    assert.equal(tagOf(await s.ask('GET /books')), last)
    assert.notEqual(tagOf(await s.ask('GET /books?limit=1')), last)
  })

  test('a change of a hidden row does not change the entity tag of a list (docs/reference/http.md, Conditional requests and caching)', async () => {
    await using s = await serve(books)
    await s.ask('POST /drafts', {}, { title: 'seen', shown: 1 })
    const before = tagOf(await s.ask('GET /drafts'))
    await s.ask('POST /drafts', {}, { title: 'hidden', shown: 0 })
    assert.equal(tagOf(await s.ask('GET /drafts')), before)
    await s.ask('POST /drafts', {}, { title: 'seen', shown: 1 })
    assert.notEqual(tagOf(await s.ask('GET /drafts')), before)
  })

  test('a page that gets a next one has another tag, for it is sent with another Link', async () => {
    await using s = await serve(books)
    await s.ask('POST /drafts', {}, { title: 'first', shown: 1 })
    const before = tagOf(await s.ask('GET /drafts?limit=1'))
    await s.ask('POST /drafts', {}, { title: 'second', shown: 1 })
    const after = await s.ask('GET /drafts?limit=1')
    assert.match(after.fields.link as string, /rel="next"/)
    assert.notEqual(tagOf(after), before)
  })

  const skip = onPostgres ? 'PostgreSQL has no table revisions: a 304 on a list loads its page.' : false
  test('a 304 on a list that all callers see alike loads no page', {
    skip,
  }, async () => {
    await using s = await serve(books)
    await s.ask('POST /books', {}, { title: 'A' })
    const tag = tagOf(await s.ask('GET /books'))
    const { store } = s.service
    const list = store.list
    store.list = () => assert.fail('a page was loaded')
    assert.equal((await s.ask('GET /books', { 'if-none-match': tag })).status, 304)
    store.list = list
  })

  test("the conditions of a POST are on the collection's representation (§13.1)", async () => {
    await using s = await serve(books)
    for (const path of ['/books', '/drafts']) {
      const tag = tagOf(await s.ask(`GET ${path}`))
      const item = path === '/books' ? { title: 'A' } : { title: 'A', shown: 1 }
      const created = await s.ask(`POST ${path}`, { 'if-match': tag }, item)
      assert.equal(created.status, 201, created.text)
      const refused = await s.ask(`POST ${path}`, { 'if-match': tag }, item)
      assert.equal(refused.status, 412)
      assert.equal(tagOf(refused), tagOf(await s.ask(`GET ${path}`)))
      assert.equal((await s.ask(`POST ${path}`, { 'if-none-match': '*' }, item)).status, 412)
      assert.equal((await s.ask(`POST ${path}`, { 'if-none-match': '"x"' }, item)).status, 201)
    }
  })
})

describe('of concurrent writes with one tag exactly one succeeds (§13.1.1)', () => {
  const writers = 20
  const rounds = cases(200)
  const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
  const oneOf = (won: number) => [won, ...Array.from({ length: writers - 1 }, () => 412)]

  test(`${writers} writers of one item, ${rounds} times`, async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    for (let round = 0; round < rounds; round += 1) {
      const match = { 'if-match': tagOf(await s.ask(`GET ${uri}`)) }
      const racing = Array.from({ length: writers }, (_, n) => {
        const title = `${round} ${n}`
        if (n % 2 === 0) return s.ask(`PUT ${uri}`, match, { title })
        return s.ask(`PATCH ${uri}`, match, { title })
      })
      assert.deepEqual(statuses(await Promise.all(racing)), oneOf(200))
    }
  })

  test('that create one item by PUT with If-None-Match: *', async () => {
    await using s = await serve(books)
    for (let round = 0; round < cases(50); round += 1) {
      const racing = Array.from({ length: writers }, (_, n) =>
        s.ask(`PUT /named/n${round}`, { 'if-none-match': '*' }, { title: `${n}` }),
      )
      assert.deepEqual(statuses(await Promise.all(racing)), oneOf(201))
    }
  })

  test('that add to one collection by POST with If-Match', async () => {
    await using s = await serve(books)
    for (const path of ['/books', '/drafts']) {
      for (let round = 0; round < cases(50); round += 1) {
        const match = { 'if-match': tagOf(await s.ask(`GET ${path}`)) }
        const item = path === '/books' ? { title: 'A' } : { title: 'A', shown: 1 }
        const racing = Array.from({ length: writers }, () => s.ask(`POST ${path}`, match, item))
        assert.deepEqual(statuses(await Promise.all(racing)), oneOf(201))
      }
    }
  })
})
