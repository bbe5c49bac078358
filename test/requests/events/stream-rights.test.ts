/** Streams of changes under the rights of their callers, and how they end with them. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  decimal,
  email,
  password,
  resource,
  role,
  self,
  service,
  text,
  where,
} from '../../../src/index.ts'
import { definition as access, account, as, bearer } from '../../access/sample.ts'
import { registerAuthenticator } from '../../features/second-factors/authenticator.ts'
import { admin, basic, type Reply, serve } from '../../service.ts'
import { follow, type ReceivedEvent } from './event-reader.ts'

const summary = ({ event, data }: ReceivedEvent) => [event, data.type, data.href, data.item?.title]

const linkOf = ({ fields }: Reply, rel: string) =>
  new RegExp(`<([^>]*)>; rel="${rel}"`).exec(String(fields.link))?.[1] ?? ''

describe('rights', () => {
  test('apply to each change: a hidden item appears, changes and vanishes as in the lists', async () => {
    await using s = await serve(access)
    const ada = await account(s.request, 'ada')
    await using stream = await follow(s.port, '/articles')
    const { fields } = await s.request('POST /articles', as(ada), { title: 'draft', secret: 'hush' })
    const uri = String(fields.location)
    await s.request(`PATCH ${uri}`, as(ada), { title: 'still a draft' })
    await s.request(`PATCH ${uri}`, as(ada), { status: 'published' })
    await s.request(`PATCH ${uri}`, as(ada), { secret: 'more' })
    await s.request(`PATCH ${uri}`, as(ada), { title: 'seen' })
    const shown = await stream.take(2)
    await s.request(`PATCH ${uri}`, as(ada), { status: 'draft' })
    await s.request(`DELETE ${uri}`, as(ada))
    const { fields: other } = await s.request('POST /articles', as(ada), { title: 'x', status: 'published' })
    const seen = [...shown, ...(await stream.take(2))]
    assert.deepEqual(seen.map(summary), [
      ['updated', 'articles.updated', uri, 'still a draft'],
      ['updated', 'articles.updated', uri, 'seen'],
      ['deleted', 'articles.deleted', uri, undefined],
      ['created', 'articles.created', other.location, 'x'],
    ])
    assert.ok(seen.every(({ data }) => !JSON.stringify(data).includes('secret')))
  })

  test('are those of now: an item that was hidden since is not shown as it was', async () => {
    await using s = await serve(access)
    const ada = await account(s.request, 'ada')
    const stream = await follow(s.port, '/articles')
    const start = await stream.firstId()
    const { fields } = await s.request('POST /articles', as(ada), { title: 'public', status: 'published' })
    await stream.next()
    stream.close()
    await s.request(`PATCH ${fields.location}`, as(ada), { status: 'draft' })
    await using again = await follow(s.port, '/articles', { 'last-event-id': start })
    const [deleted] = await again.take(1)
    assert.deepEqual(summary(deleted as ReceivedEvent), [
      'deleted',
      'articles.deleted',
      fields.location,
      undefined,
    ])
  })

  test('refuse a stream as they refuse a GET', async () => {
    await using s = await serve(access)
    await using vaults = await follow(s.port, '/vaults')
    assert.equal(vaults.status, 401)
    await using invalid = await follow(s.port, '/articles', bearer('rw_unknown'))
    assert.equal(invalid.status, 401)
  })
})

describe('a change of rights', () => {
  const people = resource(
    { email: email().unique(), password: password(), role: choice(['guest', 'editor', 'admin']) },
    { access: { read: [self, role('admin')], create: role('admin'), update: role('admin') } },
  )
  const drafts = resource(
    { title: text(), price: decimal({ scale: 2 }).default('1.00'), note: text().optional() },
    {
      access: {
        read: [role('editor', 'admin'), where({ price: '2.00' })],
        create: role('admin'),
        update: role('admin'),
      },
    },
  )
  const topics = resource({ name: text() }, { access: { read: anyone, create: role('admin') } })
  const changing = service({
    title: 'Drafts',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, drafts, topics },
  })
  const [login, secret] = ['mia@example.org', 'correct horse']
  const mia = basic(login, secret)

  async function open() {
    const s = await serve(changing)
    const create = (path: string, content: object) => s.request(`POST ${path}`, admin, content)
    const person = (await create('/people', { email: login, password: secret, role: 'editor' })).fields
    const setRole = async (role: string) => {
      assert.equal((await s.request(`PATCH ${person.location}`, admin, { role })).status, 200)
    }
    const draft = (await create('/drafts', { title: 'a' })).fields.location
    return { s, setRole, draft, create, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
  }

  test('while a client was away is a reset on its return, and later changes follow', async () => {
    await using o = await open()
    for (const path of ['/drafts', '/events']) {
      const before = await follow(o.s.port, path, mia)
      const start = await before.firstId()
      before.close()
      await o.setRole('guest')
      await o.create('/drafts', { title: 'hidden' })
      await using after = await follow(o.s.port, path, { ...mia, 'last-event-id': start })
      const reset = (await after.take(1))[0]
      assert.deepEqual(reset && summary(reset), ['reset', 'reset', undefined, undefined])
      await o.create('/drafts', { title: 'open', price: '2.00' })
      assert.deepEqual((await after.next())?.data.item.title, 'open')
      const next = { ...mia, 'last-event-id': String(reset?.id) }
      await using again = await follow(o.s.port, path, next)
      assert.deepEqual((await again.next())?.data.item.title, 'open')
      await o.setRole('editor')
    }
  })

  test('is a reset after the end of a stream that was open, also from the link of the list', async () => {
    await using o = await open()
    const monitor = linkOf(await o.s.request('GET /drafts', mia), 'monitor')
    await using stream = await follow(o.s.port, monitor, mia)
    const id = await stream.firstId()
    await o.setRole('guest')
    await stream.ended
    for (const [path, fields] of [
      ['/drafts', { 'last-event-id': id }],
      [monitor, {}],
    ] as const) {
      await using after = await follow(o.s.port, path, { ...mia, ...fields })
      assert.equal((await after.next())?.event, 'reset', path)
    }
  })

  test('is a reset on a page of changes, whose next link goes on at the end', async () => {
    await using o = await open()
    const first = await o.s.request('GET /events?limit=100', mia)
    await o.setRole('guest')
    await o.create('/drafts', { title: 'open', price: '2.00' })
    const page = await o.s.request(`GET ${linkOf(first, 'next')}`, mia)
    assert.deepEqual(
      page.json.map(({ type }: { type: string }) => type),
      ['reset'],
    )
    await o.create('/drafts', { title: 'later', price: '2.00' })
    const last = await o.s.request(`GET ${linkOf(page, 'next')}`, mia)
    assert.deepEqual(
      last.json.map(({ item }: { item: { title: string } }) => item.title),
      ['later'],
    )
  })

  test('that shows no other items is none: another role or account, and a list that all see alike', async () => {
    await using o = await open()
    const before = await follow(o.s.port, '/drafts', mia)
    const start = await before.firstId()
    before.close()
    await o.setRole('admin')
    await o.s.request(`PATCH ${o.draft}`, admin, { title: 'b' })
    for (const who of [mia, admin]) {
      await using after = await follow(o.s.port, '/drafts', { ...who, 'last-event-id': start })
      assert.equal((await after.next())?.data.item.title, 'b')
    }
    await using topics = await follow(o.s.port, '/topics')
    const id = await topics.firstId()
    await o.create('/topics', { name: 'x' })
    await using signedIn = await follow(o.s.port, '/topics', { ...mia, 'last-event-id': id })
    assert.equal((await signedIn.next())?.data.item.name, 'x')
  })
})

describe('a stream ends within two seconds', () => {
  test('when the token is revoked, and others go on', async () => {
    await using s = await serve(access)
    const ada = await account(s.request, 'ada')
    const token = (await s.request('POST /tokens', as(ada), {})).json
    const other = (await s.request('POST /tokens', as(ada), {})).json
    await using revoked = await follow(s.port, '/articles', bearer(token.token))
    await using kept = await follow(s.port, '/articles', bearer(other.token))
    await s.request(`DELETE /tokens/${token.id}`, as(ada))
    await revoked.ended
    await s.request('POST /articles', as(ada), { title: 'x', status: 'published' })
    assert.equal((await kept.next())?.data.item.title, 'x')
  })

  test('when the account gets another role or password, or is deleted', async () => {
    await using s = await serve(access)
    for (const change of ['role', 'password', 'delete']) {
      const ada = await account(s.request, `ada-${change}`)
      await using stream = await follow(s.port, '/articles', as(ada))
      assert.equal(stream.status, 200)
      if (change === 'role') await s.request(`PATCH /users/${ada.id}`, admin, { role: 'editor' })
      if (change === 'password') await s.request(`PATCH /users/${ada.id}`, admin, { password: 'another one' })
      if (change === 'delete') await s.request(`DELETE /users/${ada.id}`, admin)
      await stream.ended
    }
  })

  test('of Basic, when the account gets a second factor; that of a token goes on', async () => {
    await using s = await serve(access)
    const ada = await account(s.request, 'ada')
    const token = (await s.request('POST /tokens', as(ada), {})).json
    await using withPassword = await follow(s.port, '/articles', as(ada))
    await using withToken = await follow(s.port, '/articles', bearer(token.token))
    await registerAuthenticator(s, `/users/${ada.id}`, as(ada), Date.now)
    await withPassword.ended
    await s.request('POST /articles', bearer(token.token), { title: 'x', status: 'published' })
    assert.equal((await withToken.next())?.data.item.title, 'x')
  })
})
