/** Pages without script: forms typed by the model, refused with their input, sent by way of /forms. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  integer,
  json,
  list,
  nobody,
  number,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
} from '../../src/index.ts'
import { serve } from '../service.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
const all = { read: anyone, create: anyone, update: anyone, delete: anyone }

const notes = resource(
  {
    title: text({ min: 1, max: 50 }),
    body: text().optional(),
    count: integer().optional(),
    ratio: number().optional(),
    done: boolean().optional(),
    kind: choice(['a', 'b']).default('a'),
    day: date().optional(),
    at: timestamp().optional(),
    tags: list(text({ max: 10 })).default([]),
    levels: list(choice(['low', 'high'])).optional(),
    extra: json().optional(),
    secret: password({ min: 8 }).optional(),
    phase: state({
      initial: 'open',
      transitions: { close: { from: 'open', to: 'closed' } },
    }),
  },
  { access: all },
)
const definition = service({ title: 'Notes', resources: { notes } })

function encoded(values: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return new URLSearchParams(pairs).toString()
}

/** The action of the first form on the page that ends in what is wanted. */
function actionOf(page: string, wanted: RegExp): string {
  const actions = [...page.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, one]) =>
    String(one).replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
  )
  const action = actions.find((one) => wanted.test(one))
  assert.ok(action, `a form for ${wanted} among ${actions.join(' ')}`)
  return action
}

test('a form makes an item: 201, its page, and values typed by the schema', async () => {
  await using service = await serve(definition)
  const body = encoded({
    title: 'One',
    body: 'a\r\nb',
    count: '7',
    ratio: '1.5',
    done: 'true',
    kind: 'b',
    day: '2026-02-28',
    at: '2026-02-28T12:30',
    tags: 'x\r\n y \r\n\r\nz',
    'levels[]': ['', 'low', 'high'],
    extra: '{"n":[1]}',
    _key: 'k',
  })
  const made = await service.request('POST /notes', formed, body)
  assert.equal(made.status, 201, made.text)
  assert.match(String(made.fields['content-type']), /^text\/html/)
  assert.match(made.text, /<h1>One<\/h1>/)
  const { json: item } = await service.request(`GET ${made.fields.location}`)
  const { id: _, createdAt: __, updatedAt: ___, ...fields } = item
  assert.deepEqual(fields, {
    title: 'One',
    body: 'a\nb',
    count: 7,
    ratio: 1.5,
    done: true,
    kind: 'b',
    day: '2026-02-28',
    at: '2026-02-28T12:30:00.000Z',
    tags: ['x', 'y', 'z'],
    levels: ['low', 'high'],
    extra: { n: [1] },
    phase: 'open',
  })
})

test('an empty optional value is absent, an empty required text is validated', async () => {
  await using service = await serve(definition)
  const empty = { body: '', count: '', ratio: '', done: '', day: '', at: '', tags: '', extra: '' }
  const made = await service.request('POST /notes', formed, encoded({ title: 'Two', ...empty }))
  assert.equal(made.status, 201, made.text)
  const { json: item } = await service.request(`GET ${made.fields.location}`)
  assert.deepEqual(Object.keys(item).sort(), 'createdAt id kind phase tags title updatedAt'.split(' '))
  const refused = await service.request('POST /notes', formed, encoded({ title: '' }))
  assert.equal(refused.status, 422)
})

test('a refused form is its own page again: 422, input kept, the fault beside the field, no password', async () => {
  await using service = await serve(definition)
  const body = encoded({
    title: '',
    body: '<i>kept</i>',
    count: 'many',
    secret: 'hush hush',
    tags: 'a\nb',
  })
  const refused = await service.request('POST /notes', formed, body)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /<textarea id="form-body"[^>]*>\n&lt;i&gt;kept&lt;\/i&gt;<\/textarea>/)
  assert.match(refused.text, /id="form-count"[^>]*value="many"[^>]*aria-invalid="true"/)
  assert.match(refused.text, /<p class="fault" id="form-count-fault">[^<]+<\/p>/)
  assert.match(refused.text, /<textarea id="form-tags"[^>]*>\na\nb<\/textarea>/)
  assert.ok(!refused.text.includes('hush'), 'the password is not sent back')
  const json = await service.request('POST /notes', { ...formed, accept: 'application/json' }, body)
  assert.equal(json.fields['content-type'], 'application/problem+json')
})

test('a value that is no JSON is a fault of its field, not of the message', async () => {
  await using service = await serve(definition)
  const refused = await service.request('POST /notes', formed, encoded({ title: 'x', extra: '{' }))
  assert.equal(refused.status, 422)
  assert.match(refused.text, /id="form-extra-fault"/)
})

test('a text that is no JSON does not hide the faults of other fields', async () => {
  await using service = await serve(definition)
  const faulty = encoded({ title: '', count: 'many', extra: '{', kind: 'c' })
  const refused = await service.request('POST /notes', formed, faulty)
  assert.equal(refused.status, 422)
  for (const name of ['title', 'count', 'extra', 'kind']) {
    assert.match(refused.text, new RegExp(`id="form-${name}-fault"`), name)
    assert.match(refused.text, new RegExp(`<li><a href="#form-${name}">[^<]+</a>: [^<]+</li>`), name)
  }
  assert.match(refused.text, /<div class="alert" role="alert" tabindex="-1" autofocus>/)
  const patched = await service.request('POST /notes', {}, { title: 'x' })
  const edit = `POST /forms${patched.fields.location}?method=PATCH`
  const edited = await service.request(edit, formed, encoded({ title: '', extra: '{' }))
  assert.equal(edited.status, 422)
  assert.match(edited.text, /id="form-title-fault"/)
})

test('the constraints of fields are attributes of their inputs', async () => {
  const products = resource(
    {
      sku: text({ pattern: '^[a-z0-9-]+$', min: 2, max: 20 }),
      about: text({ max: 2000 }).optional(),
      secret: password({ min: 8 }),
      price: decimal({ scale: 2 }),
      free: text({ pattern: '[&&x]' }).optional(),
    },
    { access: all },
  )
  await using s = await serve(service({ title: 'Shop', resources: { products } }))
  const { text: page } = await s.request('GET /forms/products', browser)
  assert.match(
    page,
    /id="form-sku" name="sku" type="text" minlength="2" maxlength="20" pattern="\^\[a-z0-9\\-\]\+\$"/,
  )
  assert.match(page, /<textarea id="form-about"[^>]* maxlength="2000"/)
  assert.match(page, /id="form-secret"[^>]* minlength="8"/)
  assert.match(page, /id="form-price" name="price" type="text" inputmode="decimal" value=""/)
  assert.doesNotMatch(/<input id="form-free"[^>]*>/.exec(page)?.[0] ?? '', / pattern=/)
})

test('a choice in upper case is shown as declared, and abbreviations stay upper case', async () => {
  const places = resource({ country: choice(['DE', 'in-use']), userId: text() }, { access: all })
  await using s = await serve(service({ title: 'Places', resources: { places } }))
  const { text: page } = await s.request('GET /forms/places', browser)
  assert.match(page, /<option value="DE">DE<\/option><option value="in-use">In use<\/option>/)
  assert.match(page, />User ID</)
})

test('an edit goes by /forms with the tag of the item: 303 to the item, empty is taken away', async () => {
  await using service = await serve(definition)
  const made = await service.request(
    'POST /notes',
    {},
    { title: 'Old', body: 'b', tags: ['t'], secret: 'long enough' },
  )
  const uri = String(made.fields.location)
  const page = await service.request(`GET /forms${uri}`, browser)
  const action = actionOf(page.text, /method=PATCH/)
  assert.match(action, new RegExp(`^/forms${uri}\\?method=PATCH&match=`))
  const changed = encoded({ title: 'New', body: '', kind: 'a', tags: '' })
  const saved = await service.request(`POST ${action}`, formed, changed)
  assert.equal(saved.status, 303, saved.text)
  assert.equal(saved.fields.location, uri)
  const { json: item } = await service.request(`GET ${uri}`)
  assert.equal(item.title, 'New')
  assert.ok(!('body' in item))
  assert.deepEqual(item.tags, [])
})

test('a form with return=minimal is 204 with the Location of its redirect, and refused like any other', async () => {
  await using s = await serve(definition)
  const minimal = { ...formed, prefer: 'return=minimal' }
  const made = await s.request('POST /forms/notes', minimal, encoded({ title: 'A' }))
  assert.equal(made.status, 204)
  assert.equal(made.text, '')
  assert.equal(made.fields['preference-applied'], 'return=minimal')
  assert.match(String(made.fields['set-cookie']), /^restwell-notice=created/)
  const uri = String(made.fields.location)
  assert.equal((await s.request(`GET ${uri}`)).json.title, 'A')
  const edited = await s.request(`POST /forms${uri}?method=PATCH&match=*`, minimal, encoded({ title: 'B' }))
  assert.deepEqual([edited.status, edited.fields.location], [204, uri])
  const refused = await s.request(`POST /forms${uri}?method=PATCH&match=*`, minimal, encoded({ title: '' }))
  assert.equal(refused.status, 422)
  assert.match(refused.text, /<form method="post"/)
  const plain = await s.request(`POST /forms${uri}?method=PATCH&match=*`, formed, encoded({ title: 'C' }))
  assert.deepEqual([plain.status, plain.fields.location], [303, uri])
})

test('a lost race is 412 with both versions and a form made for the newest', async () => {
  await using service = await serve(definition)
  const made = await service.request('POST /notes', {}, { title: 'First', body: 'b' })
  const uri = String(made.fields.location)
  const page = await service.request(`GET /forms${uri}`, browser)
  const action = actionOf(page.text, /method=PATCH/)
  await service.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
  const mine = encoded({ title: 'Mine', body: 'b', kind: 'a', tags: '' })
  const lost = await service.request(`POST ${action}`, formed, mine)
  assert.equal(lost.status, 412)
  assert.match(lost.text, /<div class="current"><span class="text">Theirs<\/span>/)
  const differing = [...lost.text.matchAll(/<legend>(\w+): choose one/g)]
  assert.deepEqual(
    differing.map(([, name]) => name),
    ['Title'],
  )
  const again = await service.request(`POST ${actionOf(lost.text, /method=PATCH/)}`, formed, mine)
  assert.equal(again.status, 303)
  const { json: item } = await service.request(`GET ${uri}`)
  assert.equal(item.title, 'Mine')
})

test('a transition is a button, open only while it is open', async () => {
  await using service = await serve(definition)
  const made = await service.request('POST /notes', {}, { title: 'First' })
  const uri = String(made.fields.location)
  const page = await service.request(`GET ${uri}`, browser)
  const action = actionOf(page.text, /method=PATCH/)
  const closed = await service.request(`POST ${action}`, formed, 'phase=closed')
  assert.equal(closed.status, 303)
  const after = await service.request(`GET ${uri}`, browser)
  assert.ok(!/class="transitions"/.test(after.text))
})

test('a delete needs a confirmation, and redirects to the collection', async () => {
  await using service = await serve(definition)
  const made = await service.request('POST /notes', {}, { title: 'First' })
  const uri = String(made.fields.location)
  const page = await service.request(`GET ${uri}`, browser)
  const gone = await service.request(`POST ${actionOf(page.text, /method=DELETE/)}`, formed, '')
  assert.equal(gone.status, 303)
  assert.equal(gone.fields.location, '/notes')
  assert.equal((await service.request(`GET ${uri}`)).status, 404)
})

test('/forms takes only what forms send: 405, 400, and a reload of a refused form leads to the item', async () => {
  await using service = await serve(definition)
  const made = await service.request('POST /notes', {}, { title: 'First' })
  const uri = String(made.fields.location)
  assert.equal((await service.request(`GET /forms${uri}?method=PATCH`)).fields.location, uri)
  assert.equal((await service.request(`PUT /forms${uri}`, {}, {})).status, 405)
  assert.equal((await service.request(`POST /forms${uri}?method=GET`, formed, '')).status, 400)
  assert.equal((await service.request('POST /forms/nothing/x?method=PUT', formed, '')).status, 404)
  assert.equal((await service.request(`OPTIONS /forms${uri}`)).status, 204)
})

test('a filter form omits empty inputs', async () => {
  await using service = await serve(definition)
  const answer = await service.request('GET /forms/notes?title%5Bcontains%5D=x&kind=&sort=title')
  assert.equal(answer.status, 303)
  assert.equal(answer.fields.location, '/notes?title%5Bcontains%5D=x&sort=title')
  const plain = await service.request('GET /forms/notes?kind=')
  assert.equal(plain.fields.location, '/notes')
  const dated = await service.request('GET /forms/notes?at%5Bgte%5D=2026-01-02')
  assert.equal(dated.fields.location, '/notes?at%5Bgte%5D=2026-01-02T00:00:00Z')
})

test('no right, no form: a page offers what HAL-FORMS offers and nothing else', async () => {
  const closed = resource({ title: text() }, { access: { ...all, create: nobody, update: nobody } })
  await using closedService = await serve(service({ title: 'Closed', resources: { closed } }))
  const page = await closedService.request('GET /closed', browser)
  assert.ok(!page.text.includes('method="post"'))
})
