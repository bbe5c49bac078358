import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from './eventually.ts'

test('a poll ends with the first value that is neither false nor undefined', async () => {
  const values = [false, undefined, 0]
  assert.equal(await eventually(() => values.shift()), 0)
  assert.equal(await eventually(async () => 'found'), 'found')
})

test('a poll whose condition never holds ends with an error that shows the condition', async () => {
  const isFull = false
  await assert.rejects(
    eventually(() => isFull, { within: 10 }),
    /^Error: Still not after 10 ms: \(\) => isFull$/,
  )
})

test('an error of the condition ends the poll', async () => {
  const broken = async (): Promise<boolean> => {
    throw new Error('broken')
  }
  await assert.rejects(eventually(broken), /^Error: broken$/)
})
