/** Replies that the code of an action chooses: 201 with an item, 303 to another URI (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { action, anyone, integer, nobody, openService, resource, service, text } from '../../../src/index.ts'
import { freshDatabase } from '../../database.ts'
import { serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const orders = resource({ number: integer() }, { access })
const parcels = resource({ code: text() }, { key: 'code', access })
const secrets = resource({ code: text() }, { access: { read: nobody } })

const definition = service(
  { title: 'Shop', resources: { orders, parcels, secrets } },
  {
    orders: {
      actions: {
        ship: action({
          by: anyone,
          input: { code: text() },
          result: { weight: integer() },
          async run({ number }, { code }, { parcels, created }) {
            const { id } = await parcels.create({ code })
            return created('parcels', id, { weight: number * 2 })
          },
        }),
        pack: action({
          by: anyone,
          input: { code: text() },
          async run(_order, { code }, { parcels, created }) {
            await parcels.create({ code })
            return created('parcels', code)
          },
        }),
        hide: action({
          by: anyone,
          result: { weight: integer() },
          async run({ number }, _, { secrets, created }) {
            const { id } = await secrets.create({ code: 'x' })
            return created('secrets', id, { weight: number })
          },
        }),
        pay: action({
          by: anyone,
          input: { to: text() },
          result: { weight: integer() },
          async run({ id, number }, { to }, { orders, seeOther }) {
            await orders.patch(id, { number: number + 1 })
            return seeOther(to)
          },
        }),
        wrong: action({
          by: anyone,
          input: { what: text() },
          async run({ id }, { what }, { orders, created, seeOther }) {
            await orders.patch(id, { number: 100 })
            if (what === 'forgotten') seeOther('/orders')
            else if (what === 'absent') return created('orders', 'nothing')
            else return created('order' as 'orders', id)
          },
        }),
        later: action({ by: anyone, background: true, run: (_item, _input, { seeOther }) => seeOther('/') }),
      },
    },
  },
)

async function open(): Promise<{ readonly s: TestService; readonly order: string } & AsyncDisposable> {
  const s = await serve(definition)
  const order = String((await s.request('POST /orders', {}, { number: 4 })).fields.location)
  return { s, order, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }

describe('created', () => {
  it('is 201 with the Location of the item, and the declared result', async () => {
    await using o = await open()
    const send = () => o.s.request(`POST ${o.order}/ship`, { 'idempotency-key': '"1"' }, { code: 'A1' })
    for (const reply of [await send(), await send()]) {
      assert.deepEqual([reply.status, reply.json], [201, { weight: 8 }])
      assert.equal(reply.fields.location, '/parcels/A1')
    }
    assert.equal((await o.s.request('GET /parcels')).json.length, 1)
    const dry = await o.s.request(`POST ${o.order}/ship?dry-run=true`, {}, { code: 'A2' })
    assert.deepEqual([dry.status, dry.json, dry.fields.location], [200, { weight: 8 }, undefined])
  })

  it('shows the item without a declared result', async () => {
    await using o = await open()
    const reply = await o.s.request(`POST ${o.order}/pack`, {}, { code: 'B1' })
    assert.deepEqual([reply.status, reply.json.code], [201, 'B1'])
    assert.equal(reply.fields.location, '/parcels/B1')
  })

  it('is 200 without Location for an item that the caller may not read', async () => {
    await using o = await open()
    const reply = await o.s.request(`POST ${o.order}/hide`)
    assert.deepEqual([reply.status, reply.json, reply.fields.location], [200, { weight: 4 }, undefined])
  })

  it('of an item that does not exist is 500, and so is a reply that is not returned; nothing is written', async () => {
    await using o = await open()
    const expected = {
      forgotten: /must return the value of 'created' and 'seeOther'/,
      absent: /responds with an item that does not exist: 'nothing' of 'orders'/,
      misspelt: /Did you mean 'orders'\?/,
    }
    for (const [what, message] of Object.entries(expected)) {
      assert.equal((await o.s.request(`POST ${o.order}/wrong`, {}, { what })).status, 500, what)
      const failures = o.s.observations.filter(({ kind }) => kind === 'logic-failed')
      assert.match(String((failures.at(-1) as { cause?: unknown }).cause), message)
    }
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 4)
  })
})

describe('seeOther', () => {
  it('is 303 (RFC 9110 §15.4.4), and the writes are kept', async () => {
    await using o = await open()
    for (const [to, location] of [
      ['https://pay.example/a?b=ä#c', 'https://pay.example/a?b=%C3%A4#c'],
      ['/orders?sort=number', '/orders?sort=number'],
    ]) {
      const reply = await o.s.request(`POST ${o.order}/pay`, {}, { to })
      assert.deepEqual([reply.status, reply.fields.location, reply.text], [303, location, ''])
    }
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 6)
  })

  it('to another scheme, host or a relative reference is 500, and nothing is written', async () => {
    await using o = await open()
    const others = [
      'http://pay.example/',
      'javascript:alert(1)',
      '//pay.example/',
      '/\\pay.example/',
      '/.//pay.example/',
      '/orders/../%2E%2e//pay.example/',
      'orders',
    ]
    for (const to of [...others, 'https://user:pass@pay.example/', '/\t/pay.example', '']) {
      assert.equal((await o.s.request(`POST ${o.order}/pay`, {}, { to })).status, 500, to)
    }
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 4)
  })

  it('after a form is a redirect, to another origin a page that leads there', async () => {
    await using o = await open()
    const send = (to: string, key: string) =>
      o.s.request(`POST /forms${o.order}/pay`, form, `_key=${key}&to=${encodeURIComponent(to)}`)
    for (const _ of ['first', 'again']) {
      const own = await send('/orders', 'a')
      assert.deepEqual([own.status, own.fields.location], [303, '/orders'])
      const other = await send('https://pay.example/?a=1&b="', 'b')
      assert.equal(other.status, 200)
      assert.match(other.text, /content="0;url=https:\/\/pay\.example\/\?a=1&amp;b=%22"/)
    }
    assert.equal((await o.s.request(`GET ${o.order}`)).json.number, 6)
  })

  it('has no effect in a background action, whose job is the response', async () => {
    await using o = await open()
    const { json } = await o.s.request(`POST ${o.order}/later`, { prefer: 'wait=20' })
    assert.deepEqual([json.status, json.problem.status], ['failed', 500])
  })
})

describe('callers and descriptions', () => {
  it('system returns the result, the item, or nothing', async () => {
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { orders } = opened.system
    const { id } = await orders.create({ number: 1 })
    assert.deepEqual(await orders.ship(id, { code: 'A' }), { weight: 2 })
    const packed = (await orders.pack(id, { code: 'B' })) as { readonly code?: string }
    assert.equal(packed.code, 'B')
    assert.equal(await orders.pay(id, { to: '/' }), undefined)
    assert.equal((await orders.get(id)).number, 2)
  })

  it('OpenAPI has 201 and 303 with Location', async () => {
    await using o = await open()
    const { paths } = (await o.s.request('GET /openapi.json')).json
    const { responses } = paths['/orders/{id}/ship'].post
    assert.deepEqual(Object.keys(responses).slice(0, 4), ['200', '201', '204', '303'])
    for (const status of ['201', '303']) assert.ok(responses[status].headers.Location, status)
  })
})
