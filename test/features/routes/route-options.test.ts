/** Routes whose code verifies by itself, that take the cookie of the pages, and that have all paths below theirs. */

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  env,
  hmac,
  password,
  resource,
  role,
  route,
  service,
  signedIn,
  standardWebhooks,
  stripe,
  text,
} from '../../../src/index.ts'
import { basic, serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const pass = 'correct horse battery'

const people = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    role: choice(['user', 'editor', 'admin']).default('user').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: anyone } },
)
const shops = resource(
  { name: text().unique(), secret: text().optional().visibleTo(role('admin')) },
  { key: 'name', access: { read: anyone, create: anyone } },
)
const notes = resource({ words: text() }, { access })

const numbered = (payload: unknown) => {
  if (typeof payload !== 'number') throw new TypeError('No number')
  return payload
}

const definition = service(
  {
    title: 'Shops',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, shops, notes },
  },
  {
    '/': {
      routes: {
        '/in/*': route({
          methods: ['POST'],
          async verify(request, tools) {
            const name = new URL(request.url).pathname.split('/').at(-1) ?? ''
            if (name === 'writing') await (tools as never as typeof full).notes.create({ words: 'x' })
            if (name === 'throwing') throw new Error('A fault.')
            if (name === 'refusing') return tools.refuse('not-found', 'No such shop.')
            if (name === 'text') return 'true' as never
            const [shop] = await tools.shops.list({ name })
            if (!shop) return undefined
            const { secret } = shop
            const event = await hmac({
              ...{ secret, header: 'X-Sign', timestamp: 'X-Time', parse: numbered },
              signed: ({ timestamp, content }) => `${timestamp}.${content}`,
            }).verify(request, tools)
            return event && { ...event, shop: shop.name }
          },
          once: ({ id, shop }) => `${shop}/${id}`,
          async run(request, { event, notes }) {
            await notes.create({ words: `${event.shop} ${event.payload + 1} ${await request.text()}` })
            return new Response(null, { status: 204 })
          },
        }),
        '/in/known': route({ methods: ['GET'], by: anyone, run: () => new Response('known') }),
        '/in/far/*': route({ methods: ['GET'], by: anyone, run: () => new Response('far') }),
        '/me': route({
          methods: ['GET', 'POST'],
          by: signedIn,
          cookie: true,
          async run(request, { caller, as, notes }) {
            if (new URL(request.url).searchParams.has('write')) await notes.create({ words: 'x' })
            const mine = await as(caller).people.list()
            const cookie = request.headers.get('cookie')
            return Response.json({ id: caller.id, mine: mine.length, cookie, method: request.method })
          },
        }),
        '/anyone': route({
          methods: ['GET'],
          by: anyone,
          cookie: true,
          run: (_, { caller }) => Response.json(caller.kind),
        }),
        '/slow': route({
          methods: ['GET'],
          by: anyone,
          time: '1 second',
          run: () => new Promise(() => undefined),
        }),
      },
    },
  },
)
declare const full: { readonly notes: { create(note: object): Promise<unknown> } }

const signatureOf = (secret: string, time: string, content: string) =>
  createHmac('sha256', secret).update(`${time}.${content}`).digest('hex')

async function serveShops() {
  const s = await serve(definition)
  for (const shop of [{ name: 'one', secret: 'a' }, { name: 'two', secret: 'b' }, { name: 'none' }]) {
    assert.equal((await s.request('POST /shops', {}, shop)).status, 201)
  }
  return s
}

const now = () => String(Math.floor(Date.now() / 1000))

function send(s: TestService, shop: string, secret: string, content = '1', time = now()) {
  const fields = {
    'x-sign': signatureOf(secret, time, content),
    'x-time': time,
    'content-type': 'text/plain',
  }
  return s.request(`POST /in/${shop}`, fields, content)
}

const noted = async (s: TestService) =>
  ((await s.request('GET /notes')).json as { words: string }[]).map(({ words }) => words).toSorted()

describe('a route that verifies by code', () => {
  it('takes the event that the code returns, with a secret for each item; undefined is 403', async () => {
    await using s = await serveShops()
    assert.equal((await send(s, 'one', 'a')).status, 204)
    assert.equal((await send(s, 'two', 'b', '2')).status, 204)
    assert.deepEqual(await noted(s), ['one 2 1', 'two 3 2'])
    const old = String(Number(now()) - 400)
    for (const refused of [
      await send(s, 'one', 'b'),
      await send(s, 'missing', 'a'),
      await send(s, 'one', 'a', '1', old),
      // Without a secret no signature is valid, not that of an empty one.
      await send(s, 'none', ''),
    ]) {
      assert.equal(refused.status, 403)
      assert.equal(refused.json.detail, 'The signature is not valid.')
    }
    assert.equal(s.observations.filter(({ kind }) => kind === 'signature-refused').length, 4)
    assert.equal((await noted(s)).length, 2)
  })

  it('handles an event once, and parses its content: 422', async () => {
    await using s = await serveShops()
    const time = now()
    assert.equal((await send(s, 'one', 'a', '1', time)).status, 204)
    assert.equal((await send(s, 'one', 'a', '1', time)).status, 204)
    assert.equal((await noted(s)).length, 1)
    const wrong = await send(s, 'one', 'a', '"text"')
    assert.equal(wrong.status, 422)
    assert.deepEqual(
      wrong.json.errors.map(({ rule }: { readonly rule: string }) => rule),
      ['parse'],
    )
  })

  it('only reads, may refuse, and must return an object: else 500', async () => {
    await using s = await serveShops()
    for (const [name, status] of [
      ['writing', 500],
      ['throwing', 500],
      ['text', 500],
      ['refusing', 404],
    ] as const) {
      assert.equal((await send(s, name, 'a')).status, status, name)
    }
    assert.deepEqual(await noted(s), [])
  })
})

describe('verify of a verifier', () => {
  const request = (fields: Record<string, string>, body = '{}') =>
    new Request('http://localhost/', { method: 'POST', headers: fields, body })

  it('takes texts, several during a rotation, and leaves the content', async () => {
    const sign = createHmac('sha256', 'new').update('{}').digest('hex')
    const given = request({ 'x-sign': sign })
    const event = await hmac({ secret: ['old', null, 'new'], header: 'X-Sign' }).verify(given)
    assert.deepEqual(event?.payload, {})
    assert.equal(await given.text(), '{}')
    const other = hmac({ secret: 'old', header: 'X-Sign' })
    assert.equal(await other.verify(request({ 'x-sign': sign })), undefined)
  })

  it('accepts nothing without a secret, and refuses variables and options that cannot be right', async () => {
    const empty = createHmac('sha256', '').update('{}').digest('hex')
    for (const secret of [undefined, null, '', []]) {
      const verifier = hmac({ secret, header: 'X-Sign' })
      assert.equal(await verifier.verify(request({ 'x-sign': empty })), undefined)
    }
    // No base64, and a key that is too short, would leave an empty key or one that is guessed.
    for (const secret of ['whsec_!!!', 'whsec_YQ==']) {
      const time = now()
      const key = Buffer.from(secret.slice(6), 'base64')
      const signature = createHmac('sha256', key).update(`1.${time}.{}`).digest('base64')
      const fields = { 'webhook-id': '1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
      assert.equal(await standardWebhooks(secret).verify(request(fields)), undefined)
    }
    await assert.rejects(stripe(env('SECRET')).verify(request({})), { name: 'TypeError', message: /texts/ })
    await assert.rejects(stripe('a', { tolerance: 'long' }).verify(request({})), TypeError)
    const untimed = hmac({ secret: 'a', header: 'X-Sign', timestamp: 'X-Time' })
    await assert.rejects(untimed.verify(request({ 'x-sign': 'a' })), /must contain the time/)
  })
})

describe('a route with cookie', () => {
  const browser = { accept: '*/*', 'sec-fetch-site': 'same-origin' }

  async function signIn(s: TestService) {
    const made = await s.request('POST /people', {}, { email: 'ada@example.org', password: pass })
    const form = { ...browser, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ login: 'ada@example.org', password: pass }).toString()
    const reply = await s.request('POST /sign-in', form, body)
    const cookie = reply.fields['set-cookie']?.[0]?.split(';')[0] ?? ''
    return { id: made.json.id, fields: { ...browser, cookie: `${cookie}; own=1` } }
  }

  it('knows the caller of the session, and keeps its secret from the code', async () => {
    await using s = await serveShops()
    const { id, fields } = await signIn(s)
    const reply = await s.request('GET /me', fields)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.json, { id, mine: 2, cookie: 'own=1', method: 'GET' })
    assert.equal((await s.request('POST /me?write', fields)).status, 200)
    assert.deepEqual(
      [(await s.request('GET /anyone', fields)).json, (await s.request('GET /anyone')).json],
      ['account', 'anonymous'],
    )
    assert.equal((await s.request('GET /me')).status, 401)
  })

  it('refuses pages of other origins with 403, and ended sessions with 401', async () => {
    await using s = await serveShops()
    const { fields } = await signIn(s)
    const foreign = { ...fields, 'sec-fetch-site': 'cross-site' }
    assert.equal((await s.request('POST /me', foreign)).status, 403)
    // The browser sends no cookie that counts with a link from elsewhere.
    assert.equal((await s.request('GET /me', foreign)).status, 401)
    assert.equal((await s.request('GET /anyone', foreign)).json, 'anonymous')
    const password = { ...basic('ada@example.org', pass), origin: 'https://other.example' }
    assert.equal((await s.request('POST /me', password)).status, 403)
    await s.request('POST /sign-out', { ...fields, 'content-type': 'application/x-www-form-urlencoded' }, '')
    assert.equal((await s.request('GET /me', fields)).status, 401)
  })

  it('must not write in a GET: 500, and nothing is written', async () => {
    await using s = await serveShops()
    const { fields } = await signIn(s)
    for (const method of ['GET', 'HEAD']) {
      assert.equal((await s.request(`${method} /me?write`, fields)).status, 500, method)
    }
    assert.deepEqual(await noted(s), [])
  })

  it('takes a token with the right to all: to read for GET, to create for others', async () => {
    await using s = await serveShops()
    await signIn(s)
    const tokenWith = async (scopes: readonly string[]) => {
      const made = await s.request('POST /tokens', basic('ada@example.org', pass), { scopes })
      return { authorization: `Bearer ${made.json.token}` }
    }
    const reader = await tokenWith(['*:read'])
    assert.equal((await s.request('GET /me', reader)).status, 200)
    assert.equal((await s.request('POST /me', reader)).status, 403)
    assert.equal((await s.request('GET /me', await tokenWith(['notes:read']))).status, 403)
    assert.equal((await s.request('POST /me', await tokenWith(['*:read', '*:create']))).status, 200)
  })
})

describe('a path of routes', () => {
  it('that ends in /* has all paths below it; a longer one and an exact one win', async () => {
    await using s = await serveShops()
    const bodyOf = async (path: string) => {
      const { status, text } = await s.request(`GET ${path}`)
      return status === 200 ? text : status
    }
    assert.equal(await bodyOf('/in/known'), 'known')
    assert.equal(await bodyOf('/in/far/away'), 'far')
    assert.equal(await bodyOf('/in/far/away/from%2Fhere'), 'far')
    assert.equal(await bodyOf('/in/far'), 405)
    assert.equal(await bodyOf('/in/other'), 405)
    assert.equal(await bodyOf('/in'), 404)
    assert.equal(await bodyOf('/in/'), 404)
    assert.equal(await bodyOf('/in/-/far'), 404)
    assert.equal(await bodyOf('/infar/away'), 404)
    const paths = (await s.request('GET /openapi.json')).json.paths
    const own = Object.keys(paths).filter((path) => path.startsWith('/in/'))
    assert.deepEqual(own, ['/in/{path}', '/in/known', '/in/far/{path}'])
  })

  it('with GET has HEAD: the same, without content', async () => {
    await using s = await serveShops()
    const head = await s.request('HEAD /in/known')
    assert.deepEqual([head.status, head.text, head.fields['content-length']], [200, '', '5'])
    assert.equal((await s.request('OPTIONS /in/known')).fields.allow, 'GET, HEAD, OPTIONS')
  })

  it('has its time: then 503', async () => {
    await using s = await serveShops()
    const began = performance.now()
    assert.equal((await s.request('GET /slow')).status, 503)
    assert.ok(performance.now() - began < 9000)
  })
})
