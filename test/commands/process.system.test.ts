/** What a process that serves does for itself. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { noParallelScavenging, noPretenuring } from '../../src/commands/serving-process.ts'

test('the flags it sets are such as this Node knows', () => {
  // Set while it runs, an unknown one would be passed over in silence.
  const { status, stderr } = spawnSync(process.execPath, [noPretenuring, noParallelScavenging, '--eval', '0'])
  assert.equal(status, 0, String(stderr))
})
