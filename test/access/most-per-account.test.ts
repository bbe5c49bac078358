/** An account has a limited number of items in built-in tables, so that it can be deleted together with them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceModel, Stored } from '../../src/definition/model.ts'
import { choice, email, password, resource, role, self, service } from '../../src/index.ts'
import { always } from '../../src/store/condition.ts'
import { admin, adminPassword, serve, type TestService } from '../service.ts'

const definition = service({
  title: 'Users',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  mail: { from: 'users@example.org' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
      },
      { access: { read: role('admin'), create: role('admin'), update: self, delete: self } },
    ),
  },
})

test('an account has at most 100 webhooks: the next one is 403', async () => {
  await using s = await serve(definition)
  const owner = await adminOf(s)
  await insert(s, 'webhooks', 99, { owner, url: 'https://a.example', events: '[]', active: 1 })
  const create = () => s.request('POST /webhooks', admin, { url: 'https://a.example', events: ['users.*'] })
  assert.equal((await create()).status, 201)
  assertFull(await create(), '100 webhooks')
})

test('an account has at most 500 open invitations: the next one is 403', async () => {
  await using s = await serve(definition)
  const invitedBy = await adminOf(s)
  await insert(s, 'invitations', 499, { invitedBy, email: 'a@example.org', role: 'user' })
  const invite = (name: string) => s.request('POST /invitations', admin, { email: `${name}@example.org` })
  const first = await invite('ada')
  assert.equal(first.status, 201, first.text)
  assertFull(await invite('bob'), '500 open invitations')
})

test('an account has at most 20 credentials: one that is replaced does not count', async () => {
  await using s = await serve(definition)
  const account = await adminOf(s)
  const provider = { account, kind: 'provider', confirmedAt: '2026-11-19T12:00:00.000Z' }
  await insert(s, 'account_credentials', 19, provider)
  const register = () => {
    const content = { kind: 'totp', currentPassword: adminPassword }
    return s.request(`POST /users/${account}/credentials`, admin, content)
  }
  assert.equal((await register()).status, 201)
  assert.equal((await register()).status, 201)
  await insert(s, 'account_credentials', 1, provider)
  assertFull(await register(), '20 credentials')
})

function assertFull({ status, json }: Awaited<ReturnType<TestService['request']>>, items: string): void {
  assert.equal(status, 403)
  assert.equal(json.detail, `An account has at most ${items}. Delete some of them first.`)
}

/** The identity of the administrator. */
async function adminOf({ request }: TestService): Promise<string> {
  return (await request('GET /users', admin)).json[0].id
}

let inserted = 0

/** Inserts rows with the values. */
async function insert(s: TestService, name: string, count: number, given: Readonly<Record<string, Stored>>) {
  const { model, store } = s.service
  const table: ResourceModel | undefined = model.resources.get(name) ?? model.ownTables.get(name)
  assert.ok(table)
  const at = new Date().toISOString()
  const writes = Array.from({ length: count }, () => {
    inserted += 1
    const fields = table.fields.map((field) => given[field.name] ?? null)
    const values = [`row-${inserted}`, 1, at, at, ...fields]
    return { kind: 'insert', table: name, values, conditionAfter: always } as const
  })
  assert.equal((await store.write(writes)).kind, 'done')
}
