/** Uploads of backups that are cut or killed: nothing of them is taken for a backup, and nothing of them stays. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { listBackups, withLock } from '../../src/operation/backup/backup-list.ts'
import type { BackupPlace } from '../../src/operation/backup/backup-place.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { verifyBackup } from '../../src/operation/backup/restore-backup.ts'
import { openS3BackupPlace } from '../../src/operation/backup/s3-backup-place.ts'
import { takeBackup } from '../../src/operation/backup/take-backup.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openFileStore } from '../../src/store/files/open-file-store.ts'
import { parseS3Url } from '../../src/store/s3/s3-url.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { root } from '../commands/command.ts'
import { lastingDatabase } from '../database.ts'
import { eventually } from '../eventually.ts'
import { asPng, gallery, newPicture, png } from '../features/files/gallery.ts'
import { startS3 } from '../features/files/s3-server.ts'
import { restwellProgram } from '../restwell.ts'
import { adminLogin, adminPassword, basic, serve } from '../service.ts'
import { folderFor } from '../store/folder.ts'

const schema = schemaOf(checkDefinition(gallery))

/** A served gallery with a file, which takes several parts to upload. */
async function pictures(t: TestContext) {
  const database = await lastingDatabase(t)
  const files = `file:${join(folderFor(t), 'files')}`
  const { request, ...served } = await serve(gallery, { database, files })
  t.after(() => served[Symbol.asyncDispose]())
  const fields = { ...asPng, ...basic(adminLogin, adminPassword) }
  await request(`PUT ${await newPicture(request)}/original`, fields, Buffer.concat([png, randomBytes(3e6)]))
  const { store } = await openFileStore({ url: files, database })
  const backUp = (place: BackupPlace) =>
    withLock(place, () => takeBackup({ database, schema, place, encoding: plainEncoding, files: store }))
  return { database, files, backUp }
}

async function verified(stored: Awaited<ReturnType<typeof takeBackup>>) {
  const { backup } = await verifyBackup({ stored, encoding: plainEncoding, report: () => undefined })
  assert.equal(backup.files?.length, 1)
}

const name = '20260101T000000.000Z.backup'

test('a description that is cut in its middle is no backup, and the next backup removes it', async (t) => {
  await using s3 = await startS3('/shop')
  const place = openS3BackupPlace(parseS3Url(s3.url))
  let octets = 0
  s3.proxy.fateOf = (part) => {
    octets += part.length
    return octets > 300_000 ? 'lose' : 'pass'
  }
  await assert.rejects(place.write(name, randomBytes(1_000_000)), StoreUnavailable)
  s3.proxy.fateOf = () => 'pass'
  assert.deepEqual(await listBackups(place), [])
  // Whether the service keeps a part of a cut upload depends on the service.
  await place.write(`partial/${name}`, randomBytes(1000))
  const { backUp } = await pictures(t)
  await verified(await backUp(place))
  assert.deepEqual(await Array.fromAsync(place.list('partial/', 'all')), [])
})

test('what an interrupted backup left in a folder is removed by the next one', async (t) => {
  const folder = folderFor(t)
  const place = openFolderPlace(folder)
  await mkdir(join(folder, 'chunks', 'ab'), { recursive: true })
  for (const partial of [`${name}.partial`, 'chunks/ab/abcd.partial']) {
    await writeFile(join(folder, partial), 'cut')
  }
  const { backUp } = await pictures(t)
  await verified(await backUp(place))
  const left = await Array.fromAsync(place.list('', 'all'))
  assert.deepEqual(
    left.filter((key) => key.endsWith('.partial')),
    [],
  )
})

interface RunningBackup {
  readonly process: ChildProcess
  output(): string
}

function startCommand(t: TestContext, words: readonly string[], files: string): RunningBackup {
  const args = [...restwellProgram, 'backup', ...words]
  const env = { PATH: process.env.PATH, FILES_URL: files }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part
    })
  }
  return { process: child, output: () => output }
}

async function until(command: RunningBackup, isReached: () => boolean): Promise<void> {
  await eventually(() => {
    assert.equal(command.process.exitCode, null, command.output())
    return isReached()
  })
}

test('kill -9 during an upload leaves no backup; the next one waits for the lock to expire, and is complete', async (t) => {
  await using s3 = await startS3('/shop')
  const { database, files, backUp } = await pictures(t)
  let octets = 0
  s3.proxy.fateOf = (part) => {
    octets += part.length
    if (octets > 1_000_000) s3.proxy.silent = true
    return 'pass'
  }
  const words = ['--to', s3.url, '--service', 'test/features/files/gallery.ts', '--database', database]
  const command = startCommand(t, words, files)
  await until(command, () => s3.proxy.silent)
  const exited = once(command.process, 'exit')
  command.process.kill('SIGKILL')
  await exited
  s3.proxy.fateOf = () => 'pass'
  s3.proxy.silent = false
  const place = openS3BackupPlace(parseS3Url(s3.url), 4000)
  assert.deepEqual(await listBackups(place), [])
  assert.equal((await Array.fromAsync(place.list('locks/', 'all'))).length, 1)
  await verified(await backUp(place))
  assert.deepEqual(await Array.fromAsync(place.list('locks/', 'all')), [])
})

test('--every reports a bucket that is down, and takes backups again when it is back', async (t) => {
  await using s3 = await startS3('/shop')
  const { database, files } = await pictures(t)
  const words = [
    '--to',
    s3.url,
    '--every',
    '1s',
    '--service',
    'test/features/files/gallery.ts',
    '--database',
    database,
  ]
  const command = startCommand(t, words, files)
  await until(command, () => command.output().includes('Backed up'))
  await s3.proxy.cut()
  await until(command, () =>
    command.output().includes('The backup failed. The bucket of backups s3://files/shop'),
  )
  const before = command.output().length
  await s3.proxy.mend()
  await until(command, () => command.output().slice(before).includes('Backed up'))
  assert.doesNotMatch(command.output(), /S3RVER/)
  const exited = once(command.process, 'exit')
  command.process.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  const place = openS3BackupPlace(parseS3Url(s3.url))
  const newest = (await listBackups(place)).at(-1)
  assert.ok(newest)
  await verifyBackup({ stored: newest, encoding: plainEncoding, report: () => undefined })
})
