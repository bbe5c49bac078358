/** Actions, queries and schedules of the service itself (docs/reference/definition.md): the key `'/'` of the logic. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  choice,
  decimal,
  email,
  integer,
  list,
  openService,
  password,
  query,
  ref,
  resource,
  role,
  route,
  schedule,
  service,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { admin, serve, type TestService } from '../../service.ts'

const people = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { create: anyone, read: role('admin') } },
)
const products = resource(
  { code: text({ max: 20 }).unique(), price: decimal({ scale: 2 }) },
  { key: 'code', access: { read: anyone, create: anyone } },
)
const carts = resource({ total: decimal({ scale: 2 }) }, { access: { read: anyone } })

const definition = service(
  {
    title: 'Shop',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, products, carts },
  },
  {
    '/': {
      actions: {
        quote: action({
          by: anyone,
          input: {
            lines: list({ product: ref('products'), quantity: integer({ min: 1 }) }, { max: 5 }),
          },
          result: { total: decimal({ scale: 2 }) },
          async run({ lines }, { products }) {
            let total = 0
            for (const { product, quantity } of lines) {
              total += Number((await products.get(product)).price) * quantity
            }
            return { total: total.toFixed(2) }
          },
        }),
        checkOut: action({
          by: role('admin'),
          input: { total: decimal({ scale: 2 }) },
          run: ({ total }, { carts }) => carts.create({ total }),
        }),
        later: action({
          by: role('admin'),
          background: true,
          result: { products: integer() },
          run: async (_, { products }) => ({ products: await products.count() }),
        }),
      },
      queries: {
        stock: query({
          by: anyone,
          input: { least: decimal({ scale: 2 }).default('0.00') },
          result: { products: integer() },
          run: async ({ least }, { products }) => ({
            products: await products.count({ price: { gte: least } }),
          }),
        }),
        secret: query({ by: role('admin'), result: { ok: text() }, run: () => ({ ok: 'yes' }) }),
      },
      schedules: { sweep: schedule('0 3 * * *', () => undefined) },
      routes: {
        '/hooks/one': route({ methods: ['GET'], by: anyone, run: () => new Response('routed') }),
      },
    },
  },
)

async function withShop(work: (s: TestService) => Promise<void>) {
  await using s = await serve(definition)
  await s.request('POST /products', {}, { code: 'pen', price: '2.50' })
  await work(s)
}

describe('operations of the service', () => {
  it('are an action by POST and a query by GET, below the base', () =>
    withShop(async (s) => {
      const sent = { lines: [{ product: 'pen', quantity: 3 }] }
      const quote = await s.request('POST /quote', {}, sent)
      assert.deepEqual([quote.status, quote.json], [200, { total: '7.50' }])
      const invalid = await s.request('POST /quote', {}, { lines: [{ product: 'none', quantity: 0 }] })
      assert.equal(invalid.status, 422)
      const stock = await s.request('GET /stock?least=2.00')
      assert.deepEqual([stock.status, stock.json], [200, { products: 1 }])
      assert.equal((await s.request('GET /stock?leats=2.00')).status, 400)
      assert.equal((await s.request('GET /quote')).status, 405)
      assert.equal((await s.request('GET /stock/more')).status, 404)
      assert.equal((await s.request('GET /hooks/one')).text, 'routed')
    }))

  it('show the item that an action made, also as a job', () =>
    withShop(async (s) => {
      const made = await s.request('POST /checkOut', admin, { total: '9.00' })
      assert.equal(made.status, 201)
      assert.match(String(made.fields.location), /\/carts\//)
      const job = await s.request('POST /later', { ...admin, prefer: 'wait=20' }, {})
      assert.deepEqual(
        [job.status, job.json.action, job.json.output],
        [200, 'service.later', { products: 1 }],
      )
    }))

  it('are for the callers of their rule, and need the scopes of the service', () =>
    withShop(async (s) => {
      assert.equal((await s.request('GET /secret')).status, 401)
      assert.equal((await s.request('POST /checkOut', {}, { total: '9.00' })).status, 401)
      const bearer = async (scope: string) => {
        const { json } = await s.request('POST /tokens', admin, { name: 't', scopes: [scope] })
        return { authorization: `Bearer ${json.token}` }
      }
      const [reading, creating] = [await bearer('service:read'), await bearer('service:create')]
      assert.equal((await s.request('GET /secret', reading)).status, 200)
      assert.equal((await s.request('GET /secret', creating)).status, 403)
      assert.equal((await s.request('POST /checkOut', creating, { total: '1.00' })).status, 201)
      const refused = await s.request('POST /checkOut', reading, { total: '1.00' })
      assert.equal(refused.status, 403)
      assert.match(refused.text, /service:create/)
    }))

  it('are in the OpenAPI document, in the client and in its types', () =>
    withShop(async (s) => {
      const { json } = await s.request('GET /openapi.json', admin)
      assert.equal(json.paths['/quote'].post.operationId, 'serviceQuoteAction')
      assert.deepEqual(Object.keys(json.paths['/stock']).toSorted(), ['get', 'x-query'])
      assert.ok(json.components.schemas['Service.quoteInput'])
      const api = client<typeof definition>(s.url, admin)
      const { total } = await api['/'].quote({ lines: [{ product: 'pen', quantity: 2 }] })
      const { products } = await api['/'].queries.stock({})
      assert.deepEqual([total, products], ['5.00', 1])
      const source = clientSource(checkDefinition(definition), 'everyone')
      assert.match(source, /'\/': \{[\s\S]*readonly quote: \{ readonly on: 'service'/)
    }))

  it('are methods beside the collections of an opened service', async () => {
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { products, quote, stock } = opened.system
    await products.create({ code: 'ink', price: '1.00' })
    assert.deepEqual(await quote({ lines: [{ product: 'ink', quantity: 4 }] }), { total: '4.00' })
    assert.deepEqual(await stock({}), { products: 1 })
  })

  it('are forms of the home document, and their results are pages', () =>
    withShop(async (s) => {
      const page = { accept: 'text/html' }
      const { json } = await s.request('GET /', { accept: 'application/prs.hal-forms+json' })
      assert.deepEqual([json._templates.quote.target, json._templates.quote.method], ['/quote', 'POST'])
      assert.deepEqual([json._templates.stock.method, json._templates.secret], ['GET', undefined])
      const home = await s.request('GET /', page)
      assert.match(home.text, /<form method="get" action="\/forms\/stock"/)
      const form = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
      const sent = await s.request('POST /forms/quote', form, 'lines=[{"product":"pen","quantity":1}]')
      assert.equal(sent.status, 200)
      assert.match(sent.text, /2\.50/)
      const refused = await s.request('POST /forms/quote', form, 'lines=[{"product":"no","quantity":1}]')
      assert.equal(refused.status, 422)
      assert.match(refused.text, /<a href="\/">/)
      const asked = await s.request('GET /forms/stock?least=2.00', page)
      assert.deepEqual([asked.status, asked.fields.location], [303, '/stock?least=2.00'])
      const reload = await s.request('GET /forms/quote', page)
      assert.deepEqual([reload.status, reload.fields.location], [303, '/'])
    }))
})

describe('faults of operations of the service', () => {
  const run = () => undefined
  const of = (logic: object, more: object = {}) => {
    const options = { title: 'Shop', resources: { products, ...more } }
    try {
      checkDefinition(service(options, { '/': logic } as object))
    } catch (error) {
      return (error as Error).message.split('\n').slice(1).join('\n').trim()
    }
    return ''
  }
  const simple = action({ by: anyone, run } as never)
  const faults: readonly (readonly [found: string, message: string])[] = [
    [of({ action: {} }), "Logic '/': Unknown option 'action'. Did you mean 'actions'?"],
    [
      of({ actions: { products: simple } }),
      "Action 'products' of the service: A collection has this path. Choose another name.",
    ],
    [
      of({ actions: { events: simple } }),
      "Action 'events' of the service: The path /events is reserved. Choose another name.",
    ],
    [
      of({ actions: { now: simple } }),
      "Action 'now' of the service: Logic has a tool with this name. Choose another name.",
    ],
    [
      of({
        actions: { one: simple },
        routes: { '/one': route({ methods: ['GET'], by: anyone, run: () => new Response() }) },
      }),
      "Action 'one' of the service: A route has this path. Choose another name.",
    ],
    [
      of({ actions: { one: action({ on: 'collection', by: anyone, run } as never) } }),
      "Logic '/': Action 'one': 'on' has no meaning for an operation of the service. Remove it.",
    ],
    [
      of({ actions: { one: simple } }, { service: products }),
      "The collection 'service' has the name that scopes of tokens have for the operations of the service. Choose another name for the collection.",
    ],
  ]
  for (const [found, message] of faults) it(message, () => assert.equal(found, message))
})
