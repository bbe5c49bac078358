/** Streams of changes under the rights of their callers, and how they end with them. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { definition as access, account, as, bearer } from '../../access/sample.ts'
import { registerAuthenticator } from '../../features/second-factors/authenticator.ts'
import { admin, serve } from '../../service.ts'
import { follow, type ReceivedEvent } from './event-reader.ts'

const summary = ({ event, data }: ReceivedEvent) => [event, data.type, data.href, data.item?.title]

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
