/** Accounts that JSON Web Tokens name: binding to issuer and subject. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialsName } from '../../src/definition/credentials-resource.ts'
import { anyone, choice, email, password, resource, role, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { listCopiedTables } from '../../src/store/copy/copied-table.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { admin, basic, serve } from '../service.ts'
import { audience, definitionOf, issuer, jwksServer, jwt } from './jwt-issuer.ts'
import { account, accounts, articles, bearer, notes, users, vaults } from './sample.ts'

test('a claim may name an account; an e-mail address only where the issuer verified it', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
  const ada = await account(s.request, 'ada')
  const claims = { email: 'Ada@example.org', email_verified: true }
  const created = await s.request('POST /articles', bearer(await jwt({ claims })), { title: 'x' })
  assert.equal(created.status, 201)
  assert.equal(created.json.author, ada.id)
  assert.equal((await s.request('POST /tokens', bearer(await jwt({ claims })), {})).status, 201)
  for (const bad of [
    { email: ada.login },
    { email: ada.login, email_verified: 'true' },
    { email: 'nobody@example.org', email_verified: true },
    { email: 'ädà@example.org', email_verified: true },
    { email: [ada.login], email_verified: true },
    {},
  ]) {
    assert.equal(
      (await s.request('GET /articles', bearer(await jwt({ claims: bad })))).status,
      401,
      JSON.stringify(bad),
    )
  }
})

const verified = (email: string, more: object = {}) => ({ email, email_verified: true, ...more })

test('the first JWT binds an account to iss and sub, and voids a password set before (account pre-hijacking)', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
  const email = 'victim@example.org'
  const early = basic(email, 'the attacker’s password')
  const body = { email, name: 'Victim', password: 'the attacker’s password' }
  const created = await s.request('POST /users', {}, body)
  assert.equal(created.status, 201)
  const token = bearer((await s.request('POST /tokens', early, {})).json.token)
  const owner = bearer(await jwt({ claims: verified(email, { sub: 'victim' }) }))
  const written = await s.request('POST /articles', owner, { title: 'x' })
  assert.equal(written.json.author, created.json.id)
  for (const caller of [early, token]) assert.equal((await s.request('GET /tokens', caller)).status, 401)
  const other = bearer(await jwt({ claims: verified(email, { sub: 'another' }) }))
  assert.equal((await s.request('GET /articles', other)).status, 401, 'another subject')
  const set = await s.request(`PATCH /users/${created.json.id}`, admin, {
    password: 'a later password',
  })
  assert.equal(set.status, 200)
  assert.equal((await s.request('GET /articles', owner)).status, 200)
  const later = basic(email, 'a later password')
  assert.equal((await s.request('GET /tokens', later)).status, 200, 'set after the address was proven')
  const own = { password: 'yet another one', currentPassword: 'a later password' }
  assert.equal((await s.request(`PATCH /users/${created.json.id}`, owner, own)).status, 403, 'by a JWT')
  assert.equal((await s.request(`DELETE /users/${created.json.id}`, admin)).status, 204)
  await s.request('POST /users', {}, body)
  assert.equal((await s.request('GET /articles', other)).status, 200, 'a new account is bound anew')
})

test('a subject bound to one account is no other account, and a JWT without a subject has no account', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
  const [ada, bob] = [await account(s.request, 'ada'), await account(s.request, 'bob')]
  const status = async (claims: object) =>
    (await s.request('GET /articles', bearer(await jwt({ claims: { ...claims } })))).status
  assert.equal(await status(verified(ada.login, { sub: undefined })), 401)
  assert.equal(await status(verified(ada.login, { sub: '' })), 401)
  assert.equal(await status(verified(ada.login)), 200)
  assert.equal(await status(verified(bob.login)), 401)
  assert.equal((await s.request('GET /tokens', { authorization: bob.authorization })).status, 200)
})

test('concurrent first requests are all the same account, bound once', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
  const ada = await account(s.request, 'ada')
  const token = bearer(await jwt({ claims: verified(ada.login) }))
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => s.request('POST /articles', token, { title: 'x' })),
  )
  assert.deepEqual(new Set(replies.map(({ json }) => json.author)), new Set([ada.id]))
  assert.equal(await s.service.store.count(credentialsName, always), 1)
})

test('a copy of the database includes the bindings', async () => {
  const model = checkDefinition(definitionOf('https://id.example/jwks', { login: 'email' }))
  const copied = listCopiedTables(schemaOf(model)).find(({ name }) => name === credentialsName)
  const columns = copied?.columns.map(({ name }) => name) ?? []
  for (const name of ['account', 'issuer', 'subject']) assert.ok(columns.includes(name), name)
})

test('a second issuer joins an account only while its login is the one that the first has proven', async () => {
  await using jwks = await jwksServer()
  const second = 'https://second.example'
  const trust = { audience, jwks: jwks.uri, algorithms: ['RS256'], login: 'email' }
  const issuers = [
    { issuer, ...trust },
    { issuer: second, ...trust },
  ]
  const resources = { users, articles, notes, vaults }
  await using s = await serve(service({ title: 'Two', accounts, issuers, resources }))
  const arrive = async (claims: object) =>
    (await s.request('GET /articles', bearer(await jwt({ claims: { ...claims } })))).status
  const [ada, eve] = [await account(s.request, 'ada'), await account(s.request, 'eve')]
  assert.equal(await arrive(verified(ada.login)), 200)
  assert.equal(await arrive(verified(ada.login, { iss: second, sub: '1' })), 200)
  assert.equal(await arrive(verified(eve.login, { sub: 'eve' })), 200)
  const renamed = await s.request(`PATCH /users/${eve.id}`, admin, { email: 'victim@example.org' })
  assert.equal(renamed.status, 200)
  assert.equal(await arrive(verified('victim@example.org', { iss: second, sub: '2' })), 401)
})

test('a password remains valid if only callers with an assigned role can set a login', async () => {
  await using jwks = await jwksServer()
  const access = { read: anyone, create: role('admin'), update: role('admin') }
  const staff = resource(
    {
      email: email().unique(),
      name: text(),
      password: password(),
      role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
    },
    { access },
  )
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256'], login: 'email' }]
  const options = { title: 'Staff', accounts, issuers, resources: { users: staff } }
  await using s = await serve(service(options))
  const ada = await account(s.request, 'ada')
  const token = bearer(await jwt({ claims: verified(ada.login) }))
  assert.equal((await s.request('GET /tokens', token)).status, 200)
  assert.equal((await s.request('GET /tokens', { authorization: ada.authorization })).status, 200)
  const other = bearer(await jwt({ claims: verified(ada.login, { sub: 'another' }) }))
  assert.equal((await s.request('GET /tokens', other)).status, 401)
})
