/** Transitions: the fields they require and set, and the actions offered to each caller. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  date,
  email,
  integer,
  now,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  state,
  text,
  timestamp,
  where,
} from 'restwell'
import { faultOf, loose } from '../definition/sample.ts'
import { admin, basic, serve } from '../service.ts'

const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone } },
)
const articles = resource(
  {
    title: text(),
    body: text().optional(),
    author: ref('users').fromPrincipal(),
    publishedAt: timestamp().optional().readOnly(),
    publishedOn: date().optional().readOnly(),
    rank: integer().default(0).readOnly(),
    status: state({
      initial: 'draft',
      transitions: {
        publish: {
          from: 'draft',
          to: 'published',
          requires: ['body'],
          sets: { publishedAt: now, publishedOn: now, rank: 3 },
        },
        retract: { from: 'published', to: 'draft', by: role('admin'), sets: { publishedAt: null } },
      },
    }),
  },
  { access: { read: anyone, create: signedIn, update: [owner('author'), role('admin')] } },
)
const definition = service({
  title: 'Articles',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, articles },
})
const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)

async function begin(body: object = {}) {
  const s = await serve(definition)
  await s.request('POST /users', {}, ada)
  const created = await s.request('POST /articles', asAda, { title: 'A', ...body })
  assert.equal(created.status, 201, created.text)
  return { s, uri: created.fields.location as string }
}

describe('the fields that a transition requires', () => {
  test('a field that is absent is 422 at its pointer, and nothing has changed', async () => {
    const { s, uri } = await begin()
    await using _ = s
    const response = await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    assert.equal(response.status, 422, response.text)
    assert.deepEqual(response.json.errors, [
      { pointer: '/body', rule: 'required', detail: 'Required to publish.' },
    ])
    assert.equal((await s.request(`GET ${uri}`)).json.status, 'draft')
  })

  test('may be sent in the same request, by PATCH, PUT or JSON Patch', async () => {
    for (const [method, body, type] of [
      ['PATCH', { status: 'published', body: 'B' }, 'application/json'],
      ['PUT', { title: 'A', status: 'published', body: 'B' }, 'application/json'],
      [
        'PATCH',
        [
          { op: 'replace', path: '/status', value: 'published' },
          { op: 'add', path: '/body', value: 'B' },
        ],
        'application/json-patch+json',
      ],
    ] as const) {
      const { s, uri } = await begin()
      await using _ = s
      const fields = { ...asAda, 'content-type': type }
      const response = await s.request(`${method} ${uri}`, fields, JSON.stringify(body))
      assert.equal(response.status, 200, response.text)
      assert.equal(response.json.status, 'published')
    }
  })

  test('are 422 if the request with the transition removes them', async () => {
    const { s, uri } = await begin({ body: 'B' })
    await using _ = s
    const body = { status: 'published', body: null }
    assert.equal((await s.request(`PATCH ${uri}`, asAda, body)).status, 422)
  })

  test('are in the form of the transition', async () => {
    const { s, uri } = await begin()
    await using _ = s
    const fields = { ...asAda, accept: 'application/prs.hal-forms+json' }
    const { publish, retract } = (await s.request(`GET ${uri}`, fields)).json._templates
    assert.deepEqual(
      publish.properties.map(({ name, required, readOnly, value }: Record<string, unknown>) => [
        name,
        required,
        readOnly,
        value,
      ]),
      [
        ['status', true, true, 'published'],
        ['body', true, undefined, undefined],
      ],
    )
    assert.equal(retract, undefined)
  })
})

describe('the fields that a transition sets', () => {
  test('now is the moment of the request; constants and null are written too', async () => {
    const { s, uri } = await begin({ body: 'B' })
    await using _ = s
    const { json } = await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    assert.equal(json.publishedAt, json.updatedAt)
    assert.equal(json.publishedOn, json.updatedAt.slice(0, 10))
    assert.equal(json.rank, 3)
    const back = await s.request(`PATCH ${uri}`, admin, { status: 'draft' })
    assert.equal(back.status, 200, back.text)
    assert.deepEqual([back.json.publishedAt, back.json.rank], [undefined, 3])
  })

  test('sending the present state is no transition: nothing is set', async () => {
    const { s, uri } = await begin({ body: 'B' })
    await using _ = s
    const first = await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    const again = await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    assert.deepEqual(again.json, first.json)
  })
})

describe('refusals of a transition (docs/reference/http/writing.md, "Writing")', () => {
  test('a closed transition is 409 with the open ones; one open but forbidden to the caller is 403', async () => {
    const { s, uri } = await begin({ body: 'B' })
    await using _ = s
    await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    assert.equal((await s.request(`PATCH ${uri}`, asAda, { status: 'draft' })).status, 403)
    await s.request(`PATCH ${uri}`, admin, { status: 'draft' })
    const created = await s.request('POST /articles', asAda, { title: 'A', status: 'published' })
    assert.equal(created.status, 422)
    assert.equal(created.json.errors[0].pointer, '/status')
  })

  test('a transition whose result the caller could not have written is not offered', async () => {
    const closing = resource(
      {
        status: state({
          initial: 'open',
          transitions: {
            close: { from: 'open', to: 'closed' },
            lock: { from: 'open', to: 'locked' },
          },
        }),
      },
      { access: { read: anyone, create: anyone, update: where({ status: ['open', 'closed'] }) } },
    )
    await using s = await serve(service({ title: 'Closing', resources: { things: closing } }))
    const fields = { accept: 'application/prs.hal-forms+json' }
    const created = await s.request('POST /things', fields, {})
    assert.deepEqual(Object.keys(created.json._templates), ['default', 'close'])
    const locked = await s.request(`PATCH ${created.fields.location}`, {}, { status: 'locked' })
    assert.equal(locked.status, 403)
  })
})

describe('faults in a definition', () => {
  const things = (more: object, fields: object = {}) => ({
    things: loose({
      body: text().optional(),
      code: text().unique().optional(),
      origin: text().immutable().optional(),
      count: integer().optional(),
      name: text(),
      ...fields,
      status: state({
        initial: 'a',
        transitions: { go: { from: 'a', to: 'b', ...more } },
      } as never),
    }),
  })

  test('each is named at its place, with what was probably meant', () => {
    for (const [more, fault] of [
      [{ requires: ['bdy'] }, "Unknown field 'bdy' in things. Did you mean 'body'?"],
      [{ requires: ['name'] }, "'requires' has no effect on 'name', which is not optional."],
      [{ require: ['body'] }, "Unknown option 'require'. Did you mean 'requires'?"],
      [{ sets: { cuont: 1 } }, "Unknown field 'cuont' in things. Did you mean 'count'?"],
      [{ sets: { count: now } }, "now needs a timestamp or a date, and 'count' is integer()."],
      [{ sets: { count: 'x' } }, '"x" is not a valid value of \'count\'. Must be a whole number.'],
      [{ sets: { name: null } }, "'sets' cannot empty 'name', which is required."],
      [{ sets: { status: 'b' } }, "'sets' cannot set 'status', which is state()."],
      [{ sets: { origin: 'x' } }, "'sets' cannot set 'origin', which is immutable."],
      [
        { sets: { code: 'x' } },
        "'sets' cannot set 'code', which is unique: a second item could not take this transition.",
      ],
    ] as const) {
      assert.equal(faultOf(things(more)), `things.status: Transition 'go': ${fault}`)
    }
  })
})
