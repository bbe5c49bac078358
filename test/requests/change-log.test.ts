/** The change log of a service: who changed what, without secrets, pruned in the background. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  password,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
} from 'restwell'
import { createSecretToken } from '../../src/access/secret-token.ts'
import { isUnused } from '../../src/service/first-start.ts'
import { pruneLog } from '../../src/service/log-pruning.ts'
import type { ChangeLogEntry } from '../../src/store/change-log.ts'
import { definitionOf, issuer, jwksServer, jwt } from '../access/jwt-issuer.ts'
import { account, bearer } from '../access/sample.ts'
import { lastingDatabase, readRows } from '../database.ts'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  log: '7 days',
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password({ min: 8 }),
        pin: text().writeOnly().optional(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: anyone, update: self, delete: role('admin') } },
    ),
    notes: resource(
      {
        title: text(),
        status: state({
          initial: 'draft',
          transitions: { publish: { from: 'draft', to: 'published' } },
        }),
      },
      { access: open, bulk: true },
    ),
  },
})

async function entries({ service }: TestService, table?: string): Promise<readonly ChangeLogEntry[]> {
  const all = await service.store.readChanges(0, 1000)
  return table === undefined ? all : all.filter((entry) => entry.table === table)
}

const idOf = ({ fields }: Reply) => String(fields.location).split('/').at(-1)

describe('an entry of the change log', () => {
  test('names the account, the token and the request that made the change', async () => {
    await using s = await serve(definition)
    const ada = basic('ada@example.org', 'long enough')
    const created = await s.request('POST /users', {}, { email: 'ada@example.org', password: 'long enough' })
    const token = await s.request('POST /tokens', ada, {})
    const note = await s.request('POST /notes', bearer(token.json.token), { title: 'A' })
    const id = idOf(created)
    const [first, second] = await entries(s, 'users')
    assert.deepEqual([first?.actor, first?.request], [{ name: 'first start' }, undefined])
    assert.deepEqual([second?.actor, second?.request], [{}, created.fields['request-id']])
    const [made, used] = await entries(s, 'tokens')
    assert.deepEqual(made?.actor, { account: id })
    assert.deepEqual(used?.actor, { account: id, token: token.json.id })
    const [entry] = await entries(s, 'notes')
    assert.deepEqual(entry?.actor, { account: id, token: token.json.id })
    assert.equal(entry?.request, note.fields['request-id'])
  })

  test('names the issuer and the subject of a JWT', async () => {
    await using jwks = await jwksServer()
    await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
    const ada = await account(s.request, 'ada')
    const claims = { email: ada.login, email_verified: true, sub: 'ada at the issuer' }
    await s.request('POST /articles', bearer(await jwt({ claims })), { title: 'x' })
    const actor = { account: ada.id, issuer, subject: 'ada at the issuer' }
    assert.deepEqual((await entries(s, 'articles')).at(-1)?.actor, actor)
    const [binding] = await entries(s, 'account_credentials')
    assert.deepEqual(binding?.actor, actor)
  })

  test('names the transition, and only where a state changes', async () => {
    await using s = await serve(definition)
    const { fields } = await s.request('POST /notes', {}, { title: 'A' })
    const uri = String(fields.location)
    await s.request(`PATCH ${uri}`, {}, { status: 'published', title: 'B' })
    await s.request(`PATCH ${uri}`, {}, { title: 'C' })
    await s.request(`DELETE ${uri}`)
    assert.deepEqual(
      (await entries(s, 'notes')).map(({ kind, action }) => [kind, action]),
      [
        ['created', undefined],
        ['updated', 'publish'],
        ['updated', undefined],
        ['deleted', undefined],
      ],
    )
  })

  test('has the values of every item of a bulk creation', async () => {
    await using s = await serve(definition)
    await s.request('POST /notes', {}, [{ title: 'A' }, { title: 'B' }])
    const logged = await entries(s, 'notes')
    assert.deepEqual(
      logged.map(({ after }) => after?.[4]),
      ['A', 'B'],
    )
    assert.equal(new Set(logged.map(({ request }) => request)).size, 1)
  })

  test('does not exist for a request that was refused', async () => {
    await using s = await serve(definition)
    await s.request('POST /users', {}, { email: 'ada@example.org', password: 'long enough' })
    // Failed sign-ins are recorded for the audit.
    const changes = async () => (await entries(s)).filter(({ kind }) => kind !== 'event')
    const before = (await changes()).length
    const refused = [
      await s.request('POST /users', {}, { email: 'ada@example.org', password: 'long enough' }),
      await s.request('POST /notes', {}, { title: 1 }),
      await s.request('GET /users', basic('ada@example.org', 'wrong password')),
      await s.request('GET /users', basic('nobody@example.org', 'wrong password')),
      await s.request('GET /users', bearer(createSecretToken())),
      await s.request('POST /users', {}, { email: 'x@example.org', password: 'long enough', role: 'admin' }),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [409, 422, 401, 401, 401, 422],
    )
    assert.equal((await changes()).length, before)
  })
})

test('no password, hash, write-only value or token is in the log', async (t) => {
  const database = await lastingDatabase(t)
  await using s = await serve(definition, { database })
  const secrets = ['the first password', 'the second password', 'the pin']
  const [first = '', second = '', pin = ''] = secrets
  const user = { email: 'ada@example.org', password: first, pin }
  const created = await s.request('POST /users', {}, user)
  const token = await s.request('POST /tokens', basic(user.email, first), {})
  const uri = `/users/${idOf(created)}`
  await s.request(`PATCH ${uri}`, basic(user.email, first), { password: second, currentPassword: first })
  await s.request(`DELETE ${uri}`, admin)
  const hashes = (await readRows(database, 'select "password" from "users"')).flat()
  const logged = JSON.stringify(await readRows(database, 'select * from "_changes"'))
  assert.ok(logged.includes('ada@example.org'))
  for (const secret of [...secrets, token.json.token, ...hashes, '$argon', 'passwordMark', '"token"']) {
    assert.ok(!logged.includes(JSON.stringify(String(secret)).slice(1, -1)), String(secret))
  }
})

describe('the extent of the log', () => {
  test('is on /status in JSON and HTML, and in the metrics', async () => {
    await using s = await serve(definition)
    await s.request('POST /notes', {}, { title: 'A' })
    const [oldest, newest] = await entries(s)
    const { json } = await s.request('GET /status', admin)
    const span = { oldest: oldest?.at, newest: newest?.at }
    assert.deepEqual(json.log, { entries: 2, ...span, retention: 7 * 86_400 })
    const page = await s.request('GET /status', { ...admin, accept: 'text/html' })
    assert.match(
      page.text,
      /<dt>Change log<\/dt><dd>2 entries since <time[^>]*>[^<]*<\/time>, kept for 7 d<\/dd>/,
    )
    const metrics = await s.request('GET /metrics', admin)
    assert.match(metrics.text, /^restwell_change_log_entries 2$/m)
    const seconds = Date.parse(oldest?.at ?? '') / 1000
    assert.match(metrics.text, new RegExp(`^restwell_change_log_oldest_timestamp_seconds ${seconds}$`, 'm'))
  })

  test('shrinks by the entries that are older than the retention', async () => {
    await using s = await serve(definition)
    await s.request(
      'POST /notes',
      {},
      Array.from({ length: 250 }, (_, n) => ({ title: `${n}` })),
    )
    const { store, model } = s.service
    const prune = (days: number) => {
      const clock = { now: () => Date.now() + days * 86_400_000 }
      return pruneLog({ store, clock, retention: model.logRetention }, new AbortController().signal)
    }
    await prune(6)
    assert.equal((await store.logExtent()).entries, 251)
    await prune(8)
    assert.equal((await store.logExtent()).entries, 0)
    assert.equal((await s.request('GET /notes?limit=1')).status, 200)
    assert.equal(await isUnused(store), false, 'samples are not inserted again')
  })
})
