/** Queries (docs/reference/http/queries.md): GET with parameters, QUERY with content, code that only reads. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  list,
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
  timestamp,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'

const people = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: signedIn, create: anyone } },
)
const orders = resource(
  {
    number: integer(),
    amount: decimal({ scale: 2 }).default('1.00'),
    buyer: ref('people').optional(),
    secret: text().optional().visibleTo(role('admin')),
  },
  { access: { read: [owner('buyer'), role('admin')], create: anyone, update: anyone } },
)
const products = resource({ name: text({ max: 20 }) }, { access: { read: anyone, create: anyone } })

const writes: Record<string, (tools: never) => unknown> = {
  create: ({ products }: { products: { create(item: object): unknown } }) => products.create({ name: 'x' }),
  mail: ({ created }: { created(collection: string, id: string): unknown }) => created('products', 'x'),
}

const definition = service(
  {
    title: 'Shop',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, orders, products },
  },
  {
    orders: {
      queries: {
        mine: query({
          by: owner('buyer'),
          result: { number: integer(), secret: text().optional() },
          run: ({ number, secret }) => ({ number, ...(secret !== undefined && { secret }) }),
        }),
      },
    },
    products: {
      actions: {
        tidy: action({ on: 'collection', by: anyone, run() {} }),
      },
      queries: {
        report: query({
          on: 'collection',
          by: anyone,
          input: {
            from: date(),
            rate: decimal({ scale: 2, max: '9.00' }).default('2.50'),
            at: timestamp().optional(),
            big: boolean().optional(),
            size: choice(['small', 'large']).default('small'),
            words: list(text({ max: 5 })).optional(),
            product: ref('products').optional(),
          },
          result: {
            from: date(),
            rate: decimal({ scale: 2 }),
            size: text(),
            big: boolean().optional(),
            at: timestamp().optional(),
            words: list(text()).optional(),
            product: ref('products').optional(),
            count: integer(),
          },
          async run(input, { products, refuse }) {
            if (input.from > '2030') return refuse('invalid-content', 'Too late.', { field: 'from' })
            return { ...input, count: await products.count() }
          },
        }),
        priced: query({
          on: 'collection',
          by: anyone,
          input: { lines: list({ name: text({ max: 5 }), quantity: integer({ min: 1 }) }) },
          result: { quantity: integer() },
          run: ({ lines }) => ({ quantity: lines.reduce((all, { quantity }) => all + quantity, 0) }),
        }),
        many: query({
          on: 'collection',
          by: anyone,
          input: { rows: list({ parts: list({ n: integer() }) }) },
          result: { rows: integer() },
          run: ({ rows }) => ({ rows: rows.length }),
        }),
        cached: query({
          on: 'collection',
          by: anyone,
          cache: { maxAge: 60 },
          result: { roles: list(text()) },
          run: (_, { caller }) => ({ roles: caller.roles }),
        }),
        forAdmins: query({
          on: 'collection',
          by: role('admin'),
          result: { ok: boolean() },
          run: () => ({ ok: true }),
        }),
        odd: query({
          on: 'collection',
          by: anyone,
          input: { how: text() },
          result: { ok: boolean() },
          async run({ how }, tools) {
            if (how === 'slow') await new Promise((resolve) => setTimeout(resolve, 6000))
            if (how === 'long') return { ok: 'x'.repeat(10) as never }
            if (how === 'refused') return tools.refuse('state-conflict', 'Not now.')
            await writes[how]?.(tools as never)
            return { ok: true }
          },
        }),
        large: query({
          on: 'collection',
          by: anyone,
          input: { octets: integer() },
          result: { texts: list(text({ max: 1_000_000 })) },
          run: ({ octets }) => ({ texts: [1e6, 1e6, 1e6, octets - 3e6].map((one) => 'x'.repeat(one)) }),
        }),
        asCaller: query({
          on: 'collection',
          by: anyone,
          result: { all: integer(), own: integer() },
          async run(_, { orders, as, caller }) {
            return { all: await orders.count(), own: await as(caller).orders.count() }
          },
        }),
      },
    },
  },
)

async function withShop(work: (s: TestService) => Promise<void>) {
  await using s = await serve(definition)
  await work(s)
}

const member = basic('mia@example.org', 'correct horse')

async function addMember(s: TestService): Promise<string> {
  const account = { email: 'mia@example.org', password: 'correct horse' }
  const { json } = await s.request('POST /people', admin, account)
  return json.id
}

describe('a query by GET', () => {
  it('takes its input as parameters, with defaults, and shows the declared result', () =>
    withShop(async (s) => {
      const { json: product } = await s.request('POST /products', {}, { name: 'Pen' })
      const parameters = `from=2026-01-02&at=2026-01-02T10:00:00%2B01:00&big=true&words=a&words=b&product=${product.id}`
      const { status, json } = await s.request(`GET /products/report?${parameters}`)
      assert.equal(status, 200)
      assert.deepEqual(json, {
        from: '2026-01-02',
        rate: '2.50',
        size: 'small',
        big: true,
        at: '2026-01-02T09:00:00.000Z',
        words: ['a', 'b'],
        product: product.id,
        count: 1,
      })
    }))

  it('refuses unknown, repeated, missing and invalid parameters with 400 and all faults', () =>
    withShop(async (s) => {
      const cases: readonly (readonly [query: string, type: string, detail: RegExp])[] = [
        ['fro=2026-01-02', 'unknown-parameter', /'fro'.*'from'/],
        ['from=2026-01-02&dry-run=true', 'unknown-parameter', /dry-run/],
        ['from=2026-01-02&from=2026-01-03', 'invalid-parameter', /'from' is repeated/],
        ['', 'invalid-parameter', /'from'/],
        ['from=tomorrow', 'invalid-parameter', /'from'/],
        ['from=2026-01-02&rate=9.01', 'invalid-parameter', /'rate'/],
        ['from=2026-01-02&words=toolong', 'invalid-parameter', /'words'/],
        ['from=2026-01-02&product=absent', 'invalid-parameter', /'product'/],
        ['from=2031-01-01', 'invalid-parameter', /'from': Too late/],
      ]
      for (const [parameters, type, detail] of cases) {
        const { status, json } = await s.request(`GET /products/report?${parameters}`)
        assert.equal(status, 400, parameters)
        assert.ok(json.type.endsWith(`/${type}`), `${parameters}: ${json.type}`)
        assert.match(json.detail, detail)
      }
      const { json } = await s.request('GET /products/report?from=tomorrow&rate=10')
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/from', '/rate'],
      )
    }))

  it('is offered as GET, HEAD, QUERY and OPTIONS; with lists of objects as QUERY', () =>
    withShop(async (s) => {
      const { fields } = await s.request('OPTIONS /products/report')
      assert.equal(fields.allow, 'GET, HEAD, QUERY, OPTIONS')
      assert.match(String(fields['accept-query']), /application\/json/)
      assert.equal((await s.request('POST /products/report', {}, {})).status, 405)
      const refused = await s.request('GET /products/priced')
      assert.equal(refused.status, 405)
      assert.equal(refused.fields.allow, 'QUERY, OPTIONS')
      const { fields: head, octets } = await s.request('HEAD /products/cached')
      assert.equal(octets.length, 0)
      assert.ok(head.etag)
    }))

  it('has a tag by its content, and is 304 while that is the same', () =>
    withShop(async (s) => {
      const line = 'GET /products/report?from=2026-01-02'
      const { fields } = await s.request(line)
      const condition = { 'if-none-match': String(fields.etag) }
      assert.equal((await s.request(line, condition)).status, 304)
      await s.request('POST /products', {}, { name: 'Pen' })
      const { status, json } = await s.request(line, condition)
      assert.equal(status, 200)
      assert.equal(json.count, 1)
      assert.equal(fields['cache-control'], 'private, no-cache')
      assert.match(String(fields.vary), /Authorization, Cookie/)
    }))

  it('with a lifetime is cacheable by all for anonymous callers, and by the caller for others', () =>
    withShop(async (s) => {
      const open = await s.request('GET /products/cached')
      assert.deepEqual([open.json.roles, open.fields['cache-control']], [[], 'max-age=60'])
      const own = await s.request('GET /products/cached', admin)
      assert.deepEqual([own.json.roles, own.fields['cache-control']], [['admin'], 'private, max-age=60'])
      for (const { fields } of [open, own]) assert.match(String(fields.vary), /Authorization, Cookie/)
      const withCookie = await s.request('GET /products/cached', { cookie: 'restwell=x' })
      assert.equal(withCookie.fields['cache-control'], 'private, no-cache')
    }))
})

describe('a query by QUERY', () => {
  it('takes its input as content', () =>
    withShop(async (s) => {
      const sent = {
        lines: [
          { name: 'a', quantity: 2 },
          { name: 'b', quantity: 3 },
        ],
      }
      const { status, json } = await s.request('QUERY /products/priced', {}, sent)
      assert.deepEqual([status, json], [200, { quantity: 5 }])
      const again = await s.request('QUERY /products/report', {}, { from: '2026-01-02' })
      assert.equal(again.json.rate, '2.50')
    }))

  it('takes 5,000 objects in all lists together', () =>
    withShop(async (s) => {
      const row = { parts: Array.from({ length: 999 }, (_, n) => ({ n })) }
      const rows = [row, row, row, row, row]
      assert.deepEqual((await s.request('QUERY /products/many', {}, { rows })).json, { rows: 5 })
      const { status, json } = await s.request('QUERY /products/many', {}, { rows: [...rows, { parts: [] }] })
      assert.deepEqual([status, json.errors[0].pointer, json.errors[0].rule], [422, '/rows', 'maxItems'])
    }))

  it('refuses content that is not valid with 422 and pointers', () =>
    withShop(async (s) => {
      const sent = { lines: [{ name: 'a', quantity: 0 }, { name: 'too long' }], more: 1 }
      const { status, json } = await s.request('QUERY /products/priced', {}, sent)
      assert.equal(status, 422)
      const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer)
      assert.deepEqual(pointers.toSorted(), [
        '/lines/0/quantity',
        '/lines/1/name',
        '/lines/1/quantity',
        '/more',
      ])
      const late = await s.request('QUERY /products/report', {}, { from: '2031-01-01' })
      assert.deepEqual([late.status, late.json.errors[0].pointer], [422, '/from'])
    }))
})

describe('the rights to a query', () => {
  it('are those of its rule, and on an item those to read it', () =>
    withShop(async (s) => {
      const buyer = await addMember(s)
      const { json: own } = await s.request('POST /orders', admin, { number: 7, buyer, secret: 's' })
      const { json: other } = await s.request('POST /orders', admin, { number: 8 })
      const mine = `GET /orders/${own.id}/mine`
      assert.deepEqual((await s.request(mine, member)).json, { number: 7, secret: 's' })
      assert.equal((await s.request(mine)).status, 401)
      assert.equal((await s.request(mine, admin)).status, 403)
      assert.equal((await s.request(`GET /orders/${other.id}/mine`, member)).status, 404)
      assert.equal((await s.request('GET /products/forAdmins', member)).status, 403)
      assert.equal((await s.request('GET /products/forAdmins')).status, 401)
      assert.deepEqual((await s.request('GET /products/forAdmins', admin)).json, { ok: true })
    }))

  it('need the scope to read of a token, which suffices', () =>
    withShop(async (s) => {
      const tokenWith = async (scopes: readonly string[]) => {
        const { json } = await s.request('POST /tokens', admin, { name: 't', scopes })
        return { authorization: `Bearer ${json.token}` }
      }
      const reading = await tokenWith(['products:read'])
      assert.equal((await s.request('GET /products/forAdmins', reading)).status, 200)
      const creating = await s.request('GET /products/forAdmins', await tokenWith(['products:create']))
      assert.equal(creating.status, 403)
      assert.match(creating.text, /products:read/)
    }))

  it('are all in its code, and those of the caller by `as`', () =>
    withShop(async (s) => {
      const buyer = await addMember(s)
      for (const sent of [{ number: 1, buyer }, { number: 2 }]) await s.request('POST /orders', admin, sent)
      assert.deepEqual((await s.request('GET /products/asCaller', member)).json, { all: 2, own: 1 })
      assert.deepEqual((await s.request('GET /products/asCaller')).json, { all: 2, own: 0 })
    }))
})

describe('the code of a query', () => {
  it('has no tools that write: 500, and nothing is stored', () =>
    withShop(async (s) => {
      for (const how of ['create', 'mail']) {
        assert.equal((await s.request(`GET /products/odd?how=${how}`)).status, 500, how)
      }
      assert.deepEqual((await s.request('GET /products')).json, [])
      const [failure] = s.observations.filter(({ kind }) => kind === 'logic-failed')
      assert.ok(failure && 'hook' in failure && failure.hook === 'products.queries.odd')
    }))

  it('ends with its problem, with 500 for a result of another form, and with 503 after five seconds', () =>
    withShop(async (s) => {
      assert.equal((await s.request('GET /products/odd?how=refused')).status, 409)
      assert.equal((await s.request('GET /products/odd?how=long')).status, 500)
      const began = performance.now()
      assert.equal((await s.request('GET /products/odd?how=slow')).status, 503)
      assert.ok(performance.now() - began > 4900)
    }))

  it('may return 4,000,000 octets', () =>
    withShop(async (s) => {
      const around = '{"texts":["","","",""]}'.length
      assert.equal((await s.request(`GET /products/large?octets=${4_000_000 - around}`)).status, 200)
      assert.equal((await s.request(`GET /products/large?octets=${4_000_001 - around}`)).status, 500)
    }))

  it('reads one moment, and sees no write that comes during it', async () => {
    let write = async () => {}
    const counted = service(
      { title: 'Counts', resources: { products } },
      {
        products: {
          queries: {
            twice: query({
              on: 'collection',
              by: anyone,
              result: { before: integer(), after: integer() },
              async run(_, { products }) {
                const before = await products.count()
                await write()
                return { before, after: (await products.list()).length }
              },
            }),
          },
        },
      },
    )
    await using s = await serve(counted)
    write = async () => void (await s.request('POST /products', {}, { name: 'Pen' }))
    assert.deepEqual((await s.request('GET /products/twice')).json, { before: 0, after: 0 })
    assert.deepEqual((await s.request('GET /products/twice')).json, { before: 1, after: 1 })
  })
})

/** Mistakes that the compiler finds. */
export const mistakes = () =>
  service(
    { title: 'Mistakes', resources: { products } },
    {
      products: {
        queries: {
          writes: query({
            result: { ok: boolean() },
            async run({ id }, _, { products }) {
              // @ts-expect-error A query cannot write.
              await products.remove(id)
              return { ok: true }
            },
          }),
          // @ts-expect-error A query has a result.
          nothing: query({ on: 'collection', by: anyone, run: () => undefined }),
          // @ts-expect-error The member is missing.
          missing: query({ on: 'collection', result: { ok: boolean() }, run: () => ({}) }),
          // @ts-expect-error Its misspelt member is not declared.
          surplus: query({
            on: 'collection',
            result: { ok: boolean(), note: text().optional() },
            run: () => ({ ok: true, note_: 'x' }),
          }),
        },
      },
    },
  )

describe('a query elsewhere', () => {
  it('is a method of the collections with all rights', async () => {
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { products, orders } = opened.system
    await products.create({ name: 'Pen' })
    const report = await products.report({ from: '2026-01-02' })
    assert.deepEqual([report.rate, report.count], ['2.50', 1])
    const { id } = await orders.create({ number: 3, secret: 's' })
    assert.deepEqual(await orders.mine(id, {}), { number: 3, secret: 's' })
    await assert.rejects(products.report({ from: 'tomorrow' }), { type: 'invalid-content' })
    await assert.rejects(products.report({ from: '2031-01-01' }), { type: 'invalid-content' })
  })

  it('is a method of `queries` of the client, which sends a GET, or a QUERY for values with parts', () =>
    withShop(async (s) => {
      const sent: string[] = []
      const record = (request: Request) => {
        sent.push(`${request.method} ${new URL(request.url).pathname}`)
        return fetch(request)
      }
      const { authorization } = member
      const buyer = await addMember(s)
      const api = client<typeof definition>(s.url, { authorization, fetch: record })
      const { json: order } = await s.request('POST /orders', admin, { number: 7, buyer })
      const report = await api.products.queries.report({ from: '2026-01-02', big: true })
      const words = await api.products.queries.report({ from: '2026-01-02', words: ['a'] })
      const { quantity } = await api.products.queries.priced({ lines: [{ name: 'a', quantity: 2 }] })
      const { number } = await api.orders.queries.mine(order.id, {})
      assert.deepEqual([report.big, words.words, quantity, number], [true, ['a'], 2, 7])
      assert.deepEqual(sent, [
        'GET /products/report',
        'QUERY /products/report',
        'QUERY /products/priced',
        `GET /orders/${order.id}/mine`,
      ])
      const invalid = api.products.queries.report({ from: 'tomorrow' })
      await assert.rejects(invalid, { status: 400, title: 'Invalid parameter' })
      // @ts-expect-error An action is no query.
      assert.ok(api.products.queries.tidy)
      // @ts-expect-error A query is no action.
      assert.ok(api.products.report)
    }))

  it('is a form by GET on the page of its collection, and on the page of its result', () =>
    withShop(async (s) => {
      const page = { accept: 'text/html', 'accept-language': 'de' }
      const list = await s.request('GET /products', page)
      assert.match(list.text, /<form method="get" action="\/forms\/products\/report"/)
      const sent = await s.request(
        'GET /forms/products/report?from=2026-01-02&rate=1%2C5&at=&_decimal=%2C',
        page,
      )
      assert.deepEqual(
        [sent.status, sent.fields.location],
        [303, '/products/report?from=2026-01-02&rate=1.5'],
      )
      const { status, text, fields } = await s.request('GET /products/report?from=2026-01-02&rate=1.5', page)
      assert.equal(status, 200)
      assert.match(text, /<h2>Ergebnis<\/h2>/)
      assert.match(text, /name="rate"[^>]*value="1,5/)
      assert.match(text, /<dd>02\.01\.2026|02\.01\.2026/)
      assert.equal(fields.etag, undefined)
    }))

  it('shows refused parameters in its form, with the faults beside the fields', () =>
    withShop(async (s) => {
      const line = 'GET /products/report?from=2031-01-01&rate=1.5'
      const { status, text } = await s.request(line, { accept: 'text/html' })
      assert.equal(status, 400)
      assert.match(text, /<p>Correct these:<\/p>/)
      assert.doesNotMatch(text, /Not saved/)
      assert.match(text, /name="from"[^>]*value="2031-01-01"/)
      assert.match(text, /class="fault"[^>]*>Too late\./)
    }))

  it('is in the generated types of the client', () => {
    const source = clientSource(checkDefinition(definition), 'everyone')
    assert.match(
      source,
      /readonly queries: \{\n\s+readonly report: \{ readonly on: 'collection'; readonly input: \{/,
    )
    assert.doesNotMatch(source, /readonly actions: \{\n\s+readonly report/)
  })

  it('cannot be part of a batch', () =>
    withShop(async (s) => {
      const requests = [{ id: 'a', method: 'QUERY', path: '/products/report', body: { from: '2026-01-02' } }]
      const { status } = await s.request('POST /batch', admin, { requests })
      assert.ok(status >= 400 && status < 500, String(status))
    }))

  it('is a form by GET in HAL-FORMS, where the caller may use it', () =>
    withShop(async (s) => {
      const hal = { accept: 'application/prs.hal-forms+json' }
      const { json } = await s.request('GET /products', hal)
      const { report, forAdmins, priced } = json._templates
      assert.deepEqual([report.method, report.target], ['GET', '/products/report'])
      assert.ok(report.properties.some(({ name }: { name: string }) => name === 'from'))
      assert.deepEqual([forAdmins, priced], [undefined, undefined])
    }))

  it('is in the OpenAPI document, with its parameters, its content and its result', () =>
    withShop(async (s) => {
      const { json } = await s.request('GET /openapi.json', admin)
      const { get, 'x-query': sent, post } = json.paths['/products/report']
      assert.equal(post, undefined)
      const from = get.parameters.find(({ name }: { name: string }) => name === 'from')
      assert.deepEqual([from.in, from.required], ['query', true])
      assert.ok(sent.requestBody.content['application/json'])
      assert.ok(get.responses['200'].content['application/json'])
      assert.equal(json.paths['/products/priced'].get, undefined)
    }))
})
