/** Routes that verify signatures, and that handle an event once (docs/guide/inbound.md). */

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  anyone,
  env,
  github,
  hmac,
  integer,
  resource,
  route,
  service,
  standardWebhooks,
  stripe,
  text,
} from '../../../src/index.ts'
import { lastingDatabase } from '../../database.ts'
import { serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const payments = resource({ event: text(), amount: integer() }, { access })

interface Paid {
  readonly amount: number
}

function asPaid(payload: unknown): Paid {
  const { amount } = Object(payload)
  if (typeof amount !== 'number') throw new TypeError('Not a payment')
  return { amount }
}

/** Called before each run of the code. */
let before = async () => {}

const definition = service(
  { title: 'Payments', resources: { payments } },
  {
    '/': {
      routes: {
        '/hooks/stripe': route({
          methods: ['POST'],
          verify: stripe([env('STRIPE_OLD'), env('STRIPE_NEW')], { parse: asPaid }),
          once: ({ id }) => id,
          async run(_, { event, payments }) {
            await before()
            const { id } = await payments.create({ event: event.id, amount: event.payload.amount })
            return Response.json({ id, type: event.type }, { status: 201, headers: { 'X-Own': 'a' } })
          },
        }),
        '/hooks/github': route({
          methods: ['POST'],
          verify: github(env('GITHUB')),
          run: (_, { event }) => Response.json(event),
        }),
        '/hooks/standard': route({
          methods: ['POST'],
          verify: standardWebhooks(env('STANDARD'), { tolerance: '1 minute' }),
          run: (_, { event }) => Response.json(event),
        }),
        '/hooks/slack': route({
          methods: ['POST'],
          verify: hmac({
            secret: env('SLACK'),
            header: 'X-Slack-Signature',
            prefix: 'v0=',
            timestamp: 'X-Slack-Request-Timestamp',
            signed: ({ timestamp, content }) => `v0:${timestamp}:${content}`,
          }),
          run: (_, { event }) => Response.json(event),
        }),
        '/hooks/octets': route({
          methods: ['POST'],
          verify: hmac({
            secret: env('SLACK'),
            header: 'X-Sign',
            encoding: 'base64',
            algorithm: 'sha512',
            id: 'X-Id',
          }),
          once: ({ id }) => id,
          run: async (request) => new Response(`${(await request.arrayBuffer()).byteLength}`),
        }),
        '/hooks/plain': route({
          methods: ['POST'],
          verify: hmac({ secret: env('SLACK'), header: 'X-Sign' }),
          once: ({ id }) => id,
          async run(_, { event, payments }) {
            await payments.create({ event: event.id, amount: 1 })
            return new Response(null, { status: 204 })
          },
        }),
      },
    },
  },
)

const standardSecret = Buffer.from('a secret of the partner').toString('base64')
const variables = {
  STRIPE_OLD: 'whsec_old',
  STRIPE_NEW: 'whsec_new',
  GITHUB: "It's a Secret to Everybody",
  STANDARD: `whsec_${standardSecret}`,
  SLACK: 'slack secret',
}

const seconds = () => Math.floor(Date.now() / 1000)

function signed(body: string, { secret = 'whsec_new', at = seconds() } = {}): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${signature},v0=x` }
}

const open = (database?: string) => serve(definition, { variables, ...(database && { database }) })
const paid = (id: string, amount = 5) => JSON.stringify({ id, type: 'paid', amount })
const count = async (s: TestService) => (await s.request('GET /payments')).json.length

describe('signatures', () => {
  it('of Stripe: the content, a time within five minutes, and one of two secrets', async () => {
    await using s = await open()
    const send = (body: string, fields: Record<string, string>) =>
      s.request('POST /hooks/stripe', fields, body)
    const first = await send(paid('evt_1'), signed(paid('evt_1')))
    assert.deepEqual([first.status, first.json.type, first.fields['x-own']], [201, 'paid', 'a'])
    assert.equal((await send(paid('evt_2'), signed(paid('evt_2'), { secret: 'whsec_old' }))).status, 201)
    for (const offset of [-290, 290]) {
      const id = `evt_${offset}`
      assert.equal((await send(paid(id), signed(paid(id), { at: seconds() + offset }))).status, 201)
    }
    const body = paid('evt_x')
    const wrong: readonly (readonly [string, Record<string, string>])[] = [
      [body, {}],
      [`${body} `, signed(body)],
      [body, signed(body, { secret: 'whsec_other' })],
      [body, signed(body, { secret: '' })],
      [body, signed(body, { at: seconds() - 310 })],
      [body, signed(body, { at: seconds() + 310 })],
      [body, { 'stripe-signature': String(signed(body)['stripe-signature']).replace('t=', 'u=') }],
      [body, { 'stripe-signature': 't=1,v1=' }],
      [body, { 'stripe-signature': `t=${seconds()}` }],
    ]
    for (const [content, fields] of wrong) {
      const { status, json } = await send(content, fields)
      assert.deepEqual([status, json.detail], [403, 'The signature is not valid.'], JSON.stringify(fields))
    }
    assert.equal(await count(s), 4)
    const reasons = s.observations.flatMap((one) => (one.kind === 'signature-refused' ? [one.reason] : []))
    assert.equal(reasons.length, wrong.length)
    assert.equal(reasons[0], 'The field Stripe-Signature is missing.')
  })

  it('of GitHub: the example of its documentation', async () => {
    await using s = await open()
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const fields = { 'x-hub-signature-256': signature, 'x-github-delivery': 'd1', 'x-github-event': 'push' }
    const { status, json } = await s.request('POST /hooks/github', fields, 'Hello, World!')
    assert.deepEqual([status, json], [200, { id: 'd1', type: 'push', payload: 'Hello, World!' }])
    assert.equal((await s.request('POST /hooks/github', fields, 'Hello, World?')).status, 403)
  })

  it('of Standard Webhooks: id, time and content', async () => {
    await using s = await open()
    const body = '{"type":"a.b","n":1}'
    const send = (at: number, id = 'msg_1') => {
      const key = Buffer.from(standardSecret, 'base64')
      const signature = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64')
      const fields = {
        'webhook-id': id,
        'webhook-timestamp': `${at}`,
        'webhook-signature': `v1,AAAA v1,${signature}`,
      }
      return s.request('POST /hooks/standard', fields, body)
    }
    const { json } = await send(seconds())
    assert.deepEqual(json, { id: 'msg_1', type: 'a.b', payload: { type: 'a.b', n: 1 } })
    assert.equal((await send(seconds(), 'msg_2')).status, 403)
    assert.equal((await send(seconds() - 70)).status, 403)
  })

  it('by hmac: of a declared text, and of octets that are no UTF-8', async () => {
    await using s = await open()
    const at = `${seconds()}`
    const body = 'text=a'
    const slack = createHmac('sha256', variables.SLACK).update(`v0:${at}:${body}`).digest('hex')
    const fields = { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${slack}` }
    const reply = await s.request('POST /hooks/slack', fields, body)
    assert.deepEqual([reply.status, reply.json.payload], [200, 'text=a'])
    assert.match(reply.json.id, /^[0-9a-f]{64}$/)
    assert.equal(
      (await s.request('POST /hooks/slack', { ...fields, 'x-slack-signature': slack }, body)).status,
      403,
    )
    const octets = Buffer.from([0xff, 0, 0x80])
    const sign = createHmac('sha512', variables.SLACK).update(octets).digest('base64')
    const sent = await s.request('POST /hooks/octets', { 'x-sign': sign, 'x-id': '1' }, octets)
    assert.deepEqual([sent.status, sent.text], [200, '3'])
    const without = await s.request('POST /hooks/octets', { 'x-sign': sign }, octets)
    assert.deepEqual([without.status, without.json.errors[0].rule], [422, 'required'])
  })

  it('are checked before the content is read as an event: a wrong form is 422', async () => {
    await using s = await open()
    const body = JSON.stringify({ id: 'evt_1', amount: 'much' })
    assert.equal((await s.request('POST /hooks/stripe', {}, body)).status, 403)
    const { status, json } = await s.request('POST /hooks/stripe', signed(body), body)
    assert.deepEqual([status, json.errors[0].rule], [422, 'parse'])
  })
})

describe('once', () => {
  it('a repeated event has one effect and the same response, also after a restart', async (t) => {
    const database = await lastingDatabase(t)
    const send = (s: TestService) => s.request('POST /hooks/stripe', signed(paid('evt_1')), paid('evt_1'))
    let first: unknown
    {
      await using s = await open(database)
      const reply = await send(s)
      first = [reply.status, reply.text, reply.fields['x-own']]
    }
    await using s = await open(database)
    const again = await send(s)
    assert.deepEqual([again.status, again.text, again.fields['x-own']], first)
    assert.equal(await count(s), 1)
  })

  it('simultaneous repetitions have one effect', async () => {
    await using s = await open()
    before = () => new Promise((resolve) => setTimeout(resolve, 20))
    const send = () => s.request('POST /hooks/stripe', signed(paid('evt_1')), paid('evt_1'))
    const replies = await Promise.all([send(), send(), send(), send()])
    before = async () => {}
    assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.equal(replies[0]?.status, 201)
    assert.equal(await count(s), 1)
  })

  it('an event without an id is its signature, whatever its text is', async () => {
    await using s = await open()
    const sign = createHmac('sha256', variables.SLACK).update('a').digest('hex')
    for (const text of [sign, sign.toUpperCase(), `${sign}0`, `${sign} again`]) {
      const { status } = await s.request('POST /hooks/plain', { 'x-sign': text }, 'a')
      assert.ok([204, 403].includes(status), `${status}`)
    }
    assert.equal(await count(s), 1)
  })

  it('an event that failed is handled by the next attempt', async () => {
    await using s = await open()
    const send = () => s.request('POST /hooks/stripe', signed(paid('evt_1')), paid('evt_1'))
    before = () => Promise.reject(new Error('A fault.'))
    assert.equal((await send()).status, 500)
    before = async () => {}
    assert.equal((await send()).status, 201)
    assert.equal(await count(s), 1)
  })

  it('is forgotten after 30 days', async () => {
    await using s = await open()
    const send = (at: number) => s.request('POST /hooks/stripe', signed(paid('evt_1'), { at }), paid('evt_1'))
    assert.equal((await send(seconds())).status, 201)
    s.advance(29 * 86_400_000)
    assert.equal((await send(seconds() + 29 * 86_400)).status, 201)
    assert.equal(await count(s), 1)
    s.advance(2 * 86_400_000)
    assert.equal((await send(seconds() + 31 * 86_400)).status, 201)
    assert.equal(await count(s), 2)
  })
})

it('a secret of Standard Webhooks that is no key is refused at the start', async () => {
  for (const secret of ['whsec_', 'whsec_!!!!', 'c2hvcnQ=']) {
    const start = serve(definition, { variables: { ...variables, STANDARD: secret } })
    await assert.rejects(start, /The variable STANDARD must be a secret of Standard Webhooks/)
  }
})
