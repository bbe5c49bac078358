/** The moment of a database, in the process that has the writer and in others. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { isCalm, Moment, ShownMoment } from '../../src/store/sqlite/moment.ts'

describe('a moment', () => {
  test('is odd from when something goes to the writer until all is answered', () => {
    const moment = new Moment()
    assert.ok(isCalm(moment.value))
    moment.begin()
    moment.begin()
    assert.ok(!isCalm(moment.value))
    const before = moment.value
    moment.end(1)
    assert.ok(!isCalm(moment.value))
    assert.ok(moment.value > before, 'grows before each answer')
    moment.end(1)
    assert.ok(isCalm(moment.value))
  })

  test('is another once the writer is gone with what it had to do', () => {
    const moment = new Moment()
    moment.begin()
    moment.begin()
    const during = moment.value
    moment.endAll()
    assert.ok(moment.value > during && isCalm(moment.value))
    moment.begin()
    moment.end(1)
    assert.ok(isCalm(moment.value), 'nothing of before is waited for')
  })

  test('is the same where the writer answers nobody', () => {
    const moment = new Moment()
    moment.end(0)
    assert.equal(moment.value, 0)
    moment.begin()
    moment.end(0)
    assert.equal(moment.value, 1)
  })

  test('is the same where the writer goes and had nothing to do', () => {
    const moment = new Moment()
    moment.endAll()
    assert.equal(moment.value, 0)
  })
})

describe('a moment that is shown', () => {
  test('is read by its descriptor, from when it is shown on', (t) => {
    const { moment, database } = opened(t)
    moment.begin()
    const shown = new ShownMoment(moment.show(database))
    assert.equal(shown.value, moment.value)
    moment.end(1)
    assert.equal(shown.value, moment.value)
    assert.equal(moment.show(database), shown.descriptor, 'one file for all')
  })

  test('is read by another process, and leaves no file behind', (t) => {
    const { moment, database, folder } = opened(t)
    moment.begin()
    const text = `
      import { ShownMoment } from ${JSON.stringify(new URL('../../src/store/sqlite/moment.ts', import.meta.url).href)}
      process.stdout.write(String(new ShownMoment(3).value))`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', text],
      { stdio: ['ignore', 'pipe', 'pipe', moment.show(database)] },
    )
    assert.equal(String(stdout), String(moment.value), String(stderr))
    assert.deepEqual(readdirSync(folder), [])
  })
})

function opened(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-moment-'))
  const moment = new Moment()
  t.after(() => {
    moment.close()
    rmSync(folder, { recursive: true })
  })
  return { moment, folder, database: join(folder, 'a.db') }
}
