/** A test for each vulnerability of similar projects in access rules and credentials, named by its advisory. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import {
  choice,
  email,
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
import { checkDefinition } from '../../src/service/check-definition.ts'
import { admin, basic, type Reply, serve } from '../service.ts'
import { account, accounts, as, definition, pass, users } from './sample.ts'

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
  const ada = await account(s.request, 'ada')
  const eve = await account(s.request, 'eve')
  await s.request('POST /articles', as(ada), { title: 'x', status: 'published', secret: 'canary' })
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
    const with_ = (name: string) => s.request(`GET /articles?${form.replaceAll('%', name)}`, as(eve))
    const [hidden, nothing] = [await with_('secret'), await with_('nosuch')]
    assert.deepEqual(masked(hidden, 'secret'), masked(nothing, 'nosuch'), form)
    if (!form.startsWith('q=')) assert.equal(hidden.status, 400, form)
    const email = await s.request(`GET /users?${form.replaceAll('%', 'email')}`, as(eve))
    const other = await s.request(`GET /users?${form.replaceAll('%', 'nosuch')}`, as(eve))
    assert.deepEqual(masked(email, 'email'), masked(other, 'nosuch'), form)
  }
})

test('GHSA-gc7p-j5xm-xxh2, GHSA-393c-p46r-7c95, GHSA-8xq9-g7ch-35hg: no body sets what its sender may not', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const eve = await account(s.request, 'eve')
  const own = await s.request('POST /articles', as(eve), { title: 'x' })
  const at = `/articles/${own.json.id}`
  const before = (await s.request(`GET ${at}`, as(eve))).text
  for (const stolen of [
    { author: ada.id },
    { id: absent },
    { createdAt: '2020-01-01T00:00:00.000Z' },
    { _version: 9 },
    { nosuch: 1 },
    { __proto__x: 1 },
  ]) {
    assert.equal(
      (await s.request('POST /articles', as(eve), { title: 'x', ...stolen })).status,
      422,
      JSON.stringify(stolen),
    )
    assert.equal((await s.request(`PATCH ${at}`, as(eve), stolen)).status, 422)
    assert.equal((await s.request(`PUT ${at}`, as(eve), { title: 'x', ...stolen })).status, 422)
  }
  assert.equal((await s.request(`GET ${at}`, as(eve))).text, before)
  assert.equal((await s.request(`PATCH /users/${eve.id}`, as(eve), { role: 'admin' })).status, 422)
  const self = { email: 'new@example.org', name: 'New', password: pass }
  assert.equal((await s.request('POST /users', {}, { ...self, role: 'admin' })).status, 422)
  assert.equal((await s.request(`GET /users/${eve.id}`, admin)).json.role, 'member')
})

test('GHSA-jq29-r496-r955, GHSA-9rjg-x2p2-h68h: a hidden record is as absent as one that is not there', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const eve = await account(s.request, 'eve')
  const draft = await s.request('POST /articles', as(ada), { title: 'x' })
  for (const [method, body] of [['GET'], ['HEAD'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
    for (const caller of [as(eve), {}, { ...as(eve), 'if-match': '*' }]) {
      const hidden = await s.request(`${method} /articles/${draft.json.id}`, caller, body)
      const nothing = await s.request(`${method} /articles/${absent}`, caller, body)
      assert.deepEqual(masked(hidden, draft.json.id), masked(nothing, absent), method)
    }
  }
  const to = (id: string) => s.request('POST /notes', as(eve), { text: 'x', article: id })
  assert.deepEqual(masked(await to(draft.json.id)), masked(await to(absent)))
  assert.equal((await to(ada.id)).status, 422, 'a reference to an item of another kind')
})

test('Kinto 12.0.2: a cursor works only in its own collection, and shows each caller only visible items', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const eve = await account(s.request, 'eve')
  for (const title of ['a', 'b', 'c']) await s.request('POST /articles', as(ada), { title })
  const page = await s.request('GET /articles?limit=1', as(ada))
  const next = /<([^>]*)>; rel="next"/.exec(String(page.fields.link))?.[1] ?? ''
  assert.equal((await s.request(`GET ${next}`, as(ada))).json.length, 1)
  assert.deepEqual((await s.request(`GET ${next}`, as(eve))).json, [])
  const stolen = await s.request(`GET ${next.replace('/articles', '/users')}`, as(ada))
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
  await s.request('POST /users', admin, { email: 'm@example.org', password: pass })
  const bare = await s.request('POST /things', admin, { name: 'bare' })
  const open = await s.request('POST /things', admin, { name: 'open', status: 'open' })
  const shut = await s.request('POST /things', admin, { name: 'shut', status: 'shut' })
  assert.equal(bare.text, '', 'even its maker sees nothing in it')
  for (const caller of [{}, member]) {
    const names = (await s.request('GET /things', caller)).json.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['open'])
    assert.equal((await s.request(`GET ${bare.fields.location}`, caller)).status, 404)
    assert.equal((await s.request(`GET ${shut.fields.location}`, caller)).status, 404)
  }
  // For a caller without a role the condition is unknown, so access is denied.
  assert.equal((await s.request(`PATCH ${open.fields.location}`, member, { name: 'x' })).status, 403)
  assert.equal((await s.request(`PATCH ${open.fields.location}`, {}, { name: 'x' })).status, 401)
  assert.equal((await s.request(`PATCH ${open.fields.location}`, admin, { name: 'x' })).status, 200)
  assert.equal((await s.request(`DELETE ${open.fields.location}`, admin)).status, 403)
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
      assert.equal((await s.request(line, caller, body)).status, status, line)
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
  const ada = await account(s.request, 'ada')
  const eve = await account(s.request, 'eve')
  const created = await s.request('POST /articles', as(ada), {
    title: 'x',
    status: 'published',
    secret: 's',
  })
  for (const uri of [String(created.fields.location), '/articles', `/users/${ada.id}`, '/users', '/']) {
    const full = await s.request(`GET ${uri}`, as(ada))
    assert.match(String(full.fields['cache-control']), /private|no-store/, uri)
    assert.match(String(full.fields.vary), /Authorization/, uri)
    if (full.fields.etag === undefined) continue
    const other = await s.request(`GET ${uri}`, { ...as(eve), 'if-none-match': full.fields.etag })
    const plain = await s.request(`GET ${uri}`, as(eve))
    if (plain.text !== full.text) assert.equal(other.status, 200, uri)
  }
})

test('PostgREST #4675, GHSA-rmjh-cf9q-pv7q: no hint names what is hidden', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  await s.request('POST /articles', as(ada), { title: 'x', status: 'published', secret: 's' })
  for (const line of [
    'GET /articles?secrt=1',
    'GET /articles?sort=secre',
    'GET /users?emial=1',
    'GET /users?passwrd=1',
    'GET /tokens?tokn=1',
    'GET /vaultz',
  ]) {
    const { text } = await s.request(line)
    assert.doesNotMatch(text, /'(secret|email|password|token|passwordMark|vaults)'/, line)
  }
  const refused = await s.request('POST /articles', as(ada), { secrt: 1, pasword: 2 })
  assert.doesNotMatch(refused.text, /mean 'secret'/)
})
