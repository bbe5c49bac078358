/** Access: hidden items are indistinguishable from absent ones (docs/reference/http.md, "Access"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const vault = service({
  title: 'Vault',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique().visibleTo(self, role('admin')),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      {
        access: { read: anyone, create: anyone, update: [self, role('admin')], delete: self },
      },
    ),
    papers: resource(
      {
        title: text().unique(),
        reach: choice(['public', 'private']).default('private'),
        author: ref('users').fromPrincipal(),
      },
      {
        access: {
          read: [where({ reach: 'public' }), owner('author')],
          create: signedIn,
          update: [owner('author'), where({ title: 'wiki' })],
          delete: [owner('author'), where({ title: 'wiki' })],
        },
      },
    ),
    diaries: resource(
      { title: text(), author: ref('users').fromPrincipal() },
      {
        access: {
          read: owner('author'),
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
    remarks: resource(
      { paper: ref('papers').optional(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author'), create: signedIn, update: owner('author') } },
    ),
    untouchable: resource({ title: text() }, {}),
    readable: resource({ title: text() }, { access: { read: anyone, create: nobody } }),
    drops: resource({ title: text() }, { access: { create: anyone, update: anyone } }),
  },
})

const ada = { email: 'ada@example.org', password: 'analytical' }
const bob = { email: 'bob@example.org', password: 'bob builds' }
const asAda = basic(ada.email, ada.password)
const asBob = basic(bob.email, bob.password)
const absentId = '019a0000-0000-7000-8000-000000000000'

async function start() {
  const s = await serve(vault)
  const adaUri = (await s.ask('POST /users', {}, ada)).fields.location as string
  const bobUri = (await s.ask('POST /users', {}, bob)).fields.location as string
  const paper = (await s.ask('POST /papers', asAda, { title: 'secret' })).fields.location as string
  const diary = (await s.ask('POST /diaries', asAda, { title: 'dear' })).fields.location as string
  return { s, adaUri, bobUri, paper, diary }
}

/** All that a client can see of a response but the instance, Date and Request-Id. */
function visiblePart({ status, fields, text: body }: Reply) {
  const { date: _, 'request-id': __, ...rest } = fields
  return { status, rest, body: body.replace(/urn:uuid:[0-9a-f-]{36}/, '') }
}

async function assertConcealed(s: TestService, hidden: string, caller: { authorization?: string }) {
  const absent = hidden.replace(/[^/]+$/, absentId)
  const exchanges: [method: string, fields: object, body?: unknown][] = [
    ['GET', {}],
    ['GET', { 'if-none-match': '*' }],
    ['HEAD', {}],
    ['OPTIONS', {}],
    ['PUT', {}, { title: 'x' }],
    ['PUT', { 'if-match': '"x"' }, { nonsense: 1 }],
    ['PATCH', {}, { title: 'x' }],
    ['PATCH', { 'content-type': 'application/json' }, '{'],
    ['PATCH', {}],
    ['DELETE', {}],
    ['DELETE', { 'if-match': '*' }],
  ]
  for (const [method, fields, body] of exchanges) {
    const one = await s.ask(`${method} ${hidden}`, { ...caller, ...fields }, body)
    const other = await s.ask(`${method} ${absent}`, { ...caller, ...fields }, body)
    assert.deepEqual(visiblePart(one), visiblePart(other), `${method} ${JSON.stringify(fields)}`)
  }
}

describe('hidden items are indistinguishable from absent ones', () => {
  test('byte for byte, for every method, to an account that may not see it', async () => {
    const { s, paper, diary } = await start()
    await using _ = s
    await assertConcealed(s, paper, asBob)
    await assertConcealed(s, diary, asBob)
    assert.equal((await s.ask(`GET ${paper}`, asBob)).status, 404)
    assert.equal((await s.ask(`DELETE ${paper}`, asBob)).status, 404)
    assert.equal((await s.ask(`GET ${paper}`, asAda)).json.title, 'secret')
  })

  test('byte for byte, for every method, to a caller without an account', async () => {
    const { s, paper, diary } = await start()
    await using _ = s
    await assertConcealed(s, paper, {})
    await assertConcealed(s, diary, {})
    assert.equal((await s.ask(`GET ${paper}`)).status, 404)
  })

  test('a list shows only what the caller may read', async () => {
    const { s } = await start()
    await using _ = s
    const titles = async (caller: object) =>
      (await s.ask('GET /papers', { ...caller })).json.map((item: { title: string }) => item.title)
    await s.ask('POST /papers', asAda, { title: 'open', reach: 'public' })
    assert.deepEqual((await titles(asAda)).sort(), ['open', 'secret'])
    assert.deepEqual(await titles(asBob), ['open'])
    assert.deepEqual(await titles({}), ['open'])
  })

  test('nor does a hidden item move the ETag of a list or the link to its next page', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.ask('POST /papers', asAda, { title: 'open', reach: 'public' })
    const before = await s.ask('GET /papers?limit=1', asBob)
    await s.ask('POST /papers', asAda, { title: 'another' })
    await s.ask(`PATCH ${paper}`, asAda, { title: 'changed' })
    const after = await s.ask('GET /papers?limit=1', asBob)
    assert.deepEqual(visiblePart(after), visiblePart(before))
    assert.doesNotMatch(after.fields.link as string, /rel="next"/)
  })

  test('a field that the caller may not see is left out, for any value', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    assert.ok(!('email' in (await s.ask(`GET ${adaUri}`, asBob)).json))
    assert.equal((await s.ask(`GET ${adaUri}`, asAda)).json.email, ada.email)
    const list: Reply['json'][] = (await s.ask('GET /users', asBob)).json
    assert.deepEqual(
      list.flatMap((user) => user.email ?? []),
      [bob.email],
    )
    for (const caller of [{}, asAda, asBob, admin]) {
      assert.doesNotMatch((await s.ask('GET /users', { ...caller })).text, /password|argon2/)
    }
  })

  test('a duplicate of a hidden unique value is 409 without naming the item', async () => {
    const { s, paper } = await start()
    await using _ = s
    const response = await s.ask('POST /papers', asBob, { title: 'secret' })
    assert.equal(response.status, 409)
    assert.ok(!response.text.includes(paper.split('/').at(-1) as string))
  })

  test('a reference to a hidden item is 422 in the words of one to an absent item', async () => {
    const { s, paper } = await start()
    await using _ = s
    const hidden = await s.ask('POST /remarks', asBob, { paper: paper.split('/').at(-1) })
    const absent = await s.ask('POST /remarks', asBob, { paper: absentId })
    assert.equal(hidden.status, 422)
    assert.equal(hidden.json.errors[0].pointer, '/paper')
    assert.deepEqual(visiblePart(hidden), visiblePart(absent))
    const { location } = (await s.ask('POST /remarks', asBob, {})).fields
    for (const method of ['PUT', 'PATCH']) {
      const one = await s.ask(`${method} ${location}`, asBob, { paper: paper.split('/').at(-1) })
      const other = await s.ask(`${method} ${location}`, asBob, { paper: absentId })
      assert.deepEqual(visiblePart(one), visiblePart(other))
    }
  })

  test('a DELETE blocked by hidden items is 409 and names none of them', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.ask(`PATCH ${paper}`, asAda, { reach: 'public' })
    const remark = await s.ask('POST /remarks', asBob, { paper: paper.split('/').at(-1) })
    assert.equal(remark.status, 201)
    const response = await s.ask(`DELETE ${paper}`, asAda)
    assert.equal(response.status, 409)
    assert.equal(response.json.type, '/problems/referenced')
    assert.ok(!response.text.includes(remark.json.id))
    assert.ok(!response.text.includes('remarks'))
    assert.equal(response.json.by, undefined)
  })

  test('the entry point links only to collections that the caller might read', async () => {
    const { s } = await start()
    await using _ = s
    const links = (await s.ask('GET /')).json.links
    assert.ok(links.papers && links.readable)
    assert.ok(!('untouchable' in links) && !('diaries' in links) && !('account' in links))
    const ofAda = (await s.ask('GET /', asAda)).json.links
    assert.ok(ofAda.diaries && ofAda.account && !('untouchable' in ofAda))
  })
})

describe('401, 403, 404', () => {
  test('if no rule could permit an anonymous caller, it is 401 before anything is loaded', async () => {
    const { s, diary } = await start()
    await using _ = s
    for (const uri of ['/diaries', diary, `/diaries/${absentId}`]) {
      const response = await s.ask(`GET ${uri}`)
      assert.equal(response.status, 401, uri)
      assert.match(response.fields['www-authenticate'] as string, /^Basic realm="Vault"/)
      assert.equal(response.fields['cache-control'], 'no-store')
    }
    assert.equal((await s.ask('POST /papers', {}, { title: 'x' })).status, 401)
  })

  test('a visible item that may not be changed is 401 without an account, 403 with one', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.ask(`PATCH ${paper}`, asAda, { reach: 'public' })
    for (const [method, body] of [
      ['PUT', { title: 'x' }],
      ['PATCH', { title: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      assert.equal((await s.ask(`${method} ${paper}`, {}, body)).status, 401, method)
      assert.equal((await s.ask(`${method} ${paper}`, asBob, body)).status, 403, method)
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
      assert.equal((await s.ask(line, {}, body)).status, 401, line)
      assert.equal((await s.ask(line, asAda, body)).status, 403, line)
      assert.equal((await s.ask(line, admin, body)).status, 403, line)
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
      const response = await s.ask('GET /readable', fields)
      assert.equal(response.status, 401, fields.authorization)
      assert.notEqual(response.fields['www-authenticate'], undefined)
    }
  })

  test('an unknown login and a wrong password give the same bytes', async () => {
    const { s } = await start()
    await using _ = s
    const unknown = await s.ask('GET /readable', basic('eve@example.org', 'analytical'))
    const wrong = await s.ask('GET /readable', basic(ada.email, 'analytics!'))
    assert.deepEqual(visiblePart(unknown), visiblePart(wrong))
  })

  test('the name of the scheme is case-insensitive, the login as its field is (RFC 9110 §11.1)', async () => {
    const { s } = await start()
    await using _ = s
    const credentials = Buffer.from(`ADA@Example.org:${ada.password}`).toString('base64')
    const response = await s.ask('GET /diaries', { authorization: `bAsIc ${credentials}` })
    assert.equal(response.status, 200)
    assert.equal(response.json.length, 1)
  })

  test('a caller who may write but not read gets no representation: an empty 201, and 204', async () => {
    const { s } = await start()
    await using _ = s
    const created = await s.ask('POST /drops', {}, { title: 'x' })
    assert.equal(created.status, 201)
    assert.equal(created.text, '')
    assert.match(created.fields.location as string, /^\/drops\//)
    assert.equal(created.fields.etag, undefined)
    assert.equal(created.fields['content-location'], undefined)
    for (const method of ['PUT', 'PATCH']) {
      const changed = await s.ask(`${method} ${created.fields.location}`, {}, { title: method })
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
    const { id: adaId } = (await s.ask('POST /users', {}, ada)).json
    const { id: bobId } = (await s.ask('POST /users', {}, bob)).json
    assert.equal((await s.ask('POST /things', asAda, { holder: bobId })).status, 403)
    assert.deepEqual((await s.ask('GET /things')).json, [])
    const created = await s.ask('POST /things', asAda, { holder: adaId })
    assert.equal(created.status, 201)
    for (const method of ['PUT', 'PATCH']) {
      const response = await s.ask(`${method} ${created.fields.location}`, asAda, { holder: bobId })
      assert.equal(response.status, 403, method)
    }
    assert.equal((await s.ask(`GET ${created.fields.location}`)).json.holder, adaId)
  })

  test('callers cannot assign a role to themselves', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const eve = { email: 'eve@example.org', password: 'evening', role: 'admin' }
    const created = await s.ask('POST /users', {}, { ...eve, password: 'evenings' })
    assert.equal(created.status, 422)
    assert.equal(created.json.errors[0].pointer, '/role')
    assert.equal((await s.ask(`PATCH ${adaUri}`, asAda, { role: 'admin' })).status, 422)
    const { json } = await s.ask(`GET ${adaUri}`, asAda)
    assert.equal((await s.ask(`PUT ${adaUri}`, asAda, { ...json, role: 'admin' })).status, 422)
  })
})

describe('passwords', () => {
  test('a wrong password is refused right after the correct one was accepted', async () => {
    const { s, diary } = await start()
    await using _ = s
    assert.equal((await s.ask(`GET ${diary}`, asAda)).status, 200)
    assert.equal((await s.ask(`GET ${diary}`, basic(ada.email, 'analytica'))).status, 401)
    assert.equal((await s.ask(`GET ${diary}`, basic(bob.email, ada.password))).status, 401)
    assert.equal((await s.ask(`GET ${diary}`, asAda)).status, 200)
  })

  test('a changed password is effective at once', async () => {
    const { s, adaUri, diary } = await start()
    await using _ = s
    assert.equal((await s.ask(`GET ${diary}`, asAda)).status, 200)
    const change = { password: 'difference', currentPassword: ada.password }
    assert.equal((await s.ask(`PATCH ${adaUri}`, asAda, change)).status, 200)
    assert.equal((await s.ask(`GET ${diary}`, asAda)).status, 401)
    assert.equal((await s.ask(`GET ${diary}`, basic(ada.email, 'difference'))).status, 200)
  })

  test('a changed role is effective at once', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const emails = async () =>
      (await s.ask('GET /users', asAda)).json.filter((user: Reply['json']) => user.email).length
    assert.equal(await emails(), 1)
    assert.equal((await s.ask(`PATCH ${adaUri}`, admin, { role: 'admin' })).status, 200)
    assert.equal(await emails(), 3)
    assert.equal((await s.ask(`PATCH ${adaUri}`, admin, { role: 'member' })).status, 200)
    assert.equal(await emails(), 1)
  })

  test('the credentials of a deleted account are refused at once', async () => {
    const { s, bobUri } = await start()
    await using _ = s
    assert.equal((await s.ask(`DELETE ${bobUri}`, asBob)).status, 204)
    assert.equal((await s.ask('GET /readable', asBob)).status, 401)
  })

  test('when a new account has the login of an old one, the old password is refused', async () => {
    const { s, bobUri } = await start()
    await using _ = s
    assert.equal((await s.ask('GET /readable', asBob)).status, 200)
    await s.ask(`DELETE ${bobUri}`, asBob)
    const other = { ...bob, password: 'another bob' }
    assert.equal((await s.ask('POST /users', {}, other)).status, 201)
    assert.equal((await s.ask('GET /readable', asBob)).status, 401)
    assert.equal((await s.ask('GET /readable', basic(bob.email, other.password))).status, 200)
  })
})
