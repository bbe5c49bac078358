/**
 * Sign-in, password resets, verifications and sign-ups by mail take the same time for known and unknown logins. At full
 * count the times of 200 pairs are compared; otherwise the work that takes the time is counted (password-resets.test.ts,
 * sign-up.test.ts, access/hashing.test.ts).
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { service } from '../../src/index.ts'
import { cases } from '../cases.ts'
import { admin, basic, serve } from '../service.ts'
import { accounts, people } from './fixtures/people.ts'

const pairs = cases(200)
const isFull = pairs === 200
const known = 'ada@example.org'
const unknown = 'bob@example.org'
/** Milliseconds between the medians that count as different; a planted difference is twice as large. */
const tolerated = 10

type Exchange = (login: string) => Promise<unknown>

/** The difference of the medians, in milliseconds. The order within a pair alternates. */
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
  const median = (login: string) => times.get(login)?.sort((a, b) => a - b)[pairs >> 1] ?? 0
  return Math.abs(median(known) - median(unknown))
}

/** One repetition is allowed, because other work on the machine may disturb a run. */
async function isSame(exchange: Exchange): Promise<boolean> {
  return (await compareTimes(exchange)) < tolerated || (await compareTimes(exchange)) < tolerated
}

test(`${pairs} pairs of known and unknown logins have the same status, and at full count the same times`, async () => {
  const byMail = { ...accounts, signUp: 'by-mail' } as const
  const mail = { from: 'service@example.org' }
  const definition = service({ title: 'People', accounts: byMail, mail, resources: { people } })
  await using s = await serve(definition, { publicUrl: 'https://people.example' })
  const password = 'the right password'
  assert.equal((await s.request('POST /people', admin, { email: known, password })).status, 201)
  const signIn: Exchange = async (login) => {
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
  for (const exchange of [signIn, ask('/password-resets'), ask('/verifications'), signUp]) {
    const same = await isSame(exchange)
    if (!isFull) continue
    assert.ok(same)
    const planted: Exchange = async (login) => {
      if (login === known) await pause(2 * tolerated)
      await exchange(login)
    }
    assert.equal(await isSame(planted), false, 'a planted difference is found')
  }
})
