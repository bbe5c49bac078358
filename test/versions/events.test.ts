/** Events and webhooks in an older version of the interface. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  password,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { startReceiver } from '../features/webhooks/receiver.ts'
import { follow } from '../requests/events/event-reader.ts'
import { admin, serve } from '../service.ts'
import { present } from './tracker.ts'

const task = { title: 'Paint', deadline: '2027-03-01', firstName: 'Ada', lastName: 'King' }

test('a stream and the feed show items in the version, and no change that it cannot show', async () => {
  await using s = await serve(present)
  await using stream = await follow(s.port, '/tasks?api-version=v1&due%5Bgte%5D=2027-01-01')
  assert.equal(stream.status, 200)
  await using chosen = await follow(s.port, '/tasks?api-version=v1&fields=assignee')
  const made = await s.request('POST /tasks', {}, task)
  const uri = String(made.fields.location)
  await s.request(`PATCH ${uri}`, {}, { estimate: 5 })
  await s.request(`PATCH ${uri}`, {}, { progress: 'done' })
  await s.request(`DELETE ${uri}`)
  const [created, updated, deleted] = await stream.take(3)
  assert.deepEqual([created?.event, updated?.event, deleted?.event], ['created', 'updated', 'deleted'])
  const { createdAt: _, updatedAt: __, ...item } = created?.data.item ?? {}
  assert.deepEqual(item, {
    id: made.json.id,
    title: 'Paint',
    due: '2027-03-01',
    assignee: 'Ada King',
    done: false,
    x: 0,
    y: 0,
    archived: false,
  })
  assert.equal(updated?.data.item.done, true)
  const [first] = await chosen.take(1)
  assert.deepEqual(first?.data.item, { id: made.json.id, assignee: 'Ada King' })
  await s.request('POST /tasks', {}, task)
  const feed = await s.request('GET /events?api-version=v1')
  assert.equal(feed.json.at(-1).item.assignee, 'Ada King')
  const now = await s.request('GET /events')
  assert.equal(now.json.at(-1).item.firstName, 'Ada')
})

test('a webhook keeps the version that it was created with', async () => {
  await using receiver = await startReceiver()
  await using other = await startReceiver()
  await using s = await serve(present)
  const create = (line: string, url: string) => s.request(line, admin, { url, events: ['tasks.*'] })
  const old = await create('POST /webhooks?api-version=v1', receiver.url)
  assert.equal(old.status, 201, old.text)
  assert.equal(old.json.apiVersion, 'v1')
  assert.match(old.json.secret, /^whsec_/)
  const now = await create('POST /webhooks', other.url)
  assert.equal(now.json.apiVersion, undefined)
  await s.request(`PATCH /webhooks/${old.json.id}`, admin, {
    active: true,
    events: ['tasks.created', 'tasks.updated'],
  })
  const changed = await s.request(`PATCH /webhooks/${old.json.id}`, admin, { apiVersion: 'v2' })
  assert.equal(changed.status, 422)
  const made = await s.request('POST /tasks', {}, task)
  await s.request(`PATCH ${made.fields.location}`, {}, { estimate: 5 })
  await s.request(`PATCH ${made.fields.location}`, {}, { firstName: 'Ben' })
  await receiver.reached(2)
  await other.reached(3)
  const shown = receiver.received.map(({ json }) => json.data.item.assignee)
  assert.deepEqual(shown, ['Ada King', 'Ben King'], 'v1 cannot show the estimate')
  assert.deepEqual(
    other.received.map(({ json }) => [json.data.item.firstName, json.data.item.estimate]),
    [
      ['Ada', undefined],
      ['Ada', 5],
      ['Ben', 5],
    ],
  )
})

test('code that fails for one item fails its delivery, is logged, and stops no other webhook', async () => {
  await using receiver = await startReceiver()
  await using other = await startReceiver()
  const down = (item: { title: string }) => {
    if (item.title === 'Unconvertible') throw new Error('no')
    return item
  }
  const users = resource(
    { email: email().unique(), password: password(), role: choice(['admin']).optional().writableBy(nobody) },
    { access: { read: signedIn } },
  )
  const access = { read: anyone, create: anyone }
  await using s = await serve(
    service({
      title: 'Notes',
      name: 'notes',
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      webhooks: { by: role('admin'), networks: ['127.0.0.0/8'] },
      versions: { v1: { notes: { fields: { title: text() }, down, up: (item) => item } } },
      resources: { users, notes: resource({ title: text() }, { access }) },
    }),
  )
  const create = (line: string, url: string) => s.request(line, admin, { url, events: ['notes.*'] })
  await create('POST /webhooks?api-version=v1', receiver.url)
  await create('POST /webhooks', other.url)
  for (const title of ['Unconvertible', 'Paint']) await s.request('POST /notes', {}, { title })
  await other.reached(2)
  await receiver.reached(1)
  assert.deepEqual(
    receiver.received.map(({ json }) => json.data.item.title),
    ['Paint'],
  )
  const logged = s.observations.filter((one) => one.kind === 'logic-failed')
  assert.deepEqual(
    logged.map((one) => 'hook' in one && one.hook),
    ['versions.v1.notes.down'],
  )
})
