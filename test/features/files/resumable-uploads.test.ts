/** Resumable uploads (draft-ietf-httpbis-resumable-upload, interop version 8). */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { client } from '../../../src/client.ts'
import { removeUnusedFiles } from '../../../src/features/files/remove-unused-files.ts'
import { openFolderStore } from '../../../src/store/files/folder-store.ts'
import { pruneRows } from '../../../src/work/prune-rows.ts'
import { eventually } from '../../eventually.ts'
import { serve } from '../../service.ts'
import { at, begin, beginUpload, hour, octets } from './begun-uploads.ts'
import { digestOf, gallery, newPicture, png } from './gallery.ts'

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
  assert.equal(last.fields.location, `${item}/image`)
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
  const after = await s.request(`PATCH ${upload}`, at(1108, true), 'a')
  assert.match(after.json.type, /inconsistent-upload-length$/)
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
    await eventually(async () => (await receivedOctets(folder)) >= 100)
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

test('orphaned uploads expire after a day: their rows are pruned, and collection removes their content', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-test-'))
  {
    await using s = await serve(gallery, { files: `file:${folder}` })
    const { model, store } = s.service
    const clock = { offset: 0, now: () => Date.now() + clock.offset }
    const collect = async () => {
      await pruneRows({ model, store, now: clock.now() }, new AbortController().signal)
      return removeUnusedFiles({ model, store, files: openFolderStore(folder), clock })
    }
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
  const { resource, service, text, anyone } = await import('../../../src/index.ts')
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
