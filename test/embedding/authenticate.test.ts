/** `authenticate` of an opened service: who sends a request that another program handles, or the refusal. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addUser,
  ask,
  basic,
  bearer,
  callerOf,
  createToken,
  openNotes,
  origin,
  receivedOverSocket,
  signIn,
} from './callers.ts'

async function refusalOf(found: unknown) {
  assert.ok(found instanceof Response, JSON.stringify(found))
  const type = found.headers.get('content-type')
  const problem = type === 'application/problem+json' ? ((await found.json()) as Problem) : undefined
  return { status: found.status, headers: found.headers, type, problem }
}

interface Problem {
  readonly type: string
  readonly detail: string
}

test('the caller is anonymous, or the account of the password, the token or the session', async () => {
  await using opened = await openNotes()
  const { id, login, fields } = await addUser(opened, 'ada', 'editor')
  assert.deepEqual(await callerOf(opened, {}), { kind: 'anonymous', roles: [] })
  const ada = { kind: 'account', id, roles: ['editor'] }
  assert.deepEqual(await callerOf(opened, fields), ada)
  assert.deepEqual(await callerOf(opened, (await createToken(opened, fields)).fields), ada)
  assert.deepEqual(await callerOf(opened, await signIn(opened, login)), ada)
  assert.deepEqual(await callerOf(opened, await signIn(opened, login), 'POST'), ada)
})

test('a request of node:http is taken as it is, with its socket or without', async () => {
  await using opened = await openNotes()
  const { id, fields } = await addUser(opened, 'ada')
  const ada = { kind: 'account', id, roles: ['member'] }
  assert.deepEqual(await receivedOverSocket(fields, (raw) => opened.authenticate(raw)), ada)
  const headers = { Authorization: fields.authorization }
  assert.deepEqual(await opened.authenticate({ method: 'GET', url: '/', headers }), ada)
  for (const given of [undefined, null, 'GET /', {}, { method: 'GET' }, { headers: {} }]) {
    await assert.rejects(opened.authenticate(given as never), {
      name: 'TypeError',
      message: /Expected a Request/,
    })
  }
})

test('invalid credentials are 401 with the challenges of the service, as a page where one is preferred', async () => {
  await using opened = await openNotes()
  await addUser(opened, 'ada')
  for (const fields of [
    basic('ada@example.org', 'wrong'),
    bearer('rw_unknown'),
    { authorization: 'Basic' },
  ]) {
    const { status, headers, problem } = await refusalOf(await opened.authenticate(ask(fields)))
    assert.equal(status, 401)
    assert.match(headers.get('www-authenticate') ?? '', /Bearer realm="Notes"/)
    assert.equal(problem?.type, '/problems/unauthenticated')
  }
  const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin', cookie: 'restwell=rw_ended' }
  const { status, headers, type } = await refusalOf(await opened.authenticate(ask(browser)))
  assert.deepEqual([status, type], [401, 'text/html; charset=utf-8'])
  // Without this the browser would send the cookie of the ended session again.
  assert.match(headers.getSetCookie().join(), /^restwell=; .*Max-Age=0/)
})

test('the session counts for pages of its own origin alone; unsafe methods from others are 403', async () => {
  await using opened = await openNotes()
  const { login, fields } = await addUser(opened, 'ada')
  const session = await signIn(opened, login)
  for (const site of ['cross-site', 'same-site']) {
    const foreign = { ...session, 'sec-fetch-site': site }
    assert.equal((await callerOf(opened, foreign)).kind, 'anonymous', site)
    const refused = await refusalOf(await opened.authenticate(ask({ ...foreign, accept: '*/*' }, 'POST')))
    assert.equal(refused.status, 403, site)
  }
  // A password is sent by browsers by themselves too.
  const foreign = { ...fields, origin: 'https://other.example' }
  assert.equal((await refusalOf(await opened.authenticate(ask(foreign, 'POST')))).status, 403)
  assert.equal((await callerOf(opened, { ...fields, origin }, 'POST')).kind, 'account')
  // A program chooses the token that it sends.
  const token = await createToken(opened, fields)
  const sent = { ...token.fields, origin: 'https://other.example' }
  assert.equal((await callerOf(opened, sent, 'POST')).kind, 'account')
})

test('a role that requires a second factor is 403 without one, and 303 to where a page registers it', async () => {
  await using opened = await openNotes()
  const { id, login, fields } = await addUser(opened, 'ada', 'admin')
  const { status, problem } = await refusalOf(await opened.authenticate(ask(fields)))
  assert.equal(status, 403)
  assert.match(problem?.detail ?? '', /second factor/)
  const page = await refusalOf(await opened.authenticate(ask(await signIn(opened, login))))
  assert.equal(page.status, 303)
  assert.equal(page.headers.get('location'), `/users/${id}/credentials`)
})

test('each request counts for the rate of its caller, and 429 has Retry-After', async () => {
  await using opened = await openNotes({ rate: 3 })
  const { fields } = await addUser(opened, 'ada')
  for (let request = 0; request < 3; request += 1) await callerOf(opened, fields)
  const { status, headers } = await refusalOf(await opened.authenticate(ask(fields)))
  assert.equal(status, 429)
  assert.match(headers.get('retry-after') ?? '', /^[0-9]+$/)
  // Requests to the service count with them.
  const listed = await opened.handle(new Request(`${origin}/notes`, { headers: fields }))
  assert.equal(listed.status, 429)
  assert.equal((await callerOf(opened, {})).kind, 'anonymous')
})

test('requests with invalid credentials count for their address', async () => {
  await using opened = await openNotes({ rate: 2 })
  const statuses: number[] = []
  for (let request = 0; request < 3; request += 1) {
    statuses.push((await refusalOf(await opened.authenticate(ask(bearer('rw_unknown'))))).status)
  }
  assert.deepEqual(statuses, [401, 401, 429])
})

test('the content is left to the program', async () => {
  await using opened = await openNotes()
  const { login } = await addUser(opened, 'ada')
  const headers = { ...(await signIn(opened, login)), 'content-type': 'text/plain' }
  const request = new Request(`${origin}/dashboard`, { method: 'POST', headers, body: 'as sent' })
  assert.equal('kind' in (await opened.authenticate(request)), true)
  assert.equal(await request.text(), 'as sent')
})
