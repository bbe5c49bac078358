/** Files as resources of their own below an item (docs/reference/http/files.md, Files). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admin, serve } from '../../service.ts'
import { asPng, digestOf, gallery, newAccount, newPicture, png } from './gallery.ts'

describe('PUT, GET, HEAD and DELETE', () => {
  test('the first PUT is 201, a further one 204, each with the tag of the file', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const first = await s.request(`PUT ${item}/image`, asPng, png)
    assert.equal(first.status, 201, first.text)
    assert.match(String(first.fields.etag), /^"f[\w-]+"$/)
    const second = await s.request(`PUT ${item}/image`, asPng, Buffer.concat([png, png]))
    assert.equal(second.status, 204)
    assert.notEqual(second.fields.etag, first.fields.etag)
    const got = await s.request(`GET ${item}/image`)
    assert.equal(got.fields.etag, second.fields.etag)
  })

  test('GET sends the octets as they were stored, with their type, digest, name and dates', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    await s.request(
      `PUT ${item}/image`,
      { ...asPng, 'content-disposition': 'attachment; filename="a.png"' },
      png,
    )
    const got = await s.request(`GET ${item}/image`, {
      accept: 'application/json',
      'accept-encoding': 'gzip',
    })
    assert.equal(got.status, 200)
    assert.deepEqual(got.octets, png)
    const { fields } = got
    assert.equal(fields['content-type'], 'image/png')
    assert.equal(fields['content-length'], String(png.length))
    assert.equal(fields['content-disposition'], 'inline; filename="a.png"')
    assert.equal(fields['repr-digest'], digestOf(png))
    assert.equal(fields['accept-ranges'], 'bytes')
    assert.equal(fields['content-encoding'], undefined)
    assert.match(String(fields['cache-control']), /no-transform/)
    assert.equal(fields['x-content-type-options'], 'nosniff')
    assert.equal(fields['cross-origin-resource-policy'], 'same-origin')
    assert.equal(fields['content-security-policy'], "default-src 'none'; sandbox")
    assert.ok(Date.parse(String(fields['last-modified'])) > 0)
    const head = await s.request(`HEAD ${item}/image`)
    assert.equal(head.status, 200)
    for (const name of ['content-length', 'content-type', 'etag', 'repr-digest', 'last-modified']) {
      assert.equal(head.fields[name], fields[name], name)
    }
  })

  test('the item shows the file, and has another version after each write of it', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const before = await s.request(`GET ${item}`)
    assert.equal(before.json.image, undefined)
    await s.request(
      `PUT ${item}/image`,
      { ...asPng, 'content-disposition': 'attachment; filename="a.png"' },
      png,
    )
    const after = await s.request(`GET ${item}`)
    assert.notEqual(after.fields.etag, before.fields.etag)
    assert.deepEqual(after.json.image, {
      href: `${item}/image`,
      name: 'a.png',
      type: 'image/png',
      size: png.length,
      digest: digestOf(png),
    })
    assert.equal((await s.request(`DELETE ${item}/image`)).status, 204)
    assert.equal((await s.request(`GET ${item}`)).json.image, undefined)
    assert.equal((await s.request(`GET ${item}/image`)).status, 404)
    assert.equal((await s.request(`DELETE ${item}/image`)).status, 404)
  })

  test('a PUT of the same file changes nothing', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
    const before = await s.request(`GET ${item}`)
    assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 204)
    assert.equal((await s.request(`GET ${item}`)).fields.etag, before.fields.etag)
  })

  test('a dry run checks the file and stores nothing', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const tried = await s.request(`PUT ${item}/image?dry-run=true`, asPng, png)
    assert.equal(tried.status, 204, tried.text)
    assert.equal(tried.fields.etag, undefined)
    assert.equal((await s.request(`PUT ${item}/image?dry-run=true`, asPng, 'no picture')).status, 422)
    assert.equal((await s.request(`GET ${item}/image`)).status, 404)
    await s.request(`PUT ${item}/image`, asPng, png)
    assert.equal((await s.request(`DELETE ${item}/image?dry-run=true`)).status, 204)
    assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  })

  test('OPTIONS names the methods; a POST is 405', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const options = await s.request(`OPTIONS ${item}/image`)
    assert.equal(options.status, 204)
    assert.equal(options.fields.allow, 'GET, HEAD, PUT, DELETE, OPTIONS')
    assert.equal((await s.request(`POST ${item}/image`, asPng, png)).status, 405)
    assert.equal((await s.request(`PATCH ${item}/image`, asPng, png)).status, 405)
  })

  test('a file of a missing item, and another name below an item, are 404', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    assert.equal((await s.request('PUT /pictures/none/image', asPng, png)).status, 404)
    assert.equal((await s.request(`GET ${item}/title`)).status, 404)
    assert.equal((await s.request(`GET ${item}/image/1`)).status, 404)
  })

  test('a file has no parameters', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
    assert.equal((await s.request(`GET ${item}/image?format=json`)).status, 400)
  })

  test('content above 1 MiB is streamed', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const large = Buffer.concat([png, Buffer.alloc(1_900_000, 'x')])
    assert.equal((await s.request(`PUT ${item}/image`, asPng, large)).status, 201)
    const chunked = { ...asPng, 'transfer-encoding': 'chunked' }
    assert.equal((await s.request(`PUT ${item}/image`, chunked, large)).status, 204)
    const got = await s.request(`GET ${item}/image`)
    assert.equal(got.fields['content-length'], String(large.length))
    assert.ok(got.octets.equals(large))
  })

  test('an empty file is content', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const sent = await s.request(`PUT ${item}/image`, { 'content-type': 'text/plain' }, '')
    assert.equal(sent.status, 201, sent.text)
    const got = await s.request(`GET ${item}/image`)
    assert.equal(got.octets.length, 0)
    assert.equal(got.fields['content-length'], '0')
    assert.equal((await s.request(`GET ${item}/image`, { range: 'bytes=0-' })).status, 416)
  })
})

describe('refusals', () => {
  test('415 for another type, for none, and for a content coding', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const other = await s.request(`PUT ${item}/image`, { 'content-type': 'application/zip' }, 'x')
    assert.equal(other.status, 415)
    assert.equal(other.fields.accept, 'image/*, application/pdf, text/*, audio/*, multipart/form-data')
    assert.equal((await s.request(`PUT ${item}/image`, {}, png)).status, 415)
    assert.equal((await s.request(`PUT ${item}/image`, { 'content-type': 'image/*' }, png)).status, 415)
    const coded = await s.request(`PUT ${item}/image`, { ...asPng, 'content-encoding': 'gzip' }, png)
    assert.equal(coded.status, 415)
    assert.equal(coded.fields['accept-encoding'], 'identity')
  })

  test('422 for content with another signature', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const refused = await s.request(`PUT ${item}/image`, asPng, '<script>alert(1)</script>')
    assert.equal(refused.status, 422)
    assert.equal(refused.json.errors[0].pointer, '/image')
    assert.equal((await s.request(`GET ${item}/image`)).status, 404)
  })

  test('413 above the limit, by its length or as it arrives; the limit itself is accepted', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const most = Buffer.concat([png, Buffer.alloc(1000 - png.length)])
    assert.equal((await s.request(`PUT ${item}/locked`, { ...admin, ...asPng }, most)).status, 201)
    const more = Buffer.concat([most, Buffer.alloc(1)])
    assert.equal((await s.request(`PUT ${item}/locked`, { ...admin, ...asPng }, more)).status, 413)
    const chunked = { ...admin, ...asPng, 'transfer-encoding': 'chunked' }
    assert.equal((await s.request(`PUT ${item}/locked`, chunked, more)).status, 413)
  })

  test('400 for a digest that the content does not have, or that is malformed', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const send = (fields: Record<string, string>) =>
      s.request(`PUT ${item}/image`, { ...asPng, ...fields }, png).then(({ status }) => status)
    assert.equal(await send({ 'content-digest': digestOf(Buffer.from('other')) }), 400)
    assert.equal(await send({ 'repr-digest': digestOf(Buffer.from('other')) }), 400)
    assert.equal(await send({ 'repr-digest': 'sha-256=abc' }), 400)
    assert.equal(await send({ 'content-range': 'bytes 0-1/2' }), 400)
    assert.equal((await s.request(`GET ${item}/image`)).status, 404)
    assert.equal(
      await send({ 'content-digest': digestOf(png), 'repr-digest': `md5=:AAAA:, ${digestOf(png)}` }),
      201,
    )
  })
})

describe('preconditions by the tag of the file', () => {
  test('If-Match, If-None-Match and If-Unmodified-Since test the file', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const { etag: itemTag } = (await s.request(`GET ${item}`)).fields
    const put = (fields: Record<string, string>, octets = png) =>
      s.request(`PUT ${item}/image`, { ...asPng, ...fields }, octets)
    assert.equal((await put({ 'if-match': '*' })).status, 412)
    assert.equal((await put({ 'if-match': String(itemTag) })).status, 412)
    const made = await put({ 'if-none-match': '*' })
    assert.equal(made.status, 201)
    assert.equal((await put({ 'if-none-match': '*' })).status, 412)
    const tag = String(made.fields.etag)
    assert.equal((await s.request(`GET ${item}/image`, { 'if-none-match': tag })).status, 304)
    assert.equal((await s.request(`GET ${item}/image`, { 'if-match': '"x"' })).status, 412)
    const changed = await put({ 'if-match': tag }, Buffer.concat([png, png]))
    assert.equal(changed.status, 204)
    const stale = await put({ 'if-match': tag })
    assert.equal(stale.status, 412)
    assert.equal(stale.fields.etag, changed.fields.etag)
    const old = { 'if-unmodified-since': 'Tue, 15 Nov 1994 12:45:26 GMT' }
    assert.equal((await s.request(`DELETE ${item}/image`, old)).status, 412)
    assert.equal((await s.request(`DELETE ${item}/image`, { 'if-match': tag })).status, 412)
    const last = { 'if-match': String(changed.fields.etag) }
    assert.equal((await s.request(`DELETE ${item}/image`, last)).status, 204)
  })

  test('of ten racing writes with one tag exactly one succeeds', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const made = await s.request(`PUT ${item}/image`, asPng, png)
    const fields = { ...asPng, 'if-match': String(made.fields.etag) }
    const writes = Array.from({ length: 10 }, (_, at) =>
      s.request(`PUT ${item}/image`, fields, Buffer.concat([png, Buffer.from([at])])),
    )
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [204, ...Array(9).fill(412)])
  })
})

describe('access', () => {
  test('a file has the access rules of its item', async () => {
    await using s = await serve(gallery)
    const [ada, eve] = [await newAccount(s.request, 'ada'), await newAccount(s.request, 'eve')]
    const { location } = (await s.request('POST /diaries', ada, { title: 'Mine' })).fields
    assert.equal((await s.request(`PUT ${location}/scan`, { ...ada, ...asPng }, png)).status, 201)
    assert.equal((await s.request(`GET ${location}/scan`, ada)).status, 200)
    for (const line of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const refused = await s.request(
        `${line} ${location}/scan`,
        { ...eve, ...asPng },
        line === 'PUT' ? png : undefined,
      )
      assert.equal(refused.status, 404, line)
    }
    assert.equal((await s.request(`GET ${location}/scan`)).status, 401)
  })

  test('a hidden field is 404, a field that is not writable is 403', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const ada = await newAccount(s.request, 'ada')
    assert.equal((await s.request(`PUT ${item}/original`, { ...admin, ...asPng }, png)).status, 201)
    assert.equal((await s.request(`GET ${item}/original`, ada)).status, 404)
    assert.equal((await s.request(`PUT ${item}/original`, { ...ada, ...asPng }, png)).status, 404)
    assert.equal((await s.request(`PUT ${item}/locked`, { ...ada, ...asPng }, png)).status, 403)
    assert.equal((await s.request(`PUT ${item}/locked`, { ...admin, ...asPng }, png)).status, 201)
    assert.equal((await s.request(`DELETE ${item}/locked`, ada)).status, 403)
    assert.equal((await s.request(`GET ${item}/locked`, ada)).status, 200)
    assert.equal((await s.request(`GET ${item}`, ada)).json.original, undefined)
  })
})
