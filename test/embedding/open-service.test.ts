import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { anyone, openService, resource, service, text } from '../../src/index.ts'
import { lastingDatabase } from '../database.ts'
import { createRequester } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Things',
  resources: { things: resource({ name: text({ max: 10 }) }, { access: open }) },
})
const memory = { database: 'file::memory:', rate: 'off' } as const

test('handle takes a Request and returns a Response, without a socket', async () => {
  await using things = await openService(definition, memory)
  const made = await things.handle(
    new Request('http://localhost/things', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'One' }),
    }),
  )
  assert.equal(made.status, 201)
  const location = made.headers.get('location') ?? ''
  const got = await things.handle(new Request(`http://localhost${location}`))
  assert.equal(((await got.json()) as { name: string }).name, 'One')
  const unchanged = await things.handle(
    new Request(`http://localhost${location}`, {
      headers: { 'if-none-match': got.headers.get('etag') ?? '' },
    }),
  )
  assert.equal(unchanged.status, 304)
  const gone = await things.handle(new Request(`http://localhost${location}`, { method: 'DELETE' }))
  assert.equal(gone.status, 204)
})

test('HEAD has no body, and errors are problems', async () => {
  await using things = await openService(definition, memory)
  const head = await things.handle(new Request('http://localhost/things', { method: 'HEAD' }))
  assert.equal(head.status, 200)
  assert.equal(await head.text(), '')
  const missing = await things.handle(new Request('http://localhost/nothing'))
  assert.equal(missing.headers.get('content-type'), 'application/problem+json')
})

test('a method that no specification defines is 501, before the target is found (RFC 9110 §15.6.2)', async () => {
  await using things = await openService(definition, memory)
  for (const [method, path] of [
    ['FOO', '/things'],
    ['foo', '/things'],
    ['FOO', '/nothing'],
  ] as const) {
    const refused = await things.handle(new Request(`http://localhost${path}`, { method }))
    assert.equal(refused.status, 501, `${method} ${path}`)
  }
})

test('handle sends the fields that every response on a socket has', async () => {
  await using things = await openService(definition, memory)
  const server = createServer(things.listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const request = createRequester((server.address() as AddressInfo).port)
  for (const path of ['/things', '/nothing', '/things?format=html']) {
    const { headers } = await things.handle(new Request(`http://localhost${path}`))
    const { fields } = await request(`GET ${path}`)
    for (const name of [
      'x-content-type-options',
      'referrer-policy',
      'cross-origin-resource-policy',
      'content-security-policy',
    ]) {
      assert.equal(headers.get(name) ?? undefined, fields[name], name)
    }
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('request-id') ?? '', /^[0-9a-f-]{36}$/)
  }
  const problem = await things.handle(new Request('http://localhost/nothing'))
  const { instance } = (await problem.json()) as { instance: string }
  assert.equal(instance, `urn:uuid:${problem.headers.get('request-id')}`)
  await new Promise((resolve) => server.close(resolve))
})

test('the api-catalog names the URIs below publicUrl, where one is given (RFC 9727 §4.1)', async () => {
  const publicUrl = 'https://example.org/api'
  await using things = await openService(definition, { ...memory, base: '/v1', publicUrl })
  const answer = await things.handle(new Request('http://localhost/v1/.well-known/api-catalog'))
  const { linkset } = (await answer.json()) as { linkset: readonly Record<string, unknown>[] }
  assert.equal(linkset[0]?.anchor, `${publicUrl}/.well-known/api-catalog`)
  assert.equal(linkset[1]?.anchor, publicUrl)
  assert.deepEqual(linkset[1]?.['service-doc'], [{ href: `${publicUrl}/docs`, type: 'text/html' }])
})

test('content beyond the limit is 413 without a socket too', async () => {
  await using things = await openService(definition, memory)
  const ask = (octets: number) =>
    things.handle(
      new Request('http://localhost/things', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'x'.repeat(octets - 11) }),
      }),
    )
  assert.equal((await ask(1024 * 1024)).status, 422)
  assert.equal((await ask(1024 * 1024 + 1)).status, 413)
})

test('the base option overrides that of the definition, and must be a path', async () => {
  await using things = await openService(definition, { ...memory, base: '/a/b' })
  const home = await things.handle(new Request('http://localhost/a/b'))
  const { links } = (await home.json()) as { links: { things: string } }
  assert.equal(links.things, '/a/b/things')
  await assert.rejects(openService(definition, { ...memory, base: 'api/' }), /a path such as '\/api'/)
})

test('a definition that cannot be served is refused with its faults', async () => {
  await assert.rejects(
    openService(service({ title: 'x', resources: { Things: resource({ a: text() }) } }), memory),
    /Did you mean 'things'/,
  )
})

test('content that a body parser has already read is an error with a remedy', async () => {
  await using things = await openService(definition, memory)
  const thrown = Promise.withResolvers<unknown>()
  const server = createServer(async (incoming, response) => {
    for await (const _part of incoming) void _part
    try {
      things.listener(incoming, response)
    } catch (error) {
      thrown.resolve(error)
      response.end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const request = createRequester((server.address() as AddressInfo).port)
    await request('POST /things', {}, { name: 'One' })
    assert.match(String(await thrown.promise), /Mount Restwell before body parsers/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('options that are unknown, missing or not valid are refused by name, after the faults of the definition', async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, "The option 'database' is missing. Write: database: 'file:data/restwell.db'."],
    [
      { ...memory, publicURL: 'https://example.org' },
      "Unknown option 'publicURL'. Did you mean 'publicUrl'?",
    ],
    [
      { ...memory, rate: 'none' },
      `The option 'rate' must be a number of requests per minute, or 'off', not "none".`,
    ],
    [
      { ...memory, clock: new Date(0) },
      `The option 'clock' must be a function, not "1970-01-01T00:00:00.000Z".`,
    ],
  ]
  for (const [options, message] of cases) {
    const opening = openService(definition, options as never)
    await assert.rejects(opening, { name: 'TypeError', message: `openService: ${message}` })
  }
  const faulty = openService({} as never, { databse: '' } as never)
  await assert.rejects(faulty, { name: 'DefinitionFault' })
})

test('the option secretKey encrypts the secrets of the database; text that is no key is a TypeError', async (t) => {
  const database = await lastingDatabase(t)
  const secretKey = randomBytes(32).toString('base64')
  await (await openService(definition, { database, secretKey })).close()
  await assert.rejects(openService(definition, { database }), { name: 'StoreOpenError' })
  await (await openService(definition, { database, secretKey })).close()
  await assert.rejects(openService(definition, { database, secretKey: 'short' }), {
    name: 'TypeError',
    message: /^The option secretKey must be 32 octets/,
  })
})
