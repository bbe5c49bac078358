/** Slow statements of SQLite: turns of requesters, two threads, and the time of reading. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createReadBudget } from '../../src/limits/read-budget.ts'
import { workFor } from '../../src/limits/requester.ts'
import { Refusal } from '../../src/refusal.ts'
import { SlowReads } from '../../src/store/sqlite/read/slow-reads.ts'
import { folderFor } from './folder.ts'

async function opened(t: TestContext): Promise<SlowReads> {
  const file = join(folderFor(t), 'a.db')
  new DatabaseSync(file).close()
  const reads = new SlowReads({ file, temporary: false })
  t.after(() => reads.close())
  return reads
}

/** A statement that reads so many rows. Another name makes another text of it. */
function counting(rows: number, name = 'c') {
  const sql = `with recursive ${name}(n) as (select 1 union all select n + 1 from ${name} where n < ? and tick()) select max(n) from ${name}`
  return { sql, values: [rows] }
}

const endless = 1e15
const short = 20_000

test('many slow lists of one caller delay that of another by its turn, not by all of them', async (t) => {
  const reads = await opened(t)
  const order: string[] = []
  const read = (caller: string, address: string) =>
    workFor({ address, caller }, async () => {
      assert.deepEqual(await reads.rows(counting(short), 60_000), [[short]])
      order.push(caller)
    })
  const eve = Array.from({ length: 10 }, () => read('eve', '192.0.2.1'))
  await Promise.all([...eve, read('ada', '192.0.2.2'), read('bob', '192.0.2.1')])
  assert.ok(order.indexOf('ada') <= 3, String(order))
  assert.ok(order.indexOf('bob') <= 4, String(order))
})

test('a list that takes seconds delays no shorter ones, the next time from its beginning', async (t) => {
  const reads = await opened(t)
  const read = (rows: number) => reads.rows(counting(rows), 60_000)
  assert.deepEqual(await read(short), [[short]])
  for (let time = 0; time < 2; time += 1) {
    let isOver = false
    const long = reads.rows(counting(endless, 'long'), 4000).finally(() => {
      isOver = true
    })
    for (let count = 0; count < 3; count += 1) assert.deepEqual(await read(short), [[short]])
    assert.equal(isOver, false)
    assert.equal(await long, 'late')
  }
})

test('a caller that has used its time of reading is refused with 429, also what waits; others go on', async (t) => {
  const reads = await opened(t)
  let now = 0
  const readBudget = createReadBudget(() => now, 1)
  const read = (caller: string) =>
    workFor({ address: '192.0.2.1', caller, readBudget }, () => reads.rows(counting(short), 60_000)).then(
      () => 200,
      (error) => {
        assert.ok(error instanceof Refusal)
        assert.match(String(error.options.detail), /^Your slow lists have used up 0.001 seconds of reading/)
        assert.ok(Number(error.options.fields?.['Retry-After']) > 0)
        return error.status
      },
    )
  assert.deepEqual(await Promise.all([read('eve'), read('eve'), read('eve')]), [200, 429, 429])
  assert.equal(await read('eve'), 429)
  assert.equal(await read('ada'), 200)
  // Work that no request has asked for has no limit.
  for (let count = 0; count < 3; count += 1)
    assert.deepEqual(await reads.rows(counting(short), 60_000), [[short]])
  now += 86_400_000
  assert.equal(await read('eve'), 200)
})

test('a caller and an address have few slow lists in the queue, then 429; a full queue is 503', async (t) => {
  const reads = await opened(t)
  const statusOf = (address: string, caller: string) =>
    workFor({ address, caller }, () => reads.rows(counting(short), 60_000)).then(
      () => 200,
      (error) => (error instanceof Refusal ? error.status : error),
    )
  const of = (count: number, address: string, caller: string) =>
    Array.from({ length: count }, () => statusOf(address, caller))
  const statuses = await Promise.all([
    ...of(31, '192.0.2.1', 'eve'),
    ...of(31, '192.0.2.1', 'mallory'),
    ...of(30, '192.0.2.2', 'ada'),
    ...of(11, '192.0.2.3', 'bob'),
  ])
  assert.deepEqual([statuses[29], statuses[30]], [200, 429])
  assert.deepEqual([statuses[60], statuses[61]], [200, 429])
  assert.deepEqual(statuses.slice(62), [...Array(40).fill(200), 503])
})
