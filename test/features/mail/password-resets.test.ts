/** Setting a new password by mail (docs/reference/http/accounts.md, "Password resets"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { service } from '../../../src/index.ts'
import { bearer } from '../../access/sample.ts'
import { eventually } from '../../eventually.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import definition, { accounts, people } from './fixtures/people.ts'
import { freePort, startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const oldPassword = 'the first password'
const newPassword = 'the second password'
const ada = 'ada@example.org'

async function signUp(s: TestService, login: string): Promise<string> {
  const created = await s.request('POST /people', {}, { email: login, password: oldPassword })
  assert.equal(created.status, 201, created.text)
  return created.json.id
}

const ask = (s: TestService, login: string) => s.request('POST /password-resets', {}, { login })
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

/** All but what differs between any two responses. */
function comparable({ status, fields, text }: Reply) {
  const { date: _date, 'request-id': _id, ...others } = fields
  return { status, fields: others, text: text.replace(/urn:uuid:[0-9a-f-]+/g, '') }
}

test('the link in the mail sets a new password, once, and ends all sessions, tokens and other links', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  const token = bearer((await s.request('POST /tokens', basic(ada, oldPassword), {})).json.token)
  assert.equal((await ask(s, ada)).status, 202)
  assert.equal((await ask(s, ada)).status, 202)
  await mails.reached(2)
  const [first, second] = mails.received
  assert.deepEqual(first?.to, [ada])
  assert.match(first?.text ?? '', /^From: People <service@example\.org>\r$/m)
  assert.match(first?.text ?? '', /text\/plain[\s\S]*text\/html/)
  assert.ok(first?.text.includes(`${publicUrl}/password-resets/${first.secrets[0]}`))
  const uri = `/password-resets/${first?.secrets[0]}`
  // GET consumes nothing.
  for (let time = 0; time < 2; time += 1) {
    const page = await s.request(`GET ${uri}`, { accept: 'text/html' })
    assert.equal(page.status, 200)
    assert.equal(page.fields['cache-control'], 'no-store')
    assert.equal(page.fields['referrer-policy'], 'no-referrer')
    assert.ok(!page.text.includes(first?.secrets[0] ?? ''), 'no other URI repeats the secret')
  }
  assert.equal((await s.request('GET /people', basic(ada, oldPassword))).status, 200)
  const set = await s.request(`POST ${uri}`, form, new URLSearchParams({ password: newPassword }).toString())
  assert.deepEqual([set.status, set.fields.location], [303, '/sign-in'])
  assert.equal((await s.request('GET /people', basic(ada, newPassword))).status, 200)
  for (const caller of [basic(ada, oldPassword), token]) {
    assert.equal((await s.request('GET /people', caller)).status, 401)
  }
  for (const secret of [first?.secrets[0], second?.secrets[0]]) {
    assert.equal((await s.request(`GET /password-resets/${secret}`)).status, 404)
    const again = await s.request(`POST /password-resets/${secret}`, {}, { password: 'another password' })
    assert.equal(again.status, 404)
  }
  // The owner is told.
  await mails.reached(3)
  assert.match(mails.received[2]?.text ?? '', /Your password for People was changed/)
})

test('of 20 concurrent attempts with one link exactly one succeeds', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  await ask(s, ada)
  await mails.reached(1)
  const uri = `/password-resets/${mails.received[0]?.secrets[0]}`
  const passwords = Array.from({ length: 20 }, (_, at) => `password number ${at}`)
  const replies = await Promise.all(passwords.map((password) => s.request(`POST ${uri}`, {}, { password })))
  const won = replies.flatMap(({ status }, at) => (status === 204 ? [at] : []))
  assert.equal(won.length, 1, replies.map(({ status }) => status).join())
  // Others wait for their turn to hash, or find the link used.
  assert.ok(replies.every(({ status }) => [204, 404, 429].includes(status)))
  assert.equal((await s.request('GET /people', basic(ada, passwords[won[0] ?? 0] ?? ''))).status, 200)
})

test('a link is good for less than an hour', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  const before = Date.now()
  await ask(s, ada)
  await mails.reached(1)
  const uri = `/password-resets/${mails.received[0]?.secrets[0]}`
  // The test itself must not take the rest of the hour.
  const passed = Date.now() - before
  s.advance(3_600_000 - passed - 60_000)
  assert.equal((await s.request(`GET ${uri}`)).status, 200)
  s.advance(60_000 + passed)
  assert.equal((await s.request(`GET ${uri}`)).status, 404)
  assert.equal((await s.request(`POST ${uri}`, {}, { password: newPassword })).status, 404)
})

describe('known and unknown logins', () => {
  test('get the same response, and cost the same writes; only the known one gets a mail', async () => {
    await using mails = await startMailServer()
    await using s = await serve(definition, { publicUrl, mail: mails.url })
    await signUp(s, ada)
    const unknown = await ask(s, 'nobody@example.org')
    const known = await ask(s, ada)
    assert.deepEqual(comparable(unknown), comparable(known))
    assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 2)
    const page = (login: string) =>
      s.request('POST /password-resets', form, new URLSearchParams({ login }).toString())
    assert.deepEqual(comparable(await page('nobody@example.org')), comparable(await page(ada)))
    await mails.reached(2)
    assert.deepEqual(
      mails.received.flatMap(({ to }) => to),
      [ada, ada],
    )
  })

  test('are each recorded, also under concurrent requests', async () => {
    await using mails = await startMailServer()
    await using s = await serve(definition, { publicUrl, mail: mails.url })
    await signUp(s, ada)
    for (const login of [ada, 'nobody@example.org']) {
      const replies = await Promise.all(Array.from({ length: 10 }, () => ask(s, login)))
      assert.ok(replies.every(({ status }) => status === 202))
    }
    assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 20)
    assert.equal((await ask(s, ada)).status, 429)
  })
})

test('of the mails that wait for an address the newest three are sent', async () => {
  const port = await freePort()
  await using s = await serve(definition, { publicUrl, mail: `smtp://127.0.0.1:${port}` })
  await signUp(s, ada)
  await signUp(s, 'eve@example.org')
  for (let count = 0; count < 5; count += 1) await ask(s, ada)
  const failures = () => s.observations.filter(({ kind }) => kind === 'task-failed').length
  await eventually(() => failures() >= 3)
  await using mails = await startMailServer({ port })
  s.advance(10_000)
  await mails.reached(3)
  await ask(s, 'eve@example.org')
  await mails.reached(4)
  const recipients = mails.received.flatMap(({ to }) => to)
  assert.equal(recipients.filter((to) => to === ada).length, 3)
  for (const { secrets } of mails.received) {
    assert.equal((await s.request(`GET /password-resets/${secrets[0]}`)).status, 200)
  }
})

test('a disabled account gets no mail, and its link does nothing', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const id = await signUp(s, ada)
  await signUp(s, 'eve@example.org')
  await ask(s, ada)
  await mails.reached(1)
  const uri = `/password-resets/${mails.received[0]?.secrets[0]}`
  await s.request(`PATCH /people/${id}`, admin, { disabled: true })
  assert.equal((await s.request(`GET ${uri}`)).status, 404)
  assert.equal((await s.request(`POST ${uri}`, {}, { password: newPassword })).status, 404)
  await ask(s, ada)
  await ask(s, 'eve@example.org')
  await mails.reached(2)
  assert.deepEqual(mails.received[1]?.to, ['eve@example.org'])
})

test('content: unknown members, other types and weak passwords are refused before anything changes', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  const status = async (body: unknown, fields = {}) =>
    (await s.request('POST /password-resets', fields, body)).status
  assert.equal(await status({}), 422)
  assert.equal(await status({ login: 1 }), 422)
  assert.equal(await status({ login: 'x'.repeat(1001) }), 422)
  assert.equal(await status({ login: ada, more: 1 }), 422)
  assert.equal(await status([]), 422)
  assert.equal(await status('<login/>', { 'content-type': 'application/xml' }), 415)
  assert.equal((await s.request('POST /password-resets?dry-run=true', {}, { login: ada })).status, 400)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal(await status({ login: ada }, foreign), 403)
  assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 0)
  await ask(s, ada)
  await mails.reached(1)
  const uri = `/password-resets/${mails.received[0]?.secrets[0]}`
  const weak = await s.request(`POST ${uri}`, {}, { password: 'short' })
  assert.deepEqual([weak.status, weak.json.errors[0].pointer], [422, '/password'])
  assert.equal(
    (await s.request(`POST ${uri}`, { host: 'people.example' }, { password: newPassword })).status,
    403,
  )
  assert.equal((await s.request(`POST ${uri}`, {}, { password: newPassword })).status, 204)
})

test('a change of the password by its owner or an administrator is told to the owner by mail', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const id = await signUp(s, ada)
  const uri = `PATCH /people/${id}`
  const own = { password: newPassword, currentPassword: oldPassword }
  const refused = await s.request(uri, basic(ada, oldPassword), { password: newPassword })
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/currentPassword'])
  assert.equal((await s.request(uri, basic(ada, oldPassword), own)).status, 200)
  await mails.reached(1)
  assert.equal((await s.request(uri, admin, { password: oldPassword })).status, 200)
  await mails.reached(2)
  for (const { to, text } of mails.received) {
    assert.deepEqual(to, [ada])
    assert.match(text, /Your password for People was changed/)
    assert.ok(!text.includes(oldPassword) && !text.includes(newPassword))
  }
})

test('mails wait while the mail server is down, and have the same link when it is back', async () => {
  const port = await freePort()
  await using s = await serve(definition, { publicUrl, mail: `smtp://127.0.0.1:${port}` })
  await signUp(s, ada)
  await ask(s, ada)
  const failures = () => s.observations.filter(({ kind }) => kind === 'task-failed').length
  await eventually(() => failures() > 0)
  await using mails = await startMailServer({ port })
  s.advance(10_000)
  await mails.reached(1)
  const uri = `/password-resets/${mails.received[0]?.secrets[0]}`
  assert.equal((await s.request(`POST ${uri}`, {}, { password: newPassword })).status, 204)
  const told = JSON.stringify(s.observations, (_, value) =>
    value instanceof Error ? String(value.stack) : value,
  )
  assert.ok(!told.includes(ada) && !told.includes(mails.received[0]?.secrets[0] ?? ''))
})

test('the database has neither the secret of a link nor a password', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  await ask(s, ada)
  await mails.reached(1)
  const secret = mails.received[0]?.secrets[0] ?? ''
  const query = {
    condition: { kind: 'always' },
    order: [],
    after: undefined,
    limit: 100,
    evaluated: [],
  } as const
  for (const table of ['account_mails', 'log_queue']) {
    const order = [{ column: '_identity', descending: false }]
    const rows = await s.service.store.list({ ...query, order, table })
    assert.ok(!JSON.stringify(rows).includes(secret))
  }
  // The secret is computed from a nonce, which is gone when the mail was accepted.
  const nonces = async () => {
    const order = [{ column: '_identity', descending: false }]
    const { model, store } = s.service
    const index = model.ownTables.get('account_mails')?.fieldByName.get('nonce')?.index ?? -1
    return (await store.list({ ...query, order, table: 'account_mails' })).map((row) => row[index])
  }
  await eventually(async () => (await s.service.store.count('log_queue', { kind: 'always' })) === 0)
  assert.deepEqual(await nonces(), [''])
  // The log names the route, not the path.
  await s.request(`GET /password-resets/${secret}`)
  assert.ok(!JSON.stringify(s.observations).includes(secret))
  assert.ok(!(await s.request('GET /audit', admin)).text.includes(secret))
})

test('/mails shows mails to this machine where MAIL_URL is page, and is 404 elsewhere', async () => {
  await using s = await serve(definition, { mail: 'page' })
  await signUp(s, ada)
  await ask(s, ada)
  const shown = await s.request('GET /mails', { host: 'localhost:3000' })
  assert.equal(shown.status, 200)
  assert.equal(shown.fields['cache-control'], 'no-store')
  const [mail] = shown.json
  assert.equal(mail.to, ada)
  const path = /http:\/\/localhost:3000(\/password-resets\/\S+)/.exec(mail.text)?.[1]
  assert.equal((await s.request(`POST ${path}`, {}, { password: newPassword })).status, 204)
  assert.match(
    (await s.request('GET /mails', { host: 'localhost', accept: 'text/html' })).text,
    /Set a new password for People/,
  )
  assert.equal((await s.request('GET /mails', { host: 'people.example' })).status, 404)
  await using sending = await serve(definition, { publicUrl })
  assert.equal((await sending.request('GET /mails', { host: 'localhost' })).status, 404)
})

test('a service without mail has none of these paths', async () => {
  await using s = await serve(service({ title: 'Without', accounts, resources: { people } }))
  for (const path of ['/password-resets', '/password-resets/x', '/mails']) {
    assert.equal((await s.request(`GET ${path}`)).status, 404)
    assert.equal((await s.request(`POST ${path}`, {}, {})).status, 404)
  }
  assert.ok(!(await s.request('GET /sign-in', { accept: 'text/html' })).text.includes('password-resets'))
})
