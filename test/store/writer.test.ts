/** The writer thread: batches, failures inside them, full disks, deaths. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as readText } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { Observation, Observer } from '../../src/observation.ts'
import { always, equals } from '../../src/store/condition.ts'
import { unattributed } from '../../src/store/sql/change-log-sql.ts'
import { createWriteStatements } from '../../src/store/sql/write-sql.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection/connection.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { runBatch, type Task } from '../../src/store/sqlite/write/group-commit.ts'
import { maxPending } from '../../src/store/sqlite/write/task-queue.ts'
import type { StoreUnavailable } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'
import { cases } from '../cases.ts'
import { folderFor, withFile } from './folder.ts'
import { insert } from './library.ts'
import { row, schema, table, text } from './tables.ts'

const write = (...writes: readonly Write[]): Task => ({ kind: 'write', writes, attribution: unattributed })

const things = schema(table('things', [text('name', { required: true, unique: true })]))
/** Closed when the test is over, so that a failing one does not hang. */
async function openFor(test: TestContext, notice: Observer = () => undefined): Promise<SqliteStore> {
  const store = await openSqliteStore({ temporary: true, schema: things, observe: notice })
  test.after(() => store.close())
  return store
}

const thing = (name: string): Write => insert('things', row(name, name))

it('a failing write among many harms no other', async (test) => {
  const store = await openFor(test)
  const taken = store.write([thing('taken')])
  const forbidden = insert('things', row('f', 'f'), equals(['name'], 'other'))
  const nameless = insert('things', row('n', null))
  const writes = Array.from({ length: 300 }, (_, n) => {
    if (n % 3 === 0) return store.write([thing(`extra ${n}`), thing('taken')])
    if (n % 7 === 0) return store.write([thing(`extra ${n}`), forbidden])
    if (n % 50 === 1) return store.write([thing(`extra ${n}`), nameless])
    return store.write([thing(`good ${n}`)])
  })
  const settled = await Promise.allSettled([taken, ...writes])
  const outcomes = settled.map((one) => (one.status === 'fulfilled' ? one.value.kind : 'bug'))
  const good = outcomes.filter((kind) => kind === 'done').length
  assert.ok(outcomes.includes('refused') && outcomes.includes('bug'))
  assert.equal(await store.count('things', always), good)
  assert.equal(store.readChanges(0, 1000).length, good)
  assert.equal(store.revision('things'), good)
})

it('a write sees the revisions of those before it in its batch, half done ones undone', async (test) => {
  const connection = new SqliteConnection({
    file: await madeFile(test),
    use: 'write',
    temporary: false,
  })
  test.after(() => connection.close())
  const statements = createWriteStatements(things, sqliteDialect)
  const at = (name: string, mark: string): Task =>
    write(thing(name), { kind: 'expect', table: 'things', state: mark })
  const plain = (name: string): Task => write(thing(name))
  const kindsOf = (tasks: readonly Task[]) =>
    runBatch(connection, statements, tasks).map((one) => one.kind === 'done' && one.written.kind)
  const first = kindsOf([at('a', '0'), at('b', '0'), plain('c'), plain('c'), at('d', '2')])
  assert.deepEqual(first, ['done', 'refused', 'done', 'refused', 'done'])
  assert.deepEqual(kindsOf([plain('e'), plain('e'), at('f', '4')]), ['done', 'refused', 'done'])
  const names = connection.rows({ sql: 'select "name" from "things" order by 1', values: [] })
  assert.deepEqual(names.flat(), ['a', 'c', 'd', 'e', 'f'])
  const revisions = connection.rows({ sql: 'select "revision" from "_collections"', values: [] })
  assert.deepEqual(revisions, [[5]])
})

/** A connection to a made file that may grow by so many pages only. */
function tightConnection(file: string, pages: number): SqliteConnection {
  const connection = new SqliteConnection({ file, use: 'write', temporary: false })
  const [count] = connection.rows({ sql: 'pragma page_count', values: [] })
  connection.database.exec(`pragma max_page_count = ${Number(count?.[0]) + pages}`)
  return connection
}

async function madeFile(test: TestContext): Promise<string> {
  const file = join(folderFor(test), 'a.db')
  await withFile(file, things, async () => undefined)
  return file
}

it('on a full disk nothing of a batch is acknowledged, and writes heal when there is room', async (test) => {
  const file = await madeFile(test)
  const connection = tightConnection(file, 3)
  const statements = createWriteStatements(things, sqliteDialect)
  const large = (name: string): Task => write(insert('things', row(name, name + 'x'.repeat(9000))))
  const small = (name: string): Task => write(thing(name))
  const outcomes = runBatch(connection, statements, [small('a'), large('b'), large('c'), small('d')])
  assert.deepEqual(
    outcomes.map((one) => one.kind === 'unavailable' && one.reason),
    ['full', 'full', 'full', 'full'],
  )
  assert.equal(connection.database.isTransaction, false)
  assert.deepEqual(connection.rows({ sql: 'select count(*) from "things"', values: [] }), [[0]])
  connection.database.exec('pragma max_page_count = 100000')
  const healed = runBatch(connection, statements, [small('a'), large('b')])
  assert.deepEqual(
    healed.map(({ kind }) => kind),
    ['done', 'done'],
  )
  connection.close()
})

it('whatever fills up when: acknowledged is stored, all else is not (random batches)', async (test) => {
  const file = await madeFile(test)
  const statements = createWriteStatements(things, sqliteDialect)
  let next = 0
  const sizes = fc.array(fc.array(fc.nat(6000), { minLength: 1, maxLength: 6 }), { maxLength: 8 })
  const property = fc.property(sizes, fc.nat(12), (batches, pages) => {
    const connection = tightConnection(file, pages)
    const expected = new Set<string>()
    connection.database.exec('delete from "things"')
    for (const batch of batches) {
      const names = batch.map((size) => `${next++}${'x'.repeat(size)}`)
      const tasks = names.map((name): Task => write(thing(name)))
      const outcomes = runBatch(connection, statements, tasks)
      for (const [at, name] of names.entries()) if (outcomes[at]?.kind === 'done') expected.add(name)
    }
    const rows = connection.rows({ sql: 'select "name" from "things"', values: [] })
    assert.deepEqual(new Set(rows.map(([name]) => name)), expected)
    connection.close()
  })
  fc.assert(property, { numRuns: cases(200) })
})

it('a death of the thread puts what it had not answered in trouble, and the next write works', async (test) => {
  const observations: Observation[] = []
  const notice = (observation: Observation) => observations.push(observation)
  const store = await openFor(test, notice)
  for (const round of [1, 2, 3]) {
    const writes = Array.from({ length: 100 }, (_, n) => store.write([thing(`${round} ${n}`)]))
    const settling = Promise.allSettled(writes)
    await store.writer.crash()
    const settled = await settling
    const done = settled.filter(({ status }) => status === 'fulfilled').length
    for (const one of settled) {
      if (one.status === 'rejected') assert.equal((one.reason as StoreUnavailable).reason, 'unreachable')
    }
    assert.ok((await store.count('things', always)) >= done)
    assert.deepEqual(await store.write([thing(`after ${round}`)]), { kind: 'done' })
    assert.equal(observations.filter(({ kind }) => kind === 'writer-restarted').length, round)
  }
})

it('a death right after another is answered with trouble until the pause is over', async (test) => {
  const store = await openFor(test)
  await store.write([thing('first')])
  await store.writer.crash()
  await store.writer.crash()
  await assert.rejects(store.write([thing('early')]), {
    name: 'StoreUnavailable',
    reason: 'unreachable',
  })
})

it(`${maxPending} writes may wait, and one more is refused at once`, async (test) => {
  const store = await openFor(test)
  const waiting = Array.from({ length: maxPending }, (_, n) => store.write([thing(`${n}`)]))
  await assert.rejects(store.write([thing('one more')]), {
    name: 'StoreUnavailable',
    reason: 'unreachable',
  })
  const kinds = new Set((await Promise.all(waiting)).map(({ kind }) => kind))
  assert.deepEqual(kinds, new Set(['done']))
  assert.deepEqual(await store.write([thing('later')]), { kind: 'done' })
})

it('a database locked by something else is trouble, is told, and heals', async (test) => {
  const observations: Observation[] = []
  const store = await openFor(test, (observation) => observations.push(observation))
  const other = new DatabaseSync(store.writer.file)
  other.exec('begin immediate')
  const away = { name: 'StoreUnavailable', reason: 'unreachable' }
  await assert.rejects(store.write([thing('a')]), away)
  assert.deepEqual(
    observations.map(({ kind }) => kind),
    ['store-unavailable'],
  )
  assert.equal(await store.count('things', always), 0)
  other.exec('rollback')
  other.close()
  await store.check()
  assert.deepEqual(await store.write([thing('a')]), { kind: 'done' })
})

it('kill -9 under load: all acknowledged is there, nothing is half there', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const plain = schema(table('things', [text('name')], { indexes: [['name']] }))
  for (let round = 0; round < cases(20); round += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'crashing.ts'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = readText(child.stdout)
    let seen = 0
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.length
      if (seen > 2000 + round * 1500) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    const acknowledged = (await output).split('\n').slice(1, -1)
    assert.ok(acknowledged.length > 10)
    await withFile(file, plain, async (store) => {
      for (const name of acknowledged) {
        assert.equal(await store.count('things', equals(['name'], name)), 2, name)
      }
      const rows = await store.count('things', always)
      assert.equal(rows % 2, 0)
      assert.equal(store.readChanges(0, 1_000_000).length, rows)
    })
  }
})
