/**
 * Sign-in, links to sign in, password resets, verifications and sign-ups by mail take the same time for known and unknown logins. At full
 * count the times of 200 pairs are compared; otherwise the work that takes the time is counted (password-resets.test.ts,
 * sign-up.test.ts, access/hashing.test.ts).
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultPasswordCost } from '../../../src/access/password.ts'
import { service } from '../../../src/index.ts'
import { cases, isFull } from '../../cases.ts'
import { admin, basic, serve } from '../../service.ts'
import { accounts, people } from './fixtures/people.ts'

const pairs = cases(200, 50)
const known = 'ada@example.org'
const unknown = 'bob@example.org'
/** Milliseconds between the deciles that count as different; a planted difference is twice as large. */
const tolerated = 10

type Exchange = (login: string) => Promise<unknown>

/**
 * The difference of the first deciles, in milliseconds: other work on the machine makes requests slower and never faster,
 * so low times have the least noise. The order within a pair alternates.
 */
async function compareTimes(exchange: Exchange): Promise<number> {
  const times = new Map<string, number[]>([
    [known, []],
    [unknown, []],
  ])
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const login of pair % 2 === 0 ? [known, unknown] : [unknown, known]) {
      const began = performance.now()
      await exchange(login)
      times.get(login)?.push(performance.now() - began)
    }
  }
  const decile = (login: string) => times.get(login)?.sort((a, b) => a - b)[Math.floor(pairs / 10)] ?? 0
  return Math.abs(decile(known) - decile(unknown))
}

/** The smaller of two differences where the first is too large: other work on the machine may disturb a run. */
async function differenceOf(exchange: Exchange): Promise<number> {
  const difference = await compareTimes(exchange)
  return difference < tolerated ? difference : Math.min(difference, await compareTimes(exchange))
}

test(`${pairs} pairs of known and unknown logins have the same status, and at full count the same times`, async (t) => {
  const byMail = { ...accounts, signUp: 'by-mail' } as const
  const mail = { from: 'service@example.org' }
  const signIn = { links: true }
  const definition = service({ title: 'People', accounts: byMail, mail, signIn, resources: { people } })
  await using s = await serve(definition, {
    passwordCost: defaultPasswordCost,
    publicUrl: 'https://people.example',
  })
  const password = 'the right password'
  assert.equal((await s.request('POST /people', admin, { email: known, password })).status, 201)
  const withPassword: Exchange = async (login) => {
    // Failed passwords are limited to ten a minute.
    s.advance(60_000)
    assert.equal((await s.request('GET /people', basic(login, 'a wrong password'))).status, 401)
  }
  const ask =
    (path: string): Exchange =>
    async (login) => {
      s.advance(1_800_000)
      assert.equal((await s.request(`POST ${path}`, {}, { login })).status, 202)
    }
  const signUp: Exchange = async (login) => {
    s.advance(1_800_000)
    assert.equal((await s.request('POST /people', {}, { email: login, password })).status, 202)
  }
  const exchanges = {
    'sign-in': withPassword,
    'sign-in link': ask('/sign-in-links'),
    'password reset': ask('/password-resets'),
    verification: ask('/verifications'),
    'sign-up': signUp,
  }
  for (const [name, exchange] of Object.entries(exchanges)) {
    if (!isFull) {
      await compareTimes(exchange)
      continue
    }
    const difference = await differenceOf(exchange)
    const planted = await differenceOf(async (login) => {
      if (login === known) await pause(2 * tolerated)
      await exchange(login)
    })
    t.diagnostic(`${name}: ${difference.toFixed(2)} ms, with a planted difference ${planted.toFixed(2)} ms`)
    assert.ok(difference < tolerated, name)
    assert.ok(planted >= tolerated, `${name}: a planted difference is found`)
  }
})
