/** POST to a sub-collection: what it creates and what it refuses. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../service.ts'
import { member, serveProjects, titles } from './projects.ts'

test('a sub-collection of a read-only reference has no POST', async () => {
  await using running = await serveProjects()
  const { request, member: account } = running
  const { status, fields } = await request(`POST /users/${account.id}/reviews`, member, { title: 'x' })
  assert.deepEqual([status, fields.allow], [405, 'GET, HEAD, QUERY, OPTIONS'])
  const options = await request(`OPTIONS /users/${account.id}/reviews`)
  assert.equal(options.fields['accept-post'], undefined)
})

test('§9.3.3: POST creates an item that refers to the parent, at the one URI of the item', async () => {
  await using running = await serveProjects()
  const { request } = running
  const { status, fields, json } = await request('POST /projects/alpha/tasks', member, { title: 'new' })
  assert.deepEqual([status, json.project], [201, 'alpha'])
  assert.deepEqual([fields.location, fields['content-location']], [`/tasks/${json.id}`, `/tasks/${json.id}`])
  const item = await request(`GET /tasks/${json.id}`, member)
  assert.equal(item.fields.etag, fields.etag)
  assert.equal(
    (await request('POST /projects/alpha/tasks', member, { title: 'x', project: 'alpha' })).status,
    201,
  )
})

test('another value of the reference is 422 at its pointer, beside all other faults', async () => {
  await using running = await serveProjects()
  const { request } = running
  for (const project of ['beta', 'gamma', 'absent', null, 7]) {
    const { status, json } = await request('POST /projects/alpha/tasks', member, { project, rank: 'x' })
    assert.equal(status, 422)
    const faults = json.errors.map(({ pointer, rule }: Record<string, string>) => `${pointer} ${rule}`)
    assert.deepEqual(faults.sort(), ['/project const', '/rank type', '/title required'])
  }
  assert.deepEqual((await request('GET /tasks')).json, [])
})

test('POST accepts XML, a form, an array, CSV and NDJSON', async () => {
  await using running = await serveProjects()
  const { request } = running
  const send = (type: string, body: string) =>
    request(
      'POST /projects/alpha/tasks',
      { ...member, 'content-type': type, accept: 'application/json' },
      body,
    )
  const form = 'application/x-www-form-urlencoded'
  assert.equal((await send('application/xml', '<tasks><title>xml</title></tasks>')).status, 201)
  assert.equal((await send(form, 'title=form&rank=')).status, 201)
  assert.equal(
    (await send('application/json', '[{"title":"json"},{"title":"more","project":"alpha"}]')).status,
    201,
  )
  assert.equal((await send('text/csv', 'title,rank\r\ncsv,2\r\n')).status, 201)
  assert.equal((await send('application/x-ndjson', '{"title":"ndjson"}\n')).status, 201)
  assert.equal((await send('text/plain', 'x')).status, 415)
  const listed = (await request('GET /projects/alpha/tasks')).json
  assert.deepEqual(titles(listed).sort(), ['csv', 'form', 'json', 'more', 'ndjson', 'xml'])
  const refused = await send('application/json', '[{"title":"a"},{"title":"b","project":"beta"}]')
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/1/project'])
  assert.equal((await request('GET /projects/alpha/tasks')).json.length, 6)
})

test('a caller creates under its own account only where the reference is set from the caller', async () => {
  await using running = await serveProjects()
  const { request, member: account } = running
  const body = { title: 'mine', project: 'alpha' }
  const own = await request(`POST /users/${account.id}/tasks`, member, body)
  assert.deepEqual([own.status, own.json.author], [201, account.id])
  const other = await request(`POST /users/${account.id}/tasks`, admin, body)
  assert.equal(other.status, 403)
  assert.equal((await request(`POST /users/${account.id}/tasks`, {}, body)).status, 401)
  const listed = await request(`GET /users/${account.id}/tasks`, member)
  assert.deepEqual(titles(listed.json), ['mine'])
})

test('Idempotency-Key: the same request creates once, under another parent it is another request', async () => {
  await using running = await serveProjects()
  const { request } = running
  const fields = { ...member, 'idempotency-key': '"k1"' }
  const first = await request('POST /projects/alpha/tasks', fields, { title: 'once' })
  const again = await request('POST /projects/alpha/tasks', fields, { title: 'once' })
  const other = await request('POST /projects/beta/tasks', fields, { title: 'once' })
  assert.deepEqual([first.status, again.status, other.status], [201, 201, 201])
  assert.equal(again.fields.location, first.fields.location)
  assert.notEqual(other.fields.location, first.fields.location)
  assert.equal((await request('GET /projects/alpha/tasks')).json.length, 1)
})

test('§13.1.1: the preconditions of a POST are evaluated on the sub-collection', async () => {
  await using running = await serveProjects()
  const { request } = running
  const tag = String((await request('GET /projects/alpha/tasks', member)).fields.etag)
  const post = () => request('POST /projects/alpha/tasks', { ...member, 'if-match': tag }, { title: 'x' })
  assert.deepEqual([(await post()).status, (await post()).status], [201, 412])
})

test('a parent that is deleted while an item is created makes the POST 404, not 422', async () => {
  await using running = await serveProjects()
  const { request } = running
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => request('POST /projects/beta/tasks', member, { title: `t${n}` })),
    request('DELETE /projects/beta', admin),
  ])
  const statuses = new Set(replies.slice(0, 10).map(({ status }) => status))
  assert.ok(
    [...statuses].every((status) => [201, 404, 410].includes(status)),
    [...statuses].join(),
  )
  assert.equal((await request('GET /projects/beta/tasks', member)).status, 410)
})
