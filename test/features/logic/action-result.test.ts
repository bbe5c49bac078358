/** Actions with a declared result (docs/guide/logic.md): the response shows what their code returns. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  choice,
  decimal,
  integer,
  json,
  list,
  openService,
  ref,
  resource,
  service,
  text,
  timestamp,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const people = resource({ name: text() }, { access, title: 'name' })
const orders = resource({ number: integer(), note: text().optional() }, { access })

const definition = service(
  { title: 'Shop', name: 'shop', resources: { people, orders }, versions: { v1: {} } },
  {
    orders: {
      actions: {
        price: action({
          by: anyone,
          input: { rate: decimal({ scale: 2 }).default('2.50') },
          result: {
            total: decimal({ scale: 2, max: '1000.00' }).label('Price'),
            size: choice(['small', 'large']),
            at: timestamp(),
            words: list(text()),
            buyer: ref('people').optional(),
            note: text().optional(),
          },
          async run({ id, number, note }, { rate }, { orders, people }) {
            await orders.patch(id, { number: number + 1 })
            const [buyer] = await people.list({ limit: 1 })
            return {
              total: (Number(rate) * number).toFixed(2),
              size: number > 5 ? 'large' : 'small',
              at: '2026-11-19T10:00:00+01:00',
              words: ['a', 'b'],
              ...(buyer && { buyer: buyer.id }),
              ...(note !== undefined && { note }),
            }
          },
        }),
        broken: action({
          by: anyone,
          input: { what: text() },
          result: { total: decimal({ scale: 2 }), extra: json().optional() },
          async run({ id }, { what }, { orders }): Promise<{ readonly total: string }> {
            await orders.patch(id, { note: 'broken' })
            return returned[what] as { readonly total: string }
          },
        }),
        later: action({
          by: anyone,
          background: true,
          input: { what: text().optional() },
          result: { total: decimal({ scale: 2 }) },
          async run({ id }, { what }, { orders }): Promise<{ readonly total: string }> {
            await orders.patch(id, { note: 'later' })
            return what === undefined ? { total: '7' } : (returned[what] as { readonly total: string })
          },
        }),
        untold: action({ by: anyone, run: () => 'price' as never }),
      },
    },
    people: {
      actions: {
        total: action({
          on: 'collection',
          by: anyone,
          result: { people: integer() },
          run: async (_, { people }) => ({ people: await people.count() }),
        }),
      },
    },
  },
)

/** Values that do not satisfy the declaration. */
const returned: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  array: [{ total: '1.00' }],
  missing: {},
  invalid: { total: 'much' },
  circular: { total: '1.00', extra: circular() },
  surplus: { total: '1.00', totl: '2.00' },
}

function circular() {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

interface Shop extends AsyncDisposable {
  readonly s: TestService
  readonly order: string
  readonly person: string
}

async function open(): Promise<Shop> {
  const s = await serve(definition)
  const person = (await s.request('POST /people', {}, { name: 'Ada' })).json.id
  const order = String((await s.request('POST /orders', {}, { number: 4, note: '<b>' })).fields.location)
  return { s, order, person, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

const valueFor = (person: string) => ({
  total: '10.00',
  size: 'small',
  at: '2026-11-19T09:00:00.000Z',
  words: ['a', 'b'],
  buyer: person,
  note: '<b>',
})

describe('the result of an action', () => {
  it('is the content of a 200, with the writes of the action', async () => {
    await using o = await open()
    const reply = await o.s.request(`POST ${o.order}/price`, {}, {})
    assert.deepEqual([reply.status, reply.json], [200, valueFor(o.person)])
    assert.equal(reply.fields['content-type'], 'application/json')
    assert.equal(reply.fields.etag, undefined)
    assert.equal(reply.fields.location, undefined)
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 5)
    const total = await o.s.request('POST /people/total')
    assert.deepEqual([total.status, total.json], [200, { people: 1 }])
  })

  it('is shown in HAL, HAL-FORMS and XML; CSV is 406', async () => {
    await using o = await open()
    const send = (accept: string) => o.s.request(`POST ${o.order}/price`, { accept }, { rate: '2.50' })
    for (const type of ['application/hal+json', 'application/prs.hal-forms+json']) {
      assert.equal((await send(type)).json.total, '10.00', type)
      await o.s.request(`PATCH ${o.order}`, {}, { number: 4 })
    }
    const xml = await send('application/xml')
    assert.match(xml.text, /<price><total>10\.00<\/total><size>small<\/size>/)
    assert.match(xml.text, /<note>&lt;b&gt;<\/note>/)
    assert.equal((await send('text/csv')).status, 406)
  })

  it('is a page in HTML, also after a form; a form sent twice counts once', async () => {
    await using o = await open()
    const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const key = 'abc'
    const send = () => o.s.request(`POST /forms${o.order}/price`, form, `_key=${key}&rate=2.50`)
    const { status, text } = await send()
    assert.equal(status, 200)
    assert.match(text, /<h1>Price<\/h1>/)
    assert.match(text, /<dt>Price<\/dt><dd>10\.00<\/dd>/)
    assert.match(text, /<dt>Buyer<\/dt><dd><code>Ada<\/code><\/dd>/)
    assert.match(text, /<dt>Note<\/dt><dd><span class="text">&lt;b&gt;<\/span><\/dd>/)
    assert.match(text, new RegExp(`<a href="${o.order}">← Back</a>`))
    const again = await send()
    assert.deepEqual([again.status, again.fields.location], [303, '/orders'])
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 5)
  })

  it('is stored under an Idempotency-Key', async () => {
    await using o = await open()
    const send = () => o.s.request(`POST ${o.order}/price`, { 'idempotency-key': '"1"' }, {})
    const [first, second] = [await send(), await send()]
    assert.deepEqual([second.status, second.json], [200, first.json])
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 5)
  })

  it('is left out by return=minimal, and shown by a dry run, which writes nothing', async () => {
    await using o = await open()
    const dry = await o.s.request(`POST ${o.order}/price?dry-run=true`, {}, {})
    assert.deepEqual([dry.status, dry.json.total], [200, '10.00'])
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 4)
    const minimal = await o.s.request(`POST ${o.order}/price`, { prefer: 'return=minimal' }, {})
    assert.deepEqual([minimal.status, minimal.text], [204, ''])
  })

  it('is in the response of a batch', async () => {
    await using o = await open()
    const requests = [{ method: 'POST', path: `${o.order}/price`, body: {} }]
    const { status, json } = await o.s.request('POST /batch', {}, { requests })
    assert.deepEqual([status, json.responses[0].status, json.responses[0].body.total], [200, 200, '10.00'])
  })

  it('has its members in an older version of the interface', async () => {
    await using o = await open()
    const accept = { accept: 'application/x.shop.v1+json' }
    const reply = await o.s.request(`POST ${o.order}/price`, accept, {})
    assert.deepEqual([reply.status, reply.json], [200, valueFor(o.person)])
  })

  it('of a background action is the output of its job', async () => {
    await using o = await open()
    const send = (body: object) => o.s.request(`POST ${o.order}/later`, { prefer: 'wait=20' }, body)
    const { status, json } = await send({})
    assert.deepEqual(
      [status, json.status, json.output, json.result],
      [200, 'done', { total: '7.00' }, o.order],
    )
    assert.equal((await o.s.request(`GET ${o.order}`)).json.note, 'later')
    const wrong = (await send({ what: 'invalid' })).json
    assert.deepEqual([wrong.status, wrong.problem.status, wrong.output], ['failed', 500, undefined])
    const failures = o.s.observations.filter(({ kind }) => kind === 'logic-failed')
    assert.match(String((failures.at(-1) as { cause?: unknown }).cause), /total: Must be/)
  })

  it('that is missing or not valid is 500, is logged with its member, and nothing is written', async () => {
    await using o = await open()
    const expected = {
      nothing: /The result must be an object/,
      array: /The result must be an object/,
      missing: /returned a result that is not valid\. total: Is required\./,
      invalid: /returned a result that is not valid\. total: Must be/,
      circular: /orders\.actions\.broken/,
    }
    for (const [what, message] of Object.entries(expected)) {
      const reply = await o.s.request(`POST ${o.order}/broken`, {}, { what })
      assert.deepEqual([reply.status, reply.json.type], [500, '/problems/internal-error'], what)
      const failures = o.s.observations.filter(({ kind }) => kind === 'logic-failed')
      assert.match(String((failures.at(-1) as { cause?: unknown }).cause), message)
    }
    assert.equal((await o.s.request(`GET ${o.order}`)).json.note, '<b>')
  })

  it('surplus members, and values without a declaration, are dropped with a warning at the first call', async () => {
    await using o = await open()
    const dropped = () =>
      o.s.observations.flatMap((one) => (one.kind === 'result-dropped' ? [[one.hook, one.reason]] : []))
    for (const _ of [1, 2]) {
      const reply = await o.s.request(`POST ${o.order}/broken`, {}, { what: 'surplus' })
      assert.deepEqual([reply.status, reply.json], [200, { total: '1.00' }])
      assert.equal((await o.s.request(`POST ${o.order}/untold`)).json.number, 4)
    }
    assert.deepEqual(dropped(), [
      ['orders.actions.broken', "Its result has no member 'totl'. Did you mean 'total'?"],
      ['orders.actions.untold', 'It returns a value, but declares no result. Write: result: { … }.'],
    ])
  })
})

describe('descriptions of a result', () => {
  it('OpenAPI has its schema', async () => {
    await using o = await open()
    const { json } = await o.s.request('GET /openapi.json')
    const { responses } = json.paths['/orders/{id}/price'].post
    assert.deepEqual(Object.keys(responses).slice(0, 3), ['200', '201', '204'])
    const schema = json.components.schemas['Orders.priceResult']
    assert.deepEqual(responses['200'].content['application/json'].schema, {
      $ref: '#/components/schemas/Orders.priceResult',
    })
    assert.deepEqual(schema.required, ['total', 'size', 'at', 'words'])
    assert.equal(schema.properties.total.title, 'Price')
    assert.equal(schema.additionalProperties, false)
  })

  it('generated clients have its type', () => {
    const source = clientSource(checkDefinition(definition), 'everyone')
    assert.match(
      source,
      /readonly total: \{ readonly on: 'collection'; .*?readonly result: \{\s*readonly people: number/s,
    )
  })
})

describe('callers of code', () => {
  it('the client and system return the result', async () => {
    await using o = await open()
    const api = client<typeof definition>(o.s.url)
    const { people } = await api.people.total({})
    assert.equal(people, 1)
    const { total, buyer } = await api.orders.price(o.order.slice('/orders/'.length), { rate: '3.00' })
    assert.deepEqual([total, buyer], ['12.00', o.person])
    await using opened = await openService(definition, { database: await freshDatabase() })
    const order = await opened.system.orders.create({ number: 10 })
    assert.equal((await opened.system.orders.price(order.id, {})).size, 'large')
    assert.equal((await opened.system.orders.get(order.id)).number, 11)
  })
})
