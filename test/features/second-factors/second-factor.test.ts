/** Second factors: authenticators and recovery codes (docs/reference/http/accounts.md, "Credentials"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { bearer } from '../../access/sample.ts'
import { eventually } from '../../eventually.ts'
import { admin, basic, serve } from '../../service.ts'
import { accounts, people } from '../mail/fixtures/people.ts'
import { browser, cookiesOf, form, post, registerAuthenticator, signInWithPassword } from './authenticator.ts'
import { ada, pass, signUp, type World } from './second-factor-world.ts'

const definition = service({ title: 'People', accounts, resources: { people } })

/** Both steps; the second with this code. */
async function signIn({ s }: World, code: string, login = ada) {
  const first = await signInWithPassword(s, login, pass)
  assert.match(String(first.reply.fields.location), /^\/sign-in\/second-factor/)
  return post(s, '/sign-in/second-factor?next=/tokens', { code }, { cookie: first.cookie })
}

test('an authenticator counts from its confirmation on; its secret and the recovery codes are shown once', async () => {
  await using s = await serve(definition)
  const { own, now } = await signUp(s)
  const uri = `${own}/credentials`
  const made = await s.request(`POST ${uri}`, basic(ada, pass), { name: 'Phone', currentPassword: pass })
  assert.equal(made.status, 201, made.text)
  assert.equal(made.fields['cache-control'], 'no-store')
  assert.match(made.json.secret, /^[A-Z2-7]{32}$/)
  assert.equal(
    made.json.uri,
    `otpauth://totp/People:ada%40example.org?secret=${made.json.secret}&issuer=People`,
  )
  // Before the confirmation nothing has changed.
  const plain = await s.request(`GET ${made.fields.location}`, basic(ada, pass))
  assert.deepEqual(Object.keys(plain.json).sort(), [
    'account',
    'createdAt',
    'id',
    'kind',
    'name',
    'updatedAt',
  ])
  const wrong = await s.request(`POST ${made.fields.location}/confirm`, basic(ada, pass), { code: '000000' })
  assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [422, '/code'])
  const { recoveryCodes, ...authenticator } = await registerAuthenticator(s, own, basic(ada, pass), now)
  assert.equal(new Set(recoveryCodes).size, 10)
  // The one that was not confirmed is gone.
  assert.equal((await s.request(`GET ${made.fields.location}`, admin)).status, 404)
  const list = await s.request(`GET ${uri}`, admin)
  assert.deepEqual(
    list.json.map(({ kind, remaining }: { kind: string; remaining?: number }) => [kind, remaining]),
    [
      ['totp', undefined],
      ['recovery-codes', 10],
    ],
  )
  const stored = JSON.stringify(
    await s.service.store.list({
      table: 'account_credentials',
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 10,
      evaluated: [],
    }),
  )
  for (const secret of [made.json.secret, ...recoveryCodes]) assert.ok(!stored.includes(secret))
  assert.ok(!list.text.includes(authenticator.code()))
})

test('signing in needs a code then: each is accepted once, and a recovery code too', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const app = await registerAuthenticator(s, world.own, basic(ada, pass), world.now)
  const basicReply = await s.request('GET /tokens', basic(ada, pass))
  assert.equal(basicReply.status, 401)
  assert.match(basicReply.json.detail, /second factor.*token/)
  assert.match(String(basicReply.fields['www-authenticate']), /Basic.*Bearer/)
  assert.equal((await s.request('GET /tokens', basic(ada, 'a wrong password'))).status, 401)
  const code = app.code()
  const wrong = await signIn(world, '123')
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /<strong>Authentication required\.<\/strong> This code is wrong/)
  assert.match(wrong.text, /id="code"[^>]* value=""/, 'the form is shown again, without the code')
  const signedIn = await signIn(world, code)
  assert.deepEqual([signedIn.status, signedIn.fields.location], [303, '/tokens'])
  const session = { ...browser, ...cookiesOf(signedIn) }
  assert.equal((await s.request('GET /tokens', session)).status, 200)
  // The step of the confirmation, and that of the sign-in, were used.
  assert.equal((await signIn(world, code)).status, 401)
  assert.equal((await signIn(world, app.code(-1))).status, 401)
  assert.equal((await signIn(world, app.code(1))).status, 303)
  const [first = '', second = ''] = app.recoveryCodes
  assert.equal((await signIn(world, first)).status, 303)
  assert.equal((await signIn(world, first)).status, 401)
  assert.equal((await signIn(world, second.toLowerCase().replaceAll('-', ' '))).status, 303)
  const list = await s.request(`GET ${world.own}/credentials?kind=recovery-codes`, admin)
  assert.equal(list.json[0].remaining, 8)
})

test('of 20 concurrent uses of one code, or one recovery code, exactly one succeeds', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const app = await registerAuthenticator(s, world.own, basic(ada, pass), world.now)
  for (const code of [app.code(), app.recoveryCodes[3] ?? '']) {
    const { cookie } = await signInWithPassword(s, ada, pass)
    const uses = Array.from({ length: 20 }, () => post(s, '/sign-in/second-factor', { code }, { cookie }))
    const statuses = (await Promise.all(uses)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 303).length, 1, String(statuses))
    // The others are wrong codes, which are forgotten then.
    world.advance(15 * 60_000)
  }
})

test('the second step ends after ten minutes and with the password; wrong codes count as wrong passwords', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const app = await registerAuthenticator(s, world.own, basic(ada, pass), world.now)
  const steps = await Promise.all([1, 2, 3].map(() => signInWithPassword(s, ada, pass)))
  const [one, two] = steps.map(({ cookie }) => ({ cookie }))
  world.advance(599_000)
  assert.equal((await s.request('GET /sign-in/second-factor', { ...browser, ...one })).status, 200)
  world.advance(2_000)
  const late = await post(s, '/sign-in/second-factor', { code: app.code() }, one)
  assert.deepEqual([late.status, late.fields.location, cookiesOf(late).cookie], [303, '/sign-in', ''])
  const forged = await post(
    s,
    '/sign-in/second-factor',
    { code: app.code() },
    {
      cookie: `${two?.cookie.slice(0, -4)}AAAA`,
    },
  )
  assert.deepEqual([forged.status, cookiesOf(forged).cookie], [303, ''])
  const { cookie } = await signInWithPassword(s, ada, pass)
  const attempts = []
  for (let count = 0; count < 11; count += 1) {
    attempts.push((await post(s, '/sign-in/second-factor', { code: '000000' }, { cookie })).status)
  }
  assert.deepEqual(attempts, [...Array.from({ length: 10 }, () => 401), 429])
  assert.equal((await s.request('GET /tokens', basic(ada, 'a wrong password'))).status, 429)
  world.advance(61_000)
  await s.request(`PATCH ${world.own}`, admin, { password: 'a new password' })
  const ended = await post(s, '/sign-in/second-factor', { code: app.code() }, { cookie })
  assert.deepEqual([ended.status, cookiesOf(ended).cookie], [303, ''])
})

test('registering needs the password or a sign-in of the last five minutes, revoking such a sign-in (RFC 9470)', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const uri = `${world.own}/credentials`
  const token = bearer((await s.request('POST /tokens', basic(ada, pass), {})).json.token)
  assert.equal((await s.request(`POST ${uri}`, token, { currentPassword: pass })).status, 403)
  const wrong = await s.request(`POST ${uri}`, basic(ada, pass), { currentPassword: 'wrong' })
  assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [422, '/currentPassword'])
  const session = { 'sec-fetch-site': 'same-origin', cookie: (await signInWithPassword(s, ada, pass)).cookie }
  assert.equal((await s.request(`POST ${uri}`, session, {})).status, 201)
  world.advance(301_000)
  const missing = await s.request(`POST ${uri}`, session, {})
  assert.deepEqual([missing.status, missing.json.errors[0].pointer], [422, '/currentPassword'])
  const made = await s.request(`POST ${uri}`, session, { currentPassword: pass })
  assert.equal(made.status, 201)
  const old = await s.request(`DELETE ${made.fields.location}`, session)
  assert.equal(old.status, 401)
  assert.match(
    String(old.fields['www-authenticate']),
    /error="insufficient_user_authentication".*max_age="?300"?/,
  )
  assert.equal((await s.request(`DELETE ${made.fields.location}`, token)).status, 403)
  const fresh = { 'sec-fetch-site': 'same-origin', cookie: (await signInWithPassword(s, ada, pass)).cookie }
  assert.equal((await s.request(`DELETE ${made.fields.location}`, fresh)).status, 204)
  // Unknown members, and kinds that need something else first.
  assert.equal((await s.request(`POST ${uri}`, basic(ada, pass), { secret: 'x' })).status, 422)
  assert.equal((await s.request(`POST ${uri}`, basic(ada, pass), { kind: 'recovery-codes' })).status, 409)
  assert.equal((await s.request(`POST ${uri}`, basic(ada, pass), { kind: 'nothing' })).status, 422)
})

test('the first confirmation ends other sessions, and a factor guards new tokens and a reset password', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const other = { ...browser, cookie: (await signInWithPassword(s, ada, pass)).cookie }
  const own = { 'sec-fetch-site': 'same-origin', cookie: (await signInWithPassword(s, ada, pass)).cookie }
  const token = bearer((await s.request('POST /tokens', basic(ada, pass), {})).json.token)
  const app = await registerAuthenticator(s, world.own, own, world.now)
  assert.equal((await s.request('GET /tokens', other)).status, 401)
  assert.equal((await s.request('GET /tokens', own)).status, 200)
  assert.equal((await s.request('GET /tokens', token)).status, 200)
  assert.equal((await s.request('POST /tokens', basic(ada, pass), {})).status, 401)
  assert.equal((await s.request('POST /tokens', own, {})).status, 201)
  // A second confirmation is refused, and new recovery codes replace the others.
  assert.equal((await s.request(`POST ${app.uri}/confirm`, own, { code: app.code() })).status, 409)
  const renewed = await s.request(`POST ${world.own}/credentials`, own, { kind: 'recovery-codes' })
  assert.equal(renewed.json.recoveryCodes.length, 10)
  assert.equal((await signIn(world, app.recoveryCodes[0] ?? '')).status, 401)
  assert.equal((await signIn(world, renewed.json.recoveryCodes[0])).status, 303)
  await s.request(`PATCH ${world.own}`, admin, { password: 'a new password' })
  const again = await signInWithPassword(s, ada, 'a new password')
  assert.match(String(again.reply.fields.location), /second-factor/)
  assert.equal((await s.request('GET /tokens', basic(ada, 'a new password'))).status, 401)
})

test('administrators list and revoke the credentials of others; without a factor the password suffices again', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const eve = await signUp(s, 'eve@example.org')
  const app = await registerAuthenticator(s, world.own, basic(ada, pass), world.now)
  const eveBasic = basic('eve@example.org', pass)
  assert.deepEqual((await s.request(`GET ${world.own}/credentials`, eveBasic)).json, [])
  assert.equal((await s.request(`GET ${app.uri}`, eveBasic)).status, 404)
  assert.equal((await s.request(`DELETE ${app.uri}`, eveBasic)).status, 404)
  assert.equal((await s.request(`POST ${world.own}/credentials`, eveBasic, {})).status, 403)
  assert.equal((await s.request(`POST ${world.own}/credentials`, admin, {})).status, 403)
  assert.equal((await s.request(`GET ${world.own}/credentials`)).status, 401)
  const below = app.uri.replace(world.own, eve.own)
  assert.equal((await s.request(`GET ${below}`, admin)).status, 404)
  assert.equal((await s.request(`DELETE ${app.uri}`, admin)).status, 204)
  assert.deepEqual((await s.request(`GET ${world.own}/credentials`, admin)).json, [])
  assert.equal((await s.request('GET /tokens', basic(ada, pass))).status, 200)
  assert.equal((await s.request(`DELETE ${world.own}`, admin)).status, 204)
})

test('the HTML page of a new authenticator has its QR code and the form to confirm it', async () => {
  await using s = await serve(definition)
  const { own } = await signUp(s)
  const { cookie } = await signInWithPassword(s, ada, pass)
  const made = await post(s, `${own}/credentials`, { kind: 'totp', currentPassword: pass }, { cookie })
  assert.equal(made.status, 201, made.text)
  assert.match(made.text, /<svg role="img" aria-label="QR code for authenticator apps"/)
  const [, action = ''] = /action="([^"]*\/confirm)"/.exec(made.text) ?? []
  const wrong = await post(s, action, { code: '000000' }, { cookie })
  assert.equal(wrong.status, 422)
  const [uri = ''] = action.split('/confirm')
  const deleted = await post(s, `/forms${uri}?method=DELETE`, {}, { cookie })
  assert.deepEqual([deleted.status, deleted.fields.location], [303, `${own}/credentials`])
})

test('every sign-in and every failure is in the audit', async () => {
  await using s = await serve(definition)
  const world = await signUp(s)
  const app = await registerAuthenticator(s, world.own, basic(ada, pass), world.now)
  await signIn(world, '000000')
  await signIn(world, app.code())
  // A failure is recorded after its response.
  const audited = (query: string): Promise<readonly { readonly item: string }[]> =>
    eventually(async () => {
      const { json } = await s.request(`GET /audit?${query}`, admin)
      return json.length > 0 && json
    })
  const id = world.own.split('/').at(-1)
  assert.equal((await audited('kind=signed-in'))[0]?.item, id)
  assert.equal((await audited('kind=sign-in-failed'))[0]?.item, id)
})

test('a page of a declared origin signs nobody in: not with a password, a code or a passkey (sign-in CSRF)', async () => {
  const origins = ['https://app.people.example']
  await using s = await serve(service({ title: 'People', accounts, origins, resources: { people } }))
  const { own, now } = await signUp(s)
  const { code } = await registerAuthenticator(s, own, basic(ada, pass), now)
  const { cookie } = await signInWithPassword(s, ada, pass)
  const typed = { cookie, 'sec-fetch-site': 'none' }
  for (const [uri, values] of [
    ['/sign-in', { login: ada, password: pass }],
    ['/sign-in/second-factor', { code: code() }],
    ['/sign-in/passkey', { response: '{}' }],
  ] as const) {
    for (const site of ['cross-site', 'same-site', undefined]) {
      const { 'sec-fetch-site': _, ...rest } = form
      const sender = { ...rest, cookie, origin: 'https://app.people.example' }
      const fields = site === undefined ? sender : { ...sender, 'sec-fetch-site': site }
      const refused = await s.request(`POST ${uri}`, fields, new URLSearchParams(values).toString())
      assert.equal(refused.status, 403, `${uri} ${site}: ${refused.text}`)
      assert.equal(refused.fields['set-cookie'], undefined)
    }
  }
  assert.equal((await post(s, '/sign-in/second-factor', { code: code() }, typed)).status, 303)
})
