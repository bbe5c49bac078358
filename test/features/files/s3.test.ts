/** Files in an S3-compatible service: two nodes, and a service that is down for a time. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeUnusedFiles } from '../../../src/features/files/remove-unused-files.ts'
import { pruneLog, retentionOf } from '../../../src/service/log-pruning.ts'
import { openFileStore } from '../../../src/store/files/open-file-store.ts'
import { parseS3Url } from '../../../src/store/s3/s3-url.ts'
import { StoreOpenError } from '../../../src/store/store.ts'
import { folderOf, outcomeOf } from '../../commands/command.ts'
import { lastingDatabase } from '../../database.ts'
import { postgres } from '../../postgres.ts'
import { serve } from '../../service.ts'
import { asPng, digestOf, gallery, newPicture, png } from './gallery.ts'
import { startS3 } from './s3-server.ts'

const day = 86_400_000

test('two nodes with one database and one bucket serve each other’s files', async () => {
  await using s3 = await startS3()
  const database = (await postgres()).freshUrl()
  await using one = await serve(gallery, { database, files: s3.url })
  await using two = await serve(gallery, { database, files: s3.url })
  const item = await newPicture(one.request)
  const large = Buffer.concat([png, randomBytes(1_500_000)])
  for (const [octets, writer, reader, status] of [
    [png, one, two, 201],
    [large, two, one, 204],
  ] as const) {
    assert.equal((await writer.request(`PUT ${item}/image`, asPng, octets)).status, status)
    const read = await reader.request(`GET ${item}/image`)
    assert.deepEqual(read.octets, octets)
    assert.equal(read.fields['repr-digest'], digestOf(octets))
  }
  const part = await one.request(`GET ${item}/image`, { range: 'bytes=1000000-1200000' })
  assert.equal(part.status, 206)
  assert.deepEqual(part.octets, large.subarray(1_000_000, 1_200_001))
  await using copied = await serve(gallery, { database, files: s3.url })
  const other = await newPicture(copied.request, { title: 'B', image: { href: `${item}/image` } })
  assert.deepEqual((await one.request(`GET ${other}/image`)).octets, large)
})

test('while the service is down: 503, nothing is lost, and it recovers by itself', async () => {
  await using s3 = await startS3()
  await using s = await serve(gallery, { files: s3.url })
  const item = await newPicture(s.request)
  assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 201)
  const before = (await s.request(`GET ${item}`)).json
  await s3.proxy.cut()
  const other = Buffer.concat([png, png])
  for (const { status, json, fields } of [
    await s.request(`GET ${item}/image`),
    await s.request(`PUT ${item}/image`, asPng, other),
    await s.request(`PATCH ${item}`, {}, { original: { href: `${item}/image` } }),
  ]) {
    assert.equal(status, 503)
    assert.match(json.type, /unavailable/)
    assert.ok(fields['retry-after'])
  }
  assert.deepEqual((await s.request(`GET ${item}`)).json, before, 'the items themselves are served')
  await s3.proxy.mend()
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  assert.equal((await s.request(`PUT ${item}/image`, asPng, other)).status, 204)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, other)
})

test('a request whose connection breaks once is repeated', async () => {
  await using s3 = await startS3()
  await using s = await serve(gallery, { files: s3.url })
  const item = await newPicture(s.request)
  const large = Buffer.concat([png, randomBytes(500_000)])
  let broken = 0
  for (const [index, fate] of (['lose', 'lose-response'] as const).entries()) {
    s3.proxy.fateOf = () => {
      s3.proxy.fateOf = () => 'pass'
      broken += 1
      return fate
    }
    const octets = large.subarray(0, large.length - index)
    assert.equal((await s.request(`PUT ${item}/image`, asPng, octets)).status, index === 0 ? 201 : 204)
    assert.deepEqual((await s.request(`GET ${item}/image`)).octets, octets)
  }
  assert.equal(broken, 2)
})

test('an unknown access key and a missing bucket are 503', async () => {
  await using s3 = await startS3()
  for (const files of [s3.url.replace('S3RVER:', 'other:'), s3.url.replace('@files', '@none')]) {
    await using s = await serve(gallery, { files })
    const item = await newPicture(s.request)
    assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 503)
    assert.equal((await s.request(`GET ${item}`)).json.image, undefined)
  }
})

test('content that nothing names is removed from the bucket, other content stays', async () => {
  await using s3 = await startS3()
  await using s = await serve(gallery, { files: s3.url })
  const { model, store } = s.service
  const { store: files } = await openFileStore({ url: s3.url, database: '' })
  const collect = async (after: number) => {
    const clock = { now: () => Date.now() + after }
    await pruneLog({ store, clock, ...retentionOf(model) }, new AbortController().signal)
    return removeUnusedFiles({ model, store, files, clock })
  }
  const item = await newPicture(s.request)
  const other = Buffer.concat([png, png])
  await s.request(`PUT ${item}/image`, asPng, png)
  await s.request(`PUT ${item}/image`, asPng, other)
  assert.equal(await collect(100 * day), 0, 'the history names both')
  assert.equal(await collect(400 * day), 1)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, other)
  assert.equal((await Array.fromAsync(files.unusedSince(Number.POSITIVE_INFINITY))).length, 1)
})

test('restwell copy copies files from a folder into a bucket', async (t) => {
  await using s3 = await startS3()
  const [from, to] = [await lastingDatabase(t), await lastingDatabase(t)]
  const files = `file:${join(await folderOf(t), 'files')}`
  let item = ''
  {
    await using s = await serve(gallery, { database: from, files })
    item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
  }
  const url = new URL(s3.url)
  const environment = {
    AWS_ACCESS_KEY_ID: url.username,
    AWS_SECRET_ACCESS_KEY: url.password,
    AWS_ENDPOINT_URL_S3: url.searchParams.get('endpoint') ?? '',
  }
  const args = [
    'copy',
    from,
    to,
    '--service',
    'test/features/files/gallery.ts',
    '--from-files',
    files,
    '--to-files',
    's3://files',
  ]
  const { code, stdout, stderr } = await outcomeOf(args, { environment })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /copied 1 file/)
  await using s = await serve(gallery, { database: to, files: s3.url })
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
})

test('a URL that names no bucket, no credentials or no endpoint is refused, without showing secrets', () => {
  for (const [url, expected] of [
    ['s3://key:secret@A_B', /names no bucket/],
    ['s3://key:secret@files:80', /names no bucket/],
    ['s3://files', /Set AWS_ACCESS_KEY_ID/],
    ['s3://key:secret@files?endpoint=host:80', /endpoint 'host:80'/],
    ['s3://key:secret@files?ende=1', /parameter 'ende'/],
  ] as const) {
    assert.throws(
      () => parseS3Url(url),
      (error: Error) => {
        assert.ok(error instanceof StoreOpenError)
        assert.match(error.message, expected)
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
    )
  }
  assert.equal(parseS3Url('s3://a:b@files?region=eu-west-1').bucket.host, 'files.s3.eu-west-1.amazonaws.com')
})
