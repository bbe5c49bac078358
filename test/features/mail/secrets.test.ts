/**
 * The secrets of links in mails, of every kind: their limits in time, and where they never appear. Single use under
 * concurrent attempts is in the test of each kind.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { cookiesOf } from '../second-factors/authenticator.ts'
import { accounts, people } from './fixtures/people.ts'
import { startMailServer } from './mail-server.ts'

const definition = service({
  title: 'People',
  accounts: { ...accounts, signUp: 'by-mail' },
  mail: { from: 'service@example.org' },
  signIn: { links: true },
  resources: { people },
})
const publicUrl = 'https://people.example'
const password = 'the right password'
const ada = 'ada@example.org'
const hour = 3_600_000
/** Time that the requests of a loaded machine may take. */
const margin = 300_000

interface SecretKind {
  readonly path: string
  readonly lifetime: number
  /** Asks for the mail. */
  ask(s: TestService): Promise<Reply>
}

const kinds: Readonly<Record<string, SecretKind>> = {
  'password reset': {
    path: '/password-resets',
    lifetime: hour,
    ask: (s) => s.request('POST /password-resets', {}, { login: ada }),
  },
  'link to sign in': {
    path: '/sign-in-links',
    lifetime: hour / 4,
    ask: (s) => s.request('POST /sign-in-links', {}, { login: ada }),
  },
  verification: {
    path: '/verifications',
    lifetime: hour,
    ask: (s) => s.request('POST /verifications', {}, { login: ada }),
  },
  'change of address': {
    path: '/verifications',
    lifetime: hour,
    ask: (s) =>
      s.request('POST /verifications', basic(ada, password), {
        login: 'countess@example.org',
        currentPassword: password,
      }),
  },
  'sign-up': {
    path: '/verifications',
    lifetime: hour,
    ask: (s) => s.request('POST /people', {}, { email: 'bob@example.org', password }),
  },
  invitation: {
    path: '/invitations',
    lifetime: 7 * 24 * hour,
    ask: (s) => s.request('POST /invitations', admin, { email: 'eve@example.org' }),
  },
}

/** All rows of the database as text. */
async function storedText({ service: { model, store } }: TestService): Promise<string> {
  const tables = [...model.resources.values(), ...model.ownTables.values()]
  const rows = tables.map(({ name: table }) =>
    store.list({
      table,
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 1000,
      evaluated: [],
    }),
  )
  return JSON.stringify(await Promise.all(rows), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

test('every secret in a mail is hashed at rest, in no log, audit, page or Referer, and ends with its time', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  assert.equal((await s.request('POST /people', admin, { email: ada, password })).status, 201)
  let count = 0
  for (const [name, { path, lifetime, ask }] of Object.entries(kinds)) {
    const asked = await ask(s)
    assert.ok(asked.status === 202 || asked.status === 201, `${name}: ${asked.status}`)
    count += 1
    await mails.reached(count)
    const secret = mails.received[count - 1]?.secrets[0] ?? ''
    assert.equal(secret.length, 43, name)
    const uri = `${path}/${secret}`
    // A link to sign in is for the browser that asked.
    const fields = cookiesOf(asked)
    assert.ok(!(await storedText(s)).includes(secret), `${name}: stored as its SHA-256`)
    const page = await s.request(`GET ${uri}`, { accept: 'text/html', ...fields })
    assert.equal(page.status, 200, name)
    assert.equal(page.fields['referrer-policy'], 'no-referrer')
    assert.equal(page.fields['cache-control'], 'no-store')
    assert.ok(!page.text.includes(secret), `${name}: no link of the page has it`)
    const refused = await s.request(`POST ${uri}`, fields, { nonsense: secret })
    assert.equal(refused.status, 422, name)
    s.advance(lifetime - margin)
    assert.equal((await s.request(`GET ${uri}`, fields)).status, 200, `${name}: before its end`)
    s.advance(margin)
    assert.equal((await s.request(`GET ${uri}`, fields)).status, 404, `${name}: after its end`)
    assert.equal((await s.request(`POST ${uri}`, fields, { password })).status, 404, name)
    const told = JSON.stringify(s.observations, (_name, value: unknown) =>
      value instanceof Error ? String(value.stack) : value,
    )
    assert.ok(!told.includes(secret), `${name}: not in the log`)
    assert.ok(!(await s.request('GET /audit', admin)).text.includes(secret), `${name}: not in the audit`)
  }
})
