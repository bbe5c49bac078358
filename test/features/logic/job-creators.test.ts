/** The account that started a job: a reference that the database does not check. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  or,
  password,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { admin, adminPassword, basic, serve } from '../../service.ts'

/** Accounts see only themselves, and have a key. */
const definition = service(
  {
    title: 'Notes',
    accounts: {
      resource: 'users',
      login: 'name',
      password: 'password',
      roles: 'role',
      first: { email: 'admin@example.org' },
    },
    resources: {
      users: resource(
        {
          name: text({ max: 40 }).unique(),
          email: email(),
          password: password(),
          role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
        },
        {
          key: 'name',
          access: { read: or(self, role('admin')), create: anyone, update: self, delete: role('admin') },
        },
      ),
      notes: resource({ title: text() }, { access: { read: anyone, create: signedIn } }),
    },
  },
  { notes: { actions: { check: action({ on: 'collection', by: signedIn, background: true, run() {} }) } } },
)

const ada = basic('ada', adminPassword)
const hal = { accept: 'application/hal+json' }

async function openStarted() {
  const s = await serve(definition)
  await s.request('POST /users', {}, { name: 'ada', email: 'ada@example.org', password: adminPassword })
  const started = await s.request('POST /notes/check', ada)
  assert.equal(started.status, 202, started.text)
  const job = String(started.fields.location)
  return { s, job, started, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

describe('the creator of a job', () => {
  it('starts and reads it where accounts see only themselves', async () => {
    await using o = await openStarted()
    assert.equal(o.started.json.creator, 'ada')
    const item = await o.s.request(`GET ${o.job}`, { ...ada, ...hal })
    assert.deepEqual(item.json._links['rw:creator'], { href: '/users/ada' })
    assert.equal((await o.s.request('GET /jobs', { ...ada, ...hal })).status, 200)
    assert.equal((await o.s.request('GET /jobs/none', ada)).status, 404)
  })

  it('is a reference: shown by its key, filtered and sorted through, embedded, absent after its deletion', async () => {
    await using o = await openStarted()
    const listed = async (query: string) => {
      const { status, json, text } = await o.s.request(`GET /jobs?${query}`, admin)
      assert.equal(status, 200, text)
      return json.map(({ creator }: { readonly creator?: string }) => creator)
    }
    assert.deepEqual(await listed('creator=ada'), ['ada'])
    assert.deepEqual(await listed('creator.email=ada@example.org'), ['ada'])
    assert.deepEqual(await listed('creator.email=bob@example.org'), [])
    assert.deepEqual(await listed('sort=creator.email'), ['ada'])
    const { json } = await o.s.request(`GET ${o.job}?embed=creator`, admin)
    assert.equal(json._embedded.creator.email, 'ada@example.org')
    assert.equal((await o.s.request('DELETE /users/ada', admin)).status, 204)
    assert.deepEqual(await listed(''), [undefined])
  })
})
