/** Content is kept while a row, an entry of the log or a kept version names it, and removed afterwards. */

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeUnusedFiles } from '../../../src/features/files/remove-unused-files.ts'
import { anyone, file, list, resource, service } from '../../../src/index.ts'
import { pruneLog, retentionOf } from '../../../src/service/log-pruning.ts'
import { openFolderStore } from '../../../src/store/files/folder-store.ts'
import { serve, type TestService } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'

const hour = 3_600_000
const day = 24 * hour

async function serveWithFolder(
  definition: Parameters<typeof serve>[0] = gallery,
): Promise<{ s: TestService; folder: string; collect(after: number): Promise<number> } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-test-'))
  const s = await serve(definition, { files: `file:${folder}` })
  const { model, store } = s.service
  return {
    s,
    folder,
    collect: async (after) => {
      const clock = { now: () => Date.now() + after }
      await pruneLog({ store, clock, ...retentionOf(model) }, new AbortController().signal)
      return removeUnusedFiles({ model, store, files: openFolderStore(folder), clock })
    },
    async [Symbol.asyncDispose]() {
      await s[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function storedFiles(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => /^[0-9a-f]{2}.[0-9a-f]{62}$/.test(name)).length
}

test('content that a row names is kept; equal content is stored once', async () => {
  await using t = await serveWithFolder()
  const [one, two] = [await newPicture(t.s.request), await newPicture(t.s.request)]
  await t.s.request(`PUT ${one}/image`, asPng, png)
  await t.s.request(`PUT ${two}/image`, asPng, png)
  assert.equal(await storedFiles(t.folder), 1)
  await t.s.request(`DELETE ${one}/image`)
  assert.equal(await t.collect(1000 * day), 0)
  assert.deepEqual((await t.s.request(`GET ${two}/image`)).octets, png)
})

test('removed content is kept while a version of the history names it, then erased', async () => {
  await using t = await serveWithFolder()
  const item = await newPicture(t.s.request)
  await t.s.request(`PUT ${item}/image`, asPng, png)
  await t.s.request(`DELETE ${item}/image`)
  assert.equal(await t.collect(2 * hour), 0)
  // The log is kept for 30 days, the history for a year.
  assert.equal(await t.collect(100 * day), 0)
  assert.equal(await storedFiles(t.folder), 1)
  assert.equal(await t.collect(400 * day), 1)
  assert.equal(await storedFiles(t.folder), 0)
})

test('content of a refused upload is left for an hour', async () => {
  await using t = await serveWithFolder()
  const files = openFolderStore(t.folder)
  const received = await files.receive(
    (async function* () {
      yield png
    })(),
  )
  await received.keep()
  assert.equal(await t.collect(hour / 2), 0)
  assert.equal(await t.collect(2 * hour), 1)
})

test('an upload that is cut leaves nothing that is visible, and its octets are removed', async () => {
  await using t = await serveWithFolder()
  const files = openFolderStore(t.folder)
  const cut = files.receive(
    (async function* () {
      yield png
      throw new Error('cut')
    })(),
  )
  await assert.rejects(cut, /cut/)
  assert.deepEqual(await readdir(join(t.folder, 'incoming')), [])
  assert.equal(await storedFiles(t.folder), 0)
})

test('content that is set aside is brought back by every use', async () => {
  await using t = await serveWithFolder()
  const item = await newPicture(t.s.request)
  await t.s.request(`PUT ${item}/image`, asPng, png)
  const files = openFolderStore(t.folder)
  const later = Date.now() + hour
  const [digest = ''] = await Array.fromAsync(files.unusedSince(later))
  assert.ok(await files.setAside(digest, later))
  assert.deepEqual((await t.s.request(`GET ${item}/image`)).octets, png)
  assert.ok(await files.setAside(digest, later))
  assert.ok(await files.renew(digest))
  await files.erase(digest)
  assert.deepEqual((await t.s.request(`GET ${item}/image`)).octets, png)
  // It was used after that time, so it stays.
  assert.equal(await files.setAside(digest, Date.now() - hour), false)
})

test('a version is restored with the file that it had', async () => {
  await using t = await serveWithFolder()
  const { request } = t.s
  const item = await newPicture(request)
  await request(`PUT ${item}/image`, asPng, png)
  await request(`PUT ${item}/image`, asPng, Buffer.concat([png, png]))
  const history = await request(`GET ${item}/history`)
  const { version } = history.json.find(
    ({ changes }: { changes: { image?: { to?: { size: number } } } }) =>
      changes.image?.to?.size === png.length,
  )
  const old = (await request(`GET ${item}/history/${version}`)).json
  const restored = await request(`PUT ${item}`, {}, { title: old.title, image: old.image })
  assert.equal(restored.status, 200, restored.text)
  assert.equal(restored.json.image.digest, old.image.digest)
  assert.deepEqual((await request(`GET ${item}/image`)).octets, png)
  const other = { ...old.image, digest: `sha-256=:${Buffer.alloc(32).toString('base64')}:` }
  assert.equal((await request(`PUT ${item}`, {}, { title: 'A', image: other })).status, 422)
})

test('content that a list names is kept; removed from the list, it is erased with the log', async () => {
  const photos = list(file({ types: ['text/plain'], max: '1 kB' }))
  const access = { read: anyone, create: anyone, update: anyone }
  await using t = await serveWithFolder(
    service({ title: 'T', resources: { tasks: resource({ photos }, { access }) } }),
  )
  const task = String((await t.s.request('POST /tasks', {}, {})).fields.location)
  const add = async (content: string) =>
    String(
      (await t.s.request(`POST ${task}/photos`, { 'content-type': 'text/plain' }, content)).fields.location,
    )
  const [first, second] = [await add('one'), await add('two')]
  await t.s.request(`DELETE ${first}`)
  assert.equal(await t.collect(2 * hour), 0)
  assert.equal(await t.collect(1000 * day), 1)
  assert.equal((await t.s.request(`GET ${second}`)).text, 'two')
})
