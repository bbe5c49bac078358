/** The descriptions of an older version: OpenAPI, schemas, the client and its types. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { admin, serve, type TestService } from '../service.ts'
import { present } from './tracker.ts'

describe('the description of an older version', () => {
  let s: TestService
  before(async () => {
    s = await serve(present)
  })
  after(() => s[Symbol.asyncDispose]())

  const v1Members = [
    'archived',
    'assignee',
    'createdAt',
    'done',
    'due',
    'id',
    'owner',
    'title',
    'updatedAt',
    'x',
    'y',
  ]

  it('OpenAPI has its members, its media type, its parameter, and marks it as deprecated', async () => {
    const reply = await s.request('GET /openapi.json?api-version=v1', admin)
    assert.equal(reply.status, 200, reply.text)
    const { info, paths, components } = reply.json
    assert.equal(info.version, 'v1')
    assert.deepEqual(Object.keys(components.schemas.TasksItem.properties).sort(), v1Members)
    const { post, get } = paths['/tasks']
    const parameter = {
      name: 'api-version',
      in: 'query',
      required: true,
      schema: { type: 'string', enum: ['v1'] },
    }
    assert.deepEqual(paths['/tasks'].parameters, [parameter])
    assert.equal(get.deprecated, true)
    assert.deepEqual(Object.keys(post.requestBody.content), [
      'application/x.tracker.v1+json',
      'application/json',
    ])
    const [, , kind = '', name = ''] = (get.responses['200'].$ref ?? '').split('/')
    const types = Object.keys((components[kind]?.[name] ?? get.responses['200']).content)
    assert.deepEqual(types.slice(0, 3), [
      'application/x.tracker.v1+json',
      'application/json',
      'application/hal+json',
    ])
    assert.ok(types.every((type) => !/xml|csv|html/.test(type)))
    const now = await s.request('GET /openapi.json', admin)
    assert.notEqual(now.fields.etag, reply.fields.etag)
    assert.ok('deadline' in now.json.components.schemas.TasksItem.properties)
    const other = (await s.request('GET /openapi.json?api-version=v2', admin)).json
    assert.equal(other.paths['/tasks'].get.deprecated, undefined)
    assert.ok('due' in other.components.schemas.TasksItem.properties)
  })

  it('schemas know which members are required, and defaults', async () => {
    const create = (await s.request('GET /schemas/tasks.create?api-version=v1')).json
    assert.equal(create.$id, '/schemas/tasks.create?api-version=v1')
    assert.deepEqual(create.required.toSorted(), ['assignee', 'title'])
    const { type, maxLength } = create.properties.assignee
    assert.deepEqual([type, maxLength], ['string', 10_000])
    assert.deepEqual(create.properties.done, { type: 'boolean', default: false })
    assert.equal(create.properties.estimate, undefined)
    const item = (await s.request('GET /schemas/tasks?api-version=v1')).json
    assert.deepEqual(Object.keys(item.properties).sort(), v1Members)
    assert.ok(item.required.includes('done'))
  })

  it('the page of the documentation shows its fields', async () => {
    const page = (await s.request('GET /docs?api-version=v1', { accept: 'text/html' })).text
    assert.match(page, /assignee/)
    assert.doesNotMatch(page, /firstName/)
  })

  it('the client of the version reads and writes in it', async () => {
    const types = (await s.request('GET /client.d.ts?api-version=v1')).text
    assert.match(types, /assignee: string/)
    assert.doesNotMatch(types, /firstName/)
    const folder = mkdtempSync(join(tmpdir(), 'restwell-version-'))
    try {
      const file = join(folder, 'client.mjs')
      writeFileSync(file, (await s.request('GET /client.js?api-version=v1')).text)
      const { client } = await import(pathToFileURL(file).href)
      const api = client(s.url)
      const made = await api.tasks.create({ title: 'Paint', assignee: 'Ada King', due: '2027-03-01' })
      assert.equal(made.assignee, 'Ada King')
      const changed = await api.tasks.patch(made.id, { done: true })
      assert.equal(changed.done, true)
      const page = await api.tasks.list({ due: '2027-03-01', limit: 1 })
      assert.equal(page[0].assignee, 'Ada King')
      await api.tasks.create({ title: 'Sand', assignee: 'Ben', due: '2027-03-01' })
      const all: string[] = []
      for await (const task of api.tasks.all({ due: '2027-03-01', limit: 1, sort: 'title' }))
        all.push(task.assignee)
      assert.deepEqual(all, ['Ada King', 'Ben'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('the use of each version and caller is on /status, and the use of each version in /metrics', async () => {
    const { id } = (await s.request('GET /users?email=admin@example.org', admin)).json[0]
    const used = async () =>
      (await s.request('GET /status', { ...admin, accept: 'application/json' })).json.versions
    const before = await used()
    for (const caller of [admin, admin, {}]) await s.request('GET /tasks?api-version=v2', caller)
    assert.equal((await s.request('GET /tasks?api-version=v9')).status, 400)
    const [, v2] = await used()
    assert.equal(v2.version, 'v2')
    assert.equal(v2.requests, before[1].requests + 3)
    assert.ok(v2.callers.some((one: { caller: string }) => one.caller === `users/${id}`))
    assert.ok(v2.callers.some((one: { caller: string }) => one.caller === 'anonymous'))
    const metrics = (await s.request('GET /metrics', admin)).text
    assert.match(metrics, /restwell_version_requests_total\{version="v2"\} \d+/)
    assert.doesNotMatch(metrics, new RegExp(id))
    const page = (await s.request('GET /status', { ...admin, accept: 'text/html' })).text
    assert.match(page, /<dt>Version v2<\/dt>/)
  })
})
