/** Accounts without a password: what signs them in, what they are told, and how they get one. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  env,
  oidc,
  password,
  resource,
  role,
  self,
  service,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, basic, serve } from '../../service.ts'
import { startMailServer } from '../mail/mail-server.ts'
import { arrive, clientId, sessionOf, startFakeProvider, variables } from '../providers/fake-provider.ts'

const declared = {
  email: email().unique().visibleTo(self, role('admin')),
  password: password({ min: 8 }).optional(),
  role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
}
const access = { read: anyone, create: anyone, update: [self, role('admin')], delete: role('admin') }
const people = resource(declared, { access, bulk: true })
const accounts = { resource: 'people', login: 'email', password: 'password', roles: 'role' } as const
const mail = { from: 'people@example.org' }
const definition = service({ title: 'People', accounts, mail, resources: { people } })
const publicUrl = 'https://people.example'
const ada = 'ada@example.org'
const chosen = 'the chosen password'
const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'people.example' }

describe('an account without a password', () => {
  it('gets the same response at sign-in as an unknown login, whatever password is sent', async () => {
    await using s = await serve(definition)
    assert.equal((await s.request('POST /people', admin, { email: ada })).status, 201)
    for (const sent of ['null', 'undefined', '', chosen]) {
      const own = await s.request('GET /tokens', basic(ada, sent))
      const unknown = await s.request('GET /tokens', basic('eve@example.org', sent))
      assert.equal(own.status, 401)
      const [first, second] = [own, unknown].map(({ json: { instance: _, ...problem }, fields }) => [
        problem,
        fields['www-authenticate'],
      ])
      assert.deepEqual(first, second)
    }
  })

  it('is not what a person makes who signs up, in any way', async () => {
    await using s = await serve(definition)
    const refused = await s.request('POST /people', {}, { email: ada })
    assert.equal(refused.status, 422)
    const { pointer, detail } = refused.json.errors[0]
    assert.deepEqual([pointer, detail], ['/password', 'Choose a password for your account.'])
    assert.equal((await s.request('POST /people', {}, { email: ada, password: null })).status, 422)
    const uri = '/people/0196d4a0-0000-7000-8000-000000000001'
    assert.ok((await s.request(`PUT ${uri}`, {}, { email: ada })).status >= 400)
    assert.equal((await s.request('POST /people', {}, [{ email: ada }])).status, 422)
    const byMail = service({
      title: 'People',
      accounts: { ...accounts, signUp: 'by-mail' },
      mail,
      resources: { people },
    })
    await using t = await serve(byMail)
    assert.equal((await t.request('POST /people', {}, { email: ada })).status, 422)
  })

  it('gets its first password by a link in a mail, which works once', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, { mail: server.url, publicUrl, trusted: ['127.0.0.1'] })
    await s.request('POST /people', admin, { email: ada })
    await s.request('POST /password-resets', secure, { login: ada })
    await server.reached(1)
    const uri = `/password-resets/${server.received[0]?.secrets[0]}`
    assert.equal((await s.request(`POST ${uri}`, secure, {})).status, 422, 'a password is required')
    assert.equal((await s.request(`POST ${uri}`, secure, { password: chosen })).status, 204)
    assert.equal((await s.request(`POST ${uri}`, secure, { password: chosen })).status, 404)
    assert.equal((await s.request('GET /tokens', basic(ada, chosen))).status, 200)
  })

  it('comes into being by an invitation only with a password', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, { mail: server.url, publicUrl, trusted: ['127.0.0.1'] })
    assert.equal((await s.request('POST /invitations', admin, { email: ada })).status, 201)
    await server.reached(1)
    const uri = `/invitations/${server.received[0]?.secrets[0]}`
    assert.equal((await s.request(`POST ${uri}`, secure, {})).status, 422)
    assert.equal((await s.request('GET /tokens', basic(ada, 'undefined'))).status, 401)
    assert.equal((await s.request(`POST ${uri}`, secure, { password: chosen })).status, 204)
    assert.equal((await s.request('GET /tokens', basic(ada, chosen))).status, 200)
  })

  it('is what remains where an admin removes a password; no former session or token works again', async () => {
    await using s = await serve(definition)
    const { json } = await s.request('POST /people', admin, { email: ada })
    const { json: made } = await s.request(`GET /people/${json.id}`, admin)
    await s.request(`PATCH /people/${made.id}`, admin, { password: chosen })
    const token = await s.request('POST /tokens', basic(ada, chosen), { name: 'x', scopes: ['*:read'] })
    const bearer = { authorization: `Bearer ${token.json.token}` }
    assert.equal((await s.request('GET /tokens', bearer)).status, 200)
    const own = await s.request(`PATCH /people/${made.id}`, basic(ada, chosen), {
      password: null,
      currentPassword: chosen,
    })
    assert.deepEqual(
      [own.status, own.json.errors[0].detail],
      [422, 'You cannot remove your own password. Set another one.'],
    )
    assert.equal((await s.request(`PATCH /people/${made.id}`, bearer, { password: null })).status, 403)
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await s.request(`PATCH /people/${made.id}`, admin, { password: null })).status, 200)
      assert.equal((await s.request('GET /tokens', bearer)).status, 401)
      assert.equal((await s.request('GET /tokens', basic(ada, chosen))).status, 401)
    }
  })

  it('is told how to get a password where one is asked for, and keeps its last way to sign in', async () => {
    await using provider = await startFakeProvider()
    const id = oidc({
      name: 'id',
      issuer: provider.issuer,
      clientId,
      clientSecret: env('ID_SECRET'),
      provision: true,
    })
    const bound = service({
      title: 'People',
      accounts,
      mail,
      signIn: { providers: [id] },
      resources: { people },
    })
    await using s = await serve(bound, { variables, mail: 'page', publicUrl: 'http://localhost:1' })
    Object.assign(provider.behaviour.claims, { email: ada, email_verified: true })
    const session = sessionOf(await arrive(s, provider)) ?? {}
    const [own] = (await s.request('GET /people', session)).json.filter(
      (one: { email?: string }) => one.email === ada,
    )
    const [shown] = (await s.request(`GET /people/${own.id}/credentials`, session)).json
    const refused = await s.request(`DELETE /people/${own.id}/credentials/${shown.id}`, session)
    assert.deepEqual(
      [refused.status, refused.json.detail],
      [409, 'Your account has no password, and nothing else would sign you in. Set a password first.'],
    )
    s.advance(300_001)
    const late = await s.request(`PATCH /people/${own.id}`, session, { password: chosen })
    assert.equal(late.status, 422)
    assert.match(
      late.json.errors[0].detail,
      /Your account has no password\. Set one at \/password-resets, or sign in again/,
    )
    const factor = await s.request(`POST /people/${own.id}/credentials`, session, { kind: 'totp' })
    assert.match(factor.json.errors[0].detail, /Your account has no password/)
    provider.behaviour.claims.auth_time = Math.floor(Date.now() / 1000) + 300
    const recent = sessionOf(await arrive(s, provider)) ?? {}
    assert.equal((await s.request(`PATCH /people/${own.id}`, recent, { password: chosen })).status, 200)
    assert.equal((await s.request(`DELETE /people/${own.id}/credentials/${shown.id}`, recent)).status, 204)
  })
})

describe('an account without a password, where links in mails sign people in', () => {
  it('may lose its last provider: a link is another way', async () => {
    await using provider = await startFakeProvider()
    const { issuer } = provider
    const id = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision: true })
    const signIn = { providers: [id], links: true }
    await using s = await serve(service({ title: 'People', accounts, mail, signIn, resources: { people } }), {
      variables,
    })
    const at = Math.floor(Date.now() / 1000)
    Object.assign(provider.behaviour.claims, { email: ada, email_verified: true, auth_time: at })
    const session = sessionOf(await arrive(s, provider)) ?? {}
    const [own] = (await s.request('GET /people', session)).json.filter(
      (one: { email?: string }) => one.email === ada,
    )
    const [shown] = (await s.request(`GET /people/${own.id}/credentials`, session)).json
    assert.equal((await s.request(`DELETE /people/${own.id}/credentials/${shown.id}`, session)).status, 204)
  })
})

describe('many accounts in one request', () => {
  it('are created without passwords, with their hooks and rights; a password is 422 at its place', async () => {
    await using s = await serve(definition)
    const items = Array.from({ length: 500 }, (_, at) => ({ email: `p${at}@example.org` }))
    const created = await s.request('POST /people', admin, items)
    assert.equal(created.status, 201)
    const refused = await s.request('POST /people', admin, [
      { email: ada },
      { email: 'b@example.org', password: chosen },
    ])
    assert.deepEqual(
      refused.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/1/password'],
    )
    assert.equal((await s.request('GET /tokens', basic('p7@example.org', 'null'))).status, 401)
  })

  it('need a password that is optional', () => {
    const members = resource({ ...declared, password: password() }, { access, bulk: true })
    assert.throws(
      () => checkDefinition(service({ title: 'People', accounts, resources: { people: members } })),
      /one request cannot hash many.*Add \.optional\(\) to the password/s,
    )
  })
})
