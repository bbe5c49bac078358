/** How long the write-ahead log may become (decision 0036). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkpointThreshold } from '../../src/store/sqlite/write/wal-space.ts'

test('the log may have four times the pages of the database, at least 1,000 and at most 16,000', () => {
  const limits = [1, 250, 251, 3999, 4000, 1_000_000].map(checkpointThreshold)
  assert.deepEqual(limits, [1000, 1000, 1004, 15_996, 16_000, 16_000])
})
