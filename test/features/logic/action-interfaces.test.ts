/** Actions in every interface: HAL-FORMS, HTML, OpenAPI, the client, `openService().system`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client, Problem } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import { openService } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { admin, adminPassword, basic, serve, type TestService } from '../../service.ts'
import office from './fixtures/office.ts'

const halForms = { accept: 'application/prs.hal-forms+json' }
const page = { accept: 'text/html' }
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
const user = basic('user@example.org', adminPassword)
const manager = basic('manager@example.org', adminPassword)

/** An office with a task of the user. */
async function openOffice(): Promise<{ readonly s: TestService; readonly task: string } & AsyncDisposable> {
  const s = await serve(office)
  for (const [email, role] of [
    ['user@example.org', 'user'],
    ['manager@example.org', 'manager'],
  ]) {
    const made = await s.request('POST /users', admin, { email, password: adminPassword, role })
    assert.equal(made.status, 201, made.text)
  }
  const task = String((await s.request('POST /tasks', user, { title: 'Buy paper' })).fields.location)
  return { s, task, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

describe('HAL-FORMS', () => {
  it('offers the actions of an item as templates, only to callers who may now', async () => {
    await using o = await openOffice()
    const templates = async (caller: Record<string, string>) =>
      (await o.s.request(`GET ${o.task}`, { ...halForms, ...caller })).json._templates
    const ofManager = await templates(manager)
    assert.deepEqual(Object.keys(ofManager), ['assign', 'close', 'announce', 'discard', 'fail'])
    assert.deepEqual(ofManager.assign, {
      title: 'assign',
      method: 'POST',
      target: `${o.task}/assign`,
      contentType: 'application/json',
      properties: [
        {
          name: 'person',
          required: true,
          options: {
            link: { href: '/users', type: 'application/json' },
            valueField: 'id',
            promptField: 'id',
            maxItems: 1,
          },
        },
      ],
    })
    assert.deepEqual(ofManager.close.properties, [])
    assert.equal(ofManager.close.contentType, undefined)
    const ofUser = Object.keys(await templates(user))
    assert.ok(!ofUser.includes('assign') && ofUser.includes('give') && !ofUser.includes('forbidden'))
  })

  it('offers the actions of a collection', async () => {
    await using o = await openOffice()
    const names = async (caller: Record<string, string>) =>
      Object.keys((await o.s.request('GET /tasks', { ...halForms, ...caller })).json._templates)
    assert.deepEqual(await names(manager), ['default', 'import', 'first'])
    assert.deepEqual(await names(user), ['default', 'import'])
    assert.deepEqual(await names(admin), ['default'])
  })
})

describe('HTML', () => {
  const formOf = (html: string, name: string) => {
    const pattern = new RegExp(`<form method="post" action="([^"]*/${name}(?:\\?[^"]*)?)".*?</form>`, 's')
    const [markup = '', target = ''] = pattern.exec(html) ?? []
    const key = /name="_key" value="([^"]*)"/.exec(markup)?.[1] ?? ''
    return { markup, target: target.replaceAll('&amp;', '&'), key }
  }

  it('a button with a form; a success redirects to the item; a form sent twice counts once', async () => {
    await using o = await openOffice()
    const { text } = await o.s.request(`GET ${o.task}`, { ...page, ...manager })
    const { target, key, markup } = formOf(text, 'announce')
    assert.match(markup, /<button class="plain">Announce<\/button>/)
    assert.match(target, /^\/forms\/tasks\/[^/]*\/announce\?match=/)
    const send = () => o.s.request(`POST ${target}`, { ...form, ...manager }, `_key=${key}&text=Soon`)
    const first = await send()
    assert.equal(first.status, 303, first.text)
    assert.match(String(first.fields.location), /^\/notices\//)
    const second = await send()
    assert.deepEqual([second.status, second.fields.location], [303, first.fields.location])
    assert.equal((await o.s.request('GET /notices')).json.length, 1)
    const close = formOf((await o.s.request(`GET ${o.task}`, { ...page, ...manager })).text, 'close')
    const closed = await o.s.request(`POST ${close.target}`, { ...form, ...manager }, `_key=${close.key}`)
    assert.deepEqual([closed.status, closed.fields.location], [303, o.task])
    const reload = await o.s.request(`GET ${close.target}`, { ...page, ...manager })
    assert.deepEqual([reload.status, reload.fields.location], [303, o.task])
  })

  it('a form of an outdated page is not done, and the page says so', async () => {
    await using o = await openOffice()
    const { target } = formOf((await o.s.request(`GET ${o.task}`, { ...page, ...user })).text, 'estimate2')
    await o.s.request(`PATCH ${o.task}`, user, { title: 'Buy ink' })
    const refused = await o.s.request(`POST ${target}`, { ...form, ...user }, 'estimate=7')
    assert.equal(refused.status, 412)
    assert.match(refused.text, /This item changed after you opened it, so “Estimate2” was not done/)
    assert.match(refused.text, /Buy ink/)
    assert.equal((await o.s.request(`GET ${o.task}`, user)).json.estimate, undefined)
    const again = formOf(refused.text, 'estimate2')
    assert.match(again.markup, /value="7"/)
    const done = await o.s.request(`POST ${again.target}`, { ...form, ...user }, 'estimate=7')
    assert.deepEqual([done.status, done.fields.location], [303, o.task])
  })

  it('faults of the input and refusals of the code are shown in the form', async () => {
    await using o = await openOffice()
    const { target } = formOf((await o.s.request(`GET ${o.task}`, { ...page, ...user })).text, 'estimate2')
    const wrong = await o.s.request(`POST ${target}`, { ...form, ...user }, 'estimate=many')
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /value="many"/)
    assert.match(wrong.text, /Must be a whole number/)
    const announce = target.replace('estimate2', 'announce')
    const refused = await o.s.request(`POST ${announce}`, { ...form, ...user }, 'text=secret')
    assert.equal(refused.status, 409)
    assert.match(refused.text, /This is secret\./)
  })

  it('the page of a collection has its actions', async () => {
    await using o = await openOffice()
    const { text } = await o.s.request('GET /tasks', { ...page, ...user })
    const { target, key } = formOf(text, 'import')
    assert.equal(target, '/forms/tasks/import')
    const send = (titles: string) =>
      o.s.request(`POST ${target}`, { ...form, ...user }, `_key=${key}&titles=${titles}`)
    const done = await send('A%0D%0AB')
    assert.deepEqual([done.status, done.fields.location], [303, '/tasks'])
    assert.equal((await o.s.request('GET /tasks', user)).json.length, 3)
    const wrong = await send('x'.repeat(51))
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /<h1>Import<\/h1>/)
    assert.match(wrong.text, /<a href="\/tasks">← Back to tasks<\/a>/)
    const reload = await o.s.request(`GET ${target}`, { ...page, ...user })
    assert.deepEqual([reload.status, reload.fields.location], [303, '/tasks'])
  })
})

describe('descriptions', () => {
  it('OpenAPI has an operation for each action that the caller may use', async () => {
    await using o = await openOffice()
    const paths = async (caller: Record<string, string>) =>
      (await o.s.request('GET /openapi.json', caller)).json.paths
    const ofManager = await paths(manager)
    const { post } = ofManager['/tasks/{id}/assign']
    assert.equal(post.operationId, 'tasksAssignAction')
    assert.deepEqual(Object.keys(post.responses).slice(0, 5), ['200', '201', '204', '303', '400'])
    assert.equal(post.requestBody.required, true)
    assert.ok(post.requestBody.content['application/json'].schema)
    assert.equal(ofManager['/tasks/{id}/close'].post.requestBody, undefined)
    assert.ok(ofManager['/tasks/import'].post)
    const ofUser = await paths(user)
    assert.equal(ofUser['/tasks/{id}/assign'], undefined)
    assert.ok(ofUser['/tasks/{id}/give'])
    assert.equal((await paths(admin))['/tasks/{id}/forbidden'], undefined)
  })

  it('/docs shows the actions', async () => {
    await using o = await openOffice()
    const { text } = await o.s.request('GET /docs', { ...page, ...manager })
    assert.match(text, /POST \/tasks\/\{id\}\/assign/)
    assert.match(text, /<code>person<\/code> \(ref to <a href="#users">users<\/a>, required\)/)
  })

  it('generated clients have a method for each action', () => {
    const source = clientSource(checkDefinition(office), 'everyone')
    assert.match(
      source,
      /readonly assign: \{ readonly on: 'item'; readonly input: \{\n\s*readonly person: string\n/,
    )
    assert.match(source, /readonly import: \{ readonly on: 'collection'; /)
    assert.doesNotMatch(source, /readonly forbidden:/)
  })
})

describe('the client', () => {
  it('calls actions, and knows that they change items', async () => {
    await using o = await openOffice()
    const api = client<typeof office>(o.s.url, { authorization: user.authorization })
    const id = o.task.slice('/tasks/'.length)
    await api.tasks.get(id)
    assert.equal((await api.tasks.estimate2(id, { estimate: 5 }))?.estimate, 5)
    assert.equal((await api.tasks.patch(id, { title: 'Buy ink' })).title, 'Buy ink')
    assert.equal(((await api.tasks.announce(id, {})) as { text?: string }).text, 'Buy ink: Look at this.')
    assert.equal((await api.tasks.patch(id, { title: 'Buy glue' })).title, 'Buy glue')
    assert.equal(await api.tasks.import({ titles: ['A'] }), undefined)
    assert.equal(await api.tasks.discard(id, {}), undefined)
    await assert.rejects(
      api.tasks.assign(id, { person: 'x' }),
      (error) => error instanceof Problem && error.status === 403,
    )
  })
})

describe('system of an opened service', () => {
  it('calls actions with all rights', async () => {
    const database = await freshDatabase()
    await using opened = await openService(office, { database })
    const { users, tasks } = opened.system
    const person = await users.create({ email: 'a@example.org', password: adminPassword })
    const task = await tasks.create({ title: 'Buy paper', author: person.id })
    assert.equal((await tasks.assign(task.id, { person: person.id }))?.assignee, person.id)
    const made = (await tasks.announce(task.id, { text: 'Soon' })) as { readonly text?: string }
    assert.equal(made.text, 'Buy paper: Soon')
    await assert.rejects(tasks.announce(task.id, { text: 'secret' }), { type: 'state-conflict', status: 409 })
    await assert.rejects(tasks.estimate2(task.id, { estimate: 'x' as never }), { status: 422 })
    await assert.rejects(tasks.close('nothing', {}), { status: 404 })
    assert.equal(await tasks.discard(task.id, {}), undefined)
    assert.equal(await tasks.count(), 0)
  })
})
