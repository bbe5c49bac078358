/** Forms with files (RFC 7578): an item and its files in one request, from browsers and API clients. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, file, integer, list, resource, service, text } from '../../../src/index.ts'
import { serve } from '../../service.ts'
import { digestOf, gallery, newAccount, newPicture, png } from './gallery.ts'
import { formOf, image, type Part, send } from './sent-forms.ts'

describe('API clients', () => {
  test('POST creates an item with its files', async () => {
    await using s = await serve(gallery)
    const made = await send(s.request, 'POST /pictures', [['title', 'A'], image])
    assert.equal(made.status, 201, made.text)
    assert.equal(made.json.title, 'A')
    assert.deepEqual(made.json.image, {
      href: `${made.fields.location}/image`,
      name: 'a.png',
      type: 'image/png',
      size: png.length,
      digest: digestOf(png),
    })
    assert.deepEqual((await s.request(`GET ${made.fields.location}/image`)).octets, png)
  })

  test('values have the types of their fields, and a list has one part for each item', async () => {
    const access = { read: anyone, create: anyone }
    const photo = file({ types: ['image/png'], max: '1 kB' })
    const shots = resource({ count: integer(), tags: list(text()), photo }, { access })
    await using s = await serve(service({ title: 'Shots', resources: { shots } }))
    const sent: Part = ['photo', png, { name: 'a.png', type: 'image/png' }]
    const parts: readonly Part[] = [['count', '3'], ['tags[]', 'a'], ['tags[]', 'b, c'], sent]
    const made = await send(s.request, 'POST /shots', parts)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.json.count, made.json.tags], [3, ['a', 'b, c']])
    const without = await send(s.request, 'POST /shots', parts.slice(0, -1))
    assert.equal(without.status, 422)
    assert.deepEqual(
      without.json.errors.map(({ pointer, rule }: Record<string, string>) => [pointer, rule]),
      [['/photo', 'required']],
    )
    const { json } = await s.request('GET /shots', { accept: 'application/prs.hal-forms+json' })
    const { contentType, properties } = json._templates.default
    assert.equal(contentType, 'multipart/form-data')
    assert.deepEqual(properties.at(-1), { name: 'photo', required: true, type: 'file' })
  })

  test('PATCH changes what it sends and keeps the rest; an empty value removes a file', async () => {
    await using s = await serve(gallery)
    const item = String((await send(s.request, 'POST /pictures', [['title', 'A'], image])).fields.location)
    const larger = Buffer.concat([png, png])
    const changed = await send(s.request, `PATCH ${item}`, [
      ['image', larger, { name: 'b.png', type: 'image/png' }],
    ])
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual([changed.json.title, changed.json.image.name], ['A', 'b.png'])
    const renamed = await send(s.request, `PATCH ${item}`, [['title', 'B']])
    assert.deepEqual([renamed.json.title, renamed.json.image.size], ['B', larger.length])
    const removed = await send(s.request, `PATCH ${item}`, [['image', '']])
    assert.equal(removed.json.image, undefined)
  })

  test('PUT replaces the item; a file that it does not send is removed', async () => {
    await using s = await serve(gallery)
    const item = String((await send(s.request, 'POST /pictures', [['title', 'A'], image])).fields.location)
    const replaced = await send(s.request, `PUT ${item}`, [['title', 'B'], image])
    assert.equal(replaced.json.image.name, 'a.png')
    assert.equal((await send(s.request, `PUT ${item}`, [['title', 'C']])).json.image, undefined)
  })

  test('PUT of a file by a form has no entity tag: the content is not stored as it is (RFC 9110 §9.3.4)', async () => {
    await using s = await serve(gallery)
    const { location } = (await send(s.request, 'POST /pictures', [['title', 'A']])).fields
    const put = await send(s.request, `PUT ${location}/image`, [image])
    assert.deepEqual([put.status, put.fields.etag], [201, undefined])
    const whole = await s.request(`PUT ${location}/image`, { 'content-type': 'image/png' }, png)
    assert.notEqual(whole.fields.etag, undefined)
  })

  test('the same file again changes nothing', async () => {
    await using s = await serve(gallery)
    const made = await send(s.request, 'POST /pictures', [['title', 'A'], image])
    const again = await send(s.request, `PATCH ${made.fields.location}`, [['title', 'A'], image])
    assert.equal(again.fields.etag, made.fields.etag)
  })

  test('an Idempotency-Key replays, also with another boundary; another file is other content', async () => {
    await using s = await serve(gallery)
    const keyed = { 'idempotency-key': '"one"' }
    const post = (boundary: string, octets: Buffer) =>
      s.request(
        'POST /pictures',
        { ...keyed, 'content-type': `multipart/form-data; boundary=${boundary}` },
        formOf(
          [
            ['title', 'A'],
            ['image', octets, { name: 'a.png', type: 'image/png' }],
          ],
          boundary,
        ),
      )
    const [first, second] = [await post('b', png), await post('other', png)]
    assert.equal(first.status, 201)
    assert.equal(second.fields.location, first.fields.location)
    assert.equal((await post('b', Buffer.concat([png, png]))).status, 422)
  })

  test('a dry run shows the item that would be, and stores nothing', async () => {
    await using s = await serve(gallery)
    const tried = await send(s.request, 'POST /pictures?dry-run=true', [['title', 'A'], image])
    assert.equal(tried.status, 200, tried.text)
    assert.equal(tried.json.image.digest, digestOf(png))
    assert.deepEqual((await s.request('GET /pictures')).json, [])
  })

  test('OPTIONS and 415 name the type where a resource has files, and only there', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    assert.match(String((await s.request('OPTIONS /pictures')).fields['accept-post']), /multipart\/form-data/)
    assert.match(String((await s.request(`OPTIONS ${item}`)).fields['accept-patch']), /multipart\/form-data/)
    assert.doesNotMatch(String((await s.request('OPTIONS /users')).fields['accept-post']), /multipart/)
    assert.equal((await send(s.request, 'POST /users', [['email', 'a@b.c']])).status, 415)
    const { paths } = (await s.request('GET /openapi.json')).json
    const body = paths['/pictures'].post.requestBody.content['multipart/form-data']
    assert.deepEqual(Object.keys(body.schema.properties), ['image', 'original'])
    assert.equal(paths['/users'].post.requestBody.content['multipart/form-data'], undefined)
  })
})

describe('refusals store nothing', () => {
  const refusedWith = async (parts: readonly Part[], fields = {}) => {
    await using s = await serve(gallery)
    const reply = await send(s.request, 'POST /pictures', parts, fields)
    assert.deepEqual((await s.request('GET /pictures')).json, [])
    return { ...reply, errors: reply.json.errors }
  }

  test('415 for a type that the field does not take, 422 for another signature, 413 above the limit', async () => {
    const zip: Part = ['image', 'PK', { name: 'a.zip', type: 'application/zip' }]
    const typed = await refusedWith([['title', 'A'], zip])
    assert.equal(typed.status, 415)
    assert.match(typed.json.detail, /^The file in 'image' has the type application\/zip\./)
    // The collection accepts forms and JSON, not images.
    assert.equal(typed.fields.accept, undefined)
    const fake: Part = ['image', '<script>', { name: 'a.png', type: 'image/png' }]
    const { status, errors } = await refusedWith([['title', 'A'], fake])
    assert.deepEqual([status, errors[0].pointer], [422, '/image'])
    const large: Part = ['image', Buffer.alloc(2_000_001, 'x'), { name: 'a.txt', type: 'text/plain' }]
    assert.equal((await refusedWith([['title', 'A'], large])).status, 413)
  })

  test('422 for values, unknown names and fields that the caller may not write', async () => {
    const { status, errors } = await refusedWith([image, ['titel', 'A']])
    assert.equal(status, 422)
    const pointers = errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual(pointers.toSorted(), ['/titel', '/title'])
    const locked: Part = ['locked', png, { name: 'a.png', type: 'image/png' }]
    const refused = await refusedWith([['title', 'A'], locked])
    assert.deepEqual([refused.status, refused.errors[0].pointer], [422, '/locked'])
    const absent = await refusedWith([
      ['title', 'A'],
      ['nothing', png, { name: 'a.png' }],
    ])
    assert.deepEqual(refused.errors, [{ ...absent.errors[0], pointer: '/locked' }])
  })

  test('400 for two files of one field, a part without a name, and a digest that it does not have', async () => {
    assert.equal((await refusedWith([['title', 'A'], image, image])).status, 400)
    assert.equal((await refusedWith([['', 'A']])).status, 422)
    const fields = { 'content-digest': digestOf(Buffer.from('other')) }
    assert.equal((await refusedWith([['title', 'A'], image], fields)).status, 400)
    assert.equal(
      (await refusedWith([['title', '\u00ff']], { 'content-type': 'multipart/form-data' })).status,
      400,
    )
  })

  test('a member cannot name content by its digest', async () => {
    await using s = await serve(gallery)
    const ada = await newAccount(s.request, 'ada')
    const { location } = (await s.request('POST /diaries', ada, { title: 'Mine' })).fields
    await s.request(`PUT ${location}/scan`, { ...ada, 'content-type': 'image/png' }, png)
    const described = { href: '', name: 'a.png', type: 'image/png', size: png.length, digest: digestOf(png) }
    const refused = await s.request('POST /pictures', {}, { title: 'A', image: described })
    assert.equal(refused.status, 422)
    const inForm = await send(s.request, 'POST /pictures', [
      ['title', 'A'],
      ['image', JSON.stringify(described)],
    ])
    assert.equal(inForm.status, 422)
  })
})
