/** Sets of references in formats with links and forms: HAL, HAL-FORMS and HTML pages without script. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  password,
  refs,
  resource,
  role,
  service,
  text,
  where,
} from '../../src/index.ts'
import { admin, serve, type TestService } from '../service.ts'
import { formOf } from './submitted-form.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const browser = { accept: 'text/html' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
const hal = { accept: 'application/hal+json' }

const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['admin', 'member']).default('member') },
      { access: { read: anyone } },
    ),
    labels: resource(
      { name: text({ max: 40 }), status: choice(['open', 'secret']).default('open') },
      { access: { ...access, read: [where({ status: 'open' }), role('admin')] } },
    ),
    places: resource({ code: text({ max: 20 }).unique(), name: text() }, { key: 'code', access }),
    people: resource({ name: text({ max: 40 }) }, { access, bulk: true }),
    tasks: resource(
      { title: text({ max: 40 }), labels: refs('labels'), places: refs('places'), people: refs('people') },
      { access },
    ),
  },
})

let s: TestService
let bug: string
let idea: string
let hidden: string
let uri: string
before(async () => {
  s = await serve(definition)
  const label = async (name: string, status = 'open') =>
    (await s.request('POST /labels', admin, { name, status })).json.id as string
  bug = await label('Bug <1>')
  idea = await label('Idea')
  hidden = await label('Hidden', 'secret')
  await s.request('POST /places', {}, { code: 'os lo', name: 'Oslo' })
  const people = Array.from({ length: 51 }, (_, n) => ({ name: `Person ${n}` }))
  const persons = (await s.request('POST /people', {}, people)).json
  const body = { title: 'Land', labels: [bug, hidden], places: ['os lo'], people: [persons[0].id] }
  uri = `/tasks/${(await s.request('POST /tasks', admin, body)).json.id}`
})
after(() => s[Symbol.asyncDispose]())

describe('sets in HAL', () => {
  it('links lead to the members that the caller may read, always as an array', async () => {
    const { json } = await s.request(`GET ${uri}`, hal)
    assert.deepEqual(json._links['rw:labels'], [{ href: `/labels/${bug}` }])
    assert.deepEqual(json._links['rw:places'], [{ href: '/places/os%20lo' }])
    const every = (await s.request(`GET ${uri}`, { ...hal, ...admin })).json
    const uris = [bug, hidden].toSorted().map((id) => ({ href: `/labels/${id}` }))
    assert.deepEqual(every._links['rw:labels'], uris)
    const list = (await s.request('GET /tasks', hal)).json
    assert.deepEqual(list._embedded.item[0]._links['rw:labels'], [{ href: `/labels/${bug}` }])
  })

  it('the Link field has no links to members, which may be many', async () => {
    const { fields } = await s.request(`GET ${uri}`)
    assert.doesNotMatch(String(fields.link), /labels\//)
    assert.doesNotMatch(String((await s.request(`GET ${uri}`, hal)).fields.link), /labels\//)
  })

  it('the entity tag changes when a member becomes hidden', async () => {
    const { json: label } = await s.request('POST /labels', {}, { name: 'Turning' })
    const { json: task } = await s.request('POST /tasks', {}, { title: 'x', labels: [label.id] })
    const before = await s.request(`GET /tasks/${task.id}`, hal)
    await s.request(
      `PATCH /labels/${label.id}`,
      { ...admin, 'content-type': 'application/merge-patch+json' },
      { status: 'secret' },
    )
    const again = await s.request(`GET /tasks/${task.id}`, {
      ...hal,
      'if-none-match': String(before.fields.etag),
    })
    assert.equal(again.status, 200)
    assert.equal(again.json._links['rw:labels'], undefined)
  })

  it('HAL-FORMS offers the items of the collection, as many as the set may have', async () => {
    const { json } = await s.request(`GET ${uri}`, { accept: 'application/prs.hal-forms+json' })
    const properties = Object.values(json._templates).flatMap(
      (one) => (one as { properties: object[] }).properties,
    )
    const labels = properties.find((one) => (one as { name: string }).name === 'labels')
    assert.deepEqual(labels, {
      name: 'labels',
      value: [bug, hidden].toSorted(),
      options: {
        link: { href: '/labels', type: 'application/json' },
        valueField: 'id',
        promptField: 'name',
        minItems: 0,
        maxItems: 100,
      },
    })
  })
})

describe('sets on HTML pages', () => {
  it('a page shows the titles of the members, with links to those that the caller may read', async () => {
    const page = (await s.request(`GET ${uri}`, browser)).text
    assert.ok(page.includes(`<li><a href="/labels/${bug}">Bug &lt;1&gt;</a></li>`), page)
    assert.ok(page.includes(`<li><code>…${hidden.slice(-8)}</code></li>`))
    assert.ok(page.includes('<li><a href="/places/os%20lo">Oslo</a></li>'))
    assert.ok(!page.includes('Hidden'))
    const list = (await s.request('GET /tasks', browser)).text
    assert.ok(list.includes(`<a href="/labels/${bug}">Bug &lt;1&gt;</a>`))
  })

  it('the page of a member lists the items that refer to it', async () => {
    const page = (await s.request(`GET /labels/${bug}`, browser)).text
    assert.ok(page.includes(`href="${uri}"`))
    assert.ok(page.includes(`/tasks?labels%5Bhas%5D=${bug}`))
  })

  it('a form has a checkbox for each item; unchecking all empties the set', async () => {
    const form = formOf((await s.request(`GET /forms${uri}`, browser)).text, /PATCH/)
    assert.deepEqual(
      form.pairs.filter(([name]) => name === 'labels[]').map(([, value]) => value),
      ['', bug, hidden],
    )
    assert.match(form.markup, new RegExp(`value="${idea}"> Idea</label>`))
    const pairs = form.pairs.filter(([name, value]) => name !== 'labels[]' || value === '')
    const content = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
    const reply = await s.request(`POST ${form.action}`, formed, content)
    assert.equal(reply.status, 303, reply.text)
    const { json } = await s.request(`GET ${uri}`)
    assert.deepEqual(json.labels, [])
    assert.deepEqual(json.places, ['os lo'])
  })

  it('an unchanged form changes nothing; a checked box adds a member', async () => {
    const form = formOf((await s.request(`GET /forms${uri}`, browser)).text, /PATCH/)
    const before = (await s.request(`GET ${uri}`)).fields.etag
    assert.equal((await s.request(`POST ${form.action}`, formed, form.content)).status, 303)
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, before)
    const checked = await s.request(`POST ${form.action}`, formed, `${form.content}&labels%5B%5D=${idea}`)
    assert.equal(checked.status, 303, checked.text)
    assert.deepEqual((await s.request(`GET ${uri}`)).json.labels, [idea])
  })

  it('with more than 50 items a form has a box for each member, and a search', async () => {
    const form = formOf((await s.request(`GET /forms${uri}`, browser)).text, /PATCH/)
    const [member] = (await s.request(`GET ${uri}`)).json.people
    assert.deepEqual(
      form.pairs.filter(([name]) => name === 'people[]'),
      [
        ['people[]', ''],
        ['people[]', member],
        // The input for one more.
        ['people[]', ''],
      ],
    )
    const emptied = form.pairs.filter(([, value]) => value !== member)
    const content = new URLSearchParams(emptied.map(([name, value]) => [name, value])).toString()
    const reply = await s.request(`POST ${form.action}`, formed, content)
    assert.equal(reply.status, 303, reply.text)
    assert.deepEqual((await s.request(`GET ${uri}`)).json.people, [])
  })

  it('a refused form keeps the checked boxes', async () => {
    const form = formOf((await s.request('GET /forms/tasks', browser)).text, /^\/forms\/tasks$/)
    const content = `${form.set('title', 'x'.repeat(41)).content}&labels%5B%5D=${bug}`
    const refused = await s.request('POST /tasks', formed, content)
    assert.equal(refused.status, 422)
    const again = formOf(refused.text, /^\/forms\/tasks$/)
    assert.deepEqual(
      again.pairs.filter(([name]) => name === 'labels[]').map(([, value]) => value),
      ['', bug],
    )
  })
})
