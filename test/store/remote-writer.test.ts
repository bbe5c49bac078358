/** A store whose writer is in another process keeps the same contract. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { duplexPair } from 'node:stream'
import { it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { always } from '../../src/store/condition.ts'
import type { Schema } from '../../src/store/schema.ts'
import { isCalm, ShownMoment } from '../../src/store/sqlite/moment.ts'
import { joinSqliteStore, openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store, StoreTrouble } from '../../src/store/store.ts'
import { insert, storeContract } from './contract.ts'
import { row, schema, table, text } from './tables.ts'

const notice = () => undefined

/** The store that writes, and so many that have their writes done by it. */
async function openSeveral(schema: Schema, count: number) {
  const primary = await openSqliteStore({ temporary: true, schema, notice })
  const joining = Array.from({ length: count }, () => {
    const [here, there] = duplexPair()
    primary.writer.serveOver(there)
    const moment = primary.writer.showMoment()
    return joinSqliteStore({ ...primary.place, schema, notice, writer: here, moment })
  })
  return { primary, others: await Promise.all(joining) }
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
  const { primary, others } = await openSeveral(things, count)
  test.after(async () => {
    for (const store of others) await store.close()
    await primary.close()
  })
  return { primary, others }
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
    assert.ok(isCalm(store.moment))
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
    const { primary, others } = await openFor(test, 1)
    const [store] = others
    assert.ok(store)
    await store.write([insert('things', row('0', '0'))])
    const question = {
      table: 'things',
      condition: always,
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 10,
      asks: [],
      ...(scan ? { scan } : {}),
    }
    await nextTurn()
    store.wouldHold('things', row('x', 'x'), always)
    const before = store.revision('things')
    // Another process writes at this very moment.
    const file = new DatabaseSync(primary.place.file)
    file.exec('update "_collections" set "revision" = "revision" + 1; delete from "things"')
    file.close()
    const shown = new ShownMoment(primary.writer.showMoment())
    shown.value += 2
    const rows = await store.list(question)
    const after = store.revision('things')
    assert.deepEqual([before, rows.length, after], scan ? [1, 0, 2] : [1, 1, 1])
  })
}

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
      if (one.status === 'rejected') assert.equal((one.reason as StoreTrouble).trouble, 'away')
    }
    const done = settled.filter(({ status }) => status === 'fulfilled').length
    assert.ok((await primary.count('things', always)) >= done)
    assert.ok(isCalm(primary.writer.moment))
    for (const [at, store] of others.entries()) {
      const after = await store.write([insert('things', row(`${round}-${at}`, `${round}-${at}`))])
      assert.deepEqual(after, { kind: 'done' })
    }
  }
})

it('once the stream is gone every write is refused at once, those that wait included', async (test) => {
  const { primary } = await openFor(test, 0)
  const [here, there] = duplexPair()
  primary.writer.serveOver(there)
  const moment = primary.writer.showMoment()
  const joining = { ...primary.place, schema: things, notice, writer: here, moment }
  const store = await joinSqliteStore(joining)
  test.after(() => store.close())
  const waiting = store.write([insert('things', row('a', 'a'))])
  here.destroy()
  const away = { name: 'StoreTrouble', trouble: 'away' }
  await assert.rejects(waiting, away)
  await assert.rejects(store.write([insert('things', row('b', 'b'))]), away)
  assert.equal(await store.count('things', always), 0)
})
