/** What a definition says for people, in every representation that people see. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  date,
  integer,
  json,
  nobody,
  ref,
  resource,
  service,
  state,
  text,
} from '../../src/index.ts'
import { serve } from '../service.ts'

const browser = { accept: 'text/html' }
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const offices = resource({ code: text(), place: text() }, { access, title: 'place' })
const staff = resource(
  {
    number: integer().unique().label('Staff number').help('As on the badge.'),
    nickname: text({ max: 50 }).optional(),
    fullName: text({ min: 1, max: 200 }).label('Name & title'),
    since: date().immutable().help('The first day.'),
    salary: integer().optional().visibleTo(nobody).writableBy(nobody).label('Secret pay'),
    office: ref('offices').optional().label('Works at'),
  },
  {
    access,
    title: 'fullName',
    columns: ['since', 'updatedAt', 'salary', 'number'],
    defaultSort: '-since',
    singular: 'staff member',
    plural: 'staff members',
  },
)
const definition = service({ title: 'Office', resources: { staff, offices } })

async function openOffice() {
  const site = await serve(definition)
  const office = (await site.request('POST /offices', {}, { code: 'B1', place: 'Berlin' })).json
  const hire = async (number: number, since: string) => {
    const member = { number, since, nickname: `n${number}`, fullName: `Member ${number}`, office: office.id }
    return (await site.request('POST /staff', {}, member)).json
  }
  const members = [
    await hire(1, '2021-01-01'),
    await hire(2, '2023-01-01'),
    await hire(3, '2022-01-01'),
    await hire(4, '2023-01-01'),
  ]
  return { ...site, site, members, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

test('a table has the declared columns after the title, with their labels, as far as the reader sees them', async () => {
  await using office = await openOffice()
  const { text: page } = await office.request('GET /staff', browser)
  const heads = [...page.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]+)/g)].map(([, label]) => label)
  assert.deepEqual(heads, ['Name &amp; title', 'Since', 'Updated at', 'Staff number'])
  assert.doesNotMatch(page, /Secret pay/)
  assert.match(page, /aria-sort="descending"><a href="\/staff\?sort=since">Since/)
  const chosen = (await office.request('GET /staff?fields=nickname', browser)).text
  assert.match(chosen, /<th scope="col"[^>]*><a href="[^"]*">Nickname<\/a>/)
})

test('pages use the declared nouns; addresses keep the name of the collection', async () => {
  await using office = await openOffice()
  const { text: page } = await office.request('GET /staff', browser)
  assert.match(page, /<h1>Staff members<\/h1>/)
  assert.match(page, /<p class="count">4 staff members<\/p>/)
  assert.match(page, /href="\/forms\/staff">New staff member<\/a>/)
  assert.match(page, /<a href="\/staff" aria-current="page">Staff members<\/a>/)
  const one = await office.request('GET /staff?number=1', browser)
  assert.match(one.text, /<p class="count">1 staff member<\/p>/)
  assert.match(one.text, /Staff number is 1/)
  assert.match((await office.request('GET /', browser)).text, /<strong>Staff members<\/strong>/)
})

test('the declared title names an item, and what refers to it', async () => {
  await using office = await openOffice()
  const [member] = office.members
  const { text: page } = await office.request(`GET /staff/${member.id}`, browser)
  assert.match(page, /<h1>Member 1<\/h1>/)
  assert.match(page, /<dt>Works at<\/dt><dd><a href="\/offices\/[^"]+">Berlin<\/a>/)
  assert.match(page, /<dt>Name &amp; title<\/dt>/)
})

test('forms show labels and help', async () => {
  await using office = await openOffice()
  const { text: form } = await office.request('GET /forms/staff', browser)
  assert.match(form, /<label for="[^"]*number">Staff number<\/label>/)
  assert.match(form, /<p class="help" id="[^"]*number-help">As on the badge\. A whole number\./)
  const refused = await office.request(
    'POST /forms/staff',
    { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
    'number=x&fullName=A&since=2020-01-01',
  )
  assert.match(refused.text, /<a href="#[^"]*number">Staff number<\/a>: /)
})

test('without sort a list has the default order in every format, with pages and ties by id', async () => {
  await using office = await openOffice()
  const numbersOf = async (uri: string) =>
    (await office.request(`GET ${uri}`)).json.map(({ number }: { number: number }) => number)
  assert.deepEqual(await numbersOf('/staff'), [2, 4, 3, 1])
  assert.deepEqual(await numbersOf('/staff?sort=number'), [1, 2, 3, 4])
  const csv = await office.request('GET /staff?fields=number', { accept: 'text/csv' })
  assert.deepEqual(
    csv.text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => Number(line.split(',').at(-1))),
    [2, 4, 3, 1],
  )
  const first = await office.request('GET /staff?limit=2')
  const next = /<([^>]+)>; rel="next"/.exec(String(first.fields.link))?.[1]
  const { pathname, search } = new URL(String(next), office.url)
  assert.deepEqual(await numbersOf(`${pathname}${search}`), [3, 1])
})

test('HAL-FORMS has the label as prompt and the title as promptField', async () => {
  await using office = await openOffice()
  const { json } = await office.request('GET /staff', { accept: 'application/prs.hal-forms+json' })
  const { properties } = json._templates.default
  const named = (name: string) => properties.find((one: { readonly name: string }) => one.name === name)
  assert.equal(named('number').prompt, 'Staff number')
  assert.equal(named('nickname').prompt, undefined)
  assert.equal(named('office').options.promptField, 'place')
})

test('JSON Schema and OpenAPI have label and help as title and description, of visible fields only', async () => {
  await using office = await openOffice()
  const { json: schema } = await office.request('GET /schemas/staff')
  assert.equal(schema.properties.number.title, 'Staff number')
  assert.equal(schema.properties.number.description, 'As on the badge.')
  assert.equal(
    schema.properties.since.description,
    'The first day. Set at creation; it cannot be changed afterwards.',
  )
  assert.equal(schema.properties.nickname.title, undefined)
  const { text: openapi } = await office.request('GET /openapi.json')
  assert.match(openapi, /"title":\s*"Staff number"/)
  assert.match(openapi, /Without it: `-since`\./)
  assert.doesNotMatch(openapi + JSON.stringify(schema), /Secret pay/)
})

test('a choice or state is shown in its declared tone, in tables, items and summaries', async () => {
  const transitions = { finish: { from: 'open', to: 'done' } } as const
  const tasks = resource(
    {
      title: text(),
      priority: choice(['low', 'high'], { tones: { high: 'danger' } }),
      status: state({ initial: 'open', transitions, tones: { open: 'warning', done: 'good' } }),
    },
    { access },
  )
  await using site = await serve(service({ title: 'Tasks', resources: { tasks } }))
  await site.request('POST /tasks', {}, { title: 'A', priority: 'high' })
  const { json } = await site.request('POST /tasks', {}, { title: 'B', priority: 'low' })
  for (const uri of ['/tasks', '/tasks/-/aggregate?group-by=priority,status&aggregate=count']) {
    const { text: page } = await site.request(`GET ${uri}`, browser)
    assert.match(page, /<span class="badge" data-tone="danger">High<\/span>/)
    assert.match(page, /<span class="badge" data-tone="warning">Open<\/span>/)
    assert.match(page, /<span class="badge" data-value="low">Low<\/span>/)
  }
  const { text: item } = await site.request(`GET /tasks/${json.id}`, browser)
  assert.match(item, /<dd><span class="badge" data-tone="warning">Open<\/span>/)
})

const address = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } }
const places = resource(
  {
    name: text(),
    kind: choice(['quiet', 'loud'], { tones: { loud: 'danger' } }),
    address: json(address),
    extra: json().optional(),
  },
  { access },
)

test('JSON is shown with a line for each part, and its schema is beside the text in forms', async () => {
  await using site = await serve(service({ title: 'Places', resources: { places } }))
  const extra = { '<b>': ['a', []], on: true }
  const place = { name: 'Hall', kind: 'loud', address: { city: 'Bonn' }, extra }
  const { fields } = await site.request('POST /places', {}, place)
  const { text: page } = await site.request(`GET ${fields.location}`, browser)
  assert.match(
    page,
    /<dd><pre tabindex="0"><code>\{\n {2}&quot;city&quot;: &quot;Bonn&quot;\n\}<\/code><\/pre><\/dd>/,
  )
  assert.match(page, /&quot;&lt;b&gt;&quot;: \[\n {4}&quot;a&quot;,\n {4}\[\]\n {2}\]/)
  const { text: form } = await site.request(`GET /forms${fields.location}`, browser)
  assert.equal(form.match(/<details class="schema" open>/g)?.length, 1)
  assert.match(
    form,
    /<summary>JSON Schema<\/summary><pre tabindex="0"><code>\{\n {2}&quot;type&quot;: &quot;object&quot;/,
  )
  // A long value is folded.
  const many = await site.request('POST /places', {}, { ...place, extra: Array(500).fill(0) })
  const { text: large } = await site.request(`GET ${many.fields.location}`, browser)
  assert.match(large, /<dt>Extra<\/dt><dd><details class="long">/)
})

test('facets and tables have the tones of choices', async () => {
  await using site = await serve(service({ title: 'Places', resources: { places } }))
  await site.request('POST /places', {}, { name: 'Hall', kind: 'loud', address: { city: 'Bonn' } })
  const { text: list } = await site.request('GET /places', browser)
  assert.match(list, /<a href="\/places\?kind=loud" data-tone="danger">Loud <small>1<\/small><\/a>/)
  assert.match(list, /<a href="\/places\?kind=quiet">Quiet/)
  assert.match(list, /<span class="badge" data-tone="danger">Loud<\/span>/)
})
