/**
 * A damaged SQLite file is reported as damaged, at start or when the damage is found, and is not
 * written to any more (RFC 9110 §15.6.4). Reads of undamaged rows continue.
 */

import assert from 'node:assert/strict'
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { someOf } from '../cases.ts'
import { folderOf } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { workersOf } from '../reliability/worker-service.ts'
import { admin } from '../service.ts'
import { createNote, type NotesNode, refusedNotes, startNotes } from './notes-node.ts'

const mebibyte = 1024 * 1024
const pageSize = 4096

for (const workers of someOf([1, 2], 1)) {
  const served = workers === 1 ? '' : ', with workers'

  test(`damage in a file above 16 MiB is found in the background${served}`, async (t) => {
    const file = join(await folderOf(t), 'a.db')
    await makeNotes(t, file, 1100)
    assert.ok(statSync(file).size > 16 * mebibyte)
    damagePage(file, rootPageOf(file, 'notes'))
    const node = await startNotes(t, file, { workers })
    await assertDamaged(node)
    assert.equal((await node.request('GET /health/live')).status, 200)
    assert.equal((await node.request('GET /users', admin)).status, 200, 'other tables are read')
    await node.stop()
    assert.match(await node.stderr, /"reason":"damaged","cause":"The database file .* is damaged/)
  })

  test(`a read that meets damage is 503 and stops all writes${served}`, async (t) => {
    const file = join(await folderOf(t), 'a.db')
    await makeNotes(t, file, 10)
    const node = await startNotes(t, file, { workers })
    assert.equal(await createNote(node.request, 'before'), 201)
    damagePage(file, rootPageOf(file, 'notes'))
    const read = await node.request('GET /notes')
    assert.equal(read.status, 503)
    assert.match(read.json.detail, /damaged/)
    await assertDamaged(node)
  })
}

test('an index that disagrees with its table: a small file is refused at start', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  await makeNotes(t, file, 10)
  breakIndex(file)
  const { code, stderr } = await refusedNotes(file)
  assert.equal(code, 1)
  assert.match(stderr, /is damaged \(row \d+ missing from index .*\)\. Put a backup in its place/)
})

test('an index that disagrees with its table: in a larger file it is found in the background', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  await makeNotes(t, file, 300)
  assert.ok(statSync(file).size > 2 * mebibyte)
  breakIndex(file)
  await assertDamaged(await startNotes(t, file))
})

test('a sound file above 16 MiB stays ready while and after it is checked, and stops with 0', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  await makeNotes(t, file, 1100)
  const first = await startNotes(t, file)
  await eventually(() => workersOf(first).length === 1)
  assert.equal(await createNote(first.request, 'while'), 201)
  assert.equal(await first.stop(), 0)
  assert.ok(!existsSync(`${file}-wal`), 'the log is in the file')
  const second = await startNotes(t, file)
  await eventually(() => workersOf(second).length === 1)
  await eventually(() => workersOf(second).length === 0)
  assert.equal((await second.request('GET /status', admin)).json.databaseState, 'ready')
  assert.equal(await createNote(second.request, 'after'), 201)
  assert.equal(await second.stop(), 0)
})

/** Ready and writes are 503, and /status says why; at the latest when the file was read through. */
async function assertDamaged({ request }: NotesNode): Promise<void> {
  await eventually(async () => (await request('GET /status', admin)).json.databaseState === 'damaged')
  const ready = await request('GET /health/ready')
  assert.equal(ready.status, 503)
  assert.match(ready.json.detail, /damaged/)
  assert.equal(await createNote(request, 'after'), 503)
}

/** A file with so many notes of 16 kB. */
async function makeNotes(t: Parameters<typeof startNotes>[0], file: string, count: number) {
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'note 0', 'x'.repeat(16_000)), 201)
  assert.equal(await node.stop(), 0)
  const database = new DatabaseSync(file)
  const columns = database.prepare('select name from pragma_table_info(?)').all('notes')
  const values = columns.map(({ name }) => {
    if (name === '_identity') return `"_identity" || '-' || "n"`
    return name === 'title' ? `'note ' || "n"` : `"${name}"`
  })
  database.exec(`with recursive "r"("n") as (select 1 union all select "n" + 1 from "r" limit ${count})
    insert into "notes" select ${values.join(', ')} from "r", (select * from "notes" limit 1)`)
  database.close()
}

function rootPageOf(file: string, name: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(name)
    return Number(row?.rootpage)
  } finally {
    database.close()
  }
}

function damagePage(file: string, page: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize)
  closeSync(descriptor)
}

/** Deletes a row of the table behind the back of its index on the title, and adds another. */
function breakIndex(file: string): void {
  const database = new DatabaseSync(file, { defensive: false })
  const index = database
    .prepare(`select * from sqlite_schema where type = 'index' and sql like '%"title"%'`)
    .get()
  assert.ok(index, 'there is an index on the title')
  database.exec('pragma writable_schema = on')
  database.prepare('delete from sqlite_schema where name = ?').run(String(index.name))
  database.exec('pragma writable_schema = reset')
  database.exec(`update "notes" set "title" = 'changed' where "title" = 'note 3'`)
  database.exec('pragma writable_schema = on')
  database
    .prepare('insert into sqlite_schema values (?, ?, ?, ?, ?)')
    .run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((name) => index[name] as string))
  database.close()
}
