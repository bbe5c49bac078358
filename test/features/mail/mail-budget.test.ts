/** How many mails requests may ask for, with a clock in hand. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailBudget } from '../../../src/features/mail/mail-budget.ts'
import { Refusal } from '../../../src/refusal.ts'

test('a mail is counted for an hour, for its caller and for all callers', () => {
  let now = 0
  const budget = createMailBudget(() => now, { anonymous: 2, signedIn: 3, perProcess: 4 })
  budget.take('a', 'anonymous')
  now += 600_000
  budget.take('a', 'anonymous')
  assert.throws(() => budget.take('a', 'anonymous'), refusedWith(429, '3000'))
  budget.take('b', 'signedIn')
  budget.take('b', 'signedIn')
  assert.throws(() => budget.take('b', 'signedIn'), refusedWith(503, '3000'))
  now += 2_999_999
  assert.throws(() => budget.take('a', 'anonymous'), refusedWith(429, '1'))
  now += 1
  budget.take('a', 'anonymous')
  assert.throws(() => budget.take('a', 'anonymous'), refusedWith(429, '600'))
})

function refusedWith(status: number, seconds: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof Refusal && error.status === status && error.options.fields?.['Retry-After'] === seconds
}
