/** The time of code that runs after a commit. Alone in its file, because it counts the timers of the process. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitTime } from '../../../src/features/logic/limit-time.ts'

const never = () => new Promise<never>(() => undefined)
const place = 'notes.after.created'

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test('code that never ends leaves no timer behind, which would keep a stopped process running', async () => {
  const before = countTimers()
  const ending = new AbortController()
  const run = limitTime({ place, timeout: 3_600_000, ending: ending.signal }, never)
  ending.abort()
  await assert.rejects(run, { message: 'notes.after.created did not end with the service.' })
  const late = limitTime({ place, timeout: 5, ending: new AbortController().signal }, never)
  await assert.rejects(late, { message: 'notes.after.created took longer than 5 ms.' })
  assert.equal(countTimers(), before)
})

test('the result of code that ends in time is its result, also while the service stops', async () => {
  const ending = new AbortController()
  const limit = { place, timeout: 3_600_000, ending: ending.signal }
  const reasons: unknown[] = []
  const run = limitTime(limit, async (signal) => {
    ending.abort('stop')
    reasons.push(signal.reason)
    return 'done'
  })
  assert.equal(await run, 'done')
  assert.deepEqual(reasons, ['stop'])
  await assert.rejects(
    limitTime(limit, async () => {
      throw new Error('No.')
    }),
    { message: 'No.' },
  )
})
