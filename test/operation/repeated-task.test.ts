/** Work beside requests: what fails is noticed, and the process goes on. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observation } from '../../src/observation.ts'
import { repeatTask } from '../../src/operation/repeated-task.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a task that throws or rejects is observed and run again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const observations: Observation[] = []
  let runs = 0
  const run = () => {
    runs += 1
    if (runs === 1) throw new Error('no descriptor')
    return Promise.reject(new Error('no descriptor'))
  }
  const task = repeatTask({ name: 'sample', interval: 1000, run }, (one) => observations.push(one))
  t.mock.timers.tick(2000)
  await settled()
  assert.deepEqual(
    observations.map((one) => [one.kind, 'task' in one && one.task]),
    [
      ['task-failed', 'sample'],
      ['task-failed', 'sample'],
    ],
  )
  await task.close()
  t.mock.timers.tick(5000)
  assert.equal(runs, 2)
})
