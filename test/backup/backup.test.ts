/** Backups: complete, shared chunks, refused by name when damaged or of another format, and restored into either database. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import {
  type BackupEncoding,
  createEncryption,
  plainEncoding,
} from '../../src/operation/backup/backup-encoding.ts'
import {
  chooseBackup,
  listBackups,
  readVerification,
  removeBackups,
} from '../../src/operation/backup/backup-list.ts'
import { readBackup } from '../../src/operation/backup/backup-manifest.ts'
import { locateBackup } from '../../src/operation/backup/backup-place.ts'
import { findFolderSource, openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { restoreBackup, verifyBackup } from '../../src/operation/backup/restore-backup.ts'
import { takeBackup } from '../../src/operation/backup/take-backup.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { FORMAT } from '../../src/store/schema/format-version.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { planMigration } from '../../src/store/schema/run-migration.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { parseEncryptionKey } from '../../src/tools/value-encryption.ts'
import everything from '../copy/everything.ts'
import { live } from '../copy/life.ts'
import { postgres } from '../postgres.ts'
import { serve } from '../service.ts'
import { folderFor } from '../store/folder.ts'

const schema = schemaOf(checkDefinition(everything))

let files = 0
const databases = {
  SQLite: async (t: TestContext) => `file:${join(folderFor(t), `${files++}.db`)}`,
  PostgreSQL: async (_: TestContext) => (await postgres()).freshUrl(),
}

/** A database with everything that a store keeps, and a backup of it that was taken while it was served. */
async function lived(t: TestContext, database: string, encoding: BackupEncoding = plainEncoding) {
  const folder = folderFor(t)
  const place = openFolderPlace(folder)
  await using service = await serve(everything, { database })
  await live(service.request)
  const stored = await takeBackup({ database, schema, place, encoding })
  const { backup, rows } = stored
  return { folder, place, stored, file: locateBackup(stored), backup, rows }
}

const quiet = { encoding: plainEncoding, report: () => undefined, openFiles: undefined }

for (const from of ['SQLite', 'PostgreSQL'] as const) {
  for (const to of ['SQLite', 'PostgreSQL'] as const) {
    test(`from ${from} to ${to}: a backup of the restored database equals the backup`, async (t) => {
      const { place, stored, backup, rows } = await lived(t, await databases[from](t))
      const database = await databases[to](t)
      const restored = await restoreBackup({ ...quiet, stored }, { database, existing: 'refuse' })
      assert.equal(restored.rows, rows)
      assert.deepEqual(await planMigration(database, schema), [])
      const again = await takeBackup({ database, schema, place, encoding: plainEncoding })
      assert.deepEqual(again.backup.tables, backup.tables)
      assert.equal(again.backup.counters.position, backup.counters.position)
      await using service = await serve(everything, { database })
      assert.equal((await service.request('GET /books/b-1')).status, 200)
      assert.equal((await service.request('GET /books/b-4')).status, 410)
    })
  }
}

test('backups share equal chunks; a changed row adds one of its table and one of the log', async (t) => {
  const database = await databases.SQLite(t)
  const folder = folderFor(t)
  const chunks = () =>
    readdirSync(join(folder, 'chunks'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    ).length
  const store = await openStore(database, schema, () => undefined)
  t.after(() => store.close())
  for (let from = 0; from < 3000; from += 1000) {
    const write = (at: number) => ({
      kind: 'insert' as const,
      table: 'users',
      values: [
        `01990000-0000-7000-8000-${String(at).padStart(12, '0')}`,
        1,
        '2026',
        '2026',
        `${at}@x.org`,
        'hash',
        'member',
        0,
      ],
      conditionAfter: always,
    })
    const outcome = await store.write(Array.from({ length: 1000 }, (_, at) => write(from + at)))
    assert.equal(outcome.kind, 'done')
  }
  const place = openFolderPlace(folder)
  const options = { database, schema, place, encoding: plainEncoding }
  const first = await takeBackup(options)
  const before = chunks()
  assert.ok((first.backup.tables.find(({ name }) => name === 'users')?.chunks.length ?? 0) > 3)
  await takeBackup(options)
  assert.equal(chunks(), before)
  const identity = '01990000-0000-7000-8000-000000001500'
  const row = await store.find({ table: 'users', column: '_identity', value: identity, evaluated: [] })
  const values = [...(row ?? [])]
  values[4] = 'changed@x.org'
  await store.write([
    {
      kind: 'update',
      table: 'users',
      identity,
      version: 1,
      values,
      previous: row ?? [],
      conditionBefore: always,
      conditionAfter: always,
    },
  ])
  const third = await takeBackup(options)
  assert.ok(chunks() <= before + 2, `${chunks() - before} chunks were added`)
  // Old backups go with the chunks that no other one has; the newest one stays in any case.
  assert.equal(await removeBackups(place, '9999', plainEncoding), 2)
  assert.deepEqual(
    (await listBackups(place)).map(({ name }) => name),
    [third.name],
  )
  const used = new Set(third.backup.tables.flatMap((table) => table.chunks))
  assert.equal(chunks(), used.size)
  await verifyBackup({ ...quiet, stored: third })
})

test('damaged, truncated and foreign backups, and those of another format, are refused by name', async (t) => {
  const { folder, stored, file, backup } = await lived(t, await databases.SQLite(t))
  const refusal = async (reason: RegExp) => {
    const target = `file:${join(folderFor(t), 'restored.db')}`
    const restoring = restoreBackup({ ...quiet, stored }, { database: target, existing: 'refuse' })
    await assert.rejects(restoring, (error: Error) => {
      assert.ok(error instanceof StoreOpenError && error.message.includes(file), error.message)
      assert.match(error.message, reason)
      return true
    })
    assert.ok(!existsSync(target.slice('file:'.length)), 'nothing is left')
  }
  const digest = backup.tables.find(({ name }) => name === 'books')?.chunks[0] ?? ''
  const places = [file, join(folder, 'chunks', digest.slice(0, 2), digest)]
  for (const place of places) {
    const octets = readFileSync(place)
    for (const at of [octets.length - 1, octets.length >> 1]) {
      const changed = Buffer.from(octets)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(place, changed)
      await refusal(/damaged|other content/)
    }
    for (const length of [0, 1, octets.length >> 1, octets.length - 1]) {
      writeFileSync(place, octets)
      truncateSync(place, length)
      await refusal(/damaged/)
    }
    writeFileSync(place, octets)
  }
  rmSync(places[1] ?? '')
  await refusal(/damaged: the file .* is missing/)
  const [header = '', ...rest] = readFileSync(file, 'latin1').split('\n')
  const withHeader = (text: string) => writeFileSync(file, [text, ...rest].join('\n'), 'latin1')
  for (const other of [FORMAT - 1, FORMAT + 1]) {
    withHeader(header.replace(`"version":${FORMAT}`, `"version":${other}`))
    await refusal(
      new RegExp(
        `has format ${other}, .* format ${FORMAT} only\\. .*\`restwell export\` .* no password hashes`,
      ),
    )
  }
  withHeader(header.replace('restwell backup', 'other backup'))
  await refusal(/was made by another program/)
  withHeader(header.replace(backup.at, '2020-01-01T00:00:00.000Z'))
  await refusal(/damaged/)
})

test('a damaged chunk is written again by the next backup', async (t) => {
  const database = await databases.SQLite(t)
  const { folder, place, stored, backup } = await lived(t, database)
  const digest = backup.tables.find(({ name }) => name === 'books')?.chunks[0] ?? ''
  writeFileSync(join(folder, 'chunks', digest.slice(0, 2), digest), 'broken')
  await assert.rejects(verifyBackup({ ...quiet, stored }), /damaged/)
  const second = await takeBackup({ database, schema, place, encoding: plainEncoding })
  await verifyBackup({ ...quiet, stored: second })
  await verifyBackup({ ...quiet, stored })
})

test('an encrypted backup shows nothing without its key', async (t) => {
  const key = parseEncryptionKey(randomBytes(32).toString('base64'))
  assert.ok(key)
  const encoding = createEncryption(key)
  const { folder, stored, backup } = await lived(t, await databases.SQLite(t), encoding)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  for (const { parentPath, name } of entries) {
    const text = readFileSync(join(parentPath, name), 'latin1')
    assert.doesNotMatch(text, /books|Ωmega|quoted/, name)
  }
  assert.equal((await verifyBackup({ stored, encoding, report: () => undefined })).backup.at, backup.at)
  await assert.rejects(verifyBackup({ ...quiet, stored }), /is encrypted\. Set RESTWELL_BACKUP_KEY/)
  const other = createEncryption(randomBytes(32))
  await assert.rejects(readBackup(stored, other), /damaged, or RESTWELL_BACKUP_KEY is not its key/)
  assert.equal(parseEncryptionKey('short'), undefined)
  assert.equal(parseEncryptionKey(randomBytes(32).toString('hex'))?.length, 32)
})

test('a restore overwrites nothing without --force, and removes the log of the file that it replaces', async (t) => {
  const { stored } = await lived(t, await databases.SQLite(t))
  const target = join(folderFor(t), 'data', 'restwell.db')
  const restoring = (existing: 'refuse' | 'replace') =>
    restoreBackup({ ...quiet, stored }, { database: `file:${target}`, existing })
  await restoring('refuse')
  assert.deepEqual(readdirSync(dirname(target)).toSorted(), ['restwell.db', 'restwell.db-lock'])
  await assert.rejects(restoring('refuse'), /restwell\.db exists already\. .*--force/)
  // Writes that are only in the write-ahead log, as after a kill: they belong to the replaced file.
  const writer = new DatabaseSync(target)
  writer.exec('pragma wal_autocheckpoint = 0; delete from "notes"; delete from "_changes"')
  copyFileSync(`${target}-wal`, `${target}-kept`)
  writer.close()
  copyFileSync(`${target}-kept`, `${target}-wal`)
  rmSync(`${target}-kept`)
  await restoring('replace')
  assert.ok(!existsSync(`${target}-wal`) && !existsSync(`${target}-shm`))
  await using service = await serve(everything, { database: `file:${target}` })
  assert.ok((await service.request('GET /notes')).json.length > 0)
  await assert.rejects(restoring('replace'), /is in use by another process/)
})

test('a log that is left over without its file is not overwritten either', async (t) => {
  const { stored } = await lived(t, await databases.SQLite(t))
  const target = join(folderFor(t), 'restwell.db')
  writeFileSync(`${target}-wal`, 'left over')
  const options = { database: `file:${target}` }
  await assert.rejects(
    restoreBackup({ ...quiet, stored }, { ...options, existing: 'refuse' }),
    /restwell\.db-wal exists/,
  )
  await restoreBackup({ ...quiet, stored }, { ...options, existing: 'replace' })
  assert.ok(!existsSync(`${target}-wal`))
})

test('PostgreSQL is never overwritten', async (t) => {
  const database = await databases.PostgreSQL(t)
  const { stored } = await lived(t, database)
  const into = (existing: 'refuse' | 'replace') => restoreBackup({ ...quiet, stored }, { database, existing })
  await assert.rejects(into('refuse'), /already holds data/)
  await assert.rejects(into('replace'), /--force replaces SQLite files only/)
})

test('the newest backup at or before a time is chosen', async (t) => {
  const folder = folderFor(t)
  const choose = async (from: string, time?: string) =>
    locateBackup(await chooseBackup(findFolderSource(from), time))
  await assert.rejects(choose(join(folder, 'none')), /There is no backup at/)
  await assert.rejects(choose(folder), /There are no backups in/)
  const times = [1, 2, 3].map((hour) => `2026-01-01T0${hour}:00:00.000Z`)
  const names = times.map((time) => join(folder, `${time.replaceAll(/[-:]/g, '')}.backup`))
  for (const name of names) writeFileSync(name, '')
  writeFileSync(`${names[0]}.verified`, '2026-01-02T00:00:00.000Z\n')
  writeFileSync(join(folder, 'other.backup'), '')
  assert.equal(await choose(folder), names[2])
  assert.equal(await choose(folder, '2026-01-01T02:00:00.000Z'), names[1])
  assert.equal(await choose(folder, '2026-01-01T02:59:59.999Z'), names[1])
  await assert.rejects(
    choose(folder, '2026-01-01T00:59:59.999Z'),
    /The first backup in .* is of 2026-01-01T01/,
  )
  assert.equal(await choose(names[0] ?? ''), names[0])
  await assert.rejects(choose(names[0] ?? '', '2026-01-01T02:00:00.000Z'), /is a single one/)
  await assert.rejects(choose(join(folder, 'other.backup')), /has another name/)
  assert.deepEqual(await Promise.all((await listBackups(openFolderPlace(folder))).map(readVerification)), [
    '2026-01-02T00:00:00.000Z',
    undefined,
    undefined,
  ])
})
