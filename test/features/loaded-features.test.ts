/** A definition does not pay for features that it does not use. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

test('the code of a feature is loaded only for a definition that uses it', async () => {
  // In a thread of its own, because modules stay loaded.
  const worker = new Worker(join(import.meta.dirname, 'fixtures/loaded-features.ts'))
  const [{ plain, mailing }] = await once(worker, 'message')
  assert.deepEqual(plain, ['audit'])
  assert.deepEqual(mailing, ['accounts', 'audit', 'mail', 'second-factors', 'sign-in', 'webhooks'])
})
