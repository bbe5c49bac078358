/** Requests of resumable uploads that are refused: offsets, fields, lengths, rights, digests. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic, serve } from '../../service.ts'
import { at, begin, beginUpload, contentDigest, draft, octets } from './begun-uploads.ts'
import { asPng, digestOf, gallery, newAccount, newPicture, png } from './gallery.ts'
import { formFields, formOf, image } from './sent-forms.ts'

test('a part without the interop version is refused, so that it is not stored as the file', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const { 'upload-draft-interop-version': _, ...fields } = begin
  assert.equal((await s.request(`PUT ${item}/image`, fields, octets)).status, 400)
  assert.equal((await s.request(`PUT ${item}/image?dry-run=true`, begin, octets)).status, 400)
  assert.equal((await s.request(`GET ${item}/image`)).status, 404)
})

test('a form is not a resumable upload: it is refused before a file is stored', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  for (const line of [`PUT ${item}/image`, 'POST /pictures']) {
    for (const complete of ['?0', '?1', '?1;a=b']) {
      const fields = { ...formFields, ...draft, 'upload-complete': complete }
      const refused = await s.request(line, fields, formOf([['title', 'A'], image]))
      assert.equal(refused.status, 400, `${line} ${complete}`)
      assert.match(refused.json.type, /malformed-request$/)
    }
  }
  assert.equal((await s.request(`GET ${item}/image`)).status, 404)
  assert.doesNotMatch((await s.request('GET /pictures')).text, /a\.png/)
  const ordinary = { ...formFields, 'upload-complete': '?1' }
  assert.equal((await s.request(`PUT ${item}/image`, ordinary, formOf([image]))).status, 201)
})

test('another offset is 409 with the right one, and changes nothing', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`)
  const vary = new Set<string | undefined>()
  for (const offset of [0, 499, 501, 10_000]) {
    const refused = await s.request(`PATCH ${upload}`, at(offset), octets.subarray(0, 100))
    assert.equal(refused.status, 409)
    assert.match(refused.json.type, /mismatching-upload-offset$/)
    assert.equal(refused.json['expected-offset'], 500)
    assert.equal(refused.json['provided-offset'], offset)
    assert.equal(refused.fields['upload-offset'], '500')
    vary.add(refused.fields.vary)
  }
  const present = await s.request(`HEAD ${upload}`)
  assert.equal(present.fields['upload-offset'], '500')
  // RFC 9110 §12.5.5: every response of a URI has the same Vary.
  assert.deepEqual([...vary], [present.fields.vary])
})

test('malformed fields are 400, another type is 415, other methods are 405', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`)
  for (const fields of [
    { ...at(500), 'upload-offset': '-1' },
    { ...at(500), 'upload-offset': 'a' },
    { ...at(500), 'upload-complete': '1' },
    { ...at(500), 'content-digest': 'a' },
  ]) {
    assert.equal((await s.request(`PATCH ${upload}`, fields, 'a')).status, 400, JSON.stringify(fields))
  }
  const typed = await s.request(`PATCH ${upload}`, { ...at(500), 'content-type': 'image/png' }, 'a')
  assert.equal(typed.status, 415)
  assert.equal(typed.fields['accept-patch'], 'application/partial-upload')
  for (const method of ['GET', 'PUT', 'POST']) {
    const { status, fields } = await s.request(`${method} ${upload}`)
    assert.equal(status, 405)
    assert.equal(fields.allow, 'HEAD, PATCH, DELETE, OPTIONS')
  }
  const options = await s.request(`OPTIONS ${upload}`)
  assert.equal(options.fields['accept-patch'], 'application/partial-upload')
  assert.equal(
    (await s.request(`OPTIONS ${item}/image`)).fields['upload-limit'],
    'max-size=2000000, max-age=86400',
  )
})

test('lengths that contradict each other are 400', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`, octets.subarray(0, 500), { 'upload-length': '1000' })
  for (const [fields, size] of [
    [{ ...at(500), 'upload-length': '1001' }, 10],
    [at(500, true), 499],
  ] as const) {
    const refused = await s.request(`PATCH ${upload}`, fields, octets.subarray(0, size))
    assert.equal(refused.status, 400)
    assert.match(refused.json.type, /inconsistent-upload-length$/)
  }
  assert.equal((await s.request(`HEAD ${upload}`)).fields['upload-offset'], '500')
  assert.equal((await s.request(`PATCH ${upload}`, at(500, true), octets.subarray(500, 1000))).status, 201)
})

test('content beyond a known length makes the upload invalid (draft §4.4.2)', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const known = { 'upload-length': '1000' }
  for (const fields of [at(500), at(500, true), { ...at(500), 'transfer-encoding': 'chunked' }]) {
    const upload = await beginUpload(s, `${item}/image`, octets.subarray(0, 500), known)
    const refused = await s.request(`PATCH ${upload}`, fields, octets.subarray(0, 501))
    assert.equal(refused.status, 400)
    assert.match(refused.json.type, /inconsistent-upload-length$/)
    assert.equal((await s.request(`HEAD ${upload}`)).status, 404)
    assert.equal((await s.request(`PATCH ${upload}`, at(500), 'a')).status, 404)
  }
  const begun = await s.request(`PUT ${item}/image`, { ...begin, 'upload-length': '2' }, octets)
  assert.equal(begun.status, 400)
  assert.equal((await s.request(`GET ${item}/image`)).status, 404)
})

test('a field with a value of another type is ignored, parameters are too (draft §4.1.2, RFC 9651 §3.1.2)', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  for (const complete of ['no', '1', '?2', '"?0"', '?1;A']) {
    const fields = { ...begin, 'upload-complete': complete }
    const put = await s.request(`PUT ${item}/image`, fields, octets)
    assert.ok([201, 204].includes(put.status), complete)
    assert.equal(put.fields['upload-complete'], undefined)
  }
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, octets)
  const upload = await beginUpload(s, `${item}/image`, octets.subarray(0, 500), {
    'upload-complete': '?0;a=b',
    'upload-length': 'many',
  })
  const fields = { ...at(500), 'upload-offset': '500;a', 'upload-complete': '?1; b="c"' }
  const last = await s.request(`PATCH ${upload}`, fields, octets.subarray(500))
  assert.deepEqual([last.status, last.fields['upload-complete']], [204, '?1'])
})

test('If-Match is evaluated: an upload has no entity tag, so only * is true (RFC 9110 §13.1.1)', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`)
  for (const fields of [{ 'if-match': '"a"' }, { 'if-none-match': '*' }]) {
    const refused = await s.request(`PATCH ${upload}`, { ...at(500), ...fields }, 'a')
    assert.deepEqual([refused.status, refused.fields['upload-offset']], [412, '500'])
    assert.equal((await s.request(`DELETE ${upload}`, fields)).status, 412)
  }
  const added = await s.request(`PATCH ${upload}`, { ...at(500), 'if-match': '*' }, 'a')
  assert.deepEqual([added.status, added.fields['upload-offset']], [204, '501'])
})

test('problems have the registered types (draft §7)', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`)
  const { json } = await s.request(`PATCH ${upload}`, at(1), 'a')
  const type = 'https://iana.org/assignments/http-problem-types#mismatching-upload-offset'
  assert.equal(json.type, type)
  assert.equal((await s.request('GET /problems/mismatching-upload-offset')).json.type, type)
  const page = await s.request(`PATCH ${upload}`, { ...at(1), accept: 'text/html' }, 'a')
  assert.equal(page.status, 409)
  assert.match(page.text, /href="\/problems\/mismatching-upload-offset"/)
})

test('a file of the largest size is taken, one octet more is 413', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const max = Buffer.concat([png, Buffer.alloc(2_000_000 - png.length)])
  const exact = await beginUpload(s, `${item}/image`, max.subarray(0, 1_999_999))
  const large = await s.request(`PATCH ${exact}`, at(1_999_999), Buffer.alloc(2))
  assert.equal(large.status, 413)
  assert.match(String(large.fields['upload-limit']), /^max-size=2000000, max-age=/)
  assert.equal((await s.request(`PATCH ${exact}`, at(1_999_999, true), Buffer.alloc(1))).status, 201)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, max)
  const longer = { ...begin, 'upload-length': '2000001' }
  const longest = await s.request(`PUT ${item}/image`, longer, 'a')
  assert.deepEqual([longest.status, longest.fields['upload-limit']], [413, 'max-size=2000000, max-age=86400'])
  // Without a known length, the octets beyond the limit are not stored.
  const chunked = { ...begin, 'transfer-encoding': 'chunked' }
  assert.equal((await s.request(`PUT ${item}/image`, chunked, Buffer.alloc(2_000_001))).status, 413)
})

test('only the caller who began an upload sees it', async () => {
  await using s = await serve(gallery)
  const [ada, ben] = [await newAccount(s.request, 'ada'), await newAccount(s.request, 'ben')]
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`, octets.subarray(0, 500), ada)
  for (const other of [ben, {}]) {
    assert.equal((await s.request(`HEAD ${upload}`, other)).status, 404)
    assert.equal((await s.request(`PATCH ${upload}`, { ...at(500), ...other }, 'a')).status, 404)
    assert.equal((await s.request(`DELETE ${upload}`, other)).status, 404)
  }
  assert.equal((await s.request(`HEAD ${upload}`, ada)).status, 204)
  assert.equal((await s.request('HEAD /uploads/AAAAAAAAAAAAAAAAAAAAAA', ada)).status, 404)
})

test('rights, conditions, type and digest are checked again when the upload is complete', async () => {
  await using s = await serve(gallery)
  const { request } = s
  const finish = (upload: string, fields = {}) =>
    request(`PATCH ${upload}`, { ...at(500, true), ...fields }, octets.subarray(500))
  const item = await newPicture(request)
  const absent = await beginUpload(s, `${item}/image`, undefined, { 'if-none-match': '*' })
  const digest = await beginUpload(s, `${item}/image`, undefined, { 'repr-digest': digestOf(png) })
  const right = await beginUpload(s, `${item}/image`, undefined, { 'repr-digest': digestOf(octets) })
  const signature = await beginUpload(s, `${item}/image`, Buffer.alloc(500))
  assert.equal((await finish(digest)).status, 400)
  assert.equal((await finish(signature)).status, 422)
  assert.equal((await finish(right)).status, 201)
  assert.equal((await finish(absent)).status, 412)
  const tagged = await beginUpload(s, `${item}/image`, undefined, {
    'if-match': String((await request(`GET ${item}/image`)).fields.etag),
  })
  await request(`PUT ${item}/image`, asPng, png)
  assert.equal((await finish(tagged)).status, 412)
  const gone = await beginUpload(s, `${item}/image`)
  await request(`DELETE ${item}`)
  assert.equal((await finish(gone)).status, (await request(`PUT ${item}/image`, asPng, png)).status)
  // An account whose role is taken away while it sends.
  const admin = basic('admin@example.org', 'correct horse battery')
  const ada = await newAccount(request, 'ada')
  const users = (await request('GET /users', admin)).json
  const { id } = users.find(({ email }: { email: string }) => email === 'ada@example.org')
  await request(`PATCH /users/${id}`, admin, { role: 'admin' })
  const other = await newPicture(request)
  const small = octets.subarray(0, 600)
  const locked = await beginUpload(s, `${other}/locked`, small.subarray(0, 500), ada)
  await request(`PATCH /users/${id}`, admin, { role: 'member' })
  const refused = await request(`PATCH ${locked}`, { ...at(500, true), ...ada }, small.subarray(500))
  assert.equal(refused.status, 403, refused.text)
})

test('a part with another digest than Content-Digest is 400, and the offset stays', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const upload = await beginUpload(s, `${item}/image`, octets.subarray(0, 500), {
    'content-digest': contentDigest(octets.subarray(0, 500)),
  })
  const part = octets.subarray(500, 600)
  const wrong = { ...at(500), 'content-digest': contentDigest(octets) }
  assert.equal((await s.request(`PATCH ${upload}`, wrong, part)).status, 400)
  assert.equal((await s.request(`HEAD ${upload}`)).fields['upload-offset'], '500')
  const right = { ...at(500), 'content-digest': contentDigest(part) }
  assert.equal((await s.request(`PATCH ${upload}`, right, part)).status, 204)
})

test('a caller has at most 100 uploads that are not complete', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const uploads: string[] = []
  for (let count = 0; count < 100; count += 1) {
    uploads.push(await beginUpload(s, `${item}/image`, Buffer.from([count])))
  }
  const refused = await s.request(`PUT ${item}/image`, begin, 'a')
  assert.equal(refused.status, 429)
  assert.ok(refused.fields['retry-after'])
  assert.equal((await s.request(`DELETE ${uploads[0]}`)).status, 204)
  assert.equal((await s.request(`HEAD ${uploads[0]}`)).status, 404)
  await beginUpload(s, `${item}/image`)
})
