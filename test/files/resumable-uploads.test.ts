/** Resumable uploads (draft-ietf-httpbis-resumable-upload, interop version 8). */

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { client } from '../../src/client.ts'
import { openFolderStore } from '../../src/files/folder-store.ts'
import { removeUnusedFiles } from '../../src/service/remove-unused-files.ts'
import { basic, serve, type TestService } from '../service.ts'
import { asPng, digestOf, gallery, newAccount, newPicture, png } from './gallery.ts'

const hour = 3_600_000
const draft = { 'upload-draft-interop-version': '8' }
const asPart = { 'content-type': 'application/partial-upload' }
const begin = { ...asPng, ...draft, 'upload-complete': '?0' }

const octets = Buffer.concat([png, randomBytes(1000)])

function contentDigest(part: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(part).digest('base64')}:`
}

const at = (offset: number, complete = false) => ({
  ...asPart,
  'upload-offset': String(offset),
  'upload-complete': complete ? '?1' : '?0',
})

/** Begins an upload with the first octets; returns its URI. */
async function beginUpload(
  { request }: TestService,
  file: string,
  first = octets.subarray(0, 500),
  fields = {},
) {
  const begun = await request(`PUT ${file}`, { ...begin, ...fields }, first)
  assert.equal(begun.status, 201, begun.text)
  return String(begun.fields.location)
}

test('an upload in three requests becomes the file with the last one, and is not visible before', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const begun = await s.request(
    `PUT ${item}/image`,
    { ...begin, 'upload-length': '1108' },
    octets.subarray(0, 500),
  )
  assert.equal(begun.status, 201)
  assert.match(String(begun.fields.location), /^\/uploads\/[A-Za-z0-9_-]{22}$/)
  assert.equal(begun.fields['upload-complete'], '?0')
  assert.equal(begun.fields['upload-offset'], '500')
  assert.match(String(begun.fields['upload-limit']), /^max-size=2000000, max-age=86(?:400|3\d\d)$/)
  assert.equal(begun.fields['cache-control'], 'no-store')
  const upload = String(begun.fields.location)
  const more = await s.request(`PATCH ${upload}`, at(500), octets.subarray(500, 700))
  assert.equal(more.status, 204)
  assert.equal(more.fields['upload-offset'], '700')
  assert.equal((await s.request(`GET ${item}/image`)).status, 404)
  const head = await s.request(`HEAD ${upload}`)
  assert.equal(head.status, 204)
  assert.equal(head.fields['upload-offset'], '700')
  assert.equal(head.fields['upload-length'], '1108')
  assert.equal(head.fields['cache-control'], 'no-store')
  const last = await s.request(`PATCH ${upload}`, at(700, true), octets.subarray(700))
  assert.equal(last.status, 201, last.text)
  assert.equal(last.fields['upload-complete'], '?1')
  assert.equal(last.fields['cache-control'], 'no-store')
  const read = await s.request(`GET ${item}/image`)
  assert.deepEqual(read.octets, octets)
  assert.equal(read.fields.etag, last.fields.etag)
  assert.equal(read.fields['repr-digest'], digestOf(octets))
  const finished = await s.request(`HEAD ${upload}`)
  assert.equal(finished.fields['upload-complete'], '?1')
  assert.equal(finished.fields['upload-offset'], '1108')
  const beyond = await s.request(`PATCH ${upload}`, at(1108, true), Buffer.alloc(0))
  assert.equal(beyond.status, 400)
  assert.match(beyond.json.type, /completed-upload$/)
})

test('the whole file in the request that begins the upload gets the response of an ordinary PUT', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const fields = { ...begin, 'upload-complete': '?1' }
  const stored = await s.request(`PUT ${item}/image`, fields, octets)
  assert.equal(stored.status, 201, stored.text)
  assert.equal(stored.fields['upload-complete'], '?1')
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, octets)
})

test('104 names the upload while the content arrives; without the interop version there is none', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const head = (fields: string) =>
    `PUT ${item}/image HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: ${png.length}\r\nUpload-Complete: ?1\r\n${fields}\r\n`
  const socket = connect(s.port, '127.0.0.1')
  socket.write(head('Upload-Draft-Interop-Version: 8\r\n'))
  const [interim] = await once(socket, 'data')
  assert.match(
    String(interim),
    /^HTTP\/1.1 104 Upload Resumption Supported\r\n[\s\S]*Location: \/uploads\/[A-Za-z0-9_-]{22}\r\n/,
  )
  socket.write(png)
  const [final] = await once(socket, 'data')
  assert.match(String(final), /^HTTP\/1.1 201 /)
  socket.write(head(''))
  socket.write(png)
  const [ordinary] = await once(socket, 'data')
  assert.match(String(ordinary), /^HTTP\/1.1 204 /)
  socket.destroy()
})

test('a part without the interop version is refused, so that it is not stored as the file', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const { 'upload-draft-interop-version': _, ...fields } = begin
  assert.equal((await s.request(`PUT ${item}/image`, fields, octets)).status, 400)
  assert.equal(
    (await s.request(`PUT ${item}/image`, { ...begin, 'upload-complete': 'no' }, octets)).status,
    400,
  )
  assert.equal((await s.request(`PUT ${item}/image?dry-run=true`, begin, octets)).status, 400)
  assert.equal((await s.request(`GET ${item}/image`)).status, 404)
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
    { ...at(500), 'upload-length': 'a' },
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
    [at(500), 501],
    [at(500, true), 499],
  ] as const) {
    const refused = await s.request(`PATCH ${upload}`, fields, octets.subarray(0, size))
    assert.equal(refused.status, 400)
    assert.match(refused.json.type, /inconsistent-upload-length$/)
  }
  assert.equal((await s.request(`HEAD ${upload}`)).fields['upload-offset'], '500')
  assert.equal((await s.request(`PATCH ${upload}`, at(500, true), octets.subarray(500, 1000))).status, 201)
})

test('a file of the largest size is taken, one octet more is 413', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const max = Buffer.concat([png, Buffer.alloc(2_000_000 - png.length)])
  const exact = await beginUpload(s, `${item}/image`, max.subarray(0, 1_999_999))
  assert.equal((await s.request(`PATCH ${exact}`, at(1_999_999), Buffer.alloc(2))).status, 413)
  assert.equal((await s.request(`PATCH ${exact}`, at(1_999_999, true), Buffer.alloc(1))).status, 201)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, max)
  const longer = { ...begin, 'upload-length': '2000001' }
  assert.equal((await s.request(`PUT ${item}/image`, longer, 'a')).status, 413)
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

test('a new request ends one that still sends, and nothing that was received is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-test-'))
  {
    await using s = await serve(gallery, { files: `file:${folder}` })
    const item = await newPicture(s.request)
    const upload = await beginUpload(s, `${item}/image`)
    const socket = connect(s.port, '127.0.0.1')
    const fields = Object.entries({ ...at(500, true), host: 'a', 'content-length': '608' })
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`PATCH ${upload} HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write(octets.subarray(500, 600))
    while ((await receivedOctets(folder)) < 100) await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await s.request(`HEAD ${upload}`)).fields['upload-offset'], '600')
    const [response] = await once(socket, 'data')
    assert.match(String(response), /^HTTP\/1.1 409 /)
    socket.destroy()
    assert.equal((await s.request(`PATCH ${upload}`, at(600, true), octets.subarray(600))).status, 201)
    assert.deepEqual((await s.request(`GET ${item}/image`)).octets, octets)
  }
  await rm(folder, { recursive: true })
})

/** Octets of the file that is being received. */
async function receivedOctets(folder: string): Promise<number> {
  const [name] = await readdir(join(folder, 'incoming'))
  return name === undefined ? 0 : (await stat(join(folder, 'incoming', name))).size
}

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

test('orphaned uploads expire after a day; collection removes their content and keeps that of others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-test-'))
  {
    await using s = await serve(gallery, { files: `file:${folder}` })
    const { model, store } = s.service
    const clock = { offset: 0, now: () => Date.now() + clock.offset }
    const collect = () => removeUnusedFiles({ model, store, files: openFolderStore(folder), clock })
    const item = await newPicture(s.request)
    const upload = await beginUpload(s, `${item}/image`)
    clock.offset = 23 * hour
    assert.equal(await collect(), 0)
    s.advance(23 * hour)
    const { status, fields } = await s.request(`HEAD ${upload}`)
    assert.equal(status, 204)
    assert.match(String(fields['upload-limit']), /max-age=3[56]\d\d$/)
    s.advance(2 * hour)
    assert.equal((await s.request(`HEAD ${upload}`)).status, 404)
    clock.offset = 25 * hour
    assert.equal(await collect(), 1)
    const names = await readdir(folder, { recursive: true })
    assert.deepEqual(
      names.filter((name) => /[0-9a-f]{62}$/.test(name)),
      [],
    )
  }
  await rm(folder, { recursive: true })
})

test('a definition without files has no uploads', async () => {
  const { resource, service, text, anyone } = await import('../../src/index.ts')
  const uploads = resource({ title: text() }, { access: { read: anyone } })
  await using s = await serve(service({ title: 'A', resources: { uploads } }))
  assert.equal((await s.request('GET /uploads')).status, 200)
  assert.equal(s.service.model.ownTables.size, 0)
})

test('the client sends a file in parts, and continues after lost requests and lost responses', async () => {
  await using s = await serve(gallery)
  const lost: string[] = []
  let requests = 0
  const api = client<typeof gallery>(s.url, {
    async fetch(request) {
      if (request.method !== 'PATCH') return fetch(request)
      requests += 1
      if (requests === 1) {
        lost.push('request')
        throw new TypeError('The connection was lost.')
      }
      const response = await fetch(request)
      if (requests > 3) return response
      lost.push('response')
      throw new TypeError('The connection was lost.')
    },
  })
  const { id } = await api.pictures.create({ title: 'A' })
  const original = api.pictures.image(id)
  const content = new Blob([randomBytes(1_500_000).toString('hex').slice(0, 1_900_000)], {
    type: 'text/plain',
  })
  await original.put(content, { resume: true, name: 'a.txt' })
  assert.deepEqual(lost, ['request', 'response'])
  assert.equal(await (await original.get()).text(), await content.text())
  assert.equal((await api.pictures.get(id)).image?.name, 'a.txt')
  // A refusal is not repeated.
  requests = 3
  const large = new Blob(['x'.repeat(2_000_001)], { type: 'text/plain' })
  await assert.rejects(original.put(large, { resume: true }), { status: 413 })
})
