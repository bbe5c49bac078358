/** POST /batch: several requests in one transaction. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../service.ts'
import { type Entry, seed, send, sizeOf, tracker } from './batch-tracker.ts'

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

test('with Prefer: return=minimal the responses have no bodies, and still the ids that were made (RFC 7240 §4.2)', async () => {
  await using s = await serve(tracker)
  const requests = [
    { id: 'a', method: 'POST', path: '/projects', body: { name: 'One' } },
    { method: 'POST', path: '/tasks', body: { title: 'x' }, bind: { '/project': 'a' } },
  ]
  const minimal = { prefer: 'return=minimal', 'idempotency-key': '"a"' }
  const { status, json, fields } = await s.request('POST /batch', minimal, { requests })
  assert.deepEqual([status, fields['preference-applied']], [200, 'return=minimal'])
  assert.deepEqual(Object.keys(json.responses[0]), ['id', 'status', 'headers'])
  const read = await s.request(`GET ${json.responses[1].headers.location}`)
  assert.equal(read.fields.etag, json.responses[1].headers.etag)
  const again = await s.request('POST /batch', minimal, { requests })
  assert.deepEqual(again.json, json)
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
  assert.deepEqual([twice.status, twice.json.index], [409, 1])
})

test('a dry run within a batch sees the changes before it, and adds none', async () => {
  await using s = await serve(tracker)
  const create = (name: string, query = '') => ({
    method: 'POST',
    path: `/projects${query}`,
    body: { name },
  })
  const { status, json } = await send(s, [create('One'), create('Two', '?dry-run=true'), create('Two')])
  assert.equal(status, 200, JSON.stringify(json))
  assert.deepEqual(
    json.responses.map((one: Entry) => one.status),
    [201, 200, 201],
  )
  const before = await sizeOf(s)
  const refused = await send(s, [create('Three'), create('Three', '?dry-run=true')])
  assert.deepEqual([refused.status, refused.json.index, refused.json.problem.status], [409, 1, 409])
  assert.deepEqual(await sizeOf(s), before)
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
