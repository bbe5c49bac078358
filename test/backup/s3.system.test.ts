/** Backups in a bucket: complete or absent, refused by name when damaged, and possible again after the service was down. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { listBackups, removeBackups, withLock } from '../../src/operation/backup/backup-list.ts'
import { type BackupPlace, locateBackup } from '../../src/operation/backup/backup-place.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { restoreBackup, verifyBackup } from '../../src/operation/backup/restore-backup.ts'
import { openS3BackupPlace } from '../../src/operation/backup/s3-backup-place.ts'
import { takeLease } from '../../src/operation/backup/s3-lease.ts'
import { takeBackup } from '../../src/operation/backup/take-backup.ts'
import { loadBackupFigures } from '../../src/operation/backup-figures.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openFileStore } from '../../src/store/files/open-file-store.ts'
import { createS3Bucket } from '../../src/store/s3/s3-bucket.ts'
import { createS3Client } from '../../src/store/s3/s3-client.ts'
import { parseS3Url } from '../../src/store/s3/s3-url.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { StoreOpenError, StoreUnavailable } from '../../src/store/store.ts'
import { folderOf, outcomeOf, root } from '../commands/command.ts'
import { freshDatabase, lastingDatabase, onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { asPng, gallery, newPicture, png } from '../features/files/gallery.ts'
import { type S3Server, startS3 } from '../features/files/s3-server.ts'
import { adminLogin, adminPassword, basic, serve } from '../service.ts'
import { folderFor } from '../store/folder.ts'

const definition = 'test/features/files/gallery.ts'
const schema = schemaOf(checkDefinition(gallery))
const admin = basic(adminLogin, adminPassword)
const quiet = { encoding: plainEncoding, report: () => undefined, openFiles: undefined }

/** A served gallery with a small and a large file, and how to back it up. */
async function pictures(t: TestContext) {
  const database = await lastingDatabase(t)
  const files = `file:${join(folderFor(t), 'files')}`
  const served = await serve(gallery, { database, files })
  t.after(() => served[Symbol.asyncDispose]())
  const { request } = served
  const item = await newPicture(request)
  await request(`PUT ${item}/image`, asPng, png)
  const large = Buffer.concat([png, randomBytes(5_000_000)])
  await request(`PUT ${item}/original`, { ...asPng, ...admin }, large)
  const { store } = await openFileStore({ url: files, database })
  const backUp = (place: BackupPlace) =>
    withLock(place, () => takeBackup({ database, schema, place, encoding: plainEncoding, files: store }))
  return { database, files, request, item, large, backUp }
}

const placeOf = ({ url }: S3Server) => openS3BackupPlace(parseS3Url(url))
const bucketOf = ({ url }: S3Server) => createS3Bucket(createS3Client(parseS3Url(url)))

for (const kind of ['folder', 'bucket'] as const) {
  test(`a ${kind}: objects are listed, read, replaced and removed; one process has the lock`, async (t) => {
    await using s3 = await startS3('/shop')
    const folder = folderFor(t)
    const open = () =>
      kind === 'folder' ? openFolderPlace(folder) : openS3BackupPlace(parseS3Url(s3.url), 6000)
    const place = open()
    assert.equal(await place.read('a'), undefined)
    assert.equal(await place.has('a'), false)
    assert.deepEqual(await Array.fromAsync(place.list('', 'all')), [])
    for (const key of ['a', 'b', 'chunks/00/one', 'chunks/ff/two']) await place.write(key, Buffer.from(key))
    await place.write('b', Buffer.from('replaced'))
    assert.equal(Buffer.from((await place.read('b')) ?? []).toString(), 'replaced')
    assert.equal(await place.has('chunks/00/one'), true)
    const list = async (prefix: string, depth: 'direct' | 'all') =>
      (await Array.fromAsync(place.list(prefix, depth))).toSorted()
    assert.deepEqual(await list('', 'direct'), ['a', 'b'])
    assert.deepEqual(await list('chunks/', 'all'), ['chunks/00/one', 'chunks/ff/two'])
    assert.deepEqual(await list('none/', 'all'), [])
    await place.remove('a')
    await place.remove('a')
    assert.deepEqual(await list('', 'direct'), ['b'])
    {
      await using lock = await place.lock()
      assert.ok(lock)
      assert.equal(await open().lock(), undefined)
    }
    await using again = await open().lock()
    assert.ok(again)
  })
}

test('the lock of a process that has ended expires', async () => {
  await using s3 = await startS3()
  const bucket = bucketOf(s3)
  await bucket.put('locks/ended')
  await using lease = await takeLease(bucket, { holder: 'next', duration: 2000 })
  assert.ok(lease)
  assert.equal(await bucket.find('locks/ended'), undefined)
})

test('a process that could not renew its lock writes nothing more', async () => {
  await using s3 = await startS3()
  const place = openS3BackupPlace(parseS3Url(s3.url), 2000)
  await using lock = await place.lock()
  assert.ok(lock)
  await s3.proxy.cut()
  const attempt = () => place.write('late', Buffer.from('late')).then(String, (error: Error) => error.message)
  await eventually(async () => /another process may write there/.test(await attempt()))
  await s3.proxy.mend()
  assert.match(await attempt(), /another process may write there/)
  await assert.rejects(place.remove('late'), StoreUnavailable)
  assert.equal(await place.read('late'), undefined)
})

test('an interrupted upload leaves no backup; the next one is complete, and shares what was stored', async (t) => {
  await using s3 = await startS3('/shop')
  const place = placeOf(s3)
  const { backUp } = await pictures(t)
  // In the middle of a chunk, then at the description, which is written last.
  let octets = 0
  for (const isLost of [
    (part: Buffer) => {
      octets += part.length
      return octets > 2_000_000
    },
    (part: Buffer) => part.includes('.backup HTTP/1.1'),
  ]) {
    s3.proxy.fateOf = (part) => (isLost(part) ? 'lose' : 'pass')
    await assert.rejects(backUp(place), StoreUnavailable)
    s3.proxy.fateOf = () => 'pass'
    assert.deepEqual(await listBackups(place), [])
  }
  const stored = (await Array.fromAsync(place.list('chunks/', 'all'))).map((key) =>
    key.slice('chunks/ab/'.length),
  )
  const complete = await backUp(place)
  // Rows may differ: on PostgreSQL, entries of the log get their final positions later.
  const content = (complete.backup.files ?? []).flatMap(({ chunks }) => chunks)
  assert.ok(content.length >= 3)
  for (const digest of content) assert.ok(stored.includes(digest), digest)
  await verifyBackup({ ...quiet, stored: complete })
})

test('damaged, missing and newer objects are refused by name; the next backup repairs what verify found', async (t) => {
  await using s3 = await startS3('/shop')
  const place = placeOf(s3)
  const { backUp } = await pictures(t)
  const stored = await backUp(place)
  const name = locateBackup(stored)
  assert.match(name, /^s3:\/\/files\/shop\/\d{8}T\d{6}\.\d{3}Z\.backup$/)
  const target = `file:${join(folderFor(t), 'restored.db')}`
  const refused = async (...reasons: readonly RegExp[]) => {
    for (const work of [
      () => restoreBackup({ ...quiet, stored }, { database: target, existing: 'refuse' }),
      () => verifyBackup({ ...quiet, stored }),
    ]) {
      await assert.rejects(work(), (error: Error) => {
        assert.ok(error instanceof StoreOpenError && error.message.includes(name), error.message)
        for (const reason of reasons) assert.match(error.message, reason)
        return true
      })
    }
  }
  const digest = stored.backup.tables.find(({ name: table }) => table === 'pictures')?.chunks[0] ?? ''
  const key = `chunks/${digest.slice(0, 2)}/${digest}`
  await place.write(key, Buffer.from('damaged'))
  await refused(/the file s3:\/\/files\/shop\/chunks\/.* is damaged/)
  await verifyBackup({ ...quiet, stored: await backUp(place) })
  await verifyBackup({ ...quiet, stored })
  assert.deepEqual(await Array.fromAsync(place.list('damaged/', 'all')), [])
  await place.remove(key)
  await refused(/the file s3:\/\/files\/shop\/chunks\/.* is missing/)
  await verifyBackup({ ...quiet, stored: await backUp(place) })
  const description = Buffer.from((await place.read(stored.name)) ?? [])
  await place.write(stored.name, description.subarray(0, -1))
  await refused(/is damaged or incomplete/)
  await place.write(
    stored.name,
    Buffer.from(description.toString('latin1').replace(/"version":\d/, '"version":9'), 'latin1'),
  )
  await refused(/has format 9/)
})

test('old backups are removed with the chunks that no other one has, and nothing else of the bucket', async (t) => {
  await using s3 = await startS3('/shop')
  const bucket = createS3Bucket(createS3Client({ ...parseS3Url(s3.url), prefix: '' }))
  await bucket.put('other')
  const place = placeOf(s3)
  const { backUp, request, item } = await pictures(t)
  await backUp(place)
  await request(`PUT ${item}/image`, asPng, Buffer.concat([png, png]))
  const second = await backUp(place)
  assert.equal(await removeBackups(place, '9999', plainEncoding), 1)
  const parts = [...second.backup.tables, ...(second.backup.files ?? [])]
  const used = new Set(parts.flatMap(({ chunks }) => chunks))
  assert.equal((await Array.fromAsync(place.list('chunks/', 'all'))).length, used.size)
  assert.deepEqual(await Array.fromAsync(place.list('locks/', 'all')), [])
  await verifyBackup({ ...quiet, stored: second })
  assert.ok(await bucket.find('other'))
})

test('the commands back up to a bucket, verify, and restore from it; a service that is down is named', async (t) => {
  await using s3 = await startS3('/shop')
  const { database, files, item, large } = await pictures(t)
  const folder = await folderOf(t)
  const [, endpoint = ''] = /endpoint=(.*)$/.exec(s3.url) ?? []
  const environment = {
    RESTWELL_BACKUP_KEY: randomBytes(32).toString('base64'),
    FILES_URL: files,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_S3: decodeURIComponent(endpoint),
  }
  const run = (words: readonly string[], more: Record<string, string> = {}) =>
    outcomeOf(words, { environment: { ...environment, ...more } })
  const place = 's3://files/shop'
  const flags = ['--service', definition, '--database', database]
  await s3.proxy.cut()
  const down = await run(['backup', '--to', place, ...flags])
  assert.equal(down.code, 1)
  assert.match(down.stderr, /^The bucket of backups s3:\/\/files\/shop: .*ECONNREFUSED/)
  assert.doesNotMatch(down.stderr, /S3RVER/)
  assert.equal(await loadBackupFigures(s3.url), null)
  await s3.proxy.mend()
  const taken = await run(['backup', '--keep', '7d', ...flags], { RESTWELL_BACKUPS: place })
  assert.equal(taken.code, 0, taken.stderr)
  const [, file = ''] =
    /^Backed up \d+ rows and 2 files to (s3:\/\/files\/shop\/\S+\.backup) in/.exec(taken.stdout) ?? []
  assert.ok(file, taken.stdout)
  const verified = await run(['backup', 'verify', place])
  assert.equal(verified.stderr, '')
  assert.ok(verified.stdout.startsWith(`Verified ${file}: `))
  const figures = await loadBackupFigures(s3.url)
  assert.ok(figures?.newest && figures.verified && figures.verified > figures.newest)
  const target = onPostgres ? await freshDatabase() : `file:${join(folder, 'restored.db')}`
  const other = { FILES_URL: `file:${join(folder, 'other')}` }
  const early = await run(['restore', place, '--at', '2020-01-01', '--database', target], other)
  assert.match(early.stderr, /The first backup in s3:\/\/files\/shop is of 20/)
  const restored = await run(['restore', file, '--database', target], other)
  assert.match(restored.stdout, /^Restored \d+ rows and 2 files of /m, restored.stderr)
  await using s = await serve(gallery, { database: target, files: other.FILES_URL })
  assert.ok((await s.request(`GET ${item}/original`, admin)).octets.equals(large))
})

test('a bucket that does not exist or refuses the credentials is named', async (t) => {
  await using s3 = await startS3('/shop')
  const folder = await folderOf(t)
  const fault = async (url: string) => {
    const { code, stderr } = await outcomeOf(['backup', 'verify', url], { folder })
    assert.equal(code, 1)
    assert.doesNotMatch(stderr, /S3RVER/)
    return stderr
  }
  assert.match(
    await fault(s3.url.replace('@files', '@none')),
    /bucket of backups s3:\/\/none\/shop refused GET: 404/,
  )
  assert.match(await fault(s3.url.replace('//S3RVER:', '//UNKNOWN:')), /refused GET: 403/)
  assert.match(await fault('s3://files'), /The bucket of backups needs credentials/)
  const served = await outcomeOf(['serve', join(root, definition), '--port', '0'], {
    folder,
    environment: { RESTWELL_BACKUPS: 's3://files' },
  })
  assert.equal(served.code, 1)
  assert.match(served.stderr, /The bucket of backups needs credentials/)
  assert.match(await fault(s3.url), /There are no backups in s3:\/\/files\/shop\./)
})
