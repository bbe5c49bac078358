/** Opening a file: one node for each, and one clear line for whatever stands in the way. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { always } from '../../src/store/condition.ts'
import { parseSqliteUrl } from '../../src/store/sqlite/connection/database-url.ts'
import { openSqliteStore, requireSafeSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { folderFor, openFile, withFile } from './folder.ts'
import { insert } from './library.ts'
import { row, schema, table, text } from './tables.ts'

const things = schema(table('things', [text('name')], { indexes: [['name']] }))

async function faultOf(file: string): Promise<string> {
  const fault = await openFile(file, things).catch((error) => error)
  assert.ok(fault instanceof StoreOpenError, String(fault))
  assert.ok(fault.message.includes(file), fault.message)
  assert.ok(!fault.message.includes('\n'), 'one line')
  return fault.message
}

it('a URL names a file, relative or absolute, or a temporary one', () => {
  assert.deepEqual(parseSqliteUrl('file:data/a.db'), { file: 'data/a.db' })
  assert.deepEqual(parseSqliteUrl('file:/var/a.db'), { file: '/var/a.db' })
  assert.deepEqual(parseSqliteUrl('file:///var/a%20b.db'), { file: '/var/a b.db' })
  assert.deepEqual(parseSqliteUrl('file::memory:'), { temporary: true })
  for (const url of ['file:', 'data/a.db', 'postgres://x', 'file://host/a.db']) {
    assert.throws(() => parseSqliteUrl(url), StoreOpenError, url)
  }
})

it('the folder is made, and what was acknowledged is there when opened again', async (test) => {
  const file = join(folderFor(test), 'new', 'deep', 'a.db')
  await withFile(file, things, (store) => store.write([insert('things', row('1', 'A'))]))
  await withFile(file, things, async (store) => assert.equal(await store.count('things', always), 1))
})

it('files and folders that are created can be read by their owner only', async (test) => {
  const folder = join(folderFor(test), 'new')
  const file = join(folder, 'deep', 'a.db')
  const modeOf = (path: string) => statSync(path).mode & 0o777
  const umask = process.umask(0o022)
  test.after(() => process.umask(umask))
  await withFile(file, things, async (store) => {
    await store.write([insert('things', row('1', 'A'))])
    for (const ending of ['', '-wal', '-shm', '-lock']) {
      assert.equal(modeOf(`${file}${ending}`), 0o600, ending)
    }
    for (const made of [folder, dirname(file)]) assert.equal(modeOf(made), 0o700, made)
  })
})

it('a secret and the log outlive the process that made them', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const secret = await withFile(file, things, async (store) => {
    await store.write([insert('things', row('1', 'A'))])
    return store.loadSecret('x')
  })
  await withFile(file, things, async (store) => {
    assert.deepEqual(await store.loadSecret('x'), secret)
    await store.write([insert('things', row('2', 'B'))])
    assert.deepEqual(
      store.readChanges(0, 9).map(({ position }) => position),
      [1, 2],
    )
  })
})

it('a temporary database leaves nothing behind', async () => {
  const store = await openSqliteStore({ temporary: true, schema: things, observe: () => undefined })
  const { file } = store.writer
  assert.ok(existsSync(file))
  await store.close()
  assert.ok(!existsSync(dirname(file)))
})

it('a second opening of one file is refused, under another name too, until the first closes', async (test) => {
  const folder = folderFor(test)
  const file = join(folder, 'a.db')
  const first = await openFile(file, things)
  assert.match(await faultOf(file), /in use by another process\. Stop that one first/)
  symlinkSync(file, join(folder, 'b.db'))
  await assert.rejects(openFile(join(folder, 'b.db'), things), /in use by another process/)
  await first.close()
  await (await openFile(file, things)).close()
})

it('another process is refused while one has the file, and its death frees it', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crashing.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  assert.match(await faultOf(file), /in use by another process/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await openFile(file, things)).close()
})

it('what is no SQLite database is refused, and left as it is', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const text = 'Dear diary, this is not a database at all. '.repeat(100)
  writeFileSync(file, text)
  assert.match(await faultOf(file), /is not a SQLite database/)
  assert.equal(readFileSync(file, 'utf8'), text)
})

it('a database of another program is refused', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const database = new DatabaseSync(file)
  database.exec('create table songs (name text)')
  database.close()
  assert.match(await faultOf(file), /made by another program/)
})

it('a database without a format entry is refused, and not called one of another format', async (test) => {
  const file = join(folderFor(test), 'a.db')
  await withFile(file, things, async () => undefined)
  const database = new DatabaseSync(file)
  database.exec(`delete from "_meta" where "name" = 'format'`)
  database.close()
  assert.match(await faultOf(file), /has no format entry in its table _meta/)
})

it('a damaged file is refused', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const rows = Array.from({ length: 200 }, (_, n) => insert('things', row(`${n}`, 'x'.repeat(100))))
  await withFile(file, things, (store) => store.write(rows))
  const octets = readFileSync(file)
  writeFileSync(file, octets.fill(0xa5, 4096 * 3, octets.length - 4096))
  assert.match(await faultOf(file), /is damaged/)
})

it('a folder in place of the file, and a file in place of the folder, are refused', async (test) => {
  const folder = folderFor(test)
  mkdirSync(join(folder, 'a.db'))
  assert.match(await faultOf(join(folder, 'a.db')), /cannot be opened/)
  writeFileSync(join(folder, 'plain'), '')
  assert.match(await faultOf(join(folder, 'plain', 'a.db')), /not a folder/)
})

it('a file that cannot be read or written is refused', async (test) => {
  if (process.getuid?.() === 0) return test.skip('Root may read every file: run as another user.')
  const folder = folderFor(test)
  const file = join(folder, 'a.db')
  await withFile(file, things, async () => undefined)
  chmodSync(file, 0o000)
  assert.match(await faultOf(file), /cannot be opened/)
  chmodSync(file, 0o600)
  chmodSync(folder, 0o500)
  assert.match(await faultOf(join(folder, 'b.db')), /permission denied/)
  chmodSync(folder, 0o700)
})

it('an SQLite before 3.51.3 is refused', () => {
  for (const good of ['3.51.3', '3.51.10', '3.53.4', '4.0.0']) requireSafeSqlite(good)
  for (const old of ['3.51.2', '3.50.9', '3.9.9', undefined]) {
    assert.throws(() => requireSafeSqlite(old), StoreOpenError, old)
  }
})

it('a refused opening leaves the lock free, and a closed store no log beside its file', async (test) => {
  const folder = folderFor(test)
  const file = join(folder, 'a.db')
  writeFileSync(file, 'x'.repeat(5000))
  await faultOf(file)
  writeFileSync(file, '')
  await (await openFile(file, things)).close()
  assert.deepEqual(readdirSync(folder).toSorted(), ['a.db', 'a.db-instance', 'a.db-lock', 'a.db-reserve'])
})
