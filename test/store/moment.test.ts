/** The moment of a database, in the process that has the writer and in others. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { isStable, Seqlock, SeqlockFile } from '../../src/store/sqlite/connection/seqlock.ts'

describe('a moment', () => {
  test('is odd from when something begins to be written until it is acknowledged', () => {
    const moment = new Seqlock()
    const before = moment.sequence
    assert.ok(isStable(before))
    moment.begin()
    assert.ok(!isStable(moment.sequence))
    moment.end()
    assert.ok(isStable(moment.sequence))
    assert.ok(moment.sequence > before)
  })

  test('is the same where the writer goes and had nothing to do', () => {
    const moment = new Seqlock()
    moment.end()
    assert.equal(moment.sequence, 0)
  })

  test('is the same for all threads that have its memory', () => {
    const moment = new Seqlock()
    const there = new Seqlock(moment.memory)
    there.begin()
    assert.equal(moment.sequence, 1)
    // As where the thread is gone.
    moment.end()
    assert.equal(there.sequence, 2)
  })

  test('tells odd from even after it has become as large as it can', () => {
    const moment = new Seqlock()
    new Int32Array(moment.memory)[0] = 2 ** 31 - 1
    assert.ok(!isStable(moment.sequence))
    moment.end()
    assert.ok(isStable(moment.sequence))
    moment.begin()
    assert.ok(!isStable(moment.sequence))
  })
})

describe('a moment that is shown', () => {
  test('is in the file from when it is shown on', (t) => {
    const descriptor = opened(t)
    const moment = new Seqlock()
    moment.begin()
    moment.publish(descriptor)
    const shown = new SeqlockFile(descriptor)
    assert.equal(shown.sequence, 1)
    moment.end()
    assert.equal(shown.sequence, 2)
    assert.equal(moment.sequence, 2)
  })

  test('is read by another process', (t) => {
    const descriptor = opened(t)
    const moment = new Seqlock()
    moment.publish(descriptor)
    moment.begin()
    const text = `
      import { ShownMoment } from ${JSON.stringify(new URL('../../src/store/sqlite/connection/seqlock.ts', import.meta.url).href)}
      process.stdout.write(String(new ShownMoment(3).value))`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', text],
      { stdio: ['ignore', 'pipe', 'pipe', descriptor] },
    )
    assert.equal(String(stdout), '1', String(stderr))
  })

  test('does not grow where it cannot be shown', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'restwell-moment-'))
    const descriptor = openSync(join(folder, 'moment'), 'w')
    t.after(() => rmSync(folder, { recursive: true }))
    const moment = new Seqlock()
    moment.publish(descriptor)
    closeSync(descriptor)
    assert.throws(() => moment.begin(), { code: 'EBADF' })
    assert.equal(moment.sequence, 0)
  })
})

function opened(t: TestContext): number {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-moment-'))
  const descriptor = openSync(join(folder, 'moment'), 'w+')
  t.after(() => {
    closeSync(descriptor)
    rmSync(folder, { recursive: true })
  })
  return descriptor
}
