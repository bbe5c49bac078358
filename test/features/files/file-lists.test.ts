/** Lists of files: POST adds one, each has a URI of its own, and a write of the item orders, copies and removes them. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../../service.ts'
import { album, asText, serveTask } from './album.ts'
import { asPng, digestOf, png } from './gallery.ts'

describe('a list of files', () => {
  test('is empty in a new item; POST adds a file at the end, with Location and ETag', async () => {
    await using t = await serveTask()
    assert.deepEqual(await t.photos(), [])
    const fields = { ...asPng, 'content-disposition': 'attachment; filename="a.png"' }
    const before = await t.s.request(`GET ${t.task}`)
    const added = await t.s.request(`POST ${t.task}/photos`, fields, png)
    assert.equal(added.status, 201)
    const href = String(added.fields.location)
    assert.match(href, new RegExp(`^${t.task}/photos/[0-9a-f-]{36}$`))
    const shown = await t.s.request(`GET ${t.task}`)
    assert.notEqual(shown.fields.etag, before.fields.etag)
    assert.deepEqual(shown.json.photos, [
      { href, name: 'a.png', type: 'image/png', size: png.length, digest: digestOf(png) },
    ])
    const got = await t.s.request(`GET ${href}`)
    assert.equal(got.fields.etag, added.fields.etag)
    assert.deepEqual(got.octets, png)
    await t.add('second')
    assert.deepEqual(
      (await t.photos()).map(({ name }) => name),
      ['a.png', 'second.txt'],
    )
  })

  test('has POST and OPTIONS; each file has GET, HEAD, PUT, DELETE and OPTIONS', async () => {
    await using t = await serveTask()
    const href = await t.add('one')
    const options = await t.s.request(`OPTIONS ${t.task}/photos`)
    assert.equal(options.fields.allow, 'POST, OPTIONS')
    assert.equal(options.fields['accept-post'], 'image/*, text/plain, multipart/form-data')
    assert.match(String(options.fields['upload-limit']), /max-size=1000/)
    assert.equal((await t.s.request(`GET ${t.task}/photos`)).status, 405)
    assert.equal((await t.s.request(`OPTIONS ${href}`)).fields.allow, 'GET, HEAD, PUT, DELETE, OPTIONS')
    assert.equal((await t.s.request(`POST ${href}`, asText, 'x')).status, 405)
    const head = await t.s.request(`HEAD ${href}`)
    assert.deepEqual([head.status, head.fields['content-length']], [200, '3'])
    assert.equal(head.fields['repr-digest'], digestOf(Buffer.from('one')))
  })

  test('serves ranges and conditions of each file (RFC 9110 §13, §14)', async () => {
    await using t = await serveTask()
    const href = await t.add('0123456789')
    const { etag } = (await t.s.request(`HEAD ${href}`)).fields
    const part = await t.s.request(`GET ${href}`, { range: 'bytes=2-4', 'if-range': String(etag) })
    assert.deepEqual([part.status, part.text, part.fields['content-range']], [206, '234', 'bytes 2-4/10'])
    assert.equal((await t.s.request(`GET ${href}`, { range: 'bytes=10-' })).status, 416)
    assert.equal((await t.s.request(`GET ${href}`, { 'if-none-match': String(etag) })).status, 304)
    assert.equal((await t.s.request(`PUT ${href}`, { ...asText, 'if-match': '"x"' }, 'new')).status, 412)
    const put = await t.s.request(`PUT ${href}`, { ...asText, 'if-match': String(etag) }, 'new')
    assert.equal(put.status, 204)
    assert.equal((await t.s.request(`GET ${href}`)).text, 'new')
    assert.equal((await t.s.request(`DELETE ${href}`, { 'if-match': String(etag) })).status, 412)
    assert.equal((await t.s.request(`DELETE ${href}`)).status, 204)
    for (const method of ['GET', 'DELETE', 'PUT']) {
      assert.equal((await t.s.request(`${method} ${href}`, asText, 'x')).status, 404, method)
    }
    assert.deepEqual(await t.photos(), [])
    // The list has no representation that a tag could name.
    assert.equal(
      (await t.s.request(`POST ${t.task}/photos`, { ...asText, 'if-match': '*' }, 'x')).status,
      412,
    )
  })

  test('refuses other types, sizes, digests, and more files than it takes', async () => {
    await using t = await serveTask()
    const list = `POST ${t.task}/photos`
    const typed = await t.s.request(list, { 'content-type': 'application/pdf' }, '%PDF-')
    assert.equal(typed.status, 415)
    assert.equal(typed.fields['accept-post'], typed.fields.accept)
    assert.equal((await t.s.request(list, asPng, 'no png')).status, 422)
    assert.equal((await t.s.request(list, asText, 'x'.repeat(1001))).status, 413)
    const digest = { ...asText, 'repr-digest': digestOf(png) }
    assert.equal((await t.s.request(list, digest, 'x')).status, 400)
    for (const name of ['1', '2', '3', '4']) await t.add(name)
    const fifth = await t.s.request(list, asText, 'x')
    assert.equal(fifth.status, 422)
    assert.deepEqual([fifth.json.errors[0].pointer, fifth.json.errors[0].rule], ['/photos', 'maxItems'])
  })

  test('keeps its least number of files', async () => {
    await using s = await serve(album)
    assert.equal((await s.request('POST /proofs', {}, { title: 'A' })).status, 422)
    const body = formOf([
      ['title', 'A'],
      ['scans', 'one', 'a.txt'],
      ['scans', 'two', 'b.txt'],
    ])
    const created = await s.request('POST /proofs', form, body)
    assert.equal(created.status, 201, created.text)
    const [first, second] = created.json.scans as { href: string }[]
    assert.equal((await s.request(`DELETE ${first?.href}`)).status, 204)
    const last = await s.request(`DELETE ${second?.href}`)
    assert.deepEqual([last.status, last.json.errors[0].rule], [422, 'minItems'])
    assert.equal((await s.request(`GET ${second?.href}`)).text, 'two')
  })

  test('adds concurrent files without losing one, and a repeated POST with its key once', async () => {
    await using t = await serveTask()
    await Promise.all(['a', 'b', 'c'].map((name) => t.add(name)))
    assert.deepEqual((await t.photos()).map(({ name }) => name).sort(), ['a.txt', 'b.txt', 'c.txt'])
    const keyed = { ...asText, 'idempotency-key': '"k"' }
    const first = await t.s.request(`POST ${t.task}/photos`, keyed, 'd')
    const again = await t.s.request(`POST ${t.task}/photos`, keyed, 'd')
    const { date: _, 'request-id': __, ...fields } = first.fields
    const { date: ___, 'request-id': ____, ...repeated } = again.fields
    assert.deepEqual([again.status, repeated], [201, fields])
    assert.equal((await t.s.request(`POST ${t.task}/photos`, keyed, 'e')).status, 422)
    assert.equal((await t.photos()).length, 4)
  })
})

const form = { 'content-type': 'multipart/form-data; boundary=b' }

function formOf(parts: readonly (readonly [name: string, value: string, filename?: string])[]): string {
  const written = parts.map(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`
    return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return `${written.join('')}--b--\r\n`
}

describe('a write of the item', () => {
  test('reorders, keeps and removes files', async () => {
    await using t = await serveTask()
    const [a, b, c] = [await t.add('a'), await t.add('b'), await t.add('c')]
    const tag = (await t.s.request(`HEAD ${b}`)).fields.etag
    const patched = await t.s.request(`PATCH ${t.task}`, {}, { photos: [{ href: c }, { href: b }] })
    assert.equal(patched.status, 200, patched.text)
    assert.deepEqual(
      patched.json.photos.map((one: { href: string }) => one.href),
      [c, b],
    )
    assert.equal((await t.s.request(`GET ${a}`)).status, 404)
    assert.equal((await t.s.request(`HEAD ${b}`)).fields.etag, tag)
    const { json: item, fields } = await t.s.request(`GET ${t.task}`)
    const same = await t.s.request(`PUT ${t.task}`, {}, item)
    assert.equal(same.status, 200, same.text)
    assert.equal((await t.s.request(`GET ${t.task}`)).fields.etag, fields.etag)
    const move = [{ op: 'move', from: '/photos/1', path: '/photos/0' }]
    const moved = await t.s.request(
      `PATCH ${t.task}`,
      { 'content-type': 'application/json-patch+json' },
      move,
    )
    assert.deepEqual(
      moved.json.photos.map((one: { href: string }) => one.href),
      [b, c],
    )
    assert.deepEqual((await t.s.request(`PATCH ${t.task}`, {}, { photos: null })).json.photos, [])
  })

  test('copies readable files from lists and fields of other items, each with its own URI', async () => {
    await using t = await serveTask()
    const a = await t.add('a')
    const other = await t.s.request('POST /tasks', {}, { title: 'B', photos: [{ href: a }, { href: a }] })
    assert.equal(other.status, 201, other.text)
    const [first, second] = other.json.photos as { href: string; digest: string }[]
    assert.notEqual(first?.href, second?.href)
    assert.equal(first?.digest, digestOf(Buffer.from('a')))
    await t.s.request(`DELETE ${a}`)
    assert.equal((await t.s.request(`GET ${first?.href}`)).text, 'a')
    await t.s.request(`PUT ${t.task}/cover`, asPng, png)
    const from = await t.s.request(`PATCH ${t.task}`, {}, { photos: [{ href: `${t.task}/cover` }] })
    assert.equal(from.json.photos[0].type, 'image/png')
    const back = { cover: { href: from.json.photos[0].href } }
    assert.equal((await t.s.request(`PATCH ${other.fields.location}`, {}, back)).json.cover.size, png.length)
  })

  test('names what is wrong with each member', async () => {
    await using t = await serveTask()
    const a = await t.add('a')
    const faults = async (photos: unknown) =>
      (await t.s.request(`PATCH ${t.task}`, {}, { photos })).json.errors?.map(
        ({ pointer, rule }: { pointer: string; rule: string }) => `${pointer} ${rule}`,
      )
    assert.deepEqual(await faults([{ href: a }, { href: `${t.task}/photos/none` }]), [
      '/photos/1/href reference',
    ])
    assert.deepEqual(await faults([{ href: `${t.task}/photos` }]), ['/photos/0/href reference'])
    assert.deepEqual(await faults([{ href: a, size: 5 }]), ['/photos/0/size const'])
    assert.deepEqual(await faults([{ name: 'a' }]), ['/photos/0/href required'])
    assert.deepEqual(await faults({ href: a }), ['/photos type'])
    assert.deepEqual(await faults(Array(5).fill({ href: a })), ['/photos maxItems'])
    await t.s.request(`PUT ${t.task}/cover`, { 'content-type': 'image/webp' }, webp)
    assert.deepEqual(await faults([{ href: `${t.task}/cover` }]), ['/photos/0 maximum'])
  })

  test('a form sends several files of one list, after those that it keeps', async () => {
    await using t = await serveTask()
    const [a] = [await t.add('a'), await t.add('b')]
    const kept: [string, string] = ['photos[]', JSON.stringify({ href: a })]
    const body = formOf([kept, ['photos', 'x', 'x.txt'], ['photos', 'y', 'y.txt']])
    const patched = await t.s.request(`PATCH ${t.task}`, form, body)
    assert.equal(patched.status, 200, patched.text)
    assert.deepEqual(
      (await t.photos()).map(({ name }) => name),
      ['a.txt', 'x.txt', 'y.txt'],
    )
    const added = await t.s.request(`POST ${t.task}/photos`, form, formOf([['photos', 'z', 'z.txt']]))
    assert.deepEqual([added.status, added.fields.location !== undefined], [201, true])
    const two = formOf([
      ['photos', 'z', 'z.txt'],
      ['photos', 'z', 'z.txt'],
    ])
    assert.equal((await t.s.request(`POST ${t.task}/photos`, form, two)).status, 422)
    await t.s.request(`PATCH ${t.task}`, {}, { photos: [] })
    const both = await t.s.request(`POST ${t.task}/photos`, form, two)
    assert.deepEqual([both.status, both.fields.location, (await t.photos()).length], [201, undefined, 2])
    const many = formOf(Array.from({ length: 5 }, () => ['photos', 'z', 'z.txt'] as const))
    assert.equal((await t.s.request(`POST ${t.task}/photos`, form, many)).status, 400)
    const other = formOf([['cover', 'z', 'z.txt']])
    assert.equal((await t.s.request(`POST ${t.task}/photos`, form, other)).status, 422)
  })
})

/** More octets than a photo may have. */
const webp = Buffer.concat([Buffer.from('RIFF1234WEBPVP8 '), Buffer.alloc(2000)])
