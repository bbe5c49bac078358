/** Tasks on their way to a writer: which of them go together, and what becomes of them. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Task } from '../../src/store/sqlite/write/group-commit.ts'
import { type TaskBatch, TaskQueue } from '../../src/store/sqlite/write/task-queue.ts'

const probe: Task = { kind: 'probe' }

test('tasks that cannot be sent are in trouble, those before and after them are not', async () => {
  let broken = false
  const sent: TaskBatch[] = []
  const queue = new TaskQueue((errands) => {
    if (broken) throw new Error('no room')
    sent.push(errands)
  })
  const before = queue.perform(probe)
  await nextTurn()
  broken = true
  const refused = queue.perform(probe)
  queue.send()
  await assert.rejects(refused, { reason: 'unreachable' })
  broken = false
  const after = queue.perform(probe)
  queue.settleBatch({ number: sent[0]!.number, exceptions: [] })
  assert.deepEqual(await before, { kind: 'done' })
  await nextTurn()
  queue.settleBatch({ number: sent[1]!.number, exceptions: [] })
  assert.deepEqual(await after, { kind: 'done' })
})

function opened() {
  const sent: TaskBatch[] = []
  const queue = new TaskQueue((errands) => sent.push(errands))
  const perform = (count: number) => Array.from({ length: count }, () => queue.perform(probe))
  const sizes = () => sent.map(({ tasks }) => tasks.length)
  const answer = (at: number) => queue.settleBatch({ number: sent[at]!.number, exceptions: [] })
  return { queue, perform, sizes, answer }
}

describe('tasks on their way', () => {
  test('of one turn go together when it ends', async () => {
    const { perform, sizes } = opened()
    perform(3)
    assert.deepEqual(sizes(), [])
    await nextTurn()
    assert.deepEqual(sizes(), [3])
  })

  test('that come while others are unanswered go together once those are answered', async () => {
    const { perform, sizes, answer } = opened()
    perform(1)
    await nextTurn()
    perform(2)
    await nextTurn()
    perform(3)
    await nextTurn()
    assert.deepEqual(sizes(), [1])
    answer(0)
    await nextTurn()
    assert.deepEqual(sizes(), [1, 5])
  })

  test('wait for nothing once they are many', async () => {
    const { perform, sizes, answer } = opened()
    perform(1)
    await nextTurn()
    perform(20)
    assert.deepEqual(sizes(), [1, 16])
    answer(0)
    await nextTurn()
    assert.deepEqual(sizes(), [1, 16], 'the many are not answered yet')
    answer(1)
    await nextTurn()
    assert.deepEqual(sizes(), [1, 16, 4])
  })

  test('go at once where the queue is told to send', async () => {
    const { queue, perform, sizes } = opened()
    perform(1)
    await nextTurn()
    perform(2)
    queue.send()
    assert.deepEqual(sizes(), [1, 2])
    await nextTurn()
    assert.deepEqual(sizes(), [1, 2], 'and not twice')
  })

  test('are in trouble where the writer is lost, gone or not; what comes after goes again', async () => {
    const { queue, perform, sizes, answer } = opened()
    const lost = perform(1)
    await nextTurn()
    lost.push(...perform(2))
    queue.rejectAll(new Error('gone'))
    for (const one of lost) await assert.rejects(one, { reason: 'unreachable' })
    const [next] = perform(1)
    await nextTurn()
    assert.deepEqual(sizes(), [1, 1])
    answer(1)
    assert.deepEqual(await next, { kind: 'done' })
  })
})
