/** The option `paths`: built-in collections and documents at other paths, so that collections can have theirs. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  list,
  password,
  resource,
  role,
  service,
  signedIn,
  text,
} from 'restwell'
import { clientScript } from '../../src/describe/client-source.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { migrate } from '../../src/store/schema/run-migration.ts'
import { lastingDatabase } from '../database.ts'
import { admin, serve } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const users = resource(
  {
    email: email().unique(),
    password: password(),
    roles: list(choice(['admin', 'clerk']))
      .default([])
      .readOnly(),
  },
  { access: { read: signedIn } },
)

const definition = service(
  {
    title: 'Employment',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
    paths: {
      jobs: 'runs',
      events: 'changes',
      webhooks: 'hooks',
      audit: 'trail',
      batch: 'bundle',
      relations: 'terms',
    },
    resources: {
      users,
      // Named like what was moved.
      jobs: resource({ title: text() }, { access }),
      events: resource({ title: text() }, { access }),
    },
  },
  {
    jobs: {
      actions: {
        collect: action({ on: 'collection', background: true, by: role('admin'), run: () => undefined }),
      },
    },
  },
)

test('each is at its own path, and a collection can have its former one', async () => {
  await using s = await serve(definition)
  const made = await s.request('POST /jobs', {}, { title: 'Baker' })
  assert.equal(made.status, 201)
  assert.match(String(made.fields.location), /^\/jobs\//)
  const started = await s.request('POST /jobs/collect', admin)
  assert.equal(started.status, 202)
  assert.match(String(started.fields.location), /^\/runs\//)
  assert.equal((await s.request(`GET ${started.fields.location}`, admin)).status, 200)
  assert.equal((await s.request('GET /events')).json.length, 0)
  const changes = await s.request('GET /changes')
  assert.equal(changes.json[0].href, made.fields.location)
  assert.equal((await s.request('GET /trail', admin)).status, 200)
  assert.equal((await s.request('GET /hooks', admin)).status, 200)
  assert.equal((await s.request('GET /terms/jobs')).status, 200)
  const requests = [{ method: 'POST', path: '/events', body: { title: 'Fair' } }]
  assert.equal((await s.request('POST /bundle', {}, { requests })).status, 200)
  for (const former of ['/audit', '/webhooks', '/relations', '/batch']) {
    assert.equal((await s.request(`GET ${former}`, admin)).status, 404, former)
  }
})

test('links, descriptions and the client name the moved paths', async () => {
  await using s = await serve(definition)
  const { _links } = (await s.request('GET /', { ...admin, accept: 'application/hal+json' })).json
  assert.deepEqual(
    ['rw:runs', 'rw:events', 'rw:audit', 'rw:batch', 'rw:hooks'].map((name) => [_links[name]].flat()[0].href),
    ['/runs', '/events', '/trail', '/bundle', '/hooks'],
  )
  assert.equal(_links.curies[0].href.endsWith('/terms/{rel}'), true)
  const { paths } = (await s.request('GET /openapi.json', admin)).json
  for (const path of ['/runs', '/runs/{id}/cancel', '/changes', '/trail', '/bundle', '/jobs', '/events']) {
    assert.ok(path in paths, path)
  }
  assert.ok(!('/audit' in paths) && !('/batch' in paths))
  const { text: script } = await s.request('GET /client.js')
  assert.equal(script, clientScript(s.service.model))
  assert.match(script, /^export const client = .*"batch":"bundle","jobs":"runs","webhooks":"hooks"/m)
  const { text: types } = await s.request('GET /client.d.ts', admin)
  assert.match(types, /^ {2}runs: \{/m)
  assert.match(types, /Service\['runs'\]\['row'\]/)
})

test('a collection that is moved later keeps its items', async (t) => {
  const database = await lastingDatabase(t)
  const declared = {
    title: 'Notes',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
    resources: { users, notes: resource({ title: text() }, { access }) },
  } as const
  let id = ''
  {
    await using s = await serve(service(declared), { database })
    const body = { url: 'https://hooks.example/', events: ['notes.*'] }
    id = (await s.request('POST /webhooks', admin, body)).json.id
  }
  const moved = service({ ...declared, paths: { webhooks: 'hooks' } })
  await assert.rejects(serve(moved, { database }), /rename table webhooks to hooks/)
  await migrate(database, schemaOf(checkDefinition(moved)), 'safe')
  await using s = await serve(moved, { database })
  assert.equal((await s.request(`GET /hooks/${id}`, admin)).json.url, 'https://hooks.example/')
  assert.equal((await s.request(`GET /webhooks/${id}`, admin)).status, 404)
})

describe('a scope', () => {
  test('of a moved collection has its name', async () => {
    await using s = await serve(definition)
    const token = await s.request('POST /tokens', admin, { scopes: ['runs:read', 'hooks:read'] })
    assert.equal(token.status, 201, token.text)
    const fields = { authorization: `Bearer ${token.json.token}` }
    assert.equal((await s.request('GET /runs', fields)).status, 200)
    assert.equal((await s.request('GET /hooks', fields)).status, 200)
  })
})
