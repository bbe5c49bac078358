/** RFC 9110 §8.8, §13 and RFC 9111: the validators and lifetimes of representations with embedded items. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { anyone, ref, resource, service, text } from 'restwell'
import { type Handling, handling } from '../handling.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Tasks',
  resources: {
    projects: resource({ name: text() }, { access: open }),
    tasks: resource(
      { title: text(), project: ref('projects').optional() },
      { access: open, cache: { maxAge: 60, staleWhileRevalidate: 30 } },
    ),
    notes: resource(
      { title: text(), project: ref('projects') },
      { access: open, cache: { maxAge: 60, compositeMaxAge: 5, shared: false } },
    ),
  },
})

let s: Handling
let project = ''
let task = ''
let note = ''

before(async () => {
  s = await handling(definition)
  const create = async (uri: string, body: object) => {
    const created = await s.handle(`POST ${uri}`, {}, body)
    assert.equal(created.status, 201, created.text)
    return created.fields.location ?? ''
  }
  project = await create('/projects', { name: 'Garden' })
  const id = project.slice(project.lastIndexOf('/') + 1)
  task = await create('/tasks', { title: 'Dig', project: id })
  note = await create('/notes', { title: 'Dry', project: id })
})

after(() => s[Symbol.asyncDispose]())

let names = 0
async function renameProject() {
  names += 1
  const renamed = await s.handle(`PATCH ${project}`, {}, { name: `Garden ${names}` })
  assert.equal(renamed.status, 200)
}

it('If-None-Match compares the embedded parts too (§13.1.2)', async () => {
  for (const target of [`${task}?embed=project`, '/tasks?embed=project', '/tasks?embed=project&format=hal']) {
    const first = await s.handle(`GET ${target}`)
    const condition = { 'if-none-match': first.fields.etag ?? '' }
    assert.equal((await s.handle(`GET ${target}`, condition)).status, 304, target)
    await renameProject()
    assert.equal((await s.handle(`GET ${target}`, condition)).status, 200, target)
  }
})

it('If-Match compares the version of the item, not the embedded parts (§13.1.1)', async () => {
  const { fields } = await s.handle(`GET ${task}?embed=project`)
  await renameProject()
  const condition = { 'if-match': fields.etag ?? '' }
  const patched = await s.handle(`PATCH ${task}`, condition, { title: 'Dig deeper' })
  assert.equal(patched.status, 200)
  const again = await s.handle(`PATCH ${task}`, condition, { title: 'Dig again' })
  assert.equal(again.status, 412)
})

it('a representation with embedded items has no Last-Modified, and no If-Modified-Since (§8.8.2)', async () => {
  const plain = await s.handle(`GET ${task}`)
  assert.ok(plain.fields['last-modified'])
  const embedded = await s.handle(`GET ${task}?embed=project`)
  assert.equal(embedded.fields['last-modified'], undefined)
  const condition = { 'if-modified-since': plain.fields['last-modified'] ?? '' }
  assert.equal((await s.handle(`GET ${task}`, condition)).status, 304)
  assert.equal((await s.handle(`GET ${task}?embed=project`, condition)).status, 200)
})

it('it has no lifetime from maxAge, on 200 and 304 (RFC 9111 §5.2.2)', async () => {
  for (const target of [task, '/tasks']) {
    const plain = await s.handle(`GET ${target}`)
    assert.equal(plain.fields['cache-control'], 'max-age=60, stale-while-revalidate=30')
    const embedded = await s.handle(`GET ${target}?embed=project`)
    assert.equal(embedded.fields['cache-control'], 'no-cache')
    const condition = { 'if-none-match': embedded.fields.etag ?? '' }
    const unchanged = await s.handle(`GET ${target}?embed=project`, condition)
    assert.deepEqual([unchanged.status, unchanged.fields['cache-control']], [304, 'no-cache'])
    const head = await s.handle(`HEAD ${target}?embed=project`)
    assert.equal(head.fields['cache-control'], 'no-cache')
  }
})

it('compositeMaxAge is its lifetime', async () => {
  for (const target of [note, '/notes']) {
    const plain = await s.handle(`GET ${target}`)
    assert.equal(plain.fields['cache-control'], 'private, max-age=60')
    const embedded = await s.handle(`GET ${target}?embed=project`)
    assert.equal(embedded.fields['cache-control'], 'private, max-age=5')
  }
})
