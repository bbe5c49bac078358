/** Between rounds: who is waited for, and that nobody is waited for in vain. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { untilAtRest } from '../../bench/rest.ts'

it('a server that still works is waited for', async () => {
  const began = performance.now()
  const working = 500
  const busy = {
    name: 'busy',
    processorTime: () => Math.min(performance.now() - began, working) * 1000,
  }
  await untilAtRest([{ name: 'idle', processorTime: () => 7 }, busy])
  assert.ok(performance.now() - began >= working)
})

it('where the system does not tell, nobody is waited for', async () => {
  const began = performance.now()
  await untilAtRest([{ name: 'unknown', processorTime: () => Number.NaN }])
  assert.ok(performance.now() - began < 10_000)
})
