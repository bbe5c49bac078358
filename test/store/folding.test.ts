/** The log of a SQLite file, once nothing more is written. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import { eventually } from '../eventually.ts'
import { folderFor } from './folder.ts'
import { insert } from './library.ts'
import { row, schema, table, text } from './tables.ts'

const things = schema(table('things', [text('name')]))

it('is folded into the file, without another write', async (test) => {
  const { store, log } = await opened(test)
  await store.write([insert('things', row('a', 'x'))])
  await eventually(() => log().left === 0)
  assert.ok(log().pages > 0, 'what was folded is what was written')
})

it('is folded again after each write', async (test) => {
  const { store, log } = await opened(test)
  for (const name of ['a', 'b']) {
    await store.write([insert('things', row(name, 'x'))])
    await eventually(() => log().left === 0)
  }
})

it('waits for a reader that needs it, and is folded when the reader has gone', async (test) => {
  const { store, other, log } = await opened(test)
  let written = 0
  const needed = await eventually(async () => {
    await store.write([insert('things', row(`${written++}`, 'x'))])
    other.exec('begin; select * from "things"')
    // Of a log that is folded already the reader needs nothing.
    if (log().left > 0) return log().pages
    other.exec('commit')
    return undefined
  })
  await store.write([insert('things', row('later', 'x'))])
  const later = log().pages - needed
  await eventually(() => log().left === later)
  assert.ok(later > 0)
  assert.equal(other.prepare('select count(*) "count" from "things"').get()?.count, written)
  other.exec('commit')
  await eventually(() => log().left === 0)
})

it('waits for another who folds it, and is folded when that one has given up', async (test) => {
  const { store, other, looking, log } = await opened(test)
  await store.write([insert('things', row('a', 'x'))])
  other.exec('begin; select * from "things"')
  await store.write([insert('things', row('b', 'x'))])
  // It holds the lock of whoever folds while it waits for the reader, and changes nothing after.
  looking.exec('pragma busy_timeout = 1500')
  const [given] = looking.prepare('pragma wal_checkpoint(restart)').all()
  assert.equal(given?.busy, 1)
  other.exec('commit')
  await eventually(() => log().left === 0)
})

async function opened(test: TestContext) {
  const file = join(folderFor(test), 'a.db')
  const told: unknown[] = []
  const store = await openSqliteStore({ file, schema: things, observe: (one) => told.push(one) })
  const other = new DatabaseSync(file, { readOnly: true })
  const looking = new DatabaseSync(file)
  test.after(async () => {
    other.close()
    looking.close()
    await store.close()
    assert.deepEqual(told, [])
  })
  /** As it is, without folding anything. */
  const log = () => {
    const state = looking.prepare('pragma wal_checkpoint(noop)').get()
    const { log: pages, checkpointed } = state as { log: number; checkpointed: number }
    return { pages, left: pages - checkpointed }
  }
  return { store, other, looking, log }
}
