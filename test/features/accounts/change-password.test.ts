/** /.well-known/change-password, which password managers open (https://www.w3.org/TR/change-password-url/). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, email, password, resource, self, service, text } from 'restwell'
import { admin, serve } from '../../service.ts'

const withAccounts = service({
  title: 'Diary',
  base: '/api',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique(), password: password() },
      { access: { read: self, update: self } },
    ),
  },
})

const page = { accept: 'text/html' }

test('it leads to the form of the own account, which has the field of the password', async () => {
  await using s = await serve(withAccounts)
  const found = await s.request('GET /api/.well-known/change-password', { ...page, ...admin })
  assert.equal(found.status, 303)
  assert.equal(found.fields['cache-control'], 'no-store')
  const form = await s.request(`GET ${found.fields.location}`, { ...page, ...admin })
  assert.equal(form.status, 200)
  assert.match(form.text, /<input[^>]* name="password"/)
})

test('signed out it leads to sign-in, which leads back', async () => {
  await using s = await serve(withAccounts)
  for (const accept of ['text/html', '*/*']) {
    const { status, fields } = await s.request('GET /api/.well-known/change-password', { accept })
    assert.equal(status, 303, accept)
    assert.equal(fields.location, '/api/sign-in?next=%2Fapi%2F.well-known%2Fchange-password')
  }
  const { location } = (await s.request('HEAD /api/.well-known/change-password')).fields
  assert.equal((await s.request(`GET ${location}`, page)).status, 200)
})

test('without accounts, and beside it, there is none: password managers ask for an absent one (§4)', async () => {
  const notes = resource({ title: text() }, { access: { read: anyone } })
  await using s = await serve(service({ title: 'Notes', resources: { notes } }))
  const absent = '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200'
  for (const path of ['/.well-known/change-password', absent]) {
    assert.equal((await s.request(`GET ${path}`)).status, 404, path)
  }
  assert.equal((await s.request('POST /.well-known/change-password')).status, 404)
})
