/**
 * Account pre-hijacking: an attacker makes an account with the address of another person, and prepares a way back into
 * it. The classes are those of Sudhodanan and Paverd (USENIX Security 2022). Those that begin at a provider are in
 * features/providers/sign-in.test.ts and features/providers/oidc-provider.test.ts, sign-ups by mail in sign-up.test.ts.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer } from '../../access/sample.ts'
import { basic, serve, type TestService } from '../../service.ts'
import {
  cookiesOf,
  post,
  registerAuthenticator,
  signInWithPassword,
} from '../second-factors/authenticator.ts'
import definition from './fixtures/people.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const victim = 'victim@example.org'
const attacker = 'attacker@example.org'
const chosen = 'the attacker’s password'
const owned = 'the victim’s password'
const publicUrl = 'https://people.example'

/** The attacker has an account with the address of the victim. */
async function hijack(s: TestService): Promise<string> {
  const created = await s.request('POST /people', {}, { email: victim, password: chosen })
  assert.equal(created.status, 201)
  return `/people/${created.json.id}`
}

/** The victim finds that its address has an account, and sets a new password by mail. */
async function recover(s: TestService, mails: MailServer): Promise<void> {
  await s.request('POST /password-resets', {}, { login: victim })
  const isReset = ({ text }: { readonly text: string }) => text.includes('/password-resets/')
  let mail = mails.received.find(isReset)
  for (let count = 1; !mail; count += 1) {
    await mails.reached(count)
    mail = mails.received.find(isReset)
  }
  const reset = await s.request(`POST /password-resets/${mail.secrets[0]}`, {}, { password: owned })
  assert.equal(reset.status, 204)
}

test('unexpired session, GHSA-g65h-35f3-x2w3 (Directus), GHSA-hvp3-26wx-g2w4 (Strapi): sessions and tokens of the attacker end', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await hijack(s)
  const { cookie } = await signInWithPassword(s, victim, chosen)
  const session = { cookie, 'sec-fetch-site': 'same-origin' }
  const token = bearer((await s.request('POST /tokens', basic(victim, chosen), {})).json.token)
  assert.equal((await s.request('GET /tokens', session)).status, 200)
  await recover(s, mails)
  for (const caller of [session, token, basic(victim, chosen)]) {
    assert.equal((await s.request('GET /tokens', caller)).status, 401)
  }
  assert.equal((await s.request('GET /tokens', basic(victim, owned))).status, 200)
})

test('unexpired change of address, GHSA-pq7p-mc74-g65w (PocketBase): a pending one of the attacker ends', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const path = await hijack(s)
  const change = { login: attacker, currentPassword: chosen }
  assert.equal((await s.request('POST /verifications', basic(victim, chosen), change)).status, 202)
  await mails.reached(1)
  const link = `/verifications/${mails.received[0]?.secrets[0]}`
  await recover(s, mails)
  for (const password of [chosen, owned]) {
    assert.equal((await s.request(`POST ${link}`, {}, { password })).status, 404)
  }
  assert.equal((await s.request(`GET ${path}`, basic(victim, owned))).json.email, victim)
})

test('trojan second factor: the reset of an address that nothing had proven removes it, and the owner has been told of it', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const path = await hijack(s)
  await registerAuthenticator(s, path, basic(victim, chosen), Date.now)
  await mails.reached(1)
  assert.deepEqual(mails.received[0]?.to, [victim], 'the owner of the address is told')
  await recover(s, mails)
  assert.equal((await s.request('GET /tokens', basic(victim, owned))).status, 200)
  const signedIn = await post(s, '/sign-in', { login: victim, password: owned })
  assert.match(cookiesOf(signedIn).cookie, /restwell=rw_/)
})
