/** Rate, sign-in attempts and overload, each by itself and with a clock in hand. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOverloadGuard } from '../../src/limits/overload-guard.ts'
import { createRateLimiter } from '../../src/limits/rate-limit.ts'
import { createReadBudget } from '../../src/limits/read-budget.ts'
import { partsFor, presentRequester, workFor } from '../../src/limits/requester.ts'
import { createSignInAttempts } from '../../src/limits/sign-in-attempts.ts'
import { createStreamLimit } from '../../src/limits/stream-limit.ts'
import { maxBuckets } from '../../src/limits/token-buckets.ts'
import { Refusal } from '../../src/refusal.ts'

const right = async () => true
const wrong = async () => false

function refusalOf(work: () => unknown): Refusal {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('Nothing was refused')
}

async function statusOf(attempt: Promise<boolean>): Promise<number> {
  try {
    return (await attempt) ? 200 : 401
  } catch (error) {
    if (error instanceof Refusal) return error.status
    throw error
  }
}

test('a caller can use the full allowance at once, and then as much as is refilled', () => {
  let now = 0
  const rate = createRateLimiter(60, () => now)
  for (let left = 59; left >= 0; left -= 1) {
    assert.match(String(rate.take('a').RateLimit), new RegExp(`^"default";r=${left};t=\\d+$`))
  }
  const refusal = refusalOf(() => rate.take('a'))
  assert.equal(refusal.status, 429)
  assert.equal(refusal.options.fields?.['Retry-After'], '1')
  assert.equal(refusal.options.fields?.RateLimit, '"default";r=0;t=1')
  now += 999
  assert.throws(() => rate.take('a'), Refusal)
  now += 1
  rate.take('a')
  assert.throws(() => rate.take('a'), Refusal)
})

test('callers do not use up each other’s allowance', () => {
  const rate = createRateLimiter(1, () => 0)
  rate.take('a')
  rate.take('b')
  assert.throws(() => rate.take('a'), Refusal)
})

test('a clock that is set back neither adds to nor reduces the allowance', () => {
  let now = 1000
  const rate = createRateLimiter(2, () => now)
  rate.take('a')
  now = 0
  assert.equal(rate.take('a').RateLimit, '"default";r=0;t=30')
})

test('buckets are bounded: the one longest untouched is forgotten first', () => {
  const rate = createRateLimiter(1, () => 0)
  for (let caller = 0; caller < maxBuckets; caller += 1) rate.take(String(caller))
  assert.throws(() => rate.take('0'), Refusal)
  rate.take('another')
  assert.throws(() => rate.take('0'), Refusal, 'touched after 1')
  rate.take('1')
})

test('10 failures a minute for a login and address, then 429 before any check', async () => {
  let now = 0
  const attempts = createSignInAttempts(() => now)
  for (let failure = 0; failure < 10; failure += 1) {
    assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', wrong)), 401)
    now += 1000
  }
  let checked = false
  const spied = async () => {
    checked = true
    return true
  }
  assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', spied)), 429)
  assert.equal(checked, false)
  assert.equal(await statusOf(attempts.guard('ada', '192.0.2.2', right)), 200)
  assert.equal(await statusOf(attempts.guard('grace', '192.0.2.1', right)), 200)
  now = 59_999
  assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', right)), 429)
  now = 60_001
  assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', right)), 200)
})

test('50 failures a minute for an address, for any logins', async () => {
  const attempts = createSignInAttempts(() => 0)
  for (let failure = 0; failure < 50; failure += 1) {
    assert.equal(await statusOf(attempts.guard(`login ${failure}`, '2001:db8::1', wrong)), 401)
  }
  // Another address of the same /64 is the same client.
  assert.equal(await statusOf(attempts.guard('new', '2001:db8::2', right)), 429)
  assert.equal(await statusOf(attempts.guard('new', '2001:db8:0:1::2', right)), 200)
})

test('successes are never charged, however many', async () => {
  const attempts = createSignInAttempts(() => 0)
  for (let round = 0; round < 200; round += 1) {
    assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', right)), 200)
  }
})

test('successes at the same time are never charged', async () => {
  const attempts = createSignInAttempts(() => 0)
  const slow = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(true)))
  const same = Array.from({ length: 100 }, () => attempts.guard('ada', '192.0.2.1', slow))
  const many = Array.from({ length: 150 }, (_, user) => attempts.guard(`u${user}`, '192.0.2.9', slow))
  const statuses = await Promise.all([...same, ...many].map(statusOf))
  assert.deepEqual(new Set(statuses), new Set([200]))
})

test('a burst of failures at the same time does not overdraw', async () => {
  const attempts = createSignInAttempts(() => 0)
  let checks = 0
  const slow = () =>
    new Promise<boolean>((resolve) => {
      checks += 1
      setImmediate(() => resolve(false))
    })
  const burst = Array.from({ length: 100 }, () => attempts.guard('ada', '192.0.2.1', slow))
  const statuses = await Promise.all(burst.map(statusOf))
  assert.equal(checks, 10)
  assert.equal(statuses.filter((status) => status === 401).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 90)
})

test('a check that throws is not charged', async () => {
  const attempts = createSignInAttempts(() => 0)
  const broken = () => Promise.reject(new Error('The database is away'))
  for (let round = 0; round < 20; round += 1) {
    await assert.rejects(attempts.guard('ada', '192.0.2.1', broken), /away/)
  }
  assert.equal(await statusOf(attempts.guard('ada', '192.0.2.1', right)), 200)
})

test('concurrent requests beyond the limit are refused, until earlier ones have responses', () => {
  const guard = createOverloadGuard({ concurrency: 2 })
  guard.enter()
  guard.enter()
  assert.equal(guard.isOverloaded(), false)
  guard.enter()
  assert.equal(guard.isOverloaded(), true)
  guard.leave()
  assert.equal(guard.isOverloaded(), false)
})

test('a request is refused on arrival after a long wait, or beyond the limit of concurrent requests', () => {
  const guard = createOverloadGuard({ concurrency: 1, wait: 500 })
  assert.equal(guard.refusesArrival(500), false)
  assert.equal(guard.refusesArrival(501), true)
  guard.enter()
  assert.equal(guard.refusesArrival(0), true)
})

test('a stream that ends makes room for one other of its caller', () => {
  const limit = createStreamLimit({ perCaller: 2, perProcess: 10 })
  const end = limit.enter('ada')
  limit.enter('ada')
  end()
  end()
  limit.enter('ada')
  assert.throws(() => limit.enter('ada'), { type: 'too-many-requests' })
  limit.enter('bob')
})

test('time of reading is refilled evenly, and what was used beyond it is made up for', () => {
  let now = 0
  const budget = createReadBudget(() => now, 20_000)
  budget.requireTime('a')
  budget.spend('a', 19_999)
  budget.requireTime('a')
  budget.spend('a', 5000)
  const refusal = refusalOf(() => budget.requireTime('a'))
  assert.deepEqual([refusal.status, refusal.options.fields?.['Retry-After']], [429, '15'])
  budget.requireTime('b')
  now += 14_900
  assert.equal(refusalOf(() => budget.requireTime('a')).status, 429)
  now += 200
  budget.requireTime('a')
})

test('a body is made for its requester, part by part, whoever sends it', async () => {
  const seen: string[] = []
  async function* parts() {
    for (let count = 0; count < 3; count += 1) {
      await null
      seen.push(presentRequester().caller)
      yield count
    }
  }
  const body = partsFor({ address: '192.0.2.1', caller: 'ada' }, parts())
  const sent = await workFor({ address: '192.0.2.2', caller: 'eve' }, () => Array.fromAsync(body))
  assert.deepEqual(sent, [0, 1, 2])
  assert.deepEqual(seen, ['ada', 'ada', 'ada'])
  assert.equal(presentRequester().caller, 'service')
})

test('a body that is discarded before its end is ended', async () => {
  let isEnded = false
  async function* parts() {
    try {
      yield* [1, 2]
    } finally {
      isEnded = true
    }
  }
  for await (const _ of partsFor({ address: '', caller: 'ada' }, parts())) break
  assert.ok(isEnded)
})
