/** A test for each vulnerability of similar projects in the handling of requests, named by its advisory. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { integer, resource, role, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { admin, serve } from '../service.ts'
import { accounts, articles, definition, users } from './sample.ts'

test('GHSA-455w-c45v-86rg, GHSA-mg2h-6x62-wpwc, GHSA-jx2c-rxcm-jvmq, GHSA-247c-9743-5963: no Content-Type bypasses validation', async () => {
  await using s = await serve(definition)
  const invalid = '{"title":1,"nosuch":true}'
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    ' application/json',
    'application/json;',
    'application/json; charset=utf-8',
    'application/json\tx',
    'application/json x',
    'application/json;;x',
    'text/json',
    'application/jsonx',
    'a',
    '',
    'application/json, text/plain',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'text/plain',
  ]) {
    const { status } = await s.request('POST /articles', { ...admin, 'content-type': type }, invalid)
    assert.ok(status === 415 || status === 422, `${type}: ${status}`)
  }
  assert.equal(
    (
      await s.request(
        'POST /articles',
        { ...admin, 'content-type': ['application/json', 'text/plain'] as never },
        invalid,
      )
    ).status,
    400,
  )
  assert.equal((await s.request('POST /articles', admin, invalid)).status, 415)
  assert.equal(
    (await s.request('POST /articles', { ...admin, 'content-type': 'application/json' }, '{"title":1}'))
      .status,
    422,
    'and nothing is coerced',
  )
})

test('GHSA-cxrg-g7r8-w69p, GHSA-8p85-9qpw-fwgw, GHSA-6hw5-45gm-fj88: no spelling of a path bypasses a rule', async () => {
  await using s = await serve(definition)
  for (const path of [
    '/vaults',
    '/%76aults',
    '//vaults',
    '/vaults;a=b',
    '/vaults/',
    '/vaults/.',
    '/./vaults',
    '/users/../vaults',
    '/users/%2e%2e/vaults',
    '/vaults%2f1',
    '/VAULTS',
    '/vaults%00',
    '/vaults?',
    '/vaults%20',
    '/vaults\\',
  ]) {
    const { status } = await s.request(`GET ${path}`)
    assert.ok([401, 404, 400, 301].includes(status), `${path}: ${status}`)
    if (status === 301) assert.equal((await s.request('GET /vaults')).status, 401)
  }
  const draft = await s.request('POST /articles', admin, { title: 'x' })
  const id: string = draft.json.id
  for (const other of [
    id.toUpperCase(),
    `${id}%00`,
    `${id}/`,
    `${id};x`,
    `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
  ]) {
    assert.ok([404, 400, 301].includes((await s.request(`GET /articles/${other}`)).status), other)
  }
})

test('GHSA-444r-cwp2-x5xf, GHSA-3m5p-2c4r-xxw2: proxy header fields of a client have no effect', async () => {
  await using s = await serve(definition, { rate: 5 })
  const liar = {
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'for=203.0.113.9;host=evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-real-ip': '203.0.113.9',
    // Relations are URIs below the origin of the request; its own Host is used.
    host: 'asked.example',
  }
  const response = await s.request('POST /articles', { ...admin, ...liar }, { title: 'x' })
  assert.equal(response.status, 201)
  assert.match(String(response.fields.location), /^\/articles\//)
  assert.ok(!JSON.stringify([response.fields, response.text]).includes('evil'))
  assert.ok(!JSON.stringify(s.observations).includes('203.0.113.9'))
})

test('GHSA-q3vj-96h2-gwvg, GHSA-7xxh-373w-35vg, GHSA-wmrf-hv6w-mr66: nothing a client names is ever SQL', async () => {
  await using s = await serve(definition)
  const hostile = [
    "'",
    '"',
    '`',
    ';--',
    "' or 1=1 --",
    '") or true --',
    '\\',
    '%',
    '_identity',
    'rowid',
    '$.x',
    'a)b',
    'x\u0000y',
    '../..',
    '{}',
    '[]',
    '1e999',
  ]
  for (const one of hostile) {
    const encoded = encodeURIComponent(one)
    for (const line of [
      `GET /articles/${encoded}`,
      `GET /articles?${encoded}=1`,
      `GET /articles?sort=${encoded}`,
      `GET /articles?after=${encoded}`,
      `GET /articles?limit=${encoded}`,
      `GET /articles?title=${encoded}`,
      `GET /articles?title[${encoded}]=1`,
      `GET /${encoded}`,
    ]) {
      const { status } = await s.request(line, admin)
      assert.ok(status === 200 || (status >= 400 && status < 500), `${line}: ${status}`)
    }
    const created = await s.request('POST /articles', admin, { title: one })
    assert.ok(created.status === 201 || created.status === 422)
    if (created.status === 201) assert.equal(created.json.title, one)
  }
  assert.deepEqual(
    s.observations.filter(({ kind }) => kind === 'bug'),
    [],
  )
})

test('CVE-2026-21710, GHSA-prm5-8g2m-24gg, GHSA-93vw-8fm5-p2jf: the names that every object has are names like any other', async () => {
  const counters = resource(
    { name: text(), count: integer() },
    {
      key: 'name',
      access: { read: role('admin'), create: role('admin'), update: role('admin') },
      put: 'create',
    },
  )
  await using s = await serve(service({ title: 'Proto', accounts, resources: { users, articles, counters } }))
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    const responses = [
      await s.request(`GET /${name}`, admin),
      await s.request(`GET /articles/${name}`, admin),
      await s.request(`GET /articles?${name}=1`, admin),
      await s.request(`GET /articles?sort=${name}`, admin),
      await s.request(`GET /problems/${name}`, admin),
      await s.request('GET /articles', { ...admin, [name]: 'x' }),
      await s.request(
        'POST /articles',
        { ...admin, 'content-type': 'application/json' },
        `{"title":"x","${name}":{"polluted":true}}`,
      ),
      await s.request(
        'POST /tokens',
        { ...admin, 'content-type': 'application/json' },
        `{"scopes":["${name}:read"]}`,
      ),
    ]
    assert.deepEqual(
      responses.map(({ status }) => status),
      [404, 404, 400, 400, 404, 200, 422, 422],
      name,
    )
    const put = await s.request(`PUT /counters/${name}`, admin, { count: 1 })
    assert.equal(put.status, 201, name)
    assert.equal((await s.request(`GET /counters/${name}`, admin)).json.id, name)
  }
  assert.equal((Object.prototype as Record<string, unknown>).polluted, undefined)
})

test('GHSA-6q22-g298-grjh, GHSA-ph52-67fq-75wj, CVE-2026-30946: a small request is never expensive to serve', async () => {
  await using s = await serve(definition)
  const many = Array.from({ length: 1000 }, (_, at) => `f${at}=1`).join('&')
  for (const query of [
    'limit=1000000000',
    'limit=1001',
    'limit=-1',
    'limit=0',
    many,
    `embed=${'author.'.repeat(20)}x`,
  ]) {
    assert.equal((await s.request(`GET /articles?${query}`, admin)).status, 400, query.slice(0, 40))
  }
  let calls = 0
  const { store } = s.service
  for (const name of ['find', 'list', 'count', 'check', 'revision'] as const) {
    const real = store[name].bind(store) as (...args: never[]) => unknown
    Object.assign(store, {
      [name]: (...args: never[]) => {
        calls += 1
        return real(...args)
      },
    })
  }
  for (let round = 0; round < 50; round += 1) assert.equal((await s.request('GET /health/live')).status, 200)
  assert.equal(calls, 0)
})

test('GHSA-9329-mxxw-qwf8, GHSA-p6mr-xf3r-ghq4: only exactly listed origins are allowed', async () => {
  const origin = 'https://app.example'
  await using s = await serve(
    service({ title: 'CORS', accounts, origins: [origin], resources: { users, articles } }),
  )
  const evil = [
    'null',
    '*',
    '',
    'https://app.example.evil.example',
    'https://evil-app.example',
    'https://app.example:443',
    'https://app.example:8443',
    'http://app.example',
    'https://APP.EXAMPLE',
    'https://app.example/',
    'https://app.example ',
    'https://app.exampl',
    'https://xapp.example',
    'https://app.example@evil.example',
    'https://app.example%60.evil.example',
    'https://app.example_.evil.example',
    'https://[::1]',
    'file://',
    'app.example',
    'https://app.example, https://evil.example',
  ]
  for (const one of evil.filter((text) => text.trim() !== origin)) {
    for (const line of ['GET /articles', 'OPTIONS /articles']) {
      const response = await s.request(line, { origin: one, 'access-control-request-method': 'POST' })
      const cors = Object.keys(response.fields).filter((name) => name.startsWith('access-control'))
      assert.deepEqual(cors, [], one)
    }
    assert.equal(
      (await s.request('POST /articles', { ...admin, origin: one }, { title: 'x' })).status,
      403,
      one,
    )
  }
  assert.throws(
    () => checkDefinition(service({ title: 'x', origins: ['*'], resources: { articles } })),
    DefinitionFault,
  )
})
