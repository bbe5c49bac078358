/**
 * Attacks with a limited credential on webhooks: no change, secret, test or redelivery by a token that is not the basis of
 * the webhook, and none made with a JWT (docs/reference/http/changes.md, "Webhooks").
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { audience, issuer, jwksServer, jwt } from '../../access/jwt-issuer.ts'
import { bearer } from '../../access/sample.ts'
import { admin, adminLogin, adminPassword, serve, type TestService } from '../../service.ts'
import { signInWithPassword } from '../second-factors/authenticator.ts'
import { accounts, defineTasks, tasks, users } from './definition.ts'
import { startReceiver } from './receiver.ts'
import { createWebhook, mergePatch, recorded } from './webhook-requests.ts'

type Caller = { readonly authorization: string }

async function tokenOf(s: TestService, scopes: readonly string[], caller: Caller = admin) {
  const made = await s.request('POST /tokens', caller, { scopes })
  assert.equal(made.status, 201, made.text)
  return { ...bearer(made.json.token), uri: String(made.fields.location) }
}

const evil = 'http://127.0.0.1:9/evil'

/** Every way to change what a webhook sends, or where, with the method and content of each. */
function attacksOn(uri: string, delivery: string): readonly (readonly [string, object, unknown])[] {
  return [
    [`PATCH ${uri}`, { 'content-type': 'application/merge-patch+json' }, { url: evil }],
    [`PATCH ${uri}`, { 'content-type': 'application/merge-patch+json' }, { events: ['users.*'] }],
    [
      `PATCH ${uri}`,
      { 'content-type': 'application/json-patch+json' },
      [{ op: 'replace', path: '/url', value: evil }],
    ],
    [`POST ${uri}/rotate`, {}, {}],
    [`POST ${uri}/ping`, {}, {}],
    [`POST ${uri}/deliveries/${delivery}/redeliver`, {}, {}],
  ]
}

async function firstDelivery(s: TestService, uri: string): Promise<string> {
  await s.request(`POST ${uri}/ping`, admin)
  await recorded(s, uri, 'succeeded', 1)
  return (await s.request(`GET ${uri}/deliveries`, admin)).json[0].id
}

test('a token with webhooks:read and webhooks:write takes over no webhook of the account', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const { uri } = await createWebhook(s, admin, receiver.url)
  const delivery = await firstDelivery(s, uri)
  const scoped = await tokenOf(s, ['webhooks:read', 'webhooks:write'])
  const full = await tokenOf(s, ['*:read', '*:write'])
  const before = await s.request(`GET ${uri}`, admin)
  for (const { authorization } of [scoped, full]) {
    for (const [line, fields, body] of attacksOn(uri, delivery)) {
      const reply = await s.request(line, { ...fields, authorization }, body)
      assert.equal(reply.status, 403, `${line} ${reply.text}`)
      assert.match(reply.json.detail, /only what was made with it/)
    }
  }
  assert.deepEqual((await s.request(`GET ${uri}`, admin)).json, before.json)
  assert.equal((await s.request(`DELETE ${uri}`, scoped)).status, 204, 'an end gives nothing away')
})

test('forms and pages offer a token no change of a webhook of the account, and those of the owner do', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const { uri } = await createWebhook(s, admin, receiver.url)
  const { authorization } = await tokenOf(s, ['*:read', '*:write'])
  const templates = async (caller: object) => {
    const reply = await s.request(`GET ${uri}`, { ...caller, accept: 'application/prs.hal-forms+json' })
    return Object.keys(reply.json._templates ?? {}).sort()
  }
  assert.deepEqual(await templates({ authorization }), ['delete'])
  assert.deepEqual(await templates(admin), ['default', 'delete', 'ping', 'rotate'])
  const { cookie } = await signInWithPassword(s, adminLogin, adminPassword)
  const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
  assert.match((await s.request(`GET ${uri}`, { ...page, cookie })).text, /\/rotate"/)
  const refused = await s.request(`GET ${uri}`, { ...page, authorization })
  assert.doesNotMatch(refused.text, /\/rotate"/)
})

test('a token changes, tests and rotates the webhooks that were made with it, no other token does, and the session may', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const [own, other] = [await tokenOf(s, ['*:read', '*:write']), await tokenOf(s, ['*:read', '*:write'])]
  const { uri } = await createWebhook(s, own, receiver.url)
  const delivery = await firstDelivery(s, uri)
  for (const [line, fields, body] of attacksOn(uri, delivery)) {
    const reply = await s.request(line, { ...fields, authorization: other.authorization }, body)
    assert.equal(reply.status, 403, line)
  }
  const renamed = await s.request(`PATCH ${uri}`, mergePatch(own), { url: `${receiver.url}?own` })
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal((await s.request(`POST ${uri}/rotate`, own)).status, 200)
  assert.equal((await s.request(`POST ${uri}/ping`, own)).status, 202)
  const { cookie } = await signInWithPassword(s, adminLogin, adminPassword)
  const session = { cookie, 'sec-fetch-site': 'same-origin' }
  assert.equal((await s.request(`POST ${uri}/ping`, session)).status, 202)
})

test('a change by the owner widens no webhook of a token: it ends with the token all the same', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const scoped = await tokenOf(s, ['users:read', 'webhooks:read', 'webhooks:write'])
  const { uri } = await createWebhook(s, scoped, `${receiver.url}?token`, ['users.*'])
  const changed = await s.request(`PATCH ${uri}`, mergePatch(admin), { events: ['tasks.*', 'users.*'] })
  assert.equal(changed.status, 200, changed.text)
  await createWebhook(s, admin, `${receiver.url}?account`)
  await s.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(1)
  assert.equal((await s.request(`DELETE ${scoped.uri}`, admin)).status, 204)
  await s.request('POST /tasks', admin, { title: 'Two' })
  await receiver.reached(2)
  assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(['/hook?account']))
})

test('a webhook of a token that a token made ends with the first one, and so does the second token', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const stolen = await tokenOf(s, ['*:read', '*:write'])
  const heir = await tokenOf(s, ['*:read', '*:write'], stolen)
  const { uri } = await createWebhook(s, heir, `${receiver.url}?heir`)
  await createWebhook(s, admin, `${receiver.url}?account`)
  assert.equal((await s.request('GET /tasks', heir)).status, 200)
  assert.equal((await s.request(`DELETE ${stolen.uri}`, admin)).status, 204)
  assert.equal((await s.request('GET /tasks', heir)).status, 401)
  assert.equal((await s.request(`GET ${heir.uri}`, admin)).status, 404)
  await s.request('POST /tasks', admin, { title: 'After' })
  await receiver.reached(1)
  assert.equal((await s.request(`POST ${uri}/ping`, admin)).status, 202)
  await s.request('POST /tasks', admin, { title: 'Again' })
  await receiver.reached(2)
  assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(['/hook?account']))
})

test('a JWT makes and changes no webhook, whatever roles it claims; a token that it makes can, until its exp', async () => {
  await using jwks = await jwksServer()
  await using receiver = await startReceiver()
  const trust = { issuer, audience, jwks: jwks.uri, algorithms: ['RS256'], login: 'email', roles: 'roles' }
  const options = { title: 'Tasks', accounts, issuers: [trust], resources: { users, tasks } }
  await using s = await serve(service({ ...options, webhooks: { networks: ['127.0.0.0/8'] } }))
  const claims = { email: adminLogin, email_verified: true, roles: ['admin'] }
  const caller = bearer(await jwt({ claims }))
  const refused = await s.request('POST /webhooks', caller, { url: receiver.url, events: ['tasks.*'] })
  assert.equal(refused.status, 403, refused.text)
  assert.match(refused.json.detail, /lasts longer than a JWT.*create a token/)
  const listed = await s.request('GET /webhooks', { ...caller, accept: 'application/prs.hal-forms+json' })
  assert.equal(listed.json._templates, undefined, 'no form')
  const { uri } = await createWebhook(s, admin, receiver.url)
  const delivery = await firstDelivery(s, uri)
  for (const [line, fields, body] of attacksOn(uri, delivery)) {
    const reply = await s.request(line, { ...fields, authorization: caller.authorization }, body)
    assert.equal(reply.status, 403, line)
  }
  const token = await tokenOf(s, ['*:read', '*:write'], caller)
  await createWebhook(s, token, `${receiver.url}?token`)
  await s.request('POST /tasks', admin, { title: 'Both' })
  await receiver.reached(3)
  // The JWT, and so the token, is good for ten minutes.
  s.advance(601_000)
  await s.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(4)
  assert.equal(receiver.received.filter(({ path }) => path === '/hook?token').length, 1)
})
