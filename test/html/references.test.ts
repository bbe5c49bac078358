/** References on HTML pages: items are found by title, in forms and in filters. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  password,
  ref,
  refs,
  resource,
  role,
  service,
  text,
  where,
} from '../../src/index.ts'
import { admin, serve, type TestService } from '../service.ts'
import { formOf, type SubmittedForm } from './submitted-form.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const browser = { accept: 'text/html' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['admin', 'member']).default('member') },
      { access: { read: anyone } },
    ),
    places: resource({ code: text({ max: 20 }).unique(), name: text() }, { key: 'code', access }),
    people: resource(
      {
        name: text({ max: 40 }),
        notes: text().optional(),
        status: choice(['open', 'secret']).default('open'),
      },
      {
        access: { ...access, read: [where({ status: 'open' }), role('admin')] },
        bulk: true,
        search: ['name', 'notes'],
      },
    ),
    tasks: resource(
      {
        title: text({ max: 40 }),
        author: ref('people'),
        place: ref('places').optional(),
        watchers: refs('people'),
        checkedBy: ref('users').optional(),
      },
      { access },
    ),
  },
})

let s: TestService
let ids: ReadonlyMap<string, string>
before(async () => {
  s = await serve(definition)
  const people = [
    ...Array.from({ length: 50 }, (_, n) => ({ name: `Person ${n}` })),
    { name: 'Ada Lovelace' },
    { name: 'Ada Yonath' },
    { name: 'Grace Hopper', notes: 'Met Ada.' },
    { name: 'Ada Secret', status: 'secret' },
  ]
  const made = (await s.request('POST /people', admin, people)).json as { id: string; name: string }[]
  ids = new Map(made.map(({ id, name }) => [name, id]))
  await s.request('POST /places', {}, { code: 'osl', name: 'Oslo' })
})
after(() => s[Symbol.asyncDispose]())

const idOf = (name: string) => ids.get(name) ?? assert.fail(name)

async function newTask(): Promise<SubmittedForm> {
  return formOf((await s.request('GET /forms/tasks', browser)).text, /^\/forms\/tasks$/)
}

/** The items that a picker finds by the text. */
async function search(words: string): Promise<readonly { readonly id: string; readonly title: string }[]> {
  return (await s.request(`GET /forms/people?_choices=${encodeURIComponent(words)}`)).json
}

/** The options of a select: values and texts. */
function optionsOf(markup: string, name: string): readonly string[] {
  const select = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`).exec(markup)?.[1] ?? ''
  return [...select.matchAll(/<option value="[^"]*"[^>]*>([^<]*)</g)].map(([, shown = '']) => shown)
}

describe('a reference in a form', () => {
  it('an account without a name is shown and chosen by its email', async () => {
    const { text: page } = await s.request('GET /forms/tasks', browser)
    assert.match(page, /<option value="[^"]+">admin@example\.org<\/option>/)
  })

  it('to few items is a list of their titles', async () => {
    const form = await newTask()
    assert.deepEqual(optionsOf(form.markup, 'place'), ['—', 'Oslo'])
    assert.match(form.markup, /<option value="osl">Oslo</)
  })

  it('to many items is an id, which a picker finds by the title', async () => {
    const found = await search('ada')
    assert.deepEqual(found, [
      { id: idOf('Ada Lovelace'), title: 'Ada Lovelace' },
      { id: idOf('Ada Yonath'), title: 'Ada Yonath' },
    ])
    const form = (await newTask()).set('title', 'Typed').set('author', idOf('Ada Yonath'))
    assert.match(form.markup, /<p class="help" id="form-author-help">The ID of the item\.<\/p>/)
    const made = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(made.status, 303, made.text)
    const { json } = await s.request(`GET ${made.fields.location}`)
    assert.deepEqual([json.title, json.author], ['Typed', idOf('Ada Yonath')])
  })

  it('is found by its id too, and by no part of a text that is no word', async () => {
    assert.deepEqual(await search(idOf('Ada Lovelace')), [
      { id: idOf('Ada Lovelace'), title: 'Ada Lovelace' },
    ])
    for (const words of ['nobody', '!!!', ' x '.repeat(200), '<b>']) assert.deepEqual(await search(words), [])
  })

  it('has the title of its present value for the script', async () => {
    const body = { title: 'Old', author: idOf('Grace Hopper') }
    const { json } = await s.request('POST /tasks', {}, body)
    const form = formOf((await s.request(`GET /forms/tasks/${json.id}`, browser)).text, /PATCH/)
    assert.match(form.markup, new RegExp(`name="author" value="${body.author}" data-title="Grace Hopper"`))
    const saved = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(saved.status, 303)
    assert.equal((await s.request(`GET /tasks/${json.id}`)).json.title, 'Old')
  })

  it('to a hidden item is never offered, neither by title nor by id', async () => {
    for (const words of ['Ada Secret', idOf('Ada Secret')]) assert.deepEqual(await search(words), [])
  })
})

it('a set of references in a form has a box for each member, and an input for one more', async () => {
  const body = { title: 'Watched', author: idOf('Ada Yonath'), watchers: [idOf('Grace Hopper')] }
  const { json } = await s.request('POST /tasks', {}, body)
  const form = formOf((await s.request(`GET /forms/tasks/${json.id}`, browser)).text, /PATCH/)
  assert.match(form.markup, /checked> Grace Hopper<\/label>/)
  assert.match(form.markup, /<input id="form-watchers-find" name="watchers\[\]" value=""/)
  const unchanged = await s.request(`POST ${form.action}`, formed, form.content)
  assert.equal(unchanged.status, 303, unchanged.text)
  const watchers = async () => (await s.request(`GET /tasks/${json.id}`)).json.watchers
  assert.deepEqual(await watchers(), [idOf('Grace Hopper')])
  const again = formOf((await s.request(`GET /forms/tasks/${json.id}`, browser)).text, /PATCH/)
  const content = `${again.content}&watchers%5B%5D=${idOf('Ada Lovelace')}`
  const added = await s.request(`POST ${again.action}`, formed, content)
  assert.equal(added.status, 303, added.text)
  assert.deepEqual((await watchers()).toSorted(), [idOf('Grace Hopper'), idOf('Ada Lovelace')].toSorted())
})

it('a list is filtered by a text in the title of a reference', async () => {
  await s.request('POST /tasks', {}, { title: 'Compute', author: idOf('Ada Lovelace') })
  const page = (await s.request('GET /tasks', browser)).text
  assert.match(page, /name="author\.name\[contains\]"/)
  const reply = await s.request('GET /forms/tasks?author.name%5Bcontains%5D=lovel', browser)
  const filtered = (await s.request(`GET ${reply.fields.location}`, browser)).text
  assert.match(filtered, /Author · Name contains lovel/)
  assert.match(filtered, />Compute</)
  assert.doesNotMatch(filtered, />Old</)
})

it('an active filter shows the title of its item, on an empty list too, and the id of a hidden item', async () => {
  const filters = [
    ['author', idOf('Person 1'), 'Author is Person 1'],
    ['author[ne]', idOf('Person 2'), 'Author is not Person 2'],
    ['author[in]', `${idOf('Person 1')},${idOf('Person 2')}`, 'Author is one of Person 1, Person 2'],
    ['watchers[has]', idOf('Person 3'), 'Watchers has Person 3'],
    ['place', 'osl', 'Place is Oslo'],
    ['author', idOf('Ada Secret'), `Author is ${idOf('Ada Secret')}`],
  ] as const
  for (const [name, value, said] of filters) {
    const page = (await s.request(`GET /tasks?${new URLSearchParams([[name, value]])}`, browser)).text
    assert.ok(page.includes(`Remove filter:</span> ${said} <`), said)
    assert.ok(!page.includes('Ada Secret'))
  }
})
