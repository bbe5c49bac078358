/** An older version is exactly what its declaration says: its members, their defaults and their faults. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  email,
  integer,
  list,
  nobody,
  password,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { admin, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const users = resource(
  { email: email().unique(), password: password(), role: choice(['admin']).writableBy(nobody).optional() },
  { access: { read: signedIn } },
)
const tasks = resource(
  {
    title: text(),
    status: choice(['open', 'doing', 'done']),
    labels: list(text()).default([]),
    priority: integer().default(3),
    internal: text().optional().visibleTo(role('admin')),
  },
  { access },
)

/** What `up` got, newest last. */
const received: Readonly<Record<string, unknown>>[] = []

const definition = service({
  title: 'Tasks',
  name: 'tasks',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  versions: {
    v1: {
      tasks: {
        fields: { done: boolean().default(false), labels: text({ max: 20 }), note: text().optional() },
        without: ['status', 'priority'],
        renamed: { name: 'title' },
        // A member that nobody declared is not shown, also where only some items have it.
        down: ({ title, status, labels }) => ({
          done: status === 'done',
          labels: labels.join(),
          ...(title === 'Odd' && { odd: true }),
        }),
        up(task: { done?: boolean; labels?: string }) {
          received.push(task)
          return { status: task.done ? 'done' : 'open', labels: task.labels?.split(',') }
        },
      },
    },
    v2: { tasks: { without: ['priority'] } },
  },
  resources: { users, tasks },
})

describe('the declared shape of a version', () => {
  let s: TestService
  before(async () => {
    s = await serve(definition)
  })
  after(() => s[Symbol.asyncDispose]())

  const create = (title = 'Paint') =>
    s.request('POST /tasks', admin, {
      title,
      status: 'doing',
      labels: ['a', 'b'],
      priority: 1,
      internal: 'x',
    })
  const now = async (uri: string) => (await s.request(`GET ${uri.split('?')[0]}`, admin)).json

  it('adds what code gives to the members of both shapes', async () => {
    const { json } = await create('Odd')
    const { createdAt, updatedAt, ...old } = (await s.request(`GET /tasks/${json.id}?api-version=v1`)).json
    assert.deepEqual(old, { id: json.id, done: false, labels: 'a,b', name: 'Odd' })
    assert.deepEqual([createdAt, typeof updatedAt], [json.createdAt, 'string'])
    const page = await s.request('GET /tasks?api-version=v1&fields=name,labels')
    assert.deepEqual(page.json, [{ id: json.id, labels: 'a,b', name: 'Odd' }])
    await s.request(`DELETE /tasks/${json.id}`)
  })

  it('gives code the defaults, and content that it has checked', async () => {
    const made = await s.request('POST /tasks?api-version=v1', {}, { name: 'New', labels: 'x,y' })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(received.at(-1), { done: false, name: 'New', labels: 'x,y' })
    const { title, status, labels } = await now(made.fields.location ?? '')
    assert.deepEqual([title, status, labels], ['New', 'open', ['x', 'y']])
    const count = received.length
    const sent = { labels: 5, done: null, status: 'open', priority: 1, nothing: 1 }
    const refused = await s.request('POST /tasks?api-version=v1', {}, sent)
    assert.deepEqual(
      refused.json.errors.map(({ pointer, rule }: Record<string, string>) => [pointer, rule]),
      [
        ['/status', 'additionalProperties'],
        ['/priority', 'additionalProperties'],
        ['/nothing', 'additionalProperties'],
        ['/done', 'type'],
        ['/labels', 'type'],
      ],
    )
    const missing = await s.request('POST /tasks?api-version=v1', {}, { name: 'New' })
    assert.deepEqual(missing.json.errors, [
      { pointer: '/labels', rule: 'required', detail: 'This field is required.' },
    ])
    assert.equal(received.length, count, 'up never gets content with faults')
  })

  it('PATCH removes a member to its default, and refuses to remove a required one', async () => {
    const { fields } = await create()
    const uri = `${fields.location}?api-version=v1`
    await s.request(`PATCH ${uri}`, admin, { done: true })
    assert.equal((await s.request(`PATCH ${uri}`, admin, { done: null })).json.done, false)
    const { status, json } = await s.request(`PATCH ${uri}`, admin, { labels: null })
    assert.deepEqual([status, json.errors?.[0].pointer], [422, '/labels'])
    const kept = await now(fields.location ?? '')
    assert.deepEqual([kept.status, kept.labels, kept.priority], ['open', ['a', 'b'], 1])
  })

  it('a value that a PATCH leaves alone is not checked again', async () => {
    const labels = ['a label of many characters', 'another']
    const made = await s.request('POST /tasks', admin, { title: 'Long', status: 'open', labels })
    const uri = `${made.fields.location}?api-version=v1`
    const patched = await s.request(`PATCH ${uri}`, admin, { name: 'Renamed' })
    assert.deepEqual([patched.status, patched.json.labels], [200, labels.join()])
    const refused = await s.request(`PATCH ${uri}`, admin, { labels: 'also a label of many characters' })
    assert.equal(refused.status, 422)
  })

  it('an unknown member never brings up the name of a hidden field', async () => {
    const detail = async (name: string) => {
      const { json } = await s.request('POST /tasks?api-version=v1', {}, { labels: 'a', [name]: 1 })
      return json.errors[0].detail
    }
    assert.equal(await detail('internall'), 'There is no such field.')
    assert.match(await detail('nam'), /Did you mean 'name'\?/)
  })

  it('a field can only be missing, without code: writes keep it', async () => {
    const { json, fields } = await create()
    const old = await s.request(`GET /tasks/${json.id}?api-version=v2`)
    assert.equal(old.json.priority, undefined)
    assert.equal(old.json.title, 'Paint')
    const { id, createdAt, updatedAt, ...members } = old.json
    const put = await s.request(`PUT /tasks/${json.id}?api-version=v2`, admin, { ...members, title: 'Put' })
    assert.equal(put.status, 200, put.text)
    assert.equal((await now(fields.location ?? '')).priority, 1)
    const refused = await s.request('POST /tasks?api-version=v2', {}, { ...members, priority: 2 })
    assert.equal(refused.json.errors[0].pointer, '/priority')
    assert.equal((await s.request('GET /tasks?api-version=v2&priority=1')).status, 400)
    assert.equal((await s.request('GET /tasks?api-version=v2&fields=priority')).status, 400)
    const { properties } = (await s.request('GET /schemas/tasks?api-version=v2')).json
    assert.deepEqual([properties.priority, properties.title?.type], [undefined, 'string'])
  })

  it('its schema and its queries have exactly the declared members', async () => {
    const { properties, required } = (await s.request('GET /schemas/tasks.create?api-version=v1')).json
    assert.deepEqual(Object.keys(properties).toSorted(), ['done', 'internal', 'labels', 'name', 'note'])
    assert.deepEqual(required.toSorted(), ['labels', 'name'])
    assert.equal(properties.labels.maxLength, 20)
    for (const name of ['status', 'title', 'done', 'labels', 'note', 'priority']) {
      assert.equal((await s.request(`GET /tasks?api-version=v1&${name}=x`)).status, 400, name)
    }
  })
})
