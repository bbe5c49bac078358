/** A store whose writer is in another process keeps the same contract. */

import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { always } from '../../src/store/condition.ts'
import type { Row } from '../../src/store/row.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { isStable, SeqlockFile } from '../../src/store/sqlite/connection/seqlock.ts'
import { openSharedSqliteStore, openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import type { Store, StoreUnavailable } from '../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { storeContract } from './contract.ts'
import { insert } from './library.ts'
import { row, schema, table, text } from './tables.ts'

const notice = () => undefined

/** The store that writes, and so many that have their writes done by it. */
async function openSeveral(schema: Schema, count: number) {
  const primary = await openSqliteStore({ temporary: true, schema, observe: notice })
  const writer = await primary.writer.share()
  const joining = Array.from({ length: count }, () =>
    openSharedSqliteStore({ ...primary.databaseFile, schema, observe: notice, writer }),
  )
  return { primary, writer, others: await Promise.all(joining) }
}

storeContract('SQLite, written by another process', async (schema): Promise<Store> => {
  const { primary, others } = await openSeveral(schema, 1)
  const [store] = others
  assert.ok(store)
  const close = store.close.bind(store)
  store.close = async () => {
    await close()
    await primary.close()
  }
  return store
})

const things = schema(table('things', [text('name', { required: true, unique: true })]))

async function openFor(test: TestContext, count: number) {
  const several = await openSeveral(things, count)
  test.after(async () => {
    for (const store of several.others) await store.close()
    await several.primary.close()
  })
  return several
}

it('writes of several processes share commits, and each hears of its own', async (test) => {
  const { primary, others } = await openFor(test, 3)
  const stores = [primary, ...others]
  const writes = Array.from({ length: 400 }, (_, n) => {
    // Each name twice: one of the two is refused.
    const name = `${n % 200}`
    return stores[n % stores.length]?.write([insert('things', row(`${n}`, name))])
  })
  const kinds = (await Promise.all(writes)).map((written) => written?.kind)
  assert.equal(kinds.filter((kind) => kind === 'done').length, 200)
  assert.equal(kinds.filter((kind) => kind === 'refused').length, 200)
  for (const store of stores) {
    assert.equal(await store.count('things', always), 200)
    assert.ok(isStable(store.writer.sequence))
  }
})

it('what one has acknowledged, all others read at once, the revision that they remember included', async (test) => {
  const { primary, others } = await openFor(test, 2)
  const stores = [primary, ...others]
  for (let n = 0; n < 30; n += 1) {
    const writer = stores[n % stores.length]!
    for (const store of stores) assert.equal(await store.revision('things'), n)
    const written = writer.write([insert('things', row(`${n}`, `${n}`))])
    for (const store of stores) assert.equal(await store.count('things', always), n)
    await written
    for (const store of stores) {
      assert.equal(await store.count('things', always), n + 1)
      assert.equal(await store.revision('things'), n + 1)
    }
  }
})

for (const scan of [false, true] as const) {
  it(`a list ${scan ? 'apart' : 'among others'} is of one state with the revisions around it`, async (test) => {
    const { primary, writer, others } = await openFor(test, 1)
    const [store] = others
    assert.ok(store)
    await store.write([insert('things', row('0', '0'))])
    const question = {
      table: 'things',
      condition: always,
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 10,
      evaluated: [],
      ...(scan ? { scan } : {}),
    }
    await nextTurn()
    store.satisfies('things', row('x', 'x'), always)
    const before = store.revision('things')
    // Another process writes at this very moment.
    const file = new DatabaseSync(primary.databaseFile.file)
    file.exec('update "_collections" set "revision" = "revision" + 1; delete from "things"')
    file.close()
    const shown = new SeqlockFile(writer.seqlockDescriptor)
    shown.sequence += 2
    const rows = await store.list(question)
    const after = store.revision('things')
    assert.deepEqual([before, rows.length, after], scan ? [1, 0, 2] : [1, 1, 1])
  })
}

it('a process with pending writes does not use its cached revision', async (test) => {
  const { primary, others } = await openFor(test, 1)
  const [store] = others
  assert.ok(store)
  await store.write([insert('things', row('0', '0'))])
  await store.revision('things')
  await nextTurn()
  const before = store.revision('things')
  const writing = store.write([insert('things', row('1', '1'))])
  // As where it is committed at this very moment.
  const file = new DatabaseSync(primary.databaseFile.file)
  file.exec('update "_collections" set "revision" = "revision" + 1; delete from "things"')
  file.close()
  const rows = await store.count('things', always)
  assert.deepEqual([before, rows, store.revision('things')], [1, 0, 2])
  await writing
})

it('a death of the writer is trouble for all that waits anywhere, and the next write works', async (test) => {
  const { primary, others } = await openFor(test, 2)
  for (const round of [1, 2, 3]) {
    const writes = others.flatMap((store, at) =>
      Array.from({ length: 100 }, (_, n) =>
        store.write([insert('things', row(`${round}-${at}-${n}`, `${round}-${at}-${n}`))]),
      ),
    )
    const settling = Promise.allSettled(writes)
    await primary.writer.crash()
    const settled = await settling
    for (const one of settled) {
      if (one.status === 'rejected') assert.equal((one.reason as StoreUnavailable).reason, 'unreachable')
    }
    const done = settled.filter(({ status }) => status === 'fulfilled').length
    assert.ok((await primary.count('things', always)) >= done)
    assert.ok(isStable(primary.writer.sequence))
    for (const [at, store] of others.entries()) {
      const after = await written(store, row(`${round}-${at}`, `${round}-${at}`))
      assert.deepEqual(after, { kind: 'done' })
    }
  }
})

/** Once the thread is found that has taken the place of a dead one. */
function written(store: Store, values: Row) {
  return eventually(async () => {
    try {
      return await store.write([insert('things', values)])
    } catch (error) {
      if ((error as StoreUnavailable).reason !== 'unreachable') throw error
      return undefined
    }
  })
}

it('without its writer a store reads, and refuses every write at once, those that wait included', async (test) => {
  const { primary, others } = await openFor(test, 1)
  const [store] = others
  assert.ok(store)
  const away = { name: 'StoreUnavailable', reason: 'unreachable' }
  const waiting = assert.rejects(store.write([insert('things', row('a', 'a'))]), away)
  await Promise.all([waiting, primary.writer.crash()])
  await assert.rejects(store.write([insert('things', row('b', 'b'))]), away)
  assert.equal(await store.count('things', always), 0)
})

it('whoever closes hears of what it has asked for, and leaves nothing behind', async () => {
  const { primary, writer, others } = await openSeveral(things, 2)
  const [store, other] = others
  assert.ok(store && other)
  const writing = store.write([insert('things', row('a', 'a'))])
  await store.close()
  assert.deepEqual(await writing, { kind: 'done' })
  await assert.rejects(store.write([insert('things', row('b', 'b'))]), { reason: 'unreachable' })
  assert.deepEqual(await other.write([insert('things', row('c', 'c'))]), { kind: 'done' })
  assert.equal(statSync(dirname(writer.path)).mode & 0o777, 0o700, 'nobody else may enter')
  await primary.close()
  await assert.rejects(other.write([insert('things', row('d', 'd'))]), { reason: 'unreachable' })
  await other.close()
  assert.equal(existsSync(dirname(writer.path)), false)
})

describe('the folder that they meet in', () => {
  const opened = async (test: TestContext, name: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
    const inner = join(folder, name)
    mkdirSync(inner)
    const file = join(inner, 'a.db')
    const store = await openSqliteStore({ file, schema: things, observe: notice })
    test.after(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    return { store, file, inner }
  }

  it('is beside the database, and what was left in it is gone', async (test) => {
    const { store, file, inner } = await opened(test, 'a')
    mkdirSync(`${file}-writer`)
    writeFileSync(join(`${file}-writer`, 'socket'), 'of one that was killed')
    const writer = await store.writer.share()
    assert.equal(dirname(writer.path), `${realpathSync(inner)}/a.db-writer`)
    assert.equal(await store.writer.share(), writer, 'there is one')
    await store.close()
    assert.deepEqual(readdirSync(inner), ['a.db', 'a.db-instance', 'a.db-lock', 'a.db-reserve'])
    await assert.rejects(store.writer.share(), { reason: 'unreachable' })
  })

  it('is no folder that somebody else has made', async (test) => {
    const { store, file } = await opened(test, 'a')
    mkdirSync(`${file}-writer`)
    writeFileSync(join(`${file}-writer`, 'letter'), 'to a friend')
    await assert.rejects(store.writer.share(), {
      name: 'StoreOpenError',
      message: /EEXIST.*beside/,
    })
    await store.close()
    assert.deepEqual(readdirSync(`${file}-writer`), ['letter'])
  })

  it('is elsewhere where the path would be too long for a socket', async (test) => {
    const { store, inner } = await opened(test, 'x'.repeat(120))
    const writer = await store.writer.share()
    const joined = await openSharedSqliteStore({
      ...store.databaseFile,
      schema: things,
      observe: notice,
      writer,
    })
    assert.deepEqual(await joined.write([insert('things', row('a', 'a'))]), { kind: 'done' })
    await joined.close()
    await store.close()
    assert.equal(existsSync(dirname(writer.path)), false)
    assert.deepEqual(readdirSync(inner), ['a.db', 'a.db-instance', 'a.db-lock', 'a.db-reserve'])
  })

  it('is made again by the next thread where it is gone', async (test) => {
    const { store } = await opened(test, 'a')
    const writer = await store.writer.share()
    const joined = await openSharedSqliteStore({
      ...store.databaseFile,
      schema: things,
      observe: notice,
      writer,
    })
    rmSync(dirname(writer.path), { recursive: true })
    await store.writer.crash()
    assert.deepEqual(await written(joined, row('a', 'a')), { kind: 'done' })
    assert.equal(store.writer.sequence, joined.writer.sequence)
    await joined.close()
  })
})
