/** Routes: paths whose code gets requests as they were sent (docs/guide/inbound.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  openService,
  password,
  resource,
  role,
  route,
  service,
  text,
} from '../../../src/index.ts'
import { freshDatabase } from '../../database.ts'
import { admin, adminPassword, basic, serve } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const people = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone } },
)
const notes = resource({ title: text({ max: 10 }).unique(), count: integer().default(0) }, { access })

/** What the code of the route does, replaced by tests. */
let run: (request: Request) => Response | Promise<Response> = () => new Response()

const definition = service(
  {
    title: 'Notes',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, notes },
  },
  {
    '/': {
      routes: {
        '/tools/echo': route({
          methods: ['GET', 'POST'],
          by: anyone,
          maxSize: '1 kB',
          run: (request) => run(request),
        }),
        '/tools/write': route({
          methods: ['POST'],
          by: anyone,
          async run(request, { notes, caller, requestId, now, refuse }) {
            const {
              title,
              status = 200,
              count,
            } = (await request.json()) as {
              readonly title: string
              readonly status?: number
              readonly count?: number
            }
            await notes.create({ title, count: count ?? 0 })
            if (status === 418) throw new Error('A fault.')
            if (status === 409) refuse('state-conflict', 'Not now.')
            return Response.json({ kind: caller.kind, requestId, now }, { status })
          },
        }),
        '/tools/admin': route({
          methods: ['GET'],
          by: role('admin'),
          run: (_, { caller }) => Response.json({ roles: caller.roles }),
        }),
        '/tools/closed': route({ methods: ['GET'], run: () => new Response() }),
      },
    },
  },
)

describe('a route', () => {
  it('gets the request as it was sent, and its response is sent as it is', async () => {
    await using s = await serve(definition)
    run = async (request) => {
      const { url, method, headers } = request
      const fields = { 'x-own': headers.get('x-own'), cookie: headers.get('cookie') }
      const body = JSON.stringify({
        url,
        method,
        fields,
        octets: [...new Uint8Array(await request.arrayBuffer())],
      })
      const response = new Response(body, {
        status: 202,
        headers: { 'content-type': 'text/x-own', 'X-Own': 'a' },
      })
      response.headers.append('Set-Cookie', 'a=1')
      response.headers.append('Set-Cookie', 'restwell=stolen')
      return response
    }
    const cookie = 'mine=1; restwell=secret; __Host-restwell=secret'
    const sent = { 'x-own': 'A b', cookie, 'content-type': 'application/x-any' }
    const reply = await s.request('POST /tools/echo?a=b%20c', sent, Buffer.from([0, 255, 128]))
    assert.equal(reply.status, 202)
    const { url, method, fields, octets } = JSON.parse(reply.text)
    assert.equal(url, `${s.url}/tools/echo?a=b%20c`)
    assert.deepEqual([method, fields, octets], ['POST', { 'x-own': 'A b', cookie: 'mine=1' }, [0, 255, 128]])
    assert.equal(reply.fields['content-type'], 'text/x-own')
    assert.equal(reply.fields['x-own'], 'a')
    assert.deepEqual(reply.fields['set-cookie'], ['a=1'])
    assert.equal(reply.fields['cache-control'], 'no-store')
    assert.equal(reply.fields['x-content-type-options'], 'nosniff')
    assert.equal(reply.fields['content-security-policy'], "default-src 'none'")
  })

  it('sends octets, redirections and empty responses', async () => {
    await using s = await serve(definition)
    run = () =>
      new Response(new Uint8Array([37, 80, 68, 70, 0]), { headers: { 'content-type': 'application/pdf' } })
    const file = await s.request('GET /tools/echo')
    assert.deepEqual([...file.octets], [37, 80, 68, 70, 0])
    run = () => new Response(null, { status: 303, headers: { location: 'https://pay.example/' } })
    const elsewhere = await s.request('POST /tools/echo')
    assert.deepEqual([elsewhere.status, elsewhere.fields.location], [303, 'https://pay.example/'])
    run = () => new Response(null, { status: 204 })
    const empty = await s.request('POST /tools/echo')
    assert.deepEqual([empty.status, empty.text], [204, ''])
  })

  it('has its methods: others are 405, OPTIONS is 204; more content than it takes is 413', async () => {
    await using s = await serve(definition)
    run = () => new Response()
    for (const method of ['PUT', 'DELETE', 'PATCH', 'QUERY']) {
      const { status, fields } = await s.request(`${method} /tools/echo`)
      assert.deepEqual([status, fields.allow], [405, 'GET, HEAD, POST, OPTIONS'], method)
    }
    const options = await s.request('OPTIONS /tools/echo')
    assert.deepEqual([options.status, options.fields.allow], [204, 'GET, HEAD, POST, OPTIONS'])
    assert.equal((await s.request('POST /tools/echo', {}, 'x'.repeat(1000))).status, 200)
    assert.equal((await s.request('POST /tools/echo', {}, 'x'.repeat(1001))).status, 413)
    assert.equal((await s.request('GET /tools')).status, 404)
    assert.equal((await s.request('GET /tools/echo/more')).status, 404)
  })

  it('of a host that no URL can have is 400', async () => {
    await using s = await serve(definition)
    run = () => new Response()
    for (const host of ['things.example:99999', '1.2.3.4.5']) {
      assert.equal((await s.request('POST /tools/echo', { host }, '')).status, 400, host)
    }
    assert.equal((await s.request('POST /tools/echo', { host: 'things.example:443' }, '')).status, 200)
  })

  it('is for whom its rule permits, by credentials and not by a cookie; without a rule for none', async () => {
    await using s = await serve(definition)
    assert.deepEqual((await s.request('GET /tools/admin', admin)).json, { roles: ['admin'] })
    assert.equal((await s.request('GET /tools/admin')).status, 401)
    await s.request('POST /people', {}, { email: 'a@example.org', password: adminPassword })
    assert.equal((await s.request('GET /tools/admin', basic('a@example.org', adminPassword))).status, 403)
    for (const caller of [{}, admin])
      assert.ok([401, 403].includes((await s.request('GET /tools/closed', caller)).status))
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const login = `login=admin@example.org&password=${encodeURIComponent(adminPassword)}`
    const cookie =
      String((await s.request('POST /sign-in', form, login)).fields['set-cookie']).split(';')[0] ?? ''
    assert.match(cookie, /^restwell=/)
    const fields = { cookie, 'sec-fetch-site': 'same-origin' }
    assert.equal((await s.request('GET /status', fields)).status, 200)
    assert.equal((await s.request('GET /tools/admin', fields)).status, 401)
    const foreign = { ...admin, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    assert.equal((await s.request('GET /tools/admin', foreign)).status, 403)
    const scopes = ['people:read']
    const { token } = (await s.request('POST /tokens', admin, { name: 'a', scopes })).json
    assert.equal((await s.request('GET /tools/admin', { authorization: `Bearer ${token}` })).status, 403)
  })

  it('has one transaction: its writes are stored where the response is 2xx or 3xx', async () => {
    await using s = await serve(definition)
    const send = async (body: object) => (await s.request('POST /tools/write', {}, body)).status
    assert.equal(await send({ title: 'a' }), 200)
    assert.equal(await send({ title: 'b', status: 400 }), 400)
    assert.equal(await send({ title: 'c', status: 503 }), 503)
    assert.equal(await send({ title: 'd', status: 418 }), 500)
    assert.equal(await send({ title: 'e', status: 409 }), 409)
    assert.equal(await send({ title: 'x'.repeat(11) }), 422)
    assert.equal(await send({ title: 'f', count: 'x' }), 500)
    assert.equal(await send({ title: 'a' }), 500)
    const titles = (await s.request('GET /notes')).json.map(({ title }: { title: string }) => title)
    assert.deepEqual(titles, ['a'])
    const { json } = await s.request('POST /tools/write', {}, { title: 'g' })
    assert.equal(json.kind, 'anonymous')
    assert.ok(json.requestId && json.now)
  })

  it('that returns no Response is 500', async () => {
    await using s = await serve(definition)
    for (const value of [undefined, { status: 200 }, Response.error()]) {
      run = () => value as Response
      assert.equal((await s.request('GET /tools/echo')).status, 500)
    }
    const failure = s.observations.find(({ kind }) => kind === 'logic-failed') as { cause?: unknown }
    assert.match(String(failure.cause), /routes '\/tools\/echo' must return a Response\./)
  })

  it('is in OpenAPI, also of an opened service with a base', async () => {
    const database = await freshDatabase()
    await using opened = await openService(definition, { database, base: '/api', rate: 'off' })
    run = (request) => new Response(new URL(request.url).pathname)
    const reply = await opened.handle(new Request('http://localhost/api/tools/echo'))
    assert.equal(await reply.text(), '/api/tools/echo')
    const described = await opened.handle(new Request('http://localhost/api/openapi.json'))
    const { paths } = (await described.json()) as { readonly paths: Record<string, object> }
    const operations = Object.entries(paths).find(([path]) => path.endsWith('/tools/echo'))?.[1] ?? {}
    assert.deepEqual(
      Object.keys(operations).filter((name) => name === 'get' || name === 'post' || name === 'put'),
      ['get', 'post'],
    )
  })
})
