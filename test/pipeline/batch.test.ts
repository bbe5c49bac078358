/** POST /batch: several requests in one transaction. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  integer,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const tracker = service(
  {
    title: 'Tracker',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin', 'member']).writableBy(role('admin')),
          nick: text().optional(),
        },
        { access: { read: role('admin'), create: role('admin'), update: role('admin') } },
      ),
      projects: resource({ name: text({ max: 20 }).unique() }, { access }),
      tasks: resource(
        {
          title: text({ max: 20 }),
          number: integer().optional(),
          project: ref('projects', { onDelete: 'cascade', inverse: 'tasks' }),
          blocker: ref('tasks', { onDelete: 'clear' }).optional(),
        },
        { access },
      ),
      labels: resource(
        { name: text({ max: 20 }) },
        { access, bulk: true, put: 'create', conditional: 'required' },
      ),
      diaries: resource(
        { text: text(), author: ref('users').fromPrincipal() },
        { access: { read: owner('author'), create: role('member') } },
      ),
    },
  },
  {
    tasks: {
      before: {
        async create(task, { tasks, set }) {
          const [last] = await tasks.list({ project: task.project, sort: '-number', limit: 1 })
          set({ number: (last?.number ?? 0) + 1 })
        },
      },
      actions: {
        rename: action({
          input: { title: text() },
          by: anyone,
          run: (task, { title }, { tasks }) => tasks.patch(task.id, { title }),
        }),
      },
    },
  },
)

type Entry = Readonly<Record<string, unknown>>

const send = (
  { request }: TestService,
  requests: readonly unknown[],
  fields = {},
  query = '',
): Promise<Reply> => request(`POST /batch${query}`, { ...admin, ...fields }, { requests })

/** The numbers of rows and of changes. */
async function sizeOf({ service }: TestService): Promise<readonly number[]> {
  const { store, model } = service
  const counts = [...model.resources.keys()].map((table) => store.count(table, { kind: 'always' }))
  return [...(await Promise.all(counts)), (await store.readChanges(0, 10_000)).length]
}

async function seed(s: TestService) {
  const project = await s.request('POST /projects', {}, { name: 'Seed' })
  const task = await s.request('POST /tasks', {}, { title: 'seed', project: project.json.id })
  return { project, task, taskUri: String(task.fields.location), projectUri: String(project.fields.location) }
}

test('the requests are performed in order, and a later one gets the id that an earlier one made', async () => {
  await using s = await serve(tracker)
  const { status, json, fields } = await send(s, [
    { id: 'a', method: 'POST', path: '/projects', body: { name: 'One' } },
    { id: 'b', method: 'POST', path: '/tasks', body: { title: 'x' }, bind: { '/project': 'a' } },
    { method: 'POST', path: '/tasks', body: { title: 'y' }, bind: { '/project': 'a', '/blocker': 'b' } },
  ])
  assert.equal(status, 200, JSON.stringify(json))
  assert.equal(fields['cache-control'], 'no-store')
  const [project, first, second] = json.responses
  assert.deepEqual([project.id, first.id, second.id], ['a', 'b', undefined])
  assert.deepEqual([project.status, first.status, second.status], [201, 201, 201])
  assert.equal(first.body.project, project.body.id)
  assert.equal(second.body.blocker, first.body.id)
  assert.deepEqual([first.body.number, second.body.number], [1, 2])
  assert.equal(first.headers.location, `/tasks/${first.body.id}`)
  const read = await s.request(`GET ${second.headers.location}`)
  assert.deepEqual(read.json, second.body)
  assert.equal(read.fields.etag, second.headers.etag)
})

test('every method, an action and an assertion may be part of a batch', async () => {
  await using s = await serve(tracker)
  const { task, taskUri, project, projectUri } = await seed(s)
  const { status, json } = await send(s, [
    { path: taskUri, headers: { 'if-match': task.fields.etag } },
    { method: 'PATCH', path: taskUri, body: { title: 'patched' } },
    {
      method: 'PATCH',
      path: taskUri,
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'test', path: '/title', value: 'patched' }],
    },
    { method: 'PUT', path: taskUri, body: { title: 'put', number: 1, project: project.json.id } },
    { method: 'POST', path: `${taskUri}/rename`, body: { title: 'renamed' } },
    { method: 'POST', path: `${projectUri}/tasks`, body: { title: 'below' } },
    {
      method: 'PUT',
      path: '/labels/01a1e897-1555-798b-9868-9195cc8e0e5f',
      headers: { 'If-None-Match': '*' },
      body: { name: 'l' },
    },
    { method: 'DELETE', path: taskUri },
  ])
  assert.equal(status, 200, JSON.stringify(json))
  const statuses = json.responses.map((one: Entry) => one.status)
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 201, 201, 204])
  assert.equal(json.responses[0].body, undefined)
  assert.equal(json.responses[4].body.title, 'renamed')
  assert.equal(json.responses[5].body.number, 2)
  assert.equal((await s.request(`GET ${taskUri}`)).status, 404)
})

describe('a refused request refuses the batch, with its own problem, and leaves no trace', () => {
  const made: Entry = { method: 'POST', path: '/projects', body: { name: 'Made' } }
  const noId = '01a1e897-1555-798b-9868-9195cc8e0e5f'
  const refusals: readonly (readonly [string, (uris: { task: string; project: string }) => Entry, number])[] =
    [
      ['invalid content', () => ({ method: 'POST', path: '/projects', body: { name: 'x'.repeat(21) } }), 422],
      [
        'a duplicate of a stored item',
        () => ({ method: 'POST', path: '/projects', body: { name: 'Seed' } }),
        409,
      ],
      ['a duplicate of an earlier request', () => made, 409],
      [
        'an absent item',
        () => ({ method: 'DELETE', path: '/tasks/01a1e897-1555-798b-9868-9195cc8e0e5f' }),
        404,
      ],
      ['an unknown path', () => ({ method: 'POST', path: '/nothing', body: {} }), 404],
      ['a method that is not offered', () => ({ method: 'PUT', path: '/projects', body: {} }), 405],
      [
        'a false precondition',
        ({ task }) => ({ method: 'DELETE', path: task, headers: { 'if-match': '"x"' } }),
        412,
      ],
      ['a false assertion', ({ task }) => ({ path: task, headers: { 'if-match': '"x"' } }), 412],
      [
        'a missing precondition',
        () => ({ method: 'PUT', path: '/labels/01a1e897-1555-798b-9868-9195cc8e0e5f', body: { name: 'a' } }),
        428,
      ],
      [
        'a type that is not accepted',
        ({ task }) => ({ method: 'PATCH', path: task, headers: { 'content-type': 'text/csv' }, body: {} }),
        415,
      ],
      ['a right that is missing', () => ({ method: 'POST', path: '/diaries', body: { text: 'a' } }), 403],
      ['an unknown parameter', () => ({ method: 'POST', path: '/projects?x=1', body: { name: 'b' } }), 400],
      ['several items', () => ({ method: 'POST', path: '/labels', body: [{ name: 'a' }] }), 422],
      ['a token', () => ({ method: 'POST', path: '/tokens', body: {} }), 422],
      ['a new secret of a webhook', () => ({ method: 'POST', path: `/webhooks/${noId}/rotate` }), 422],
      ['a webhook', () => ({ method: 'POST', path: '/webhooks', body: {} }), 422],
      [
        'a password',
        () => ({
          method: 'POST',
          path: '/users',
          body: { email: 'b@example.org', password: 'correct horse battery', role: 'member' },
        }),
        422,
      ],
      ['a batch', () => ({ method: 'POST', path: '/batch', body: { requests: [] } }), 422],
      ['an assertion about a collection', () => ({ path: '/projects' }), 422],
      [
        'an id of an earlier request that made nothing',
        ({ task }) => ({
          method: 'POST',
          path: '/tasks',
          body: { title: 'a' },
          bind: { '/project': 'task' },
          task,
        }),
        422,
      ],
    ]
  for (const [title, entryOf, expected] of refusals) {
    it(title, async () => {
      await using s = await serve(tracker)
      const { taskUri, projectUri } = await seed(s)
      const { task, ...entry } = entryOf({ task: taskUri, project: projectUri })
      const first = task ? [{ id: 'task', method: 'PATCH', path: task, body: { title: 'b' } }] : [made]
      const before = await sizeOf(s)
      const { status, json } = await send(s, [...first, entry])
      assert.deepEqual(
        [status, json.type, json.index],
        [422, '/problems/batch-refused', 1],
        JSON.stringify(json),
      )
      assert.equal(json.problem.status, expected, JSON.stringify(json.problem))
      assert.deepEqual(await sizeOf(s), before)
    })
  }
})

describe('a batch that is not well-formed is refused with pointers', () => {
  const faults: readonly (readonly [string, unknown, string])[] = [
    ['no requests', {}, '/requests'],
    ['an empty list', { requests: [] }, '/requests'],
    ['101 requests', { requests: Array(101).fill({ path: '/tasks' }) }, '/requests'],
    ['no array', { requests: { path: '/tasks' } }, '/requests'],
    ['an unknown member', { requests: [{ path: '/a' }], atomic: true }, '/atomic'],
    ['a request that is no object', { requests: [1] }, '/requests/0'],
    ['an unknown member of a request', { requests: [{ path: '/a', url: '/b' }] }, '/requests/0/url'],
    ['a method that only reads', { requests: [{ method: 'GET', path: '/a' }] }, '/requests/0/method'],
    ['no path', { requests: [{ method: 'POST' }] }, '/requests/0/path'],
    ['a path of another origin', { requests: [{ path: 'http://example.org/' }] }, '/requests/0/path'],
    [
      'another header field',
      { requests: [{ path: '/a', headers: { cookie: 'a' } }] },
      '/requests/0/headers/cookie',
    ],
    [
      'a header field that is no text',
      { requests: [{ path: '/a', headers: { 'if-match': 1 } }] },
      '/requests/0/headers/if-match',
    ],
    [
      'two requests with one id',
      {
        requests: [
          { id: 'a', path: '/a' },
          { id: 'a', path: '/a' },
        ],
      },
      '/requests/1/id',
    ],
    [
      'an id of a later request',
      {
        requests: [
          { path: '/a', bind: { '/a': 'b' } },
          { id: 'b', path: '/a' },
        ],
      },
      '/requests/0/bind',
    ],
    [
      'a malformed pointer',
      {
        requests: [
          { id: 'a', path: '/a' },
          { path: '/a', bind: { a: 'a' } },
        ],
      },
      '/requests/1/bind',
    ],
    ['an assertion with a body', { requests: [{ path: '/a', body: {} }] }, '/requests/0/body'],
  ]
  for (const [title, content, pointer] of faults) {
    it(title, async () => {
      await using s = await serve(tracker)
      const { status, json } = await s.request('POST /batch', {}, content as object)
      assert.equal(status, 422, JSON.stringify(json))
      assert.deepEqual(
        json.errors.map((fault: Entry) => fault.pointer),
        [pointer],
      )
    })
  }
})

test('an assertion holds that an item is present, unchanged or absent', async () => {
  await using s = await serve(tracker)
  const { task, taskUri } = await seed(s)
  const absent = '/tasks/01a1e897-1555-798b-9868-9195cc8e0e5f'
  const statusOf = async (path: string, headers: Entry) => {
    const { json } = await send(s, [{ path, headers }])
    return json.problem ? json.problem.status : json.responses[0].status
  }
  assert.equal(await statusOf(taskUri, {}), 200)
  assert.equal(await statusOf(taskUri, { 'if-match': task.fields.etag }), 200)
  assert.equal(await statusOf(taskUri, { 'if-none-match': task.fields.etag }), 412)
  assert.equal(await statusOf(taskUri, { 'if-none-match': '*' }), 412)
  assert.equal(await statusOf(taskUri, { 'if-none-match': '"x"' }), 200)
  assert.equal(await statusOf(absent, {}), 404)
  assert.equal(await statusOf(absent, { 'if-none-match': '*' }), 204)
})

test('a batch has at most 100 requests', async () => {
  await using s = await serve(tracker)
  const { json } = await s.request('POST /projects', {}, { name: 'p' })
  const create = { method: 'POST', path: '/tasks', body: { title: 'a', project: json.id } }
  const hundred = await send(s, Array(100).fill(create))
  assert.equal(hundred.status, 200, hundred.text)
  const numbers = hundred.json.responses.map(({ body }: { body: { number: number } }) => body.number)
  assert.deepEqual(
    numbers,
    Array.from({ length: 100 }, (_, at) => at + 1),
  )
  assert.equal((await send(s, Array(101).fill(create))).status, 422)
})

test('later requests see neither a deleted item nor what is deleted and cleared with it', async () => {
  await using s = await serve(tracker)
  const { project, projectUri, task, taskUri } = await seed(s)
  const other = await s.request('POST /projects', {}, { name: 'Other' })
  const blocked = await s.request(
    'POST /tasks',
    {},
    { title: 'b', project: other.json.id, blocker: task.json.id },
  )
  const gone = await send(s, [
    { method: 'DELETE', path: projectUri },
    { method: 'PATCH', path: taskUri, body: { title: 'c' } },
  ])
  assert.deepEqual([gone.json.index, gone.json.problem.status], [1, 404])
  const cleared = await send(s, [
    { method: 'DELETE', path: projectUri },
    { method: 'POST', path: '/projects', body: { name: project.json.name } },
    { method: 'PATCH', path: String(blocked.fields.location), body: { title: 'd' } },
  ])
  assert.equal(cleared.status, 200, cleared.text)
  assert.equal(cleared.json.responses[2].body.blocker, undefined)
  const { json } = await s.request(`GET ${blocked.fields.location}`)
  assert.deepEqual(json, cleared.json.responses[2].body)
})

test('an Idempotency-Key covers the whole batch', async () => {
  await using s = await serve(tracker)
  const requests = [{ method: 'POST', path: '/projects', body: { name: 'Once' } }]
  const key = { 'idempotency-key': '"batch"' }
  const first = await send(s, requests, key)
  const again = await send(s, requests, key)
  assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text])
  assert.equal((await send(s, [{ ...requests[0], body: { name: 'Twice' } }], key)).status, 422)
  assert.equal((await s.request('GET /projects')).json.length, 1)
})

test('a batch may be a dry run', async () => {
  await using s = await serve(tracker)
  const before = await sizeOf(s)
  const requests = [{ method: 'POST', path: '/projects', body: { name: 'Once' } }]
  const { status, json } = await send(s, requests, {}, '?dry-run=true')
  assert.deepEqual([status, json.responses[0].body.name], [200, 'Once'])
  assert.deepEqual([json.responses[0].status, json.responses[0].headers], [200, {}])
  assert.deepEqual(await sizeOf(s), before)
  const twice = await send(s, [...requests, ...requests], {}, '?dry-run=true')
  assert.deepEqual([twice.status, twice.json.index], [422, 1])
})

test('each request of a batch counts against the rate limit', async () => {
  await using s = await serve(tracker, { rate: 10 })
  const project = (name: string) => ({ method: 'POST', path: '/projects', body: { name } })
  const five = await send(s, ['a', 'b', 'c', 'd', 'e'].map(project))
  assert.equal(five.status, 200, five.text)
  assert.match(String(five.fields.ratelimit), /;r=5;/)
  const many = await send(s, ['f', 'g', 'h', 'i', 'j', 'k', 'l'].map(project))
  assert.equal(many.status, 429, many.text)
  assert.equal(await s.service.store.count('projects', { kind: 'always' }), 5)
})

test('batches at once that number tasks leave no gap', async () => {
  await using s = await serve(tracker)
  const { json } = await s.request('POST /projects', {}, { name: 'p' })
  const create = { method: 'POST', path: '/tasks', body: { title: 'a', project: json.id } }
  const replies = await Promise.all(Array.from({ length: 12 }, () => send(s, [create, create])))
  for (const reply of replies) assert.equal(reply.status, 200, reply.text)
  const { json: tasks } = await s.request('GET /tasks?sort=number&limit=100')
  const numbers = tasks.map(({ number }: { number: number }) => number)
  assert.deepEqual(
    numbers,
    Array.from({ length: 24 }, (_, at) => at + 1),
  )
})

test('GET says how to send a batch, and OPTIONS what it takes', async () => {
  await using s = await serve(tracker)
  const { status, json } = await s.request('GET /batch')
  assert.deepEqual([status, json.maxRequests], [200, 100])
  const options = await s.request('OPTIONS /batch')
  assert.deepEqual(
    [options.fields.allow, options.fields['accept-post']],
    ['GET, HEAD, OPTIONS, POST', 'application/json'],
  )
  const csv = await s.request('POST /batch', { 'content-type': 'text/csv' }, 'a')
  assert.equal(csv.status, 415)
  assert.equal((await s.request('GET /batch', { accept: 'text/html' })).status, 200)
})
