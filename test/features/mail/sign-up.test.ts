/** Sign-up by mail (docs/reference/http/accounts.md, "Sign-up by mail"). */

import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { anyone, choice, email, password, resource, role, self, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { audience, issuer, jwksServer, jwt } from '../../access/jwt-issuer.ts'
import { bearer } from '../../access/sample.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { accounts, people } from './fixtures/people.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const mail = { from: 'service@example.org' }
const pass = 'the right password'
const ada = 'ada@example.org'
const byMail = { ...accounts, signUp: 'by-mail' } as const
const definition = service({ title: 'People', accounts: byMail, mail, resources: { people } })
const form = {
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
}

const signUp = (s: TestService, email: string, password = pass) =>
  s.request('POST /people', {}, { email, password })

async function linkOf(mails: MailServer, count: number): Promise<string> {
  await mails.reached(count)
  return `/verifications/${mails.received[count - 1]?.secrets[0]}`
}

function comparable({ status, fields, text: content }: Reply) {
  const { date: _date, 'request-id': _id, ...others } = fields
  return { status, fields: others, content: content.replace(/urn:uuid:[0-9a-f-]+/g, '') }
}

const countMails = (s: TestService) => s.service.store.count('account_mails', { kind: 'always' })

test('a sign-up gets 202, and the account comes into being when the link is used with the chosen password', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const reply = await signUp(s, 'Ada@Example.org')
  assert.deepEqual([reply.status, reply.text, reply.fields.location], [202, '', undefined])
  const uri = await linkOf(mails, 1)
  assert.deepEqual(mails.received[0]?.to, [ada])
  // There is no account: no sign-in, no password reset, nothing in the list.
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 401)
  await s.request('POST /password-resets', {}, { login: ada })
  assert.equal((await s.request('GET /people', admin)).json.length, 1)
  const page = await s.request(`GET ${uri}`, { accept: 'text/html' })
  assert.deepEqual(
    [page.status, page.fields['cache-control'], page.fields['referrer-policy']],
    [200, 'no-store', 'no-referrer'],
  )
  assert.ok(!page.text.includes(uri))
  // The owner of the address alone cannot make the account.
  const missing = await s.request(`POST ${uri}`, {}, {})
  assert.deepEqual([missing.status, missing.json.errors[0].pointer], [422, '/password'])
  assert.equal((await s.request(`POST ${uri}`, {}, { password: 'another password' })).status, 422)
  const done = await s.request(`POST ${uri}`, form, new URLSearchParams({ password: pass }).toString())
  assert.deepEqual([done.status, done.fields.location], [303, '/sign-in'])
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 200)
  assert.equal((await s.request(`POST ${uri}`, {}, { password: pass })).status, 404)
  const [, account] = (await s.request('GET /people', admin)).json
  assert.deepEqual([account.email, account.role], [ada, 'member'])
})

test('taken and free addresses get the same response, and cost the same hashes and rows', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  assert.equal((await s.request('POST /people', admin, { email: ada, password: pass })).status, 201)
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') hashes += 1
    },
  }).enable()
  const cost = async (exchange: () => Promise<Reply>) => {
    const [rows, before] = [await countMails(s), hashes]
    const reply = comparable(await exchange())
    return { reply, rows: (await countMails(s)) - rows, hashes: hashes - before }
  }
  const page = (email: string) =>
    s.request('POST /people', form, new URLSearchParams({ email, password: pass }).toString())
  const taken = [await cost(() => signUp(s, ada)), await cost(() => page(ada))]
  const free = [await cost(() => signUp(s, 'bob@example.org')), await cost(() => page('bob@example.org'))]
  hook.disable()
  assert.deepEqual(taken, free)
  assert.deepEqual([taken[0]?.rows, taken[0]?.hashes, taken[1]?.reply.status], [1, 1, 303])
  assert.deepEqual(
    comparable(await signUp(s, ada, 'short')),
    comparable(await signUp(s, 'bob@example.org', 'short')),
  )
  await mails.reached(4)
  const [first] = mails.received.filter(({ to }) => to[0] === ada)
  assert.match(first?.text ?? '', /You have an account/)
  assert.deepEqual(first?.secrets, [])
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 200)
})

test('of 20 concurrent uses of a link exactly one succeeds', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  for (let count = 0; count < 2; count += 1) assert.equal((await signUp(s, ada)).status, 202)
  await mails.reached(2)
  const uri = await linkOf(mails, 1)
  const uses = Array.from({ length: 20 }, () => s.request(`POST ${uri}`, {}, { password: pass }))
  const statuses = (await Promise.all(uses)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1)
  // More hashes than one address may wait for are 429.
  assert.ok(
    statuses.every((status) => [204, 404, 429].includes(status)),
    statuses.join(),
  )
  // The other links are of no use: the address has an account.
  assert.equal((await s.request(`POST ${await linkOf(mails, 2)}`, {}, { password: pass })).status, 404)
  assert.equal((await s.request('GET /people', admin)).json.length, 2)
})

test('sign-ups of a stranger do not suppress the mail of the owner, whose link works', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  for (let count = 1; count <= 4; count += 1) {
    assert.equal((await signUp(s, ada, 'the password of a stranger')).status, 202)
    await mails.reached(count)
  }
  const first = await linkOf(mails, 1)
  assert.equal((await signUp(s, ada)).status, 202)
  const own = await linkOf(mails, 5)
  assert.equal((await s.request(`GET ${first}`)).status, 200)
  assert.equal((await s.request(`POST ${own}`, {}, { password: pass })).status, 204)
})

test('an address asks for at most 20 mails in an hour: then 429, for free and taken addresses alike', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  assert.equal((await s.request(`POST ${await linkOf(mails, 1)}`, {}, { password: pass })).status, 204)
  const dry = await s.request('POST /people?dry-run=true', {}, { email: 'b@example.org', password: pass })
  assert.equal(dry.status, 204)
  for (let count = 1; count < 20; count += 1) {
    assert.equal((await signUp(s, `stranger-${count}@example.org`)).status, 202)
  }
  const [taken, free, reset, proof] = await Promise.all([
    signUp(s, ada),
    signUp(s, 'free@example.org'),
    s.request('POST /password-resets', {}, { login: ada }),
    s.request('POST /verifications', {}, { login: ada }),
  ])
  assert.deepEqual(
    [taken, free, reset, proof].map(({ status }) => status),
    [429, 429, 429, 429],
  )
  assert.ok(Number(taken.fields['retry-after']) > 3500 && Number(taken.fields['retry-after']) <= 3600)
  assert.deepEqual(comparable(taken), comparable(free))
  assert.equal((await s.request('POST /verifications', basic(ada, pass), { login: ada })).status, 202)
  s.advance(3_600_000)
  assert.equal((await signUp(s, 'free@example.org')).status, 202)
})

test('a link ends after an hour', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const began = Date.now()
  await signUp(s, ada)
  const uri = await linkOf(mails, 1)
  const passed = Date.now() - began
  s.advance(3_600_000 - passed - 60_000)
  assert.equal((await s.request(`GET ${uri}`)).status, 200)
  s.advance(60_000 + passed)
  assert.equal((await s.request(`POST ${uri}`, {}, { password: pass })).status, 404)
})

test('everyone but administrators signs up by mail: members, forms, keys, lists of accounts and PUT included', async () => {
  await using s = await serve(definition, { publicUrl })
  await s.request('POST /people', admin, { email: 'eve@example.org', password: pass })
  const eve = basic('eve@example.org', pass)
  assert.equal((await s.request('POST /people', eve, { email: ada, password: pass })).status, 202)
  const keyed = { 'idempotency-key': '"one"' }
  const body = { email: 'key@example.org', password: pass }
  assert.equal((await s.request('POST /people', keyed, body)).status, 202)
  const before = await countMails(s)
  assert.equal((await s.request('POST /people', keyed, body)).status, 202)
  assert.equal(
    (await s.request('POST /people?dry-run=true', {}, { ...body, email: 'dry@example.org' })).status,
    204,
  )
  assert.equal(await countMails(s), before)
  assert.equal((await s.request('POST /people', {}, [body])).status, 422)
  assert.equal((await s.request('POST /people', {}, { ...body, role: 'admin' })).status, 422)
  const batch = { requests: [{ id: 'a', method: 'POST', path: '/people', body }] }
  assert.equal((await s.request('POST /batch', eve, batch)).status, 422)
  assert.equal((await s.request('GET /people', admin)).json.length, 2)
})

const members = resource(
  {
    email: email().unique(),
    handle: text({ max: 40 }).unique(),
    password: password(),
    note: text().optional().readOnly(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  {
    key: 'handle',
    put: 'create',
    access: { read: anyone, create: anyone, update: self },
  },
)

const withCode = service(
  {
    title: 'Members',
    accounts: { ...byMail, resource: 'members', first: { handle: 'root' } },
    mail,
    resources: { members },
  },
  {
    members: {
      before: {
        create: (member, { set, refuse }) => {
          if (member.handle === 'refused') refuse('state-conflict', 'This handle is not for people.')
          set({ note: `Welcome, ${member.handle}` })
        },
      },
    },
  },
)

test('the code of the definition runs when the link is used; other unique values are 409 at the sign-up', async () => {
  await using mails = await startMailServer()
  await using s = await serve(withCode, { publicUrl, mail: mails.url })
  const post = async (handle: string, login: string) =>
    (await s.request('POST /members', {}, { email: login, handle, password: pass })).status
  assert.equal(await post('ada', ada), 202)
  assert.equal(await post('ada', 'other@example.org'), 202)
  assert.equal(await post('refused', 'bob@example.org'), 202)
  const [first, second, third] = [await linkOf(mails, 1), await linkOf(mails, 2), await linkOf(mails, 3)]
  const use = async (uri: string) => (await s.request(`POST ${uri}`, {}, { password: pass })).status
  assert.equal(await use(first), 204)
  assert.equal((await s.request('GET /members/ada')).json.note, 'Welcome, ada')
  assert.equal(await use(second), 404, 'the handle is taken by now')
  assert.equal(await use(third), 409)
  assert.equal(await post('ada', 'free@example.org'), 409)
  assert.equal(await post('ada', ada), 409)
  const content = { email: 'put@example.org', password: pass }
  assert.equal((await s.request('PUT /members/put', {}, content)).status, 401)
  assert.equal((await s.request('PUT /members/put', basic(ada, pass), content)).status, 403)
  const many = [{ ...content, handle: 'many' }]
  assert.equal((await s.request('POST /members', {}, many)).status, 422)
  assert.equal((await s.request('GET /members')).json.length, 2)
})

test('GHSA-m93w-4fxv-r35v (PocketBase): an attacker who signs up with the address of another person gets no account', async () => {
  await using mails = await startMailServer()
  await using jwks = await jwksServer()
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256', 'ES256'], login: 'email' }]
  const trusting = service({ title: 'People', accounts: byMail, issuers, mail, resources: { people } })
  await using s = await serve(trusting, { publicUrl, mail: mails.url })
  await signUp(s, ada, 'the password of the attacker')
  const attackers = await linkOf(mails, 1)
  // The victim signs up by itself meanwhile.
  await signUp(s, ada)
  assert.equal((await s.request(`POST ${await linkOf(mails, 2)}`, {}, { password: pass })).status, 204)
  const claims = { email: ada, email_verified: true, sub: 'victim' }
  assert.equal((await s.request('GET /people', bearer(await jwt({ claims })))).status, 200)
  const used = await s.request(`POST ${attackers}`, {}, { password: 'the password of the attacker' })
  assert.equal(used.status, 404)
  assert.equal((await s.request('GET /people', basic(ada, 'the password of the attacker'))).status, 401)
  assert.equal(
    (await s.request('GET /people', basic(ada, pass))).status,
    200,
    'a proven address keeps its password',
  )
})

test('GHSA-pq7p-mc74-g65w (PocketBase): a pending change of address ends when its owner signs up', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await s.request('POST /people', admin, { email: 'eve@example.org', password: pass })
  const change = { login: ada, currentPassword: pass }
  assert.equal((await s.request('POST /verifications', basic('eve@example.org', pass), change)).status, 202)
  const pending = await linkOf(mails, 1)
  await signUp(s, ada, 'the password of the owner')
  const own = await linkOf(mails, 2)
  assert.equal((await s.request(`POST ${own}`, {}, { password: 'the password of the owner' })).status, 204)
  assert.equal((await s.request(`POST ${pending}`, {}, { password: pass })).status, 404)
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 401)
})

test('sign-up by mail needs mail, and a rule that lets people sign up', () => {
  const refused = (options: object, reason: RegExp) =>
    assert.throws(() => checkDefinition(service({ title: 'People', ...options } as never)), reason)
  refused({ accounts: byMail, resources: { people } }, /accounts: signUp: 'by-mail' needs mail/)
  refused(
    { accounts: { ...accounts, signUp: 'by-post' }, mail, resources: { people } },
    /'signUp' must be 'by-mail'/,
  )
  const fields = {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  }
  const closed = resource(fields, { access: { read: anyone, create: role('admin') } })
  refused(
    { accounts: byMail, mail, resources: { people: closed } },
    /signUp: 'by-mail' needs a rule that lets anonymous callers create accounts/,
  )
})
