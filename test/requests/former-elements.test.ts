/** Elements of sets of references at the key that their item had before (SEED: a moved resource is 301). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, refs, resource, service, text, where } from '../../src/index.ts'
import { serve } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Tasks',
  resources: {
    labels: resource(
      { name: text({ max: 40 }).unique(), open: boolean().default(true) },
      { key: 'name', access: { ...access, read: where({ open: true }) } },
    ),
    tasks: resource({ labels: refs('labels') }, { access }),
  },
})

test('PUT and DELETE at a former key are 301 to the present one, for callers who may read the item', async () => {
  await using s = await serve(definition)
  await s.request('POST /labels', {}, { name: 'bug' })
  const task = String((await s.request('POST /tasks', {}, { labels: ['bug'] })).fields.location)
  await s.request('PATCH /labels/bug', {}, { name: 'known fault' })
  for (const method of ['PUT', 'DELETE']) {
    const moved = await s.request(`${method} ${task}/labels/bug?dry-run=true`)
    assert.deepEqual(
      [moved.status, moved.fields.location],
      [301, `${task}/labels/known%20fault?dry-run=true`],
      method,
    )
  }
  await s.request('PATCH /labels/known%20fault', {}, { open: false })
  assert.equal((await s.request(`PUT ${task}/labels/bug`)).status, 404)
  assert.equal((await s.request(`DELETE ${task}/labels/bug`)).status, 204)
  assert.deepEqual((await s.request(`GET ${task}`)).json.labels, ['known fault'])
})

test('a new item with the former key is the element', async () => {
  await using s = await serve(definition)
  await s.request('POST /labels', {}, { name: 'bug' })
  await s.request('PATCH /labels/bug', {}, { name: 'fault' })
  await s.request('POST /labels', {}, { name: 'bug' })
  const task = String((await s.request('POST /tasks', {}, {})).fields.location)
  assert.equal((await s.request(`PUT ${task}/labels/bug`)).status, 204)
  assert.deepEqual((await s.request(`GET ${task}`)).json.labels, ['bug'])
})

test('an unknown element is 404 and a former key 301, whatever If-Match says (RFC 9110 §13.2.1)', async () => {
  await using s = await serve(definition)
  await s.request('POST /labels', {}, { name: 'bug' })
  await s.request('PATCH /labels/bug', {}, { name: 'fault' })
  const task = String((await s.request('POST /tasks', {}, {})).fields.location)
  const stale = { 'if-match': '"stale"' }
  assert.equal((await s.request(`PUT ${task}/labels/unknown`, stale)).status, 404)
  assert.equal((await s.request(`PUT ${task}/labels/bug`, stale)).status, 301)
  assert.equal((await s.request(`DELETE ${task}/labels/bug`, stale)).status, 301)
  assert.equal((await s.request(`PUT ${task}/labels/fault`, stale)).status, 412)
  assert.equal((await s.request(`DELETE ${task}/labels/unknown`, stale)).status, 412)
})
