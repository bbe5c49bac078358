/** Callers on a socket: Authorization, roles and failed sign-ins. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, password, resource, role, service, text } from '../../src/index.ts'
import { admin, basic, serve } from '../service.ts'
import { account, as, definition, pass } from './sample.ts'

test('a service without accounts ignores credentials, and what it permits to no caller is 403', async () => {
  const notes = resource({ title: text() }, { access: { read: anyone, create: anyone } })
  await using s = await serve(service({ title: 'Notes', resources: { notes } }))
  const { fields, status } = await s.request('POST /notes', basic('ada', 'x'), { title: 'a' })
  assert.equal(status, 201)
  const refused = await s.request(`DELETE ${fields.location}`)
  assert.equal(refused.status, 403)
  assert.equal(refused.json.detail, 'The rules of this service do not permit this.')
  assert.equal(refused.fields['www-authenticate'], undefined)
})

test('a malformed Authorization is 401, two are 400, too long is 431, and none is logged', async () => {
  await using s = await serve(definition)
  const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
  const malformed: Record<string, string> = {
    empty: '',
    'a scheme alone': 'Basic',
    'no Base64': 'Basic %%%',
    'Base64 without padding': `Basic ${encoded('a:bc').replaceAll('=', '')}x`,
    'no colon': `Basic ${encoded('admin')}`,
    'not UTF-8': `Basic ${encoded(Uint8Array.of(0xff, 0x3a, 0xfe))}`,
    'a control character': `Basic ${encoded('admin:\u0007')}`,
    'another scheme': 'Digest username="admin"',
    'an unknown scheme': 'Hawk abc',
    'Bearer alone': 'Bearer',
    'Bearer with a space inside': 'Bearer a b',
    'two spaces': 'Bearer  ',
    'a token of the wrong form': 'Bearer rw_x',
    'no token at all': ',,,',
    'a quoted string': '"Basic"',
    'prototype keys': '__proto__ constructor',
    'an empty login and password': `Basic ${encoded(':')}`,
    'twelve KiB of password': `Basic ${encoded(`admin@example.org:${'x'.repeat(9000)}`)}`,
  }
  for (const [what, authorization] of Object.entries(malformed)) {
    for (const path of ['/articles', '/vaults', '/nothing-declared'.slice(0, 1)]) {
      const refused = await s.request(`GET ${path}`, { authorization })
      assert.equal(refused.status, 401, `${what} ${path}`)
      assert.match(String(refused.fields['www-authenticate']), /^Basic realm="Access", Bearer realm="Access"/)
      assert.equal(refused.fields['cache-control'], 'no-store')
    }
  }
  const twice = await s.request('GET /articles', {
    authorization: [admin.authorization, admin.authorization] as never,
  })
  assert.equal(twice.status, 400)
  const huge = await s.request('GET /articles', { authorization: `Basic ${'A'.repeat(17_000)}` })
  assert.equal(huge.status, 431)
  const logged = JSON.stringify(s.observations)
  for (const secret of ['Hawk', 'rw_x', encoded('admin')]) assert.ok(!logged.includes(secret))
  assert.equal((await s.request('GET /articles', admin)).status, 200)
})

test('the scheme’s name is case-insensitive, and a password may have colons (RFC 7617 §2)', async () => {
  await using s = await serve(definition)
  const colons = { email: 'colon@example.org', name: 'Colon', password: 'a:b:c: and more' }
  assert.equal((await s.request('POST /users', {}, colons)).status, 201)
  const { authorization } = basic(colons.email, colons.password)
  for (const spelled of [authorization, authorization.replace('Basic', 'bAsIC')]) {
    assert.equal((await s.request('GET /tokens', { authorization: spelled })).status, 200)
  }
})

test('credentials in the query are no credentials (RFC 6750 §2.3 is not offered)', async () => {
  await using s = await serve(definition)
  const token = await s.request('POST /tokens', admin, {})
  assert.equal((await s.request(`GET /tokens?access_token=${token.json.token}`)).status, 401)
  assert.equal((await s.request(`GET /articles?access_token=${token.json.token}`)).status, 400)
})

test('an unknown login and a wrong password get the same response in the same way', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const wrong = await s.request('GET /tokens', basic(ada.login, 'not the password'))
  const unknown = await s.request('GET /tokens', basic('nobody@example.org', 'not the password'))
  const masked = ({ status, fields, text }: typeof wrong) => {
    const { date: _, 'request-id': id, ...rest } = fields
    return { status, rest, text: text.replaceAll(String(id), '') }
  }
  assert.deepEqual(masked(wrong), masked(unknown))
})

test('failed sign-ins are 429 before 401, whatever else varies, and correct ones succeed', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200)
  for (let failure = 0; failure < 10; failure += 1) {
    const varied = {
      ...basic(failure % 2 ? ada.login : ada.login.toUpperCase(), `wrong ${failure}`),
      'x-try': `${failure}`,
    }
    assert.equal((await s.request(`GET /articles?limit=${failure + 1}`, varied)).status, 401, String(failure))
  }
  const refused = await s.request('POST /articles', basic(ada.login, 'wrong again'), { title: 'x' })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.fields['retry-after']) >= 1)
  assert.equal(refused.json.type, '/problems/too-many-requests')
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200, 'a remembered password is no attempt')
  assert.equal((await s.request('GET /tokens', admin)).status, 200)
  s.advance(61_000)
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200)
})

test('a wrong password right after a right one is wrong', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200)
  assert.equal((await s.request('GET /tokens', basic(ada.login, `${pass}x`))).status, 401)
  assert.equal((await s.request('GET /tokens', basic(ada.login, ''))).status, 401)
})

const unauthenticated: readonly (readonly [string, Record<string, string>, number])[] = [
  ['GET /nothing', {}, 404],
  ['OPTIONS /articles', {}, 204],
  ['OPTIONS *', {}, 204],
  ['DELETE /articles', {}, 405],
  ['GET /articles', { authorization: 'Bearer unknown' }, 401],
  ['GET /articles', { authorization: 'Basic !' }, 401],
  ['LINK /articles', {}, 405],
  ['GET /articles/', {}, 301],
  ['GET /sign-in', {}, 200],
]

for (const [line, fields, status] of unauthenticated) {
  const [scheme = 'no credentials'] = (fields.authorization ?? '').split(' ').filter(Boolean)
  test(`${line} with ${scheme} counts against the address: ${status}, then 429 (RFC 6585 §4)`, async () => {
    await using s = await serve(definition, { rate: 2 })
    for (const left of [1, 0]) {
      const response = await s.request(line, fields)
      assert.equal(response.status, status)
      assert.match(String(response.fields.ratelimit), new RegExp(`r=${left};`))
    }
    const refused = await s.request(line, fields)
    assert.equal(refused.status, 429)
    assert.equal(refused.fields['retry-after'], '30')
    assert.equal((await s.request('GET /articles')).status, 429)
    assert.equal((await s.request('GET /articles', admin)).status, 200)
    assert.equal((await s.request('GET /health/live')).status, 200)
  })
}

test('an account without a role has none, whatever the roles are called', async () => {
  const roles = choice(['admin', 'null', 'undefined']).writableBy(role('admin'))
  const people = resource(
    { email: email().unique(), password: password(), role: roles.optional() },
    { access: { read: anyone, create: anyone } },
  )
  const only = resource({ title: text() }, { access: { read: role('null', 'undefined') } })
  const definition = service({
    title: 'Roles',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, only },
  })
  await using s = await serve(definition)
  for (const [name, body, status] of [
    ['ada', {}, 403],
    ['bob', { role: 'null' }, 200],
  ] as const) {
    const person = { email: `${name}@example.org`, password: 'analytical', ...body }
    assert.equal((await s.request('POST /people', admin, person)).status, 201)
    const asked = await s.request('GET /only', basic(person.email, person.password))
    assert.equal(asked.status, status, name)
  }
})

test('code of a page gets a 401 without Basic, so that the browser opens no dialog; programs keep it (fetch §4.6)', async () => {
  await using s = await serve(definition)
  const encoded = (one: string) => Buffer.from(one).toString('base64')
  const challenge = async (fields: Readonly<Record<string, string>>) => {
    const reply = await s.request('GET /vaults', fields)
    assert.equal(reply.status, 401)
    return String(reply.fields['www-authenticate'])
  }
  const json = { accept: 'application/json' }
  for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket']) {
    assert.equal(await challenge({ ...json, 'sec-fetch-mode': mode }), 'Bearer realm="Access"', mode)
  }
  assert.equal(await challenge({ ...json, 'restwell-client': '1' }), 'Bearer realm="Access"')
  assert.match(await challenge({ ...json, 'sec-fetch-mode': 'navigate' }), /^Basic /)
  assert.match(await challenge(json), /^Basic /)
  const wrong = { ...json, authorization: `Basic ${encoded('admin@example.org:wrong')}` }
  assert.match(await challenge(wrong), /^Basic /)
  assert.equal(await challenge({ ...wrong, 'sec-fetch-mode': 'cors' }), 'Bearer realm="Access"')
})
