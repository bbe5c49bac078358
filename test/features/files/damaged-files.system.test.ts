/** Uploads that the disk has altered or lost: found by every backup, restore and copy, named, and never a reason to remove an older backup. */

import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainEncoding } from '../../../src/operation/backup/backup-encoding.ts'
import type { StoredBackup } from '../../../src/operation/backup/backup-place.ts'
import { openFolderPlace } from '../../../src/operation/backup/folder-place.ts'
import { verifyBackup } from '../../../src/operation/backup/restore-backup.ts'
import { takeBackup } from '../../../src/operation/backup/take-backup.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { openFileStore } from '../../../src/store/files/open-file-store.ts'
import { createS3Bucket, type S3Bucket } from '../../../src/store/s3/s3-bucket.ts'
import { createS3Client } from '../../../src/store/s3/s3-client.ts'
import { parseS3Url } from '../../../src/store/s3/s3-url.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import { someOf } from '../../cases.ts'
import { folderOf, outcomeOf } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { serve } from '../../service.ts'
import { asPng, digestOf, gallery, newPicture, png } from './gallery.ts'
import { startS3 } from './s3-server.ts'

const definition = 'test/features/files/gallery.ts'
const other = Buffer.concat([png, Buffer.from('other')])
const altered = Buffer.concat([png.subarray(0, -1), Buffer.from('!')])

/** A service with a picture whose file can be damaged, and one whose file stays as it is. */
async function served(t: TestContext, files: string) {
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'a.db')}`
  const { request, ...service } = await serve(gallery, { database, files })
  t.after(() => service[Symbol.asyncDispose]())
  const items = [await newPicture(request), await newPicture(request)] as const
  const upload = async () => {
    assert.equal((await request(`PUT ${items[0]}/image`, asPng, png)).status, 201)
    assert.equal((await request(`PUT ${items[1]}/image`, asPng, other)).status, 201)
  }
  const backups = join(folder, 'backups')
  const flags = ['--to', backups, '--service', definition, '--database', database]
  const backUp = (environment: Record<string, string> = { FILES_URL: files }, ...more: string[]) =>
    outcomeOf(['backup', ...flags, ...more], { environment })
  const verify = () => outcomeOf(['backup', 'verify', backups])
  const restore = (target: string, to: string) =>
    outcomeOf(['restore', backups, '--database', target], { environment: { FILES_URL: to } })
  const freshTarget = async (name: string) =>
    onPostgres ? freshDatabase() : `file:${join(folder, `${name}.db`)}`
  const count = async () => (await readdir(backups)).filter((name) => name.endsWith('.backup')).length
  return { folder, database, request, items, upload, backUp, verify, restore, freshTarget, count }
}

/** The place of the content in a folder or a bucket. */
function hexOf(octets: Buffer): string {
  return Buffer.from(digestOf(octets).slice('sha-256=:'.length, -1), 'base64').toString('hex')
}

function pathOf(files: string, octets: Buffer): string {
  const name = hexOf(octets)
  return join(files, name.slice(0, 2), name.slice(2))
}

async function replaceIn(bucket: S3Bucket, octets: Buffer, by: Buffer): Promise<void> {
  const open = async function* () {
    yield by
  }
  await bucket.put(`content/${hexOf(octets)}`, { size: by.length, digest: hexOf(by), open })
}

const places = {
  async folder(t: TestContext) {
    const files = join(await folderOf(t), 'files')
    const replace = (octets: Buffer, by: Buffer) => writeFile(pathOf(files, octets), by)
    return { files: `file:${files}`, replace }
  },
  async bucket(t: TestContext) {
    const s3 = await startS3()
    t.after(() => s3[Symbol.asyncDispose]())
    const bucket = createS3Bucket(createS3Client(parseS3Url(s3.url)))
    return { files: s3.url, replace: (octets: Buffer, by: Buffer) => replaceIn(bucket, octets, by) }
  },
}

for (const [kind, open] of someOf(Object.entries(places), 1)) {
  test(`${kind}: one altered octet is named with its item by backup, verify and restore, and removes nothing`, async (t) => {
    const { files, replace } = await open(t)
    const s = await served(t, files)
    const [picture = ''] = s.items
    assert.equal((await s.backUp()).code, 0)
    await s.upload()
    await replace(png, altered)
    const named = `${picture.slice(1)}: the file 'image.png' (image)`
    const taken = await s.backUp({ FILES_URL: files }, '--keep', '1s')
    assert.equal(taken.code, 1)
    assert.match(taken.stdout, /and 1 file to/, 'what is intact is backed up')
    assert.ok(taken.stderr.includes(`${named} has other content than its digest says`), taken.stderr)
    assert.match(taken.stderr, /No older backup was removed/)
    assert.equal(await s.count(), 2)
    const verified = await s.verify()
    assert.equal(verified.code, 1)
    assert.ok(verified.stderr.includes(`${named} is not in the backup`), verified.stderr)
    const target = await s.freshTarget('b')
    const to = `file:${join(s.folder, 'restored')}`
    const restored = await s.restore(target, to)
    assert.equal(restored.code, 1)
    assert.ok(restored.stderr.includes(`${named} is not in the backup`), restored.stderr)
    {
      await using again = await serve(gallery, { database: target, files: to })
      assert.deepEqual((await again.request(`GET ${s.items[1]}/image`)).octets, other)
    }
    await replace(png, png)
    assert.equal((await s.backUp()).code, 0, 'after the repair')
    assert.equal((await s.verify()).code, 0)
  })
}

test('without FILES_URL, with an unmounted volume or a deleted file: named, exit code 1, and the new backup has what older ones have', async (t) => {
  const files = join(await folderOf(t), 'files')
  const s = await served(t, `file:${files}`)
  await s.upload()
  assert.equal((await s.backUp()).code, 0)
  const assertNamed = async (environment: Record<string, string>) => {
    const { code, stdout, stderr } = await s.backUp(environment, '--keep', '1s')
    assert.equal(code, 1)
    assert.match(stdout, /and 2 files to .* s\.\n$/, 'nothing is removed')
    for (const item of s.items) {
      assert.ok(stderr.includes(`${item.slice(1)}: the file 'image.png' (image) is missing`), stderr)
    }
    assert.match(stderr, /Set FILES_URL as for the service and mount its volume/)
    assert.equal((await s.verify()).code, 0)
  }
  const before = await s.count()
  // PostgreSQL has no place beside the database.
  if (!onPostgres) await assertNamed({})
  await rename(files, `${files}-unmounted`)
  await assertNamed({ FILES_URL: `file:${files}` })
  assert.ok((await s.count()) > before)
  await rename(`${files}-unmounted`, files)
  await rm(pathOf(files, png))
  const deleted = await s.backUp()
  assert.equal(deleted.code, 1)
  assert.ok(deleted.stderr.includes(s.items[0]?.slice(1) ?? '-'))
  assert.ok(!deleted.stderr.includes(s.items[1]?.slice(1) ?? ''), 'only what is missing is named')
})

test('a restore replaces a file of the folder that is damaged', async (t) => {
  const files = join(await folderOf(t), 'files')
  const s = await served(t, `file:${files}`)
  await s.upload()
  assert.equal((await s.backUp()).code, 0)
  await writeFile(pathOf(files, png), altered)
  await truncate(pathOf(files, other), 3)
  const target = await s.freshTarget('b')
  const { code, stdout, stderr } = await s.restore(target, `file:${files}`)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /and compared them/)
  await using again = await serve(gallery, { database: target, files: `file:${files}` })
  assert.deepEqual((await again.request(`GET ${s.items[0]}/image`)).octets, png)
  assert.deepEqual((await again.request(`GET ${s.items[1]}/image`)).octets, other)
})

test('a chunk of a file that verify finds damaged is written again by the next backup', async (t) => {
  const folder = await folderOf(t)
  const files = join(folder, 'files')
  const s = await served(t, `file:${files}`)
  await s.upload()
  const place = openFolderPlace(join(folder, 'backups'))
  const { store } = await openFileStore({ url: `file:${files}`, database: '' })
  const options = { database: s.database, schema: schemaOf(checkDefinition(gallery)), place }
  const backUp = () => takeBackup({ ...options, encoding: plainEncoding, files: store })
  const verify = (stored: StoredBackup) =>
    verifyBackup({ stored, encoding: plainEncoding, report: () => undefined })
  const first = await backUp()
  const [chunk = ''] = first.backup.files?.[0]?.chunks ?? []
  await writeFile(join(folder, 'backups', 'chunks', chunk.slice(0, 2), chunk), 'damaged')
  await assert.rejects(verify(first), /is damaged/)
  await verify(await backUp())
  await verify(first)
})

test('copy reads from FILES_URL, and copies no row where a file is missing', async (t) => {
  const folder = await folderOf(t)
  const files = join(folder, 'files')
  const databaseAt = async (name: string) =>
    onPostgres ? freshDatabase() : `file:${join(folder, `${name}.db`)}`
  const from = await databaseAt('from')
  let item = ''
  {
    await using s = await serve(gallery, { database: from, files: `file:${files}` })
    item = await newPicture(s.request)
    assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 201)
  }
  const environment = { FILES_URL: `file:${files}` }
  const copy = (to: string, ...flags: string[]) =>
    outcomeOf(['copy', from, to, '--service', definition, ...flags], { environment })
  const [target, moved] = [await databaseAt('to'), `file:${join(folder, 'moved')}`]
  const copied = await copy(target, '--to-files', moved)
  assert.equal(copied.code, 0, copied.stderr)
  assert.match(copied.stdout, /copied 1 file\n/)
  {
    await using s = await serve(gallery, { database: target, files: moved })
    assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  }
  await rm(pathOf(files, png))
  const refused = await copy(await databaseAt('other'))
  assert.equal(refused.code, 1)
  assert.ok(
    refused.stderr.includes(`${item.slice(1)}: the file 'image.png' (image) is missing`),
    refused.stderr,
  )
  assert.match(refused.stderr, /no row was copied/)
})

test('a file whose content is missing or has another size is 500 with a line in the log, not a damaged database', async (t) => {
  const files = join(await folderOf(t), 'files')
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'a.db')}`
  await using s = await serve(gallery, { database, files: `file:${files}` })
  const item = await newPicture(s.request)
  await s.request(`PUT ${item}/image`, asPng, png)
  const path = pathOf(files, png)
  const assertDamaged = async (reason: RegExp) => {
    const before = s.observations.length
    const { status, json } = await s.request(`GET ${item}/image`)
    assert.equal(status, 500)
    assert.doesNotMatch(JSON.stringify(json), /database/)
    const logged = s.observations.slice(before).find(({ kind }) => kind === 'file-damaged')
    assert.ok(logged?.kind === 'file-damaged' && logged.cause instanceof Error)
    assert.match(logged.cause.message, reason)
  }
  await truncate(path, 10)
  await assertDamaged(/has 10 octets instead of 108\.$/)
  await rm(path)
  await assertDamaged(/is missing\.$/)
  assert.equal((await s.request(`GET ${item}`)).status, 200)
})

test('a file that cannot be put in its place is 503, and the next attempt succeeds', async (t) => {
  const files = join(await folderOf(t), 'files')
  const database = onPostgres ? await freshDatabase() : undefined
  await using s = await serve(gallery, { ...(database && { database }), files: `file:${files}` })
  const item = await newPicture(s.request)
  const path = pathOf(files, png)
  // No file can be renamed to the name of a folder.
  await mkdir(join(path, 'in-the-way'), { recursive: true })
  const refused = await s.request(`PUT ${item}/image`, asPng, png)
  assert.equal(refused.status, 503, refused.text)
  assert.match(String(refused.fields['retry-after']), /^\d+$/)
  await rm(path, { recursive: true })
  assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 201)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
})
