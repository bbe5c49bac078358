/** The seqlock of a database, in the process of the writer and in others. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { isStable, Seqlock, SeqlockFile } from '../../src/store/sqlite/connection/seqlock.ts'

describe('a seqlock', () => {
  test('is odd from when something begins to be written until it is acknowledged', () => {
    const seqlock = new Seqlock()
    const before = seqlock.sequence
    assert.ok(isStable(before))
    seqlock.begin()
    assert.ok(!isStable(seqlock.sequence))
    seqlock.end()
    assert.ok(isStable(seqlock.sequence))
    assert.ok(seqlock.sequence > before)
  })

  test('is the same where the writer goes and had nothing to do', () => {
    const seqlock = new Seqlock()
    seqlock.end()
    assert.equal(seqlock.sequence, 0)
  })

  test('is the same for all threads that have its memory', () => {
    const seqlock = new Seqlock()
    const there = new Seqlock(seqlock.memory)
    there.begin()
    assert.equal(seqlock.sequence, 1)
    // As where the thread is gone.
    seqlock.end()
    assert.equal(there.sequence, 2)
  })

  test('tells odd from even after it has become as large as it can', () => {
    const seqlock = new Seqlock()
    new Int32Array(seqlock.memory)[0] = 2 ** 31 - 1
    assert.ok(!isStable(seqlock.sequence))
    seqlock.end()
    assert.ok(isStable(seqlock.sequence))
    seqlock.begin()
    assert.ok(!isStable(seqlock.sequence))
  })
})

describe('a published seqlock', () => {
  test('is in the file from when it is shown on', (t) => {
    const descriptor = opened(t)
    const seqlock = new Seqlock()
    seqlock.begin()
    seqlock.publish(descriptor)
    const shown = new SeqlockFile(descriptor)
    assert.equal(shown.sequence, 1)
    seqlock.end()
    assert.equal(shown.sequence, 2)
    assert.equal(seqlock.sequence, 2)
  })

  test('is read by another process', (t) => {
    const descriptor = opened(t)
    const seqlock = new Seqlock()
    seqlock.publish(descriptor)
    seqlock.begin()
    const text = `
      import { SeqlockFile } from ${JSON.stringify(new URL('../../src/store/sqlite/connection/seqlock.ts', import.meta.url).href)}
      process.stdout.write(String(new SeqlockFile(3).sequence))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
    })
    assert.equal(String(stdout), '1', String(stderr))
  })

  test('does not increase where the file cannot be written', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'restwell-seqlock-'))
    const descriptor = openSync(join(folder, 'seqlock'), 'w')
    t.after(() => rmSync(folder, { recursive: true }))
    const seqlock = new Seqlock()
    seqlock.publish(descriptor)
    closeSync(descriptor)
    assert.throws(() => seqlock.begin(), { code: 'EBADF' })
    assert.equal(seqlock.sequence, 0)
  })
})

function opened(t: TestContext): number {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-seqlock-'))
  const descriptor = openSync(join(folder, 'seqlock'), 'w+')
  t.after(() => {
    closeSync(descriptor)
    rmSync(folder, { recursive: true })
  })
  return descriptor
}
