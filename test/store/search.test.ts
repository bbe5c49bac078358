/** Full text follows its rows: made, replaced, removed, and found when a definition begins to search. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { always } from '../../src/store/condition.ts'
import { migrate } from '../../src/store/schema/run-migration.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { splitWords } from '../../src/store/search-words.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'
import { insert } from './library.ts'
import { LATER, ref, row, schema, table, text } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'restwell-search-'))
after(() => rmSync(folder, { recursive: true }))

function notes(search: readonly string[], name = 'notes'): Schema {
  const columns = [text('title'), text('body'), ref('parent', name, 'cascade')]
  return schema(table(name, columns, { search, formerly: name === 'notes' ? [] : ['notes'] }))
}

async function withStore(file: string, tables: Schema, work: (store: Store) => Promise<void>) {
  const options = { file: join(folder, file), schema: tables, observe: () => undefined }
  const store = await openSqliteStore(options)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function found(store: Store, question: string, name = 'notes'): Promise<unknown[]> {
  const rows = await store.list({
    table: name,
    condition: { kind: 'search', words: splitWords(question) },
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 10,
    evaluated: [],
  })
  return rows.map(([identity]) => identity)
}

async function done(store: Store, ...writes: readonly Write[]): Promise<void> {
  assert.deepEqual(await store.write(writes), { kind: 'done' })
}

it('words come and go with their row, cascades and failed writes included', async () => {
  await withStore('rows.db', notes(['title', 'body']), async (store) => {
    await done(
      store,
      insert('notes', row('n1', 'First words', 'and more', null)),
      insert('notes', row('n2', null, 'Other words', 'n1')),
    )
    assert.deepEqual(await found(store, 'WORDS'), ['n1', 'n2'])
    assert.deepEqual(await found(store, 'first more'), ['n1'])
    const values = row('n1', 'Changed', null, null).with(1, 2).with(3, LATER)
    const change = { kind: 'update', table: 'notes', identity: 'n1', version: 1, values } as const
    const previous = row('n1', 'First words', 'and more', null)
    await done(store, { ...change, previous, conditionBefore: always, conditionAfter: always })
    assert.deepEqual(await found(store, 'words'), ['n2'])
    assert.deepEqual(await found(store, 'changed'), ['n1'])
    const failed = await store.write([
      insert('notes', row('n3', 'Changed too', null, null)),
      insert('notes', row('n1', 'Taken', null, null)),
    ])
    assert.equal(failed.kind, 'refused')
    assert.deepEqual(await found(store, 'changed'), ['n1'])
    const removal = { kind: 'delete', table: 'notes', identity: 'n1', version: 2 } as const
    await done(store, { ...removal, conditionBefore: always, at: LATER })
    assert.deepEqual(await found(store, 'changed'), [])
    assert.deepEqual(await found(store, 'words'), [])
    await done(store, insert('notes', row('n4', 'Words again', null, null)))
    assert.deepEqual(await found(store, 'words'), ['n4'])
  })
})

it('rows that were there are found once a definition searches, renames and drops included', async () => {
  const file = 'evolving.db'
  const rows = Array.from({ length: 1200 }, (_, n) =>
    insert('notes', row(`n${String(n).padStart(4, '0')}`, `title${n}`, `body${n}`, null)),
  )
  await withStore(file, notes([]), (store) => done(store, ...rows))
  const migrated = (to: Schema) => migrate(`file:${join(folder, file)}`, to, 'safe')
  await migrated(notes(['title']))
  await withStore(file, notes(['title']), async (store) => {
    assert.deepEqual(await found(store, 'title1199'), ['n1199'])
    assert.deepEqual(await found(store, 'body7'), [])
  })
  await migrated(notes(['title', 'body']))
  await withStore(file, notes(['title', 'body']), async (store) => {
    assert.deepEqual(await found(store, 'title777 body777'), ['n0777'])
    assert.deepEqual(await found(store, 'title119 body1199'), ['n1199'])
  })
  await migrated(notes(['body'], 'remarks'))
  await withStore(file, notes(['body'], 'remarks'), async (store) => {
    assert.deepEqual(await found(store, 'body888', 'remarks'), ['n0888'])
    assert.deepEqual(await found(store, 'title8', 'remarks'), [])
  })
  await migrated(notes([], 'remarks'))
  await withStore(file, notes([], 'remarks'), async (store) => {
    assert.equal(await store.count('remarks', always), 1200)
  })
})
