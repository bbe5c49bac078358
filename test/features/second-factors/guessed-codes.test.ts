/**
 * Guessing the codes of a second factor with the right password: ten for an account in all, whatever the addresses, nodes and
 * restarts (docs/reference/http/limits.md, "Limits").
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { lastingDatabase } from '../../database.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { accounts, people } from '../mail/fixtures/people.ts'
import { startMailServer } from '../mail/mail-server.ts'
import { post, registerAuthenticator } from './authenticator.ts'
import { ada, pass, signUp, type World } from './second-factor-world.ts'

const definition = service({ title: 'People', accounts, resources: { people } })
const withMail = service({
  title: 'People',
  accounts,
  mail: { from: 'People <service@example.org>' },
  resources: { people },
})
const quarter = 15 * 60_000
const trusted = ['127.0.0.1']

/** A browser: its address, and the cookies that it keeps. */
interface Browser {
  readonly address: string
  cookie: string
}

let addresses = 0
const newBrowser = (): Browser => {
  addresses += 1
  return { address: `198.51.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`, cookie: '' }
}

async function send(s: TestService, browser: Browser, uri: string, values: Record<string, string>) {
  const { address, cookie } = browser
  const reply = await post(s, uri, values, { forwarded: `for=${address}`, cookie })
  const kept = new Map(cookie.split('; ').map((pair) => [pair.split('=')[0] ?? '', pair] as const))
  for (const line of reply.fields['set-cookie'] ?? []) {
    const [pair = ''] = line.split(';')
    const [name = ''] = pair.split('=')
    if (line.includes('Max-Age=0')) kept.delete(name)
    else kept.set(name, pair)
  }
  browser.cookie = [...kept.values()].filter((pair) => pair !== '').join('; ')
  return reply
}

/** The first step, unless the browser has done it, and the code. */
async function tryCode(s: TestService, browser: Browser, code: string, password = pass): Promise<Reply> {
  if (!browser.cookie.includes('second-step')) await send(s, browser, '/sign-in', { login: ada, password })
  return send(s, browser, '/sign-in/second-factor', { code })
}

const isSignedIn = ({ fields }: Reply) =>
  (fields['set-cookie'] ?? []).some((one) => /^restwell=rw_/.test(one))

/** The statuses of so many wrong codes, each from an address of its own. */
async function guess(s: TestService, count: number, code = '000000'): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let at = 0; at < count; at += 1) statuses.push((await tryCode(s, newBrowser(), code)).status)
  return statuses
}

const tenThenNone = (more: number) => [
  ...Array.from({ length: 10 }, () => 401),
  ...Array.from({ length: more }, () => 429),
]

async function start(options: { readonly database?: string } = {}): Promise<World & { readonly app: App }> {
  const s = await serve(definition, { trusted, ...options })
  const world = await signUp(s)
  return { ...world, app: await registerAuthenticator(s, world.own, basic(ada, pass), world.now) }
}

type App = Awaited<ReturnType<typeof registerAuthenticator>>

test('3,552 codes from 400 addresses: of so many the first ten count, then the right one is refused for 15 minutes', async () => {
  const { s, app, advance } = await start()
  await using _ = s
  assert.deepEqual(await guess(s, 15), tenThenNone(5))
  advance(61_000)
  const refused = await tryCode(s, newBrowser(), app.code())
  assert.deepEqual([refused.status, isSignedIn(refused)], [429, false])
  assert.equal(Number(refused.fields['retry-after']), quarter / 1000 - 61)
  advance(quarter - 61_000 - 1000)
  assert.equal((await tryCode(s, newBrowser(), app.code())).status, 429, 'still too early')
  advance(1000)
  assert.equal((await tryCode(s, newBrowser(), app.code())).status, 303)
})

test('wrong codes with pauses in between are counted together, up to 15 minutes after the last one', async () => {
  const { s, app, advance } = await start()
  await using _ = s
  for (let at = 0; at < 9; at += 1) {
    assert.equal((await tryCode(s, newBrowser(), '000000')).status, 401)
    advance(quarter - 1000)
  }
  assert.equal((await tryCode(s, newBrowser(), '000000')).status, 401)
  assert.equal((await tryCode(s, newBrowser(), app.code())).status, 429)
  advance(quarter)
  assert.deepEqual(await guess(s, 11), tenThenNone(1))
})

test('a burst of concurrent codes counts no more than ten, and the right one among those behind them is refused', async () => {
  const { s, app } = await start()
  await using _ = s
  const browsers = Array.from({ length: 40 }, newBrowser)
  for (const browser of browsers) await send(s, browser, '/sign-in', { login: ada, password: pass })
  const codes = browsers.map((_browser, at) => (at === 39 ? app.code() : String(at).padStart(6, '0')))
  const replies = await Promise.all(browsers.map((browser, at) => tryCode(s, browser, codes[at] ?? '')))
  const wrong = replies.filter(({ status }) => status === 401)
  assert.ok(wrong.length <= 10, String(wrong.length))
  assert.equal((await tryCode(s, newBrowser(), app.code(1))).status, 429)
})

test('recovery codes count too, and a right code does not forgive the wrong ones of others', async () => {
  const { s, app } = await start()
  await using _ = s
  assert.deepEqual(await guess(s, 9, 'AAAA-AAAA-AAAA-AAAA'), tenThenNone(0).slice(1))
  assert.equal((await tryCode(s, newBrowser(), app.recoveryCodes[0] ?? '')).status, 303)
  assert.equal((await tryCode(s, newBrowser(), 'AAAA-AAAA-AAAA-AAAA')).status, 401)
  assert.equal((await tryCode(s, newBrowser(), app.recoveryCodes[1] ?? '')).status, 429)
})

test('a new first step is needed after the tenth wrong code, and the owner gets one mail', async () => {
  await using mails = await startMailServer()
  const options = { trusted, mail: mails.url, publicUrl: 'https://people.example' }
  await using s = await serve(withMail, options)
  const { own, now } = await signUp(s)
  await registerAuthenticator(s, own, basic(ada, pass), now)
  await mails.reached(1)
  const browser = newBrowser()
  await send(s, browser, '/sign-in', { login: ada, password: pass })
  for (let at = 0; at < 10; at += 1) {
    assert.ok(browser.cookie.includes('second-step'), `${at} wrong codes`)
    assert.equal((await send(s, browser, '/sign-in/second-factor', { code: '000000' })).status, 401)
  }
  assert.equal(browser.cookie, '')
  const without = await send(s, browser, '/sign-in/second-factor', { code: '000000' })
  assert.deepEqual([without.status, without.fields.location], [303, '/sign-in'])
  await guess(s, 3)
  await mails.reached(2)
  assert.match(mails.received[1]?.text ?? '', /Subject: Wrong codes at the sign-in to People/)
  assert.deepEqual(mails.received[1]?.to, [ada])
  // The next mail is another one.
  await s.request('POST /password-resets', {}, { login: ada })
  await mails.reached(3)
  assert.match(mails.received[2]?.text ?? '', /password-resets/)
})

test('others do not lock out the owner: a browser of a complete sign-in has a limit of its own', async () => {
  const { s, app, advance } = await start()
  await using _ = s
  const known = newBrowser()
  const complete = await tryCode(s, known, app.code())
  const [set = ''] = (complete.fields['set-cookie'] ?? []).filter((one) => one.includes('-browser-'))
  assert.match(
    set,
    /^restwell-browser-[0-9a-f]{12}=[\w-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/,
  )
  advance(60_000)
  assert.deepEqual(await guess(s, 11), tenThenNone(1))
  const again = await tryCode(s, known, app.code())
  assert.ok(isSignedIn(again), again.text)
  for (let at = 0; at < 10; at += 1) assert.equal((await tryCode(s, known, '000000')).status, 401)
  advance(61_000)
  assert.equal((await tryCode(s, known, app.code())).status, 429, 'its own limit')
})

test('a forged cookie, one of another account and one of a former password make no known browser', async () => {
  const { s, app, own, advance } = await start()
  await using _ = s
  const eve = await signUp(s, 'eve@example.org')
  const eves = await registerAuthenticator(s, eve.own, basic('eve@example.org', pass), eve.now)
  const hers = newBrowser()
  await send(s, hers, '/sign-in', { login: 'eve@example.org', password: pass })
  assert.equal((await send(s, hers, '/sign-in/second-factor', { code: eves.code() })).status, 303)
  const former = newBrowser()
  assert.equal((await tryCode(s, former, app.code())).status, 303)
  const name = (cookie: string) => /restwell-browser-[0-9a-f]{12}/.exec(cookie)?.[0] ?? ''
  const [mine, foreign] = [name(former.cookie), name(hers.cookie)]
  assert.notEqual(mine, foreign)
  await s.request(`PATCH ${own}`, admin, { password: 'a new password' })
  advance(60_000)
  const cookies = [
    former.cookie,
    hers.cookie.replace(foreign, mine),
    `${former.cookie.replaceAll(/[A-Za-z]{4}$/g, 'AAAA')}`,
    `${mine}=AAAA`,
  ]
  for (let at = 0; at < 10; at += 1) await tryCode(s, newBrowser(), '000000', 'a new password')
  for (const cookie of cookies) {
    const browser = { ...newBrowser(), cookie }
    assert.equal((await tryCode(s, browser, app.code(), 'a new password')).status, 429)
  }
})

test('a restart forgets no wrong code', async (t) => {
  const database = await lastingDatabase(t)
  {
    const { s } = await start({ database })
    await using _ = s
    await guess(s, 6)
  }
  await using s = await serve(definition, { trusted, database })
  assert.deepEqual(await guess(s, 6), tenThenNone(2).slice(6))
})
