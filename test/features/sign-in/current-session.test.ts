/** /-/session: who the caller is, for each kind of caller. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../../examples/shop.ts'
import { anyone, resource, service, text } from '../../../src/index.ts'
import { admin, adminLogin, adminPassword, serve } from '../../service.ts'

const noSession = { signedIn: false, account: null, roles: [] }

test('an anonymous caller is not signed in, and the response is stored nowhere', async () => {
  await using demo = await serve(shop)
  const { status, json, fields } = await demo.request('GET /-/session')
  assert.equal(status, 200)
  assert.deepEqual(json, noSession)
  assert.equal(fields['cache-control'], 'no-store')
  assert.equal(fields.etag, undefined)
})

test('a password shows the account and its roles, and no expiry', async () => {
  await using demo = await serve(shop)
  const { json } = await demo.request('GET /-/session', admin)
  const [{ id }] = (await demo.request('GET /users', admin)).json
  assert.deepEqual(json, { signedIn: true, account: `/users/${id}`, roles: ['admin'] })
})

test('a token shows its expiry and the roles that count for it', async () => {
  await using demo = await serve(shop)
  const content = { name: 'Reader', expiresIn: 3600, scopes: ['products:read'] }
  const { token, expiresAt } = (await demo.request('POST /tokens', admin, content)).json
  const { json } = await demo.request('GET /-/session', { authorization: `Bearer ${token}` })
  assert.deepEqual([json.signedIn, json.roles, json.expiresAt], [true, ['admin'], expiresAt])
  // Its scopes do not let it read accounts.
  assert.equal(json.account, null)
})

test('a session of the pages counts for the own origin, until it is signed out', async () => {
  await using demo = await serve(shop)
  const own = { host: 'localhost', 'sec-fetch-site': 'same-origin' }
  const form = { ...own, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const sent = new URLSearchParams({ login: adminLogin, password: adminPassword })
  const signedIn = await demo.request('POST /sign-in', form, String(sent))
  const [cookie = ''] = (signedIn.fields['set-cookie']?.[0] ?? '').split(';')
  const read = async (fields: Readonly<Record<string, string>>) =>
    (await demo.request('GET /-/session', { ...fields, cookie })).json
  const { signedIn: isIn, roles, expiresAt } = await read(own)
  assert.deepEqual([isIn, roles, typeof expiresAt], [true, ['admin'], 'string'])
  assert.equal((await demo.request('POST /sign-out', { ...own, cookie })).status, 303)
  assert.equal((await demo.request('GET /-/session', { ...own, cookie })).status, 401)
})

test('the page shows it too, and a service without accounts has no sessions', async () => {
  await using demo = await serve(shop)
  const page = await demo.request('GET /-/session', { ...admin, accept: 'text/html' })
  assert.equal(page.status, 200)
  assert.match(page.text, /admin/)
  const notes = resource({ title: text() }, { access: { read: anyone } })
  await using plain = await serve(service({ title: 'Notes', resources: { notes } }))
  assert.equal((await plain.request('GET /-/session')).status, 404)
})
