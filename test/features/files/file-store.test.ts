/** One contract for every store of files. */

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { FileStore } from '../../../src/store/file-store.ts'
import { copyFiles } from '../../../src/store/files/copy-files.ts'
import { openFileStore } from '../../../src/store/files/open-file-store.ts'
import { startS3 } from './s3-server.ts'

interface OpenedStore extends AsyncDisposable {
  readonly store: FileStore
}

const openers: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  async folder() {
    const folder = await mkdtemp(join(tmpdir(), 'restwell-test-'))
    const { store } = await openFileStore({ url: `file:${folder}`, database: '' })
    return { store, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  },
  async s3() {
    const server = await startS3('/of/one service')
    const { store } = await openFileStore({ url: server.url, database: '' })
    return { store, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  },
}

const later = () => Date.now() + 3_600_000
const earlier = () => Date.now() - 3_600_000

async function keep(store: FileStore, octets: Buffer): Promise<string> {
  const received = await store.receive(inParts(octets))
  await received.keep()
  return received.digest
}

async function* inParts(octets: Buffer) {
  for (let at = 0; at < octets.length; at += 100_000) yield octets.subarray(at, at + 100_000)
}

async function readAll(store: FileStore, digest: string, first: number, last: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(store.read(digest, { first, last })))
}

/** No rows name files. */
async function* none() {}

for (const [name, open] of Object.entries(openers)) {
  suite(name, () => {
    test('content is read back whole and in parts, under the digest of its octets', async () => {
      await using opened = await open()
      const { store } = opened
      const octets = randomBytes(1_000_000)
      const received = await store.receive(inParts(octets), ['sha-512'])
      assert.equal(await store.sizeOf(received.digest), undefined, 'not visible yet')
      assert.deepEqual(received.head, octets.subarray(0, 4096))
      assert.equal(received.digests.get('sha-512'), createHash('sha512').update(octets).digest('base64'))
      await received.keep()
      const { digest } = received
      assert.equal(digest, createHash('sha256').update(octets).digest('base64'))
      assert.equal(await store.sizeOf(digest), octets.length)
      assert.deepEqual(await readAll(store, digest, 0, octets.length - 1), octets)
      assert.deepEqual(await readAll(store, digest, 123_456, 789_012), octets.subarray(123_456, 789_013))
    })

    test('empty content is content', async () => {
      await using opened = await open()
      const { store } = opened
      const digest = await keep(store, Buffer.alloc(0))
      assert.equal(await store.sizeOf(digest), 0)
      assert.deepEqual(await readAll(store, digest, 0, -1), Buffer.alloc(0))
    })

    test('octets that are cut or discarded leave nothing', async () => {
      await using opened = await open()
      const { store } = opened
      const cut = store.receive(
        (async function* () {
          yield Buffer.from('a')
          throw new Error('cut')
        })(),
      )
      await assert.rejects(cut, /cut/)
      await (await store.receive(inParts(Buffer.from('b')))).discard()
      assert.deepEqual(await Array.fromAsync(store.unusedSince(later())), [])
    })

    test('absent content has no size, is not renewed, and reading it fails', async () => {
      await using opened = await open()
      const { store } = opened
      const digest = createHash('sha256').update('absent').digest('base64')
      assert.equal(await store.sizeOf(digest), undefined)
      assert.equal(await store.renew(digest), false)
      await assert.rejects(readAll(store, digest, 0, 1), /missing/)
      assert.equal(await store.setAside(digest, later()), false)
    })

    test('content is unused since its last use, and erased only after it was set aside', async () => {
      await using opened = await open()
      const { store } = opened
      const digest = await keep(store, Buffer.from('some'))
      assert.deepEqual(await Array.fromAsync(store.unusedSince(earlier())), [])
      assert.deepEqual(await Array.fromAsync(store.unusedSince(later())), [digest])
      await store.erase(digest)
      assert.equal(await store.sizeOf(digest), 4)
      assert.equal(await store.setAside(digest, earlier()), false, 'used after that time')
      assert.equal(await store.setAside(digest, later()), true)
      await store.restore(digest)
      await store.erase(digest)
      assert.equal(await store.sizeOf(digest), 4)
      assert.equal(await store.setAside(digest, later()), true)
      await store.erase(digest)
      assert.equal(await store.sizeOf(digest), undefined)
      assert.equal(await store.renew(digest), false)
    })

    test('content that is used while it is set aside is there after it is erased', async () => {
      await using opened = await open()
      const { store } = opened
      const [renewed, kept] = [Buffer.from('renewed'), Buffer.from('kept')]
      const digests = [await keep(store, renewed), await keep(store, kept)] as const
      for (let round = 0; round < 3; round += 1) {
        for (const digest of digests) assert.equal(await store.setAside(digest, later()), true)
        assert.equal(await store.renew(digests[0]), true)
        await keep(store, kept)
        for (const digest of digests) await store.erase(digest)
        assert.deepEqual(await readAll(store, digests[0], 0, renewed.length - 1), renewed)
        assert.deepEqual(await readAll(store, digests[1], 0, kept.length - 1), kept)
      }
    })

    test('content that an ended process set aside is found and used again', async () => {
      await using opened = await open()
      const { store } = opened
      const digest = await keep(store, Buffer.from('some'))
      await store.setAside(digest, later())
      await store.recover(later())
      await store.erase(digest)
      assert.equal(await store.sizeOf(digest), 4)
      assert.deepEqual(await Array.fromAsync(store.unusedSince(later())), [digest])
    })

    test('all content is copied to a store of the other kind, once', async () => {
      await using opened = await open()
      await using other = await (name === 'folder' ? openers.s3! : openers.folder!)()
      const octets = randomBytes(300_000)
      const digest = await keep(opened.store, octets)
      await keep(opened.store, Buffer.alloc(0))
      assert.equal((await copyFiles(opened.store, other.store, none())).copied, 2)
      assert.equal((await copyFiles(opened.store, other.store, none())).copied, 0)
      assert.deepEqual(await readAll(other.store, digest, 0, octets.length - 1), octets)
    })
  })
}
