/**
 * An unknown login costs what a wrong password does: asserted on the way taken, not on the clock.
 * The hash function is watched, so it must be in place before anything imports it.
 */

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'

interface Hashed {
  readonly algorithm: string
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

const hashed: Hashed[] = []
const real = crypto.argon2
crypto.argon2 = ((algorithm, parameters, callback) => {
  const { memory, passes, parallelism, tagLength } = parameters
  hashed.push({ algorithm, memory, passes, parallelism, tagLength })
  return real(algorithm, parameters, callback)
}) as typeof real
syncBuiltinESMExports()

const { basic, serve } = await import('../service.ts')
const { account, definition } = await import('./sample.ts')

test('an unknown login, a malformed one and a wrong password are hashed once each, at the same cost', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const costs: Hashed[][] = []
  for (const login of [ada.login, 'nobody@example.org', 'no address', '', '\u{1f600}']) {
    hashed.length = 0
    assert.equal((await s.ask('GET /tokens', basic(login, 'not the password'))).status, 401)
    costs.push([...hashed])
  }
  for (const cost of costs) {
    assert.equal(cost.length, 1)
    assert.deepEqual(cost, costs[0])
  }
})

test('past the limit nothing is hashed, whether the login exists or not', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  for (const login of [ada.login, 'nobody@example.org']) {
    const statuses: number[] = []
    hashed.length = 0
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push((await s.ask('GET /tokens', basic(login, `wrong ${attempt}`))).status)
    }
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429], login)
    assert.equal(hashed.length, 10, login)
  }
})

test('the same right password, sent many times at once, is hashed once', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  hashed.length = 0
  const fields = { authorization: ada.authorization }
  const answers = await Promise.all(Array.from({ length: 40 }, () => s.ask('GET /tokens', fields)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(hashed.length, 1)
})
