/** Access: when a refusal is 401, 403 or 404, and what a write and a password reveal (docs/reference/http/access.md, "Access"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, email, owner, password, ref, resource, service } from 'restwell'
import { admin, basic, type Reply, serve } from '../service.ts'
import { absentId, ada, asAda, asBob, bob, start, visiblePart } from './hidden-items.ts'

describe('401, 403, 404', () => {
  test('if no rule could permit an anonymous caller, it is 401 before anything is loaded', async () => {
    const { s, diary } = await start()
    await using _ = s
    for (const uri of ['/diaries', diary, `/diaries/${absentId}`]) {
      const response = await s.request(`GET ${uri}`)
      assert.equal(response.status, 401, uri)
      assert.match(response.fields['www-authenticate'] as string, /^Basic realm="Vault"/)
      assert.equal(response.fields['cache-control'], 'no-store')
    }
    assert.equal((await s.request('POST /papers', {}, { title: 'x' })).status, 401)
  })

  test('a visible item that may not be changed is 401 without an account, 403 with one', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.request(`PATCH ${paper}`, asAda, { reach: 'public' })
    for (const [method, body] of [
      ['PUT', { title: 'x' }],
      ['PATCH', { title: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      assert.equal((await s.request(`${method} ${paper}`, {}, body)).status, 401, method)
      assert.equal((await s.request(`${method} ${paper}`, asBob, body)).status, 403, method)
    }
  })

  test('access that is not declared is denied: 401 without an account, 403 with any, the admin too', async () => {
    const { s } = await start()
    await using _ = s
    const lines = [
      'GET /untouchable',
      'POST /untouchable',
      `GET /untouchable/${absentId}`,
      `PUT /untouchable/${absentId}`,
      `PATCH /untouchable/${absentId}`,
      `DELETE /untouchable/${absentId}`,
      'POST /readable',
      `DELETE /readable/${absentId}`,
    ]
    for (const line of lines) {
      const body = /^P/.test(line) ? { title: 'x' } : undefined
      assert.equal((await s.request(line, {}, body)).status, 401, line)
      assert.equal((await s.request(line, asAda, body)).status, 403, line)
      assert.equal((await s.request(line, admin, body)).status, 403, line)
    }
  })

  test('invalid credentials are 401 on a public resource too', async () => {
    const { s } = await start()
    await using _ = s
    const wrong = [
      basic(ada.email, 'wrong'),
      basic('nobody@example.org', 'wrong'),
      { authorization: 'Basic' },
      { authorization: 'Basic !' },
      { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
      { authorization: 'Bearer token' },
      { authorization: 'Unheard of' },
      { authorization: '' },
    ]
    for (const fields of wrong) {
      const response = await s.request('GET /readable', fields)
      assert.equal(response.status, 401, fields.authorization)
      assert.notEqual(response.fields['www-authenticate'], undefined)
    }
  })

  test('an unknown login and a wrong password give the same bytes', async () => {
    const { s } = await start()
    await using _ = s
    const unknown = await s.request('GET /readable', basic('eve@example.org', 'analytical'))
    const wrong = await s.request('GET /readable', basic(ada.email, 'analytics!'))
    assert.deepEqual(visiblePart(unknown), visiblePart(wrong))
  })

  test('the name of the scheme is case-insensitive, the login as its field is (RFC 9110 §11.1)', async () => {
    const { s } = await start()
    await using _ = s
    const credentials = Buffer.from(`ADA@Example.org:${ada.password}`).toString('base64')
    const response = await s.request('GET /diaries', { authorization: `bAsIc ${credentials}` })
    assert.equal(response.status, 200)
    assert.equal(response.json.length, 1)
  })

  test('a caller who may write but not read gets no representation: an empty 201, and 204', async () => {
    const { s } = await start()
    await using _ = s
    const created = await s.request('POST /drops', {}, { title: 'x' })
    assert.equal(created.status, 201)
    assert.equal(created.text, '')
    assert.match(created.fields.location as string, /^\/drops\//)
    assert.equal(created.fields.etag, undefined)
    assert.equal(created.fields['content-location'], undefined)
    for (const method of ['PUT', 'PATCH']) {
      const changed = await s.request(`${method} ${created.fields.location}`, {}, { title: method })
      assert.equal(changed.status, 204)
      assert.equal(changed.text, '')
      assert.equal(changed.fields.etag, undefined)
    }
  })
})

describe('the result of a write', () => {
  test('one that its caller could not have written is 403, and nothing is written', async () => {
    const definition = service({
      title: 'Given',
      accounts: { resource: 'users', login: 'email', password: 'password' },
      resources: {
        users: resource(
          { email: email().unique(), password: password() },
          { access: { read: anyone, create: anyone } },
        ),
        things: resource(
          { holder: ref('users') },
          {
            access: {
              read: anyone,
              create: owner('holder'),
              update: owner('holder'),
              delete: owner('holder'),
            },
          },
        ),
      },
    })
    await using s = await serve(definition)
    const { id: adaId } = (await s.request('POST /users', {}, ada)).json
    const { id: bobId } = (await s.request('POST /users', {}, bob)).json
    assert.equal((await s.request('POST /things', asAda, { holder: bobId })).status, 403)
    assert.deepEqual((await s.request('GET /things')).json, [])
    const created = await s.request('POST /things', asAda, { holder: adaId })
    assert.equal(created.status, 201)
    for (const method of ['PUT', 'PATCH']) {
      const response = await s.request(`${method} ${created.fields.location}`, asAda, { holder: bobId })
      assert.equal(response.status, 403, method)
    }
    assert.equal((await s.request(`GET ${created.fields.location}`)).json.holder, adaId)
  })

  test('callers cannot assign a role to themselves', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const eve = { email: 'eve@example.org', password: 'evening', role: 'admin' }
    const created = await s.request('POST /users', {}, { ...eve, password: 'evenings' })
    assert.equal(created.status, 422)
    assert.equal(created.json.errors[0].pointer, '/role')
    assert.equal((await s.request(`PATCH ${adaUri}`, asAda, { role: 'admin' })).status, 422)
    const { json } = await s.request(`GET ${adaUri}`, asAda)
    assert.equal((await s.request(`PUT ${adaUri}`, asAda, { ...json, role: 'admin' })).status, 422)
  })
})

describe('passwords', () => {
  test('a wrong password is refused right after the correct one was accepted', async () => {
    const { s, diary } = await start()
    await using _ = s
    assert.equal((await s.request(`GET ${diary}`, asAda)).status, 200)
    assert.equal((await s.request(`GET ${diary}`, basic(ada.email, 'analytica'))).status, 401)
    assert.equal((await s.request(`GET ${diary}`, basic(bob.email, ada.password))).status, 401)
    assert.equal((await s.request(`GET ${diary}`, asAda)).status, 200)
  })

  test('a changed password is effective at once', async () => {
    const { s, adaUri, diary } = await start()
    await using _ = s
    assert.equal((await s.request(`GET ${diary}`, asAda)).status, 200)
    const change = { password: 'difference', currentPassword: ada.password }
    assert.equal((await s.request(`PATCH ${adaUri}`, asAda, change)).status, 200)
    assert.equal((await s.request(`GET ${diary}`, asAda)).status, 401)
    assert.equal((await s.request(`GET ${diary}`, basic(ada.email, 'difference'))).status, 200)
  })

  test('a changed role is effective at once', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const emails = async () =>
      (await s.request('GET /users', asAda)).json.filter((user: Reply['json']) => user.email).length
    assert.equal(await emails(), 1)
    assert.equal((await s.request(`PATCH ${adaUri}`, admin, { role: 'admin' })).status, 200)
    assert.equal(await emails(), 3)
    assert.equal((await s.request(`PATCH ${adaUri}`, admin, { role: 'member' })).status, 200)
    assert.equal(await emails(), 1)
  })

  test('the credentials of a deleted account are refused at once', async () => {
    const { s, bobUri } = await start()
    await using _ = s
    assert.equal((await s.request(`DELETE ${bobUri}`, asBob)).status, 204)
    assert.equal((await s.request('GET /readable', asBob)).status, 401)
  })

  test('when a new account has the login of an old one, the old password is refused', async () => {
    const { s, bobUri } = await start()
    await using _ = s
    assert.equal((await s.request('GET /readable', asBob)).status, 200)
    await s.request(`DELETE ${bobUri}`, asBob)
    const other = { ...bob, password: 'another bob' }
    assert.equal((await s.request('POST /users', {}, other)).status, 201)
    assert.equal((await s.request('GET /readable', asBob)).status, 401)
    assert.equal((await s.request('GET /readable', basic(bob.email, other.password))).status, 200)
  })
})
