/** The reporter that keeps CI from passing when a test was skipped. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findUnexpectedSkips } from './skipped-tests.ts'

const reporter = join(import.meta.dirname, 'skipped-tests.ts')

test('a run with a skipped test fails under FORBID_SKIPS=1 and names the test', () => {
  const { status, output } = runTest("test('planted', { skip: 'no reason' }, () => {})", '1')
  assert.equal(status, 1, output)
  assert.match(output, /FAILED: .*\n.*planted\n +no reason/)
})

test('without FORBID_SKIPS the skipped test is listed and the run passes', () => {
  const { status, output } = runTest("test('planted', (t) => t.skip('later'))", '0')
  assert.equal(status, 0, output)
  assert.match(output, /Skipped tests:\n.*planted\n +later/)
})

test('a skip is allowed for the reason and the file in the list', () => {
  const allowed = JSON.parse(readFileSync(join(import.meta.dirname, 'allowed-skips.json'), 'utf8'))
  for (const { file, skip, reason } of allowed) {
    assert.ok(reason.length > 0)
    assert.deepEqual(findUnexpectedSkips([{ file, title: 'a', skip }], allowed), [])
    const other = { file, title: 'a', skip: 'another reason' }
    assert.deepEqual(findUnexpectedSkips([other], allowed), [other])
  }
})

test('every allowed skip names a file and a message that exist', () => {
  const folder = import.meta.dirname
  const allowed = JSON.parse(readFileSync(join(folder, 'allowed-skips.json'), 'utf8'))
  const paths = globSync('**/*.ts', { cwd: folder })
  const source = paths.map((path) => readFileSync(join(folder, path), 'utf8')).join('')
  for (const { file, skip } of allowed) {
    assert.ok(existsSync(join(folder, '..', file)), file)
    assert.ok(source.includes(skip), skip)
  }
})

function runTest(line: string, forbid: string) {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-test-'))
  try {
    const file = join(folder, 'planted.test.mjs')
    writeFileSync(file, `import { test } from 'node:test'\n${line}\n`)
    const flags = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const { status, stdout } = spawnSync(process.execPath, ['--test', ...flags, file], {
      env: { ...environment, FORBID_SKIPS: forbid },
      encoding: 'utf8',
    })
    return { status, output: stdout }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
