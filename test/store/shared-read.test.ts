import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { SharedRead } from '../../src/store/sqlite/shared-read.ts'

const count = { sql: 'select count(*) from "t"', values: [] }

describe('reads of one turn of the event loop', () => {
  test('see one state, and those of the next turn what was committed meanwhile', async (t) => {
    const { other, read } = opened(t, () => 0)
    assert.equal(read(), 0)
    other.exec('insert into "t" values (1)')
    assert.equal(read(), 0)
    await nextTurn()
    assert.equal(read(), 1)
  })

  test('see what was committed once the moment is another', (t) => {
    let moment = 0
    const { other, read, connection } = opened(t, () => moment)
    assert.equal(read(), 0)
    other.exec('insert into "t" values (1)')
    moment = 2
    assert.equal(read(), 1)
    assert.equal(connection.database.isTransaction, true)
    other.exec('insert into "t" values (1)')
    moment = 3
    assert.equal(read(), 2)
    assert.equal(connection.database.isTransaction, false)
  })

  test('hold no transaction while something is being written', (t) => {
    let moment = 1
    const { other, read, connection } = opened(t, () => moment)
    assert.equal(read(), 0)
    assert.equal(connection.database.isTransaction, false)
    other.exec('insert into "t" values (1)')
    assert.equal(read(), 1)
    moment = 2
    assert.equal(read(), 1)
    assert.equal(connection.database.isTransaction, true)
  })

  test('hold none beyond the turn, so that the log can begin anew', async (t) => {
    const { other, read } = opened(t, () => 0)
    for (let round = 0; round < 3; round += 1) {
      other.exec('insert into "t" values (1)')
      read()
      await nextTurn()
      const [state] = other.prepare('pragma wal_checkpoint(truncate)').all()
      assert.equal(state?.busy, 0)
    }
  })

  test('end without harm where the transaction is gone already', async (t) => {
    const { connection, read } = opened(t, () => 0)
    read()
    connection.database.exec('rollback')
    await nextTurn()
    assert.equal(read(), 0)
  })
})

function opened(t: { after(done: () => void): void }, now: () => number) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-shared-read-'))
  const file = join(folder, 'a.db')
  const other = new DatabaseSync(file)
  other.exec('pragma journal_mode = wal; create table "t" ("n" integer)')
  const connection = new Connection({ file, temporary: false, use: 'read' })
  const shared = new SharedRead(connection, now)
  t.after(() => {
    shared.end()
    connection.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  const read = () => {
    shared.join()
    return connection.row(count)?.[0]
  }
  return { other, connection, read }
}
