/** Sub-collections in links, HAL-FORMS, HTML pages, descriptions and the client. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../src/client.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import {
  anyone,
  choice,
  email,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'
import { admin, serve } from '../service.ts'
import { createTasks, definition, member, serveProjects } from './projects.ts'

const hal = { accept: 'application/prs.hal-forms+json' }
const html = { accept: 'text/html' }

test('RFC 8288: an item links to its sub-collections, in its linkset and in HAL, and the relation has a page', async () => {
  await using running = await serveProjects({ publicUrl: 'https://example.org' })
  const { request } = running
  const [links] = (await request('GET /projects/alpha/-/links')).json.linkset
  assert.deepEqual(links['https://example.org/relations/tasks'], [{ href: '/projects/alpha/tasks' }])
  const { json } = await request('GET /projects/alpha', hal)
  assert.deepEqual(json._links['rw:tasks'], { href: '/projects/alpha/tasks' })
  const [listed] = (await request('GET /projects?slug=alpha', hal)).json._embedded.item
  assert.deepEqual(listed._links['rw:tasks'], { href: '/projects/alpha/tasks' })
  const { json: relation } = await request('GET /relations/tasks')
  assert.ok(relation.meaning.includes('The items of tasks that name an item of projects as project.'))
})

const hiding = service({
  title: 'Hidden',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['admin']).writableBy(role('admin')) },
      { access: { read: signedIn } },
    ),
    projects: resource({ name: text() }, { access: { read: anyone, create: role('admin') } }),
    tasks: resource(
      { project: ref('projects', { inverse: 'tasks' }), title: text() },
      { access: { read: signedIn, create: signedIn } },
    ),
    notes: resource(
      { project: ref('projects', { inverse: 'notes' }).visibleTo(role('admin')), title: text() },
      { access: { read: anyone, create: signedIn } },
    ),
    marks: resource(
      { project: ref('projects', { inverse: 'marks' }).writableBy(role('admin')), title: text() },
      { access: { read: anyone, create: anyone } },
    ),
  },
})

test('a caller who may never list the items sees no link, no section, no path and no relation', async () => {
  await using running = await serve(hiding)
  const { request } = running
  const { json: project } = await request('POST /projects', admin, { name: 'P' })
  const uri = `/projects/${project.id}`
  const linked = async (fields: object) => (await request(`GET ${uri}/-/links`, { ...fields })).text
  for (const name of ['tasks', 'notes']) {
    assert.doesNotMatch(await linked({}), new RegExp(`/relations/${name}"`), name)
    assert.match(await linked(admin), new RegExp(`/relations/${name}"`), name)
    assert.doesNotMatch((await request(`GET ${uri}`, html)).text, new RegExp(`id="below-${name}"`))
    assert.match((await request(`GET ${uri}`, { ...html, ...admin })).text, new RegExp(`id="below-${name}"`))
    // The reference of a note is hidden, so its list would reveal it.
    assert.equal((await request(`GET ${uri}/${name}`)).status, 401, name)
    assert.equal((await request(`GET ${uri}/${name}`, admin)).status, 200, name)
  }
  const paths = async (fields: object) =>
    Object.keys((await request('GET /openapi.json', { ...fields })).json.paths).filter((path) =>
      /id\}\/(?!.*-)/.test(path),
    )
  assert.deepEqual(await paths({}), ['/projects/{id}/marks'])
  assert.deepEqual(await paths(admin), [
    '/projects/{id}/tasks',
    '/projects/{id}/notes',
    '/projects/{id}/marks',
  ])
})

test('a caller who may not set the reference creates nothing in the sub-collection, and is offered no form', async () => {
  await using running = await serve(hiding)
  const { request } = running
  const { json: project } = await request('POST /projects', admin, { name: 'P' })
  const uri = `/projects/${project.id}/marks`
  assert.equal((await request(`POST ${uri}`, {}, { title: 'x' })).status, 401)
  assert.equal((await request(`GET ${uri}`, hal)).json._templates, undefined)
  assert.equal((await request(`POST ${uri}`, admin, { title: 'x' })).status, 201)
  assert.equal((await request(`GET ${uri}`, { ...hal, ...admin })).json._templates.default.target, uri)
})

test('HAL-FORMS: the template of a sub-collection creates there, without the reference', async () => {
  await using running = await serveProjects()
  const { request, member: account } = running
  const { json } = await request('GET /projects/alpha/tasks', { ...hal, ...member })
  const { method, target, properties } = json._templates.default
  assert.deepEqual([method, target], ['POST', '/projects/alpha/tasks'])
  assert.deepEqual(
    properties.map(({ name }: { name: string }) => name),
    ['title', 'rank', 'secret'],
  )
  assert.equal(json._links.up.href, '/projects/alpha')
  assert.match(json._links.search.href, /^\/projects\/alpha\/tasks\{\?/)
  const own = await request(`GET /users/${account.id}/tasks`, { ...hal, ...member })
  assert.equal(own.json._templates.default.target, `/users/${account.id}/tasks`)
  const other = await request(`GET /users/${account.id}/tasks`, { ...hal, ...admin })
  assert.equal(other.json._templates, undefined)
})

test('the HTML page of an item shows each sub-collection with its first items and a form', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(
    request,
    'alpha',
    Array.from({ length: 11 }, (_, n) => `task-${n}`),
  )
  const { text: page } = await request('GET /projects/alpha', { ...html, ...member })
  const section = /<section class="sub-collection" id="below-tasks">.*?<\/section>/s.exec(page)?.[0] ?? ''
  assert.match(section, /<h2><a href="\/projects\/alpha\/tasks">Tasks<\/a><\/h2>/)
  assert.match(section, /<form method="post" action="\/forms\/projects\/alpha\/tasks"/)
  assert.match(section, /name="_key"/)
  assert.doesNotMatch(section, /name="project"/)
  assert.match(section, /task-9/)
  assert.doesNotMatch(section, /task-10/)
  assert.match(section, /Show all/)
})

test('the HTML page of a sub-collection has breadcrumbs, filters and a form of its own', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['one', 'two'])
  const { text: page } = await request('GET /projects/alpha/tasks', { ...html, ...member })
  assert.match(page, /<title>Tasks · Project alpha/)
  assert.match(
    page,
    /<a href="\/projects">Projects<\/a><\/li><li><a href="\/projects\/alpha">Project alpha<\/a><\/li><li aria-current="page">Tasks/,
  )
  assert.match(page, /<a class="button" id="new" href="\/forms\/projects\/alpha\/tasks">New task/)
  assert.match(page, /action="\/forms\/projects\/alpha\/tasks">/)
  const filtered = await request('GET /forms/projects/alpha/tasks?title%5Bcontains%5D=tw&rank=')
  assert.deepEqual(
    [filtered.status, filtered.fields.location],
    [303, '/projects/alpha/tasks?title%5Bcontains%5D=tw'],
  )
  assert.equal((await request('GET /forms/projects/alpha/nothing')).status, 404)
})

test('a form creates in the sub-collection; a refused one is shown again with its values', async () => {
  await using running = await serveProjects()
  const { request } = running
  const form = { ...html, ...member, 'content-type': 'application/x-www-form-urlencoded' }
  const created = await request('POST /projects/alpha/tasks', form, '_key=k&title=formed&rank=3')
  assert.deepEqual([created.status, /formed/.test(created.text)], [201, true])
  const send = () => request('POST /forms/projects/alpha/tasks', form, '_key=k&title=sent&rank=4')
  const [sent, again] = [await send(), await send()]
  assert.deepEqual([again.status, again.fields.location], [303, sent.fields.location])
  const refused = await request('POST /projects/alpha/tasks', form, '_key=l&title=kept&rank=many')
  assert.equal(refused.status, 422)
  assert.match(refused.text, /action="\/forms\/projects\/alpha\/tasks"/)
  assert.match(refused.text, /value="kept"/)
  assert.match(refused.text, /<a href="\/projects\/alpha\/tasks">← Back to tasks/)
})

test('a form of another site is refused before its content is read', async () => {
  await using running = await serveProjects()
  const fields = {
    ...member,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'cross-site',
  }
  assert.equal((await running.request('POST /projects/alpha/tasks', fields, 'title=x')).status, 403)
})

test('OpenAPI: the operations of a sub-collection depend on the parent and need no reference', () => {
  const model = checkDefinition(definition)
  const capabilities = createCapabilities(['basic'], documentsFor(model))
  // biome-ignore lint/suspicious/noExplicitAny: the test reads a document of any shape
  const document: any = createOpenApi({ model, audience: 'everyone', capabilities, version: '3.2' })
  const path = document.paths['/projects/{id}/tasks']
  assert.deepEqual(Object.keys(path), ['parameters', 'get', 'post', 'query'])
  assert.equal(path.get.operationId, 'projects_tasksList')
  assert.deepEqual(
    ['301', '404', '410'].map((status) => status in path.post.responses),
    [true, true, true],
  )
  const reference = path.post.requestBody.content['application/json'].schema.anyOf[0].$ref
  const schema = document.components.schemas[reference.split('/').at(-1)]
  assert.deepEqual([schema.required, 'project' in schema.properties], [['title'], true])
  assert.equal('post' in document.paths['/users/{id}/reviews'], false)
  const ids = Object.values(document.paths).flatMap((one) =>
    Object.values(one as object).flatMap(({ operationId }) => operationId ?? []),
  )
  assert.equal(new Set(ids).size, ids.length)
})

test('the client lists and creates in a sub-collection, and knows the tag of what it created', async () => {
  await using running = await serveProjects()
  const api = client<typeof definition>(running.url, { authorization: member.authorization })
  const tasks = api.projects.tasks('alpha')
  const created = await tasks.create({ title: 'first' })
  assert.equal(created.project, 'alpha')
  const many = await tasks.createMany([{ title: 'second' }, { title: 'third', project: 'alpha' }])
  assert.equal(many.length, 2)
  const titles = (await tasks.list({ sort: '-title', fields: ['title'] })).map(({ title }) => title)
  assert.deepEqual(titles, ['third', 'second', 'first'])
  assert.equal(await tasks.count({ title: 'first' }), 1)
  const page = await tasks.list({ limit: 2, sort: 'title' })
  assert.deepEqual(
    (await page.next?.())?.map(({ title }) => title),
    ['third'],
  )
  assert.equal((await tasks.query({ any: [{ title: 'first' }, { title: 'third' }] })).length, 2)
  await running.request(`PATCH /tasks/${created.id}`, member, { title: 'changed' })
  await assert.rejects(api.tasks.patch(created.id, { title: 'mine' }), /412|changed|condition/i)
  // @ts-expect-error a project has no such sub-collection
  assert.throws(() => api.projects.things(), /is no id of an item/)
  // @ts-expect-error the title is required
  await assert.rejects(tasks.create({ rank: 1 }))
})
