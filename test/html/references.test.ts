/** References on HTML pages without script: items are chosen by title, in forms and in filters. */

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

/** Sends the form with a text to search for, and returns the form of the page that answers. */
async function search(form: SubmittedForm, name: string, words: string): Promise<SubmittedForm> {
  const reply = await s.request(`POST ${form.action}`, formed, form.set(`_find.${name}`, words).content)
  assert.equal(reply.status, 422, reply.text)
  return formOf(reply.text, /^\/forms\/tasks/)
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

  it('to many items is found by title, and nothing typed is lost', async () => {
    const form = (await newTask()).set('title', 'Typed "before"').set('place', 'osl')
    assert.deepEqual(optionsOf(form.markup, 'author'), ['—'])
    const found = await search(form, 'author', 'ada')
    assert.deepEqual(optionsOf(found.markup, 'author'), ['—', 'Ada Lovelace', 'Ada Yonath'])
    assert.match(found.markup, /2 found for “ada”/)
    assert.doesNotMatch(found.markup, /Not saved|class="fault"/)
    const sent = found.set('author', idOf('Ada Yonath'))
    const made = await s.request(`POST ${sent.action}`, formed, sent.content)
    assert.equal(made.status, 303, made.text)
    const { json } = await s.request(`GET ${made.fields.location}`)
    assert.deepEqual([json.title, json.author, json.place], ['Typed "before"', idOf('Ada Yonath'), 'osl'])
  })

  it('is chosen at once where one item matches, by its title or its id', async () => {
    for (const words of ['lovel', idOf('Ada Lovelace')]) {
      const found = await search(await newTask(), 'author', words)
      assert.deepEqual(
        found.pairs.find(([name]) => name === 'author'),
        ['author', idOf('Ada Lovelace')],
      )
    }
  })

  it('shows the title of its present value, also after a search that finds nothing', async () => {
    const body = { title: 'Old', author: idOf('Grace Hopper') }
    const { json } = await s.request('POST /tasks', {}, body)
    const form = formOf((await s.request(`GET /forms/tasks/${json.id}`, browser)).text, /PATCH/)
    assert.deepEqual(optionsOf(form.markup, 'author'), ['—', 'Grace Hopper'])
    for (const words of ['nobody', '!!!', ' x '.repeat(200), '<b>']) {
      const again = await search(form.set('title', 'New'), 'author', words)
      assert.deepEqual(optionsOf(again.markup, 'author'), ['—', 'Grace Hopper'])
      assert.match(again.markup, /Nothing found for/)
      assert.deepEqual(
        again.pairs.find(([name]) => name === 'title'),
        ['title', 'New'],
      )
    }
    const saved = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(saved.status, 303)
    assert.equal((await s.request(`GET /tasks/${json.id}`)).json.title, 'Old')
  })

  it('to a hidden item is never offered, neither by title nor by id', async () => {
    for (const words of ['Ada Secret', idOf('Ada Secret')]) {
      const { markup } = await search(await newTask(), 'author', words)
      assert.deepEqual(optionsOf(markup, 'author'), ['—'])
      assert.match(markup, /Nothing found for/)
    }
  })

  it('keeps an edit in conflict a conflict while a person searches', async () => {
    const body = { title: 'Old', author: idOf('Grace Hopper') }
    const { json } = await s.request('POST /tasks', {}, body)
    const form = formOf((await s.request(`GET /forms/tasks/${json.id}`, browser)).text, /PATCH/)
    const patch = { 'content-type': 'application/merge-patch+json' }
    await s.request(`PATCH /tasks/${json.id}`, patch, { title: 'Theirs' })
    const content = form.set('title', 'Mine').set('_find.author', 'ada').content
    assert.equal((await s.request(`POST ${form.action}`, formed, content)).status, 412)
  })
})

it('a set of references in a form has a box for each item that was found', async () => {
  const form = (await newTask()).set('title', 'Watched').set('author', '')
  const found = await search(form, 'watchers', 'ada')
  assert.match(found.markup, /> Ada Lovelace<\/label>/)
  assert.doesNotMatch(found.markup, /> Grace Hopper<|Ada Secret/)
  const { content } = found.set('author', idOf('Ada Yonath'))
  const chosen = `${content}&watchers%5B%5D=${idOf('Ada Lovelace')}`
  const made = await s.request(`POST ${found.action}`, formed, chosen)
  assert.equal(made.status, 303, made.text)
  assert.deepEqual((await s.request(`GET ${made.fields.location}`)).json.watchers, [idOf('Ada Lovelace')])
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
