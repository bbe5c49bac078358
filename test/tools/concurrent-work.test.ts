/** Concurrent work: its limit, its order, its failures. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workConcurrently } from '../../src/tools/concurrent-work.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('each item is worked on once, in order, and at most so many at a time', async () => {
  for (const [count, limit] of [
    [0, 3],
    [2, 3],
    [20, 3],
    [20, 1],
  ] as const) {
    const begun: number[] = []
    let underWay = 0
    let most = 0
    await workConcurrently(Array(count).keys(), limit, async (item) => {
      begun.push(item)
      underWay += 1
      most = Math.max(most, underWay)
      await turn()
      underWay -= 1
    })
    assert.deepEqual(begun, [...Array(count).keys()])
    assert.equal(most, Math.min(count, limit))
  }
})

test('after a failure no work begins, and the work that had begun has ended', async () => {
  const begun: number[] = []
  let underWay = 0
  const work = workConcurrently([0, 1, 2, 3, 4, 5], 3, async (item) => {
    begun.push(item)
    underWay += 1
    try {
      if (item === 1) throw new Error('The second fails')
      await turn()
      await turn()
    } finally {
      underWay -= 1
    }
  })
  await assert.rejects(work, /The second fails/)
  assert.equal(underWay, 0)
  assert.deepEqual(begun, [0, 1, 2])
})
