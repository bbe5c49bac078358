/** Items as the result of a query (docs/reference/http/actions.md): those that the caller may read, as lists show them. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  choice,
  email,
  integer,
  items,
  openService,
  owner,
  password,
  query,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'

const people = resource(
  {
    name: text(),
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: signedIn, create: anyone }, title: 'name' },
)
const orders = resource(
  {
    number: integer(),
    buyer: ref('people'),
    secret: text().optional().visibleTo(role('admin')),
  },
  { access: { read: [owner('buyer'), role('admin')], create: role('admin') } },
)
const notes = resource(
  { number: integer({ min: 1 }), words: text({ max: 1_000_000 }) },
  { key: 'number', access: { read: anyone, create: anyone } },
)

const definition = service(
  {
    title: 'Shop',
    name: 'shop',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, orders, notes },
    versions: { v1: {} },
  },
  {
    orders: {
      queries: {
        latest: query({
          on: 'collection',
          by: anyone,
          input: { first: integer().default(1) },
          result: items('orders'),
          // All rights: the response has what the caller may see.
          run: ({ first }, { orders }) =>
            orders.list({ number: { gte: first }, sort: '-number', limit: 100 }),
        }),
      },
    },
    '/': {
      queries: {
        chosen: query({
          by: anyone,
          input: { what: text() },
          result: items('notes'),
          async run({ what }, { notes }) {
            if (what === 'many') return Array.from({ length: 1001 }, (_, at) => `${at}`)
            if (what === 'odd') return [{}] as never
            if (what === 'large') return notes.list({ limit: 1000 })
            return what.split(' ')
          },
        }),
      },
    },
  },
)

const member = basic('mia@example.org', 'correct horse')

interface Shop extends AsyncDisposable {
  readonly s: TestService
}

/** Three orders, of which the member has the first and the third. */
async function open(): Promise<Shop> {
  const s = await serve(definition)
  const account = { name: 'Mia', email: 'mia@example.org', password: 'correct horse' }
  const { json: mia } = await s.request('POST /people', admin, account)
  const { json: other } = await s.request('POST /people', admin, { ...account, email: 'bo@example.org' })
  for (const [at, buyer] of [mia.id, other.id, mia.id].entries()) {
    await s.request('POST /orders', admin, { number: at + 1, buyer, secret: `s${at}` })
  }
  return { s, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

const numbersIn = (json: readonly { readonly number: number }[]) => json.map(({ number }) => number)

describe('a query whose result is items', () => {
  it('shows the items that the caller may read, in its order, with the fields that the caller may see', async () => {
    await using shop = await open()
    const all = await shop.s.request('GET /orders/latest', admin)
    assert.deepEqual([all.status, numbersIn(all.json)], [200, [3, 2, 1]])
    assert.equal(all.json[0].secret, 's2')
    const listed = await shop.s.request('GET /orders?sort=-number', admin)
    assert.deepEqual(all.json, listed.json)
    const own = await shop.s.request('GET /orders/latest', member)
    assert.deepEqual(numbersIn(own.json), [3, 1])
    assert.deepEqual(own.json, (await shop.s.request('GET /orders?sort=-number', member)).json)
    assert.equal(own.json[0].secret, undefined)
    assert.deepEqual((await shop.s.request('GET /orders/latest')).json, [])
    const asked = await shop.s.request('QUERY /orders/latest', admin, { first: 3 })
    assert.deepEqual(numbersIn(asked.json), [3])
  })

  it('leaves out what a token may not read', async () => {
    await using shop = await open()
    const { json } = await shop.s.request('POST /tokens', admin, { name: 't', scopes: ['service:read'] })
    const token = { authorization: `Bearer ${json.token}` }
    await shop.s.request('POST /notes', {}, { number: 1, words: 'a' })
    assert.deepEqual((await shop.s.request('GET /chosen?what=1', token)).json, [])
    assert.deepEqual(numbersIn((await shop.s.request('GET /chosen?what=1')).json), [1])
  })

  it('has the formats of lists, without their stream', async () => {
    await using shop = await open()
    const get = (accept: string) => shop.s.request('GET /orders/latest', { ...admin, accept })
    assert.match((await get('text/csv')).text, /^id,number,buyer,secret,createdAt,updatedAt\r\n[^,]+,3,/)
    assert.match((await get('application/x-ndjson')).text, /^\{.*"number":3/)
    assert.match((await get('application/xml')).text, /<number>3<\/number>/)
    const hal = JSON.parse((await get('application/prs.hal-forms+json')).text)
    assert.equal(hal._links.self.href, '/orders/latest')
    assert.deepEqual(
      numbersIn(hal._embedded['/relations/orders'] ?? Object.values(hal._embedded)[0]),
      [3, 2, 1],
    )
    assert.ok(Object.values(hal._templates).length > 0)
    assert.equal((await get('text/event-stream')).status, 406)
    const { status, json } = await shop.s.request('GET /orders/latest?api-version=v1', admin)
    assert.deepEqual([status, numbersIn(json)], [200, [3, 2, 1]])
  })

  it('is a page with a table, and the form to ask again', async () => {
    await using shop = await open()
    const page = await shop.s.request('GET /orders/latest', { ...admin, accept: 'text/html' })
    assert.equal(page.status, 200)
    assert.match(page.text, /<h1>Latest<\/h1>/)
    assert.match(page.text, /<table class="list"[\s\S]*Mia/)
    assert.doesNotMatch(page.text, /\?sort=/)
    assert.match(page.text, /name="first"/)
    const none = await shop.s.request('GET /orders/latest', { accept: 'text/html' })
    assert.match(none.text, /No orders match\./)
  })

  it('has a tag by its content: 304 while that is the same for this caller', async () => {
    await using shop = await open()
    const { fields } = await shop.s.request('GET /orders/latest', member)
    const condition = { 'if-none-match': String(fields.etag) }
    assert.equal((await shop.s.request('GET /orders/latest', { ...member, ...condition })).status, 304)
    assert.equal((await shop.s.request('GET /orders/latest', { ...admin, ...condition })).status, 200)
    assert.match(String(fields.vary), /Authorization, Cookie/)
  })

  it('takes ids, also keys, each once; unknown ones are left out', async () => {
    await using shop = await open()
    for (const number of [1, 2, 3]) await shop.s.request('POST /notes', {}, { number, words: 'a' })
    const { json } = await shop.s.request('GET /chosen?what=3%201%203%20x%2099')
    assert.deepEqual(numbersIn(json), [3, 1])
  })

  it('is 500 for more than 1,000 items, more than a page, and other values', async () => {
    await using shop = await open()
    const reasons: Readonly<Record<string, RegExp>> = {
      many: /returned 1001 items, more than 1000\./,
      odd: /must return a list of items of 'notes', not another value at 0\./,
      large: /returned items of more than 4000000 octets\./,
    }
    for (let number = 1; number <= 5; number += 1)
      await shop.s.request('POST /notes', {}, { number, words: 'x'.repeat(900_000) })
    for (const [what, reason] of Object.entries(reasons)) {
      assert.equal((await shop.s.request(`GET /chosen?what=${what}`)).status, 500, what)
      const failure = shop.s.observations.findLast(({ kind }) => kind === 'logic-failed')
      assert.match(String(failure && 'cause' in failure && failure.cause), reason)
    }
  })
})

describe('for programs', () => {
  it('the client returns the items', async () => {
    await using shop = await open()
    const api = client<typeof definition>(shop.s.url, { authorization: admin.authorization })
    const [first] = await api.orders.queries.latest({})
    const number: number | undefined = first?.number
    assert.equal(number, 3)
    const source = clientSource(checkDefinition(definition), 'everyone')
    assert.match(
      source,
      /readonly latest: [^;]*;[^;]*; readonly result: readonly Service\['orders'\]\['row'\]\[\] \}/,
    )
  })

  it('an opened service returns the items that its caller may read', async () => {
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { system } = opened
    const mia = await system.people.create({
      name: 'Mia',
      email: 'mia@example.org',
      password: 'correct horse',
    })
    const bo = await system.people.create({ name: 'Bo', email: 'bo@example.org', password: 'correct horse' })
    for (const [at, { id }] of [mia, bo].entries()) await system.orders.create({ number: at, buyer: id })
    assert.deepEqual(numbersIn(await system.orders.latest({ first: 0 })), [1, 0])
    const request = new Request('http://localhost/', { headers: { authorization: member.authorization } })
    const me = await opened.authenticate(request)
    assert.ok(!(me instanceof Response))
    assert.deepEqual(numbersIn(await opened.as(me).orders.latest({ first: 0 })), [0])
  })

  it('OpenAPI describes the list', async () => {
    await using shop = await open()
    const { json } = await shop.s.request('GET /openapi.json', admin)
    const { content } = json.paths['/orders/latest'].get.responses[200]
    assert.equal(content['application/json'].schema.type, 'array')
    assert.ok(content['text/csv'] && !content['text/event-stream'])
  })
})

describe('a declaration of items', () => {
  const faultsOf = (one: object) => {
    try {
      checkDefinition(service({ title: 'Faults', resources: { notes } }, { notes: one } as never))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is refused with its place and a suggestion', () => {
    const options = { on: 'collection', run: () => [] } as const
    const misspelt = { one: query({ ...options, result: items('note') } as never) }
    assert.match(
      faultsOf({ queries: misspelt }),
      /Query 'one': 'result': Unknown collection 'note'\. Did you mean 'notes'\?/,
    )
    const acting = { one: action({ ...options, result: items('notes') } as never) }
    assert.match(
      faultsOf({ actions: acting }),
      /Action 'one': 'result': Items are for queries\. Write a query/,
    )
    assert.equal(faultsOf({ queries: { one: query({ ...options, result: items('notes') } as never) } }), '')
  })
})

/** Mistakes that the compiler finds. */
export const mistakes = () =>
  service(
    { title: 'Mistakes', resources: { notes } },
    {
      notes: {
        queries: {
          // @ts-expect-error There is no such collection.
          misspelt: query({ on: 'collection', result: items('note'), run: (_, { notes }) => notes.list() }),
          // @ts-expect-error The result is items.
          object: query({ on: 'collection', result: items('notes'), run: () => ({ total: 1 }) }),
        },
      },
    },
  )
