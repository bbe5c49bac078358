import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SqliteConnection } from '../../src/store/sqlite/connection/connection.ts'
import { ReadConnectionChooser } from '../../src/store/sqlite/read/read-connection.ts'

const count = { sql: 'select count(*) from "t"', values: [] }

describe('reads while promises are being settled', () => {
  test('see one state; later ones see later commits', async (t) => {
    const { other, readAt } = opened(t)
    assert.equal(readAt(0), 0)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(0), 0)
    await Promise.resolve()
    assert.equal(readAt(0), 0)
    await nextTurn()
    assert.equal(readAt(0), 1)
  })

  test('are of the moment that it was before and after the first of them', async (t) => {
    const { other, reading, readAt, looks } = opened(t)
    assert.equal(readAt(0), 0)
    assert.equal(readAt(0), 0)
    const before = looks()
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(2), 0)
    assert.equal(reading.sequence, 0)
    assert.equal(looks(), before, 'no more looks')
    await nextTurn()
    assert.equal(reading.sequence, 2)
    assert.equal(readAt(2), 1)
  })

  for (const moment of [4, 5]) {
    test(`look at the moment once where it is ${moment} and no transaction is begun`, async (t) => {
      const { reading, showMoment, looks } = opened(t)
      showMoment(moment)
      for (let n = 0; n < 3; n += 1) assert.equal(reading.sequence, moment)
      if (moment % 2 === 1) reading.connection()
      assert.equal(looks(), 1)
      showMoment(moment + 1)
      await nextTurn()
      assert.equal(reading.sequence, moment + 1)
    })
  }

  test('go without a look and over the connection without a map while own writes are waited for', async (t) => {
    const { unmapped, mapped, connectionAt, write, looks } = opened(t)
    write(true)
    assert.equal(connectionAt(0), unmapped)
    assert.equal(looks(), 0)
    write(false)
    assert.equal(connectionAt(0), mapped)
    write(true)
    assert.equal(connectionAt(0), mapped, 'a transaction is gone on with')
    await nextTurn()
    assert.equal(connectionAt(0), unmapped)
  })

  for (const later of [2, 3]) {
    test(`see what was committed where the moment is ${later} once they are settled`, (t) => {
      const { other, reading, mapped, afterLook } = opened(t)
      afterLook(1, () => {
        other.exec('insert into "t" values (1)')
        return later
      })
      assert.equal(reading.connection().row(count)?.[0], 1)
      assert.equal(reading.sequence, later)
      assert.equal(mapped.database.isTransaction, later === 2)
    })
  }

  test('see one state though the first of them looks at no table', (t) => {
    const { other, reading, readAt } = opened(t)
    assert.deepEqual(reading.connection().row({ sql: 'select 1', values: [] }), [1])
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(2), 0)
    assert.equal(reading.sequence, 0)
  })

  test('see what is there once another call of the event loop is due', async (t) => {
    const { other, reading, readAt } = opened(t)
    assert.equal(readAt(0), 0)
    other.exec('insert into "t" values (1)')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    assert.equal(readAt(2), 1)
    assert.equal(reading.sequence, 2)
  })

  test('begin a transaction anew where a failure has ended it', (t) => {
    const { other, reading, mapped, readAt } = opened(t)
    assert.equal(readAt(0), 0)
    mapped.database.exec('rollback')
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(2), 1)
    assert.equal(reading.sequence, 2)
    assert.equal(mapped.database.isTransaction, true)
  })

  test('apart from the rest see what is there, and what follows looks again', (t) => {
    const { other, reading, readAt } = opened(t)
    readAt(0)
    readAt(0)
    other.exec('insert into "t" values (1)')
    assert.equal(reading.separateConnection().row(count)?.[0], 1)
    assert.equal(readAt(2), 1)
  })

  test('hold no transaction while something is being written, and use no map', async (t) => {
    const { other, connectionAt, readAt, mapped, unmapped } = opened(t)
    assert.equal(connectionAt(1), unmapped)
    assert.equal(readAt(1), 0)
    assert.equal(mapped.database.isTransaction, false)
    assert.equal(unmapped.database.isTransaction, false)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(1), 1)
    await nextTurn()
    assert.equal(connectionAt(2), mapped)
    assert.equal(readAt(2), 1)
    assert.equal(mapped.database.isTransaction, true)
  })

  test('hold none beyond it, so that the log can begin anew', async (t) => {
    const { other, readAt } = opened(t)
    for (let round = 0; round < 3; round += 1) {
      other.exec('insert into "t" values (1)')
      readAt(0)
      await nextTurn()
      const [state] = other.prepare('pragma wal_checkpoint(truncate)').all()
      assert.equal(state?.busy, 0)
    }
  })

  test('end without harm where the transaction is gone already', async (t) => {
    const { mapped, readAt } = opened(t)
    readAt(0)
    mapped.database.exec('rollback')
    await nextTurn()
    assert.equal(readAt(0), 0)
  })
})

test('only one of the two connections maps the file', (t) => {
  const { mapped, unmapped } = opened(t)
  const size = { sql: 'pragma mmap_size', values: [] }
  assert.ok(Number(mapped.row(size)?.[0]) > 0)
  assert.equal(unmapped.row(size)?.[0], 0)
})

test('reads of a damaged file fail, each of them, and nothing else does', async (t) => {
  const { other, file, connectionAt } = opened(t)
  const numbers = 'with recursive "r"("n") as (select 1 union all select "n" + 1 from "r" limit 99999)'
  other.exec(`insert into "t" ${numbers} select "n" from "r"; pragma wal_checkpoint(truncate)`)
  truncateSync(file, 5 * 4096)
  for (let turn = 0; turn < 3; turn += 1) {
    assert.throws(() => connectionAt(0).row(count), /malformed/)
    // Where a transaction could not be ended, the turn would end with it.
    await nextTurn()
  }
})

function opened(t: { after(done: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-reading-'))
  const file = join(folder, 'a.db')
  const other = new DatabaseSync(file)
  other.exec('pragma journal_mode = wal; create table "t" ("n" integer)')
  const mapped = new SqliteConnection({ file, temporary: false, use: 'read' })
  const unmapped = new SqliteConnection({ file, temporary: false, use: 'read unmapped' })
  let [present, looked] = [0, 0]
  let isWriting = false
  const later = new Map<number, () => number>()
  const source = {
    get sequence() {
      const sequence = present
      looked += 1
      present = later.get(looked)?.() ?? present
      return sequence
    },
    get isWriting() {
      return isWriting
    },
  }
  const write = (now: boolean) => {
    isWriting = now
  }
  /** What happens after so many looks, and the sequence that it is then. */
  const afterLook = (count: number, happens: () => number) => later.set(count, happens)
  const showMoment = (sequence: number) => {
    present = sequence
  }
  const reading = new ReadConnectionChooser({ mapped, unmapped }, source)
  t.after(() => {
    reading.endSnapshot()
    mapped.close()
    unmapped.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  const connectionAt = (sequence: number) => {
    showMoment(sequence)
    return reading.connection()
  }
  const readAt = (sequence: number) => connectionAt(sequence).row(count)?.[0]
  const looks = () => looked
  return {
    file,
    other,
    mapped,
    unmapped,
    reading,
    write,
    showMoment,
    afterLook,
    connectionAt,
    readAt,
    looks,
  }
}
