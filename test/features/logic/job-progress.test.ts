/** How often the progress of a job is written: each write is an entry of the change log and of the audit. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeInterval } from '../../../src/features/logic/jobs/job-progress.ts'

test('a short job shows its progress twice a second, a long one less often, at least twice a minute', () => {
  assert.equal(writeInterval(0), 500)
  assert.equal(writeInterval(25_000), 500)
  assert.equal(writeInterval(100_000), 2_000)
  assert.equal(writeInterval(86_400_000), 30_000)
})

test('a job of an hour that reports all the time writes fewer than 400 entries', () => {
  let writes = 0
  for (let elapsed = 0; elapsed < 3_600_000; elapsed += writeInterval(elapsed)) writes++
  assert.ok(writes < 400, `${writes} entries`)
})
