import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, list, password, resource, role, service, text } from 'restwell'
import { adminLogin, adminPassword, serve } from '../service.ts'

const users = resource({
  email: email().unique(),
  password: password(),
  roles: list(choice(['admin'])).optional(),
})
const notes = resource({ title: text() }, { access: { read: anyone, create: role('admin') } })
const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
  resources: { users, notes },
})
const authorization = `Basic ${btoa(`${adminLogin}:${adminPassword}`)}`

test('Server-Timing and the scope of metrics', async (t) => {
  await using s = await serve(definition)
  const makeToken = async (scope: string) => {
    const made = await s.request('POST /tokens', { authorization }, { name: scope, scopes: [scope] })
    assert.equal(made.status, 201, made.text)
    return { authorization: `Bearer ${made.json.token}` }
  }

  await t.test('administrators see what the decisions of a request took, also of a refused one', async () => {
    const created = await s.request('POST /notes', { authorization }, { title: 'x' })
    assert.equal(created.status, 201)
    const form = /^authenticate;dur=\d+\.\d\d(, \w+;dur=\d+\.\d\d)*, total;dur=\d+\.\d\d$/
    assert.match(String(created.fields['server-timing']), form)
    const refused = await s.request('POST /notes', { authorization }, { titel: 'x' })
    assert.equal(refused.status, 422)
    assert.match(String(refused.fields['server-timing']), form)
  })

  await t.test('others do not, nor tokens without the scope status:read', async () => {
    assert.equal((await s.request('GET /notes')).fields['server-timing'], undefined)
    const reader = await s.request('GET /notes', await makeToken('notes:read'))
    assert.equal(reader.status, 200)
    assert.equal(reader.fields['server-timing'], undefined)
    const monitor = await s.request('GET /status', await makeToken('status:read'))
    assert.equal(monitor.status, 200)
    assert.ok(monitor.fields['server-timing'])
  })

  await t.test(
    'a token of an administrator with the scope metrics:read reads /metrics and nothing else',
    async () => {
      const prometheus = await makeToken('metrics:read')
      assert.equal((await s.request('GET /metrics', prometheus)).status, 200)
      for (const path of ['/status', '/users', '/audit']) {
        assert.equal((await s.request(`GET ${path}`, prometheus)).status, 403, path)
      }
      assert.equal((await s.request('GET /metrics', await makeToken('notes:read'))).status, 403)
    },
  )
})
