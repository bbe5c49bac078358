/** Sign-in with oidc-provider, a certified implementation of OpenID Connect. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, email, env, oidc, password, resource, self, service, text } from '../../../src/index.ts'
import { basic, serve } from '../../service.ts'
import { startMailServer } from '../mail/mail-server.ts'
import { begin, beginLink, clientId, sessionOf, variables } from './fake-provider.ts'
import { startRealProvider } from './real-provider.ts'

const members = resource(
  { email: email().unique(), name: text({ max: 100 }), password: password() },
  { access: { read: anyone, create: anyone, update: self } },
)
const accounts = { resource: 'members', login: 'email', password: 'password' } as const
const pass = 'the right password'

test('the whole flow: provision, return, replayed code, and an address that both sides have proven', async () => {
  await using provider = await startRealProvider()
  await using mails = await startMailServer()
  const { issuer } = provider
  const id = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision: true })
  const definition = service({
    title: 'Club',
    accounts,
    mail: { from: 'club@example.org' },
    signIn: { providers: [id] },
    resources: { members },
  })
  await using s = await serve(definition, { variables, mail: mails.url, publicUrl: 'http://localhost:1' })
  provider.register('http://localhost:1/sign-in/id/callback')
  const arrive = async (person: string) => {
    const flow = await begin(s)
    const uri = new URL(await provider.authorize(flow.uri, person))
    const fields = { accept: 'text/html', 'sec-fetch-site': 'cross-site', cookie: flow.cookie }
    const request = () => s.request(`GET ${uri.pathname}${uri.search}`, fields)
    return { reply: await request(), request }
  }
  const first = await arrive('ada')
  assert.equal(first.reply.status, 200, first.reply.text)
  const session = sessionOf(first.reply) ?? {}
  const shown = (await s.request('GET /', session)).json
  assert.ok(shown.links.account)
  const [own] = (await s.request('GET /members?email=ada@example.org')).json
  assert.equal(own.name, 'ada')
  // The provider has asked the person just now, and says so.
  const set = await s.request(`PATCH /members/${own.id}`, session, { password: pass })
  assert.equal(set.status, 200, set.text)
  assert.equal((await first.request()).status, 401, 'the provider refuses a code that was used')
  assert.equal((await arrive('ada')).reply.status, 200)
  // Bob has an account with a password, and joins it when he has proven its address.
  await s.request('POST /members', {}, { email: 'bob@example.org', name: 'Bob', password: pass })
  assert.equal((await arrive('bob')).reply.status, 403)
  await s.request('POST /verifications', {}, { login: 'bob@example.org' })
  // The first mail tells of the new password.
  await mails.reached(2)
  const link = `/verifications/${mails.received.flatMap(({ secrets }) => secrets)[0]}`
  assert.equal((await s.request(`POST ${link}`, {}, { password: pass })).status, 204)
  assert.equal((await arrive('bob')).reply.status, 200)
  assert.equal((await s.request('GET /members', basic('bob@example.org', pass))).status, 200)
  assert.equal((await s.request('GET /members')).json.length, 3)
})

test('a password reset removes subjects that do not prove the address of the account (trojan identifier)', async () => {
  await using provider = await startRealProvider()
  await using mails = await startMailServer()
  const { issuer } = provider
  const id = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET') })
  const definition = service({
    title: 'Club',
    accounts,
    mail: { from: 'club@example.org' },
    signIn: { providers: [id] },
    resources: { members },
  })
  await using s = await serve(definition, { variables, mail: mails.url, publicUrl: 'http://localhost:1' })
  provider.register('http://localhost:1/sign-in/id/callback')
  // The attacker signs up with the address of the victim, and binds its own identity.
  await s.request('POST /members', {}, { email: 'victim@example.org', name: 'Eve', password: pass })
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ login: 'victim@example.org', password: pass }).toString()
  const session = sessionOf(await s.request('POST /sign-in', form, body)) ?? {}
  const arrive = async (begun = begin(s)) => {
    const flow = await begun
    const uri = new URL(await provider.authorize(flow.uri, 'eve'))
    return s.request(`GET ${uri.pathname}${uri.search}`, { accept: 'text/html', cookie: flow.cookie })
  }
  assert.equal((await arrive(beginLink(s, session, { currentPassword: pass }))).status, 200)
  assert.equal((await arrive()).status, 200)
  await s.request('POST /password-resets', {}, { login: 'victim@example.org' })
  // The first mail tells of the bound provider.
  await mails.reached(2)
  const secret = mails.received.flatMap(({ secrets }) => secrets)[0]
  const link = `/password-resets/${secret}`
  assert.equal((await s.request(`POST ${link}`, {}, { password: 'the victim’s password' })).status, 204)
  assert.equal((await arrive()).status, 403)
})
