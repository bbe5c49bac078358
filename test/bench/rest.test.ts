/** Between rounds: who is waited for, and how long; and whose turn it is. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { untilAtRest } from '../../bench/rest.ts'
import { inTurn } from '../../bench/rounds.ts'

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
  let looks = 0
  const unknown = () => {
    looks += 1
    return Number.NaN
  }
  await untilAtRest([{ name: 'unknown', processorTime: unknown }])
  assert.equal(looks, 2)
})

it('one that never rests is not waited for longer than the limit', async () => {
  let looks = 0
  const never = () => {
    looks += 1
    return performance.now() * 1000
  }
  await untilAtRest([{ name: 'never', processorTime: never }], 500)
  assert.ok(looks > 2)
})

it('within as many rounds as servers, each comes after every other once', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f']
  const pairs = all.flatMap((_, round) => {
    const order = inTurn(all, round)
    assert.deepEqual(order.toSorted(), all)
    return order.slice(1).map((one, at) => `${one} after ${order[at]}`)
  })
  assert.equal(new Set(pairs).size, 30)
})
