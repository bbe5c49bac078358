import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { Reading } from '../../src/store/sqlite/reading.ts'

const count = { sql: 'select count(*) from "t"', values: [] }

describe('reads of one turn of the event loop', () => {
  test('see one state, and those of the next turn what was committed meanwhile', async (t) => {
    const { other, readAt } = opened(t)
    assert.equal(readAt(0), 0)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(0), 0)
    await nextTurn()
    assert.equal(readAt(0), 1)
  })

  test('see what was committed once the moment is another', (t) => {
    const { other, readAt, mapped } = opened(t)
    assert.equal(readAt(0), 0)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(2), 1)
    assert.equal(mapped.database.isTransaction, true)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(3), 2)
    assert.equal(mapped.database.isTransaction, false)
  })

  test('hold no transaction while something is being written, and use no map', (t) => {
    const { other, readAt, mapped, unmapped, reading } = opened(t)
    assert.equal(reading.connectionAt(1), unmapped)
    assert.equal(readAt(1), 0)
    assert.equal(mapped.database.isTransaction, false)
    assert.equal(unmapped.database.isTransaction, false)
    other.exec('insert into "t" values (1)')
    assert.equal(readAt(1), 1)
    assert.equal(reading.connectionAt(2), mapped)
    assert.equal(readAt(2), 1)
    assert.equal(mapped.database.isTransaction, true)
  })

  test('hold none beyond the turn, so that the log can begin anew', async (t) => {
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

function opened(t: { after(done: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-reading-'))
  const file = join(folder, 'a.db')
  const other = new DatabaseSync(file)
  other.exec('pragma journal_mode = wal; create table "t" ("n" integer)')
  const mapped = new Connection({ file, temporary: false, use: 'read' })
  const unmapped = new Connection({ file, temporary: false, use: 'read unmapped' })
  const reading = new Reading({ mapped, unmapped })
  t.after(() => {
    reading.end()
    mapped.close()
    unmapped.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  const readAt = (moment: number) => reading.connectionAt(moment).row(count)?.[0]
  return { other, mapped, unmapped, reading, readAt }
}
