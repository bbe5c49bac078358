/** A test for each class of vulnerability of similar projects, named by its advisory. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import {
  choice,
  email,
  integer,
  list,
  not,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  text,
  where,
} from '../../src/index.ts'
import { admin, basic, type Reply, serve } from '../service.ts'
import { account, accounts, articles, as, bearer, definition, pass, users } from './sample.ts'

const absent = '01900000-0000-7000-8000-0000000003e7'

/** The parts that must not differ: values of the request itself and Date are masked. */
function masked({ status, fields, text }: Reply, ...echoed: string[]) {
  const { date: _, 'request-id': id, 'content-length': __, ...rest } = fields
  let body = text.replaceAll(String(id), '-')
  for (const one of echoed) body = body.replaceAll(one, '-')
  return { status, fields: rest, body }
}

test('GHSA-35jj-vqcf-f2jf, GHSA-7wq3-jr35-275c, GHSA-8jpw-gpr4-8cmh, CVE-2026-31872: a hidden field is of no use in filters, orders, selections', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const eve = await account(s.ask, 'eve')
  await s.ask('POST /articles', as(ada), { title: 'x', status: 'published', secret: 'canary' })
  const forms = [
    '%=canary',
    '%[ne]=x',
    '%[starts]=c',
    '%[gte]=a',
    '%[in]=a,b',
    '%[missing]=true',
    'sort=%',
    'sort=-%',
    'q=%',
    'group=%',
    'filter[%]=x',
    '%.x=1',
    'author.%=1',
  ]
  for (const form of forms) {
    const with_ = (name: string) => s.ask(`GET /articles?${form.replaceAll('%', name)}`, as(eve))
    const [hidden, nothing] = [await with_('secret'), await with_('nosuch')]
    assert.deepEqual(masked(hidden, 'secret'), masked(nothing, 'nosuch'), form)
    if (!form.startsWith('q=')) assert.equal(hidden.status, 400, form)
    const email = await s.ask(`GET /users?${form.replaceAll('%', 'email')}`, as(eve))
    const other = await s.ask(`GET /users?${form.replaceAll('%', 'nosuch')}`, as(eve))
    assert.deepEqual(masked(email, 'email'), masked(other, 'nosuch'), form)
  }
})

test('GHSA-gc7p-j5xm-xxh2, GHSA-393c-p46r-7c95, GHSA-8xq9-g7ch-35hg: no body sets what its sender may not', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const eve = await account(s.ask, 'eve')
  const own = await s.ask('POST /articles', as(eve), { title: 'x' })
  const at = `/articles/${own.json.id}`
  const before = (await s.ask(`GET ${at}`, as(eve))).text
  for (const stolen of [
    { author: ada.id },
    { id: absent },
    { createdAt: '2020-01-01T00:00:00.000Z' },
    { _version: 9 },
    { nosuch: 1 },
    { __proto__x: 1 },
  ]) {
    assert.equal(
      (await s.ask('POST /articles', as(eve), { title: 'x', ...stolen })).status,
      422,
      JSON.stringify(stolen),
    )
    assert.equal((await s.ask(`PATCH ${at}`, as(eve), stolen)).status, 422)
    assert.equal((await s.ask(`PUT ${at}`, as(eve), { title: 'x', ...stolen })).status, 422)
  }
  assert.equal((await s.ask(`GET ${at}`, as(eve))).text, before)
  assert.equal((await s.ask(`PATCH /users/${eve.id}`, as(eve), { role: 'admin' })).status, 422)
  const self = { email: 'new@example.org', name: 'New', password: pass }
  assert.equal((await s.ask('POST /users', {}, { ...self, role: 'admin' })).status, 422)
  assert.equal((await s.ask(`GET /users/${eve.id}`, admin)).json.role, 'member')
})

test('GHSA-jq29-r496-r955, GHSA-9rjg-x2p2-h68h: a hidden record is as absent as one that is not there', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const eve = await account(s.ask, 'eve')
  const draft = await s.ask('POST /articles', as(ada), { title: 'x' })
  for (const [method, body] of [['GET'], ['HEAD'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
    for (const caller of [as(eve), {}, { ...as(eve), 'if-match': '*' }]) {
      const hidden = await s.ask(`${method} /articles/${draft.json.id}`, caller, body)
      const nothing = await s.ask(`${method} /articles/${absent}`, caller, body)
      assert.deepEqual(masked(hidden, draft.json.id), masked(nothing, absent), method)
    }
  }
  const to = (id: string) => s.ask('POST /notes', as(eve), { text: 'x', article: id })
  assert.deepEqual(masked(await to(draft.json.id)), masked(await to(absent)))
  assert.equal((await to(ada.id)).status, 422, 'a reference to an item of another kind')
})

test('Kinto 12.0.2: a cursor works only in its own collection, and shows each caller only visible items', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const eve = await account(s.ask, 'eve')
  for (const title of ['a', 'b', 'c']) await s.ask('POST /articles', as(ada), { title })
  const page = await s.ask('GET /articles?limit=1', as(ada))
  const next = /<([^>]*)>; rel="next"/.exec(String(page.fields.link))?.[1] ?? ''
  assert.equal((await s.ask(`GET ${next}`, as(ada))).json.length, 1)
  assert.deepEqual((await s.ask(`GET ${next}`, as(eve))).json, [])
  const stolen = await s.ask(`GET ${next.replace('/articles', '/users')}`, as(ada))
  assert.equal(stolen.status, 400)
  assert.equal(stolen.json.type, '/problems/invalid-cursor')
})

test('GHSA-hxgm-ghmv-xjjm, GHSA-9x5g-62gj-wqf2: rules on null, empty and missing deny, both ways round', async () => {
  const things = resource(
    { name: text(), status: choice(['open', 'shut']).optional(), holder: ref('users').optional() },
    {
      access: {
        read: [
          where({ status: 'open' }),
          not(where({ status: 'shut' })),
          owner('holder'),
          not(owner('holder')),
        ],
        create: role('admin'),
        update: not(role('banned')),
        delete: not(role('banned', 'admin')),
      },
    },
  )
  const people = resource(
    {
      email: email().unique(),
      password: password(),
      roles: list(choice(['banned', 'admin']))
        .default([])
        .writableBy(role('admin')),
    },
    { access: { read: role('admin'), create: role('admin') } },
  )
  await using s = await serve(
    service({
      title: 'Null',
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
      resources: { users: people, things },
    }),
  )
  const member = basic('m@example.org', pass)
  await s.ask('POST /users', admin, { email: 'm@example.org', password: pass })
  const bare = await s.ask('POST /things', admin, { name: 'bare' })
  const open = await s.ask('POST /things', admin, { name: 'open', status: 'open' })
  const shut = await s.ask('POST /things', admin, { name: 'shut', status: 'shut' })
  assert.equal(bare.text, '', 'even its maker sees nothing in it')
  for (const caller of [{}, member]) {
    const names = (await s.ask('GET /things', caller)).json.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['open'])
    assert.equal((await s.ask(`GET ${bare.fields.location}`, caller)).status, 404)
    assert.equal((await s.ask(`GET ${shut.fields.location}`, caller)).status, 404)
  }
  // For a caller without a role the condition is unknown, so access is denied.
  assert.equal((await s.ask(`PATCH ${open.fields.location}`, member, { name: 'x' })).status, 403)
  assert.equal((await s.ask(`PATCH ${open.fields.location}`, {}, { name: 'x' })).status, 401)
  assert.equal((await s.ask(`PATCH ${open.fields.location}`, admin, { name: 'x' })).status, 200)
  assert.equal((await s.ask(`DELETE ${open.fields.location}`, admin)).status, 403)
})

test('CVE-2025-48757: a resource with no rules is denied to all, admins too', async () => {
  await using s = await serve(definition)
  for (const [caller, status] of [
    [{}, 401],
    [admin, 403],
  ] as const) {
    for (const [line, body] of [
      ['GET /vaults'],
      ['POST /vaults', {}],
      [`GET /vaults/${absent}`],
      [`PUT /vaults/${absent}`, {}],
      [`DELETE /vaults/${absent}`],
    ] as const) {
      assert.equal((await s.ask(line, caller, body)).status, status, line)
    }
  }
})

test('a rule that names a removed field prevents the service from starting (GHSA-9x5g-62gj-wqf2)', () => {
  const things = resource({ name: text() }, { access: { read: where({ status: 'open' }) } })
  const broken = service({ title: 'x', accounts, resources: { users, things } })
  assert.throws(() => checkDefinition(broken), DefinitionFault)
})

test('GHSA-c6w9-5g5j-jh2p, GHSA-428q-q3vv-3fq3: no tag and no cache carries one caller’s view to another', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const eve = await account(s.ask, 'eve')
  const created = await s.ask('POST /articles', as(ada), {
    title: 'x',
    status: 'published',
    secret: 's',
  })
  for (const uri of [String(created.fields.location), '/articles', `/users/${ada.id}`, '/users', '/']) {
    const full = await s.ask(`GET ${uri}`, as(ada))
    assert.match(String(full.fields['cache-control']), /private|no-store/, uri)
    assert.match(String(full.fields.vary), /Authorization/, uri)
    if (full.fields.etag === undefined) continue
    const other = await s.ask(`GET ${uri}`, { ...as(eve), 'if-none-match': full.fields.etag })
    const plain = await s.ask(`GET ${uri}`, as(eve))
    if (plain.text !== full.text) assert.equal(other.status, 200, uri)
  }
})

test('GHSA-g65h-35f3-x2w3, GHSA-56p6-qw3c-fq2g, GHSA-hvp3-26wx-g2w4: no credential outlives what it stood for', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const token = bearer((await s.ask('POST /tokens', as(ada), {})).json.token)
  assert.equal((await s.ask('GET /tokens', token)).status, 200)
  // A lost role is lost at once, in a remembered password as in a token.
  assert.equal((await s.ask(`PATCH /users/${ada.id}`, admin, { role: 'admin' })).status, 200)
  assert.equal((await s.ask(`GET /users/${ada.id}`, token)).json.email, ada.login)
  assert.equal((await s.ask(`PATCH /users/${ada.id}`, admin, { role: 'member' })).status, 200)
  const other = await account(s.ask, 'other')
  for (const caller of [token, as(ada)]) {
    assert.equal((await s.ask(`GET /users/${other.id}`, caller)).json.email, undefined)
  }
  const change = { password: 'changed it', currentPassword: pass }
  assert.equal((await s.ask(`PATCH /users/${ada.id}`, as(ada), change)).status, 200)
  for (const caller of [token, as(ada)]) assert.equal((await s.ask('GET /tokens', caller)).status, 401)
})

test('GHSA-26rv-h2hf-3fw4: the id of a deleted account is never another’s', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const token = bearer((await s.ask('POST /tokens', as(ada), {})).json.token)
  await s.ask(`DELETE /users/${ada.id}`, admin)
  const next = await account(s.ask, 'ada')
  assert.notEqual(next.id, ada.id)
  assert.equal((await s.ask('GET /tokens', token)).status, 401)
})

test('GHSA-2cjv-6wg9-f4f3: a password counts to its last octet', async () => {
  await using s = await serve(definition)
  const long = 'x'.repeat(72)
  const body = { email: 'l@example.org', name: 'L', password: `${long}abc` }
  assert.equal((await s.ask('POST /users', {}, body)).status, 201)
  assert.equal((await s.ask('GET /tokens', basic(body.email, `${long}abd`))).status, 401)
  assert.equal((await s.ask('GET /tokens', basic(body.email, long))).status, 401)
  assert.equal((await s.ask('GET /tokens', basic(body.email, body.password))).status, 200)
})

test('rqlite: a stored hash is no password; and no token’s digest is a token', async () => {
  await using s = await serve(definition)
  const { model, store } = s.service
  const { accounts: known } = model
  const row = await store.find({
    table: 'users',
    column: 'email',
    value: 'admin@example.org',
    evaluate: [],
  })
  const hash = String(row?.[known?.password.index ?? 0])
  assert.match(hash, /^\$argon2id\$/)
  assert.equal((await s.ask('GET /tokens', basic('admin@example.org', hash))).status, 401)
  const created = await s.ask('POST /tokens', admin, {})
  const stored = await store.find({
    table: 'tokens',
    column: '_identity',
    value: created.json.id,
    evaluate: [],
  })
  const digest = String(stored?.[model.tokens?.field.get('token')?.index ?? 0])
  for (const forged of [digest, `rw_${digest}`, created.json.id]) {
    assert.equal((await s.ask('GET /tokens', bearer(forged))).status, 401)
  }
})

test('GHSA-qw9g-7549-7wg5: a login matches itself and nothing like it', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  assert.equal((await s.ask('GET /tokens', basic('ADA@EXAMPLE.ORG', pass))).status, 200)
  for (const login of [
    'ádá@example.org',
    'ada@example.org ',
    'ada@exampIe.org',
    'ａda@example.org',
    "ada@example.org'--",
    '%',
    '',
  ]) {
    assert.equal((await s.ask('GET /tokens', basic(login, pass))).status, 401, login)
  }
  assert.equal((await s.ask(`GET /users/${ada.id}`, as(ada))).json.email, 'ada@example.org')
})

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
    const { status } = await s.ask('POST /articles', { ...admin, 'content-type': type }, invalid)
    assert.ok(status === 415 || status === 422, `${type}: ${status}`)
  }
  assert.equal(
    (
      await s.ask(
        'POST /articles',
        { ...admin, 'content-type': ['application/json', 'text/plain'] as never },
        invalid,
      )
    ).status,
    400,
  )
  assert.equal((await s.ask('POST /articles', admin, invalid)).status, 415)
  assert.equal(
    (await s.ask('POST /articles', { ...admin, 'content-type': 'application/json' }, '{"title":1}')).status,
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
    const { status } = await s.ask(`GET ${path}`)
    assert.ok([401, 404, 400, 301].includes(status), `${path}: ${status}`)
    if (status === 301) assert.equal((await s.ask('GET /vaults')).status, 401)
  }
  const draft = await s.ask('POST /articles', admin, { title: 'x' })
  const id: string = draft.json.id
  for (const other of [
    id.toUpperCase(),
    `${id}%00`,
    `${id}/`,
    `${id};x`,
    `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
  ]) {
    assert.ok([404, 400, 301].includes((await s.ask(`GET /articles/${other}`)).status), other)
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
  const response = await s.ask('POST /articles', { ...admin, ...liar }, { title: 'x' })
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
      const { status } = await s.ask(line, admin)
      assert.ok(status === 200 || (status >= 400 && status < 500), `${line}: ${status}`)
    }
    const created = await s.ask('POST /articles', admin, { title: one })
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
      await s.ask(`GET /${name}`, admin),
      await s.ask(`GET /articles/${name}`, admin),
      await s.ask(`GET /articles?${name}=1`, admin),
      await s.ask(`GET /articles?sort=${name}`, admin),
      await s.ask(`GET /problems/${name}`, admin),
      await s.ask('GET /articles', { ...admin, [name]: 'x' }),
      await s.ask(
        'POST /articles',
        { ...admin, 'content-type': 'application/json' },
        `{"title":"x","${name}":{"polluted":true}}`,
      ),
      await s.ask(
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
    const put = await s.ask(`PUT /counters/${name}`, admin, { count: 1 })
    assert.equal(put.status, 201, name)
    assert.equal((await s.ask(`GET /counters/${name}`, admin)).json.id, name)
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
    assert.equal((await s.ask(`GET /articles?${query}`, admin)).status, 400, query.slice(0, 40))
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
  for (let round = 0; round < 50; round += 1) assert.equal((await s.ask('GET /health/live')).status, 200)
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
      const response = await s.ask(line, { origin: one, 'access-control-request-method': 'POST' })
      const cors = Object.keys(response.fields).filter((name) => name.startsWith('access-control'))
      assert.deepEqual(cors, [], one)
    }
    assert.equal((await s.ask('POST /articles', { ...admin, origin: one }, { title: 'x' })).status, 403, one)
  }
  assert.throws(
    () => checkDefinition(service({ title: 'x', origins: ['*'], resources: { articles } })),
    DefinitionFault,
  )
})

test('PostgREST #4675, GHSA-rmjh-cf9q-pv7q: no hint names what is hidden', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  await s.ask('POST /articles', as(ada), { title: 'x', status: 'published', secret: 's' })
  for (const line of [
    'GET /articles?secrt=1',
    'GET /articles?sort=secre',
    'GET /users?emial=1',
    'GET /users?passwrd=1',
    'GET /tokens?tokn=1',
    'GET /vaultz',
  ]) {
    const { text } = await s.ask(line)
    assert.doesNotMatch(text, /'(secret|email|password|token|passwordMark|vaults)'/, line)
  }
  const refused = await s.ask('POST /articles', as(ada), { secrt: 1, pasword: 2 })
  assert.doesNotMatch(refused.text, /mean 'secret'/)
})
