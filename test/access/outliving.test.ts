/**
 * What an account has handed out ends or stops with its basis (docs/decisions/0101): accounts made in advance with the
 * address of another person, resets of passwords, disabled accounts, and requests that are under way meanwhile.
 */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { heldBy } from '../../src/access/revocation.ts'
import { file, resource, service, signedIn } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { outcomeOf } from '../commands/command.ts'
import { lastingDatabase } from '../database.ts'
import notes from '../features/audit/fixtures/erasable-notes.ts'
import { people, accounts as peopleAccounts } from '../features/mail/fixtures/people.ts'
import { type MailServer, startMailServer } from '../features/mail/mail-server.ts'
import { registerAuthenticator, signInWithPassword } from '../features/second-factors/authenticator.ts'
import { admin, basic, serve, type TestService } from '../service.ts'
import { audience, issuer, jwksServer, jwt } from './jwt-issuer.ts'
import { bearer } from './sample.ts'

const victim = 'victim@example.org'
const chosen = 'the attacker’s password'
const owned = 'the victim’s password'
const publicUrl = 'https://people.example'
const merge = { 'content-type': 'application/merge-patch+json' }

const papers = resource(
  { scan: file({ max: '1 MB', types: ['text/plain'] }).optional() },
  { access: { read: signedIn, create: signedIn, update: signedIn, delete: signedIn } },
)

function define(more: object = {}) {
  return service({
    title: 'People',
    accounts: peopleAccounts,
    mail: { from: 'People <service@example.org>' },
    webhooks: { by: signedIn },
    invitations: { by: signedIn },
    resources: { people, papers },
    ...more,
  })
}

/** The attacker makes an account with the address of the victim, and all ways back into it that there are. */
async function prepare(s: TestService) {
  const created = await s.request('POST /people', {}, { email: victim, password: chosen })
  assert.equal(created.status, 201, created.text)
  const account = `/people/${created.json.id}`
  const attacker = basic(victim, chosen)
  const { cookie } = await signInWithPassword(s, victim, chosen)
  const session = { cookie, 'sec-fetch-site': 'same-origin' }
  const made = async (path: string, body: object) => {
    const reply = await s.request(`POST ${path}`, attacker, body)
    assert.ok([201, 202].includes(reply.status), `${path} ${reply.text}`)
    return reply
  }
  const token = bearer((await made('/tokens', {})).json.token)
  const webhook = String((await made('/webhooks', hook)).fields.location)
  const invitation = String((await made('/invitations', { email: 'friend@example.org' })).fields.location)
  await made('/verifications', { login: 'attacker@example.org', currentPassword: chosen })
  const paper = String((await made('/papers', {})).fields.location)
  const begun = await s.request(
    `PUT ${paper}/scan`,
    {
      ...attacker,
      'content-type': 'text/plain',
      'upload-draft-interop-version': '8',
      'upload-complete': '?0',
    },
    'beginning',
  )
  assert.equal(begun.status, 201, begun.text)
  const upload = String(begun.fields.location)
  await registerAuthenticator(s, account, session, Date.now)
  return { account, attacker, session, token, webhook, invitation, upload }
}

const hook = { url: 'https://attacker.example/', events: ['people.*'] }

/** The number of rows of each table that the account holds. */
async function held(s: TestService, account: string): Promise<Readonly<Record<string, number>>> {
  const { model, store } = s.service
  const counts: Record<string, number> = {}
  for (const resource of [...model.resources.values(), ...model.ownTables.values()]) {
    const { held } = resource.traits
    if (!held || held.loss === 'expiry') continue
    const condition = heldBy(held, account.slice('/people/'.length))
    counts[resource.name] = await store.count(resource.name, condition)
  }
  return counts
}

const nothing = {
  tokens: 0,
  account_credentials: 0,
  account_code_attempts: 0,
  webhooks: 0,
  invitations: 0,
  account_mails: 0,
}

async function setNewPassword(s: TestService, mails: MailServer, login = victim): Promise<void> {
  await s.request('POST /password-resets', {}, { login })
  const isReset = ({ text, to }: MailServer['received'][number]) =>
    to.includes(login) && text.includes('/password-resets/')
  for (let count = mails.received.length; !mails.received.some(isReset); count += 1)
    await mails.reached(count + 1)
  const [secret] = mails.received.findLast(isReset)?.secrets ?? []
  const reset = await s.request(`POST /password-resets/${secret}`, {}, { password: owned })
  assert.equal(reset.status, 204, reset.text)
}

test('every built-in table whose rows go with an account is one that is emptied when the account is voided', () => {
  const model = checkDefinition(define())
  const { accounts } = model
  const owned = [...model.resources.values(), ...model.ownTables.values()].filter(
    ({ declared, fields }) =>
      !declared &&
      fields.some(({ ref }) => ref?.resource === accounts?.resource && ref?.onDelete === 'cascade'),
  )
  const others = owned.filter(({ traits }) => !traits.held).map(({ name }) => name)
  assert.deepEqual(others, [])
})

test('account made in advance: the first sign-in by issuer leaves nothing that was prepared', async () => {
  await using jwks = await jwksServer()
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256'], login: 'email' }]
  await using s = await serve(define({ issuers }), { publicUrl })
  const { account, attacker, session, token, webhook, invitation, upload } = await prepare(s)
  const owner = bearer(await jwt({ claims: { email: victim, email_verified: true, sub: 'victim' } }))
  assert.equal((await s.request('GET /tokens', owner)).status, 200)
  assert.deepEqual(await held(s, account), nothing)
  for (const caller of [attacker, session, token]) {
    assert.equal((await s.request('GET /tokens', caller)).status, 401)
  }
  for (const uri of [webhook, invitation]) {
    assert.notEqual((await s.request(`GET ${uri}`, owner)).status, 200, uri)
  }
  const continued = await s.request(`HEAD ${upload}`, { ...owner, 'upload-draft-interop-version': '8' })
  assert.equal(continued.status, 404, 'the upload')
  assert.deepEqual((await s.request(`GET ${account}/credentials`, owner)).json, [])
})

test('account made in advance: a reset by the owner of an address that nothing had proven leaves nothing either', async () => {
  await using mails = await startMailServer()
  await using s = await serve(define(), { publicUrl, mail: mails.url })
  const { account, session, token, webhook } = await prepare(s)
  await setNewPassword(s, mails)
  const owner = basic(victim, owned)
  assert.equal((await s.request('GET /tokens', owner)).status, 200, 'no second factor of the attacker')
  assert.deepEqual({ ...(await held(s, account)), account_mails: 0 }, nothing)
  for (const caller of [session, token]) assert.equal((await s.request('GET /tokens', caller)).status, 401)
  assert.equal((await s.request(`GET ${webhook}`, owner)).status, 404)
})

test('a reset has proven the address: the next one keeps second factors, stops webhooks and revokes invitations', async () => {
  await using mails = await startMailServer()
  await using s = await serve(define(), { publicUrl, mail: mails.url })
  const created = await s.request('POST /people', {}, { email: victim, password: chosen })
  await setNewPassword(s, mails)
  const owner = basic(victim, owned)
  const webhook = String((await s.request('POST /webhooks', owner, hook)).fields.location)
  await s.request('POST /invitations', owner, { email: 'friend@example.org' })
  const account = `/people/${created.json.id}`
  await registerAuthenticator(s, account, owner, Date.now)
  const before = mails.received.length
  await s.request('POST /password-resets', {}, { login: victim })
  const isNew = ({ text }: MailServer['received'][number], at: number) =>
    at >= before && text.includes('/password-resets/')
  for (let count = before + 1; !mails.received.some(isNew); count += 1) await mails.reached(count)
  const [secret] = mails.received.find(isNew)?.secrets ?? []
  assert.equal((await s.request(`POST /password-resets/${secret}`, {}, { password: chosen })).status, 204)
  const { account_credentials, invitations, webhooks } = await held(s, account)
  assert.deepEqual([account_credentials, invitations, webhooks], [2, 0, 1])
  const row = await s.service.store.find({
    table: 'webhooks',
    column: '_identity',
    value: webhook.slice('/webhooks/'.length),
    evaluated: [],
  })
  const active = s.service.model.resources.get('webhooks')?.fieldByName.get('active')
  assert.equal(row?.[active?.index ?? -1], 0)
})

test('a disabled account stops its webhooks until the owner activates them; its token of before does not', async () => {
  await using s = await serve(define())
  const created = await s.request('POST /people', {}, { email: victim, password: owned })
  const account = `/people/${created.json.id}`
  const owner = basic(victim, owned)
  const token = bearer((await s.request('POST /tokens', owner, {})).json.token)
  const webhook = String((await s.request('POST /webhooks', owner, hook)).fields.location)
  for (const disabled of [true, false]) {
    const set = await s.request(`PATCH ${account}`, { ...admin, ...merge }, { disabled })
    assert.equal(set.status, 200, set.text)
  }
  assert.equal((await s.request(`GET ${webhook}`, owner)).json.active, false)
  assert.equal((await s.request(`PATCH ${webhook}`, { ...token, ...merge }, { active: true })).status, 403)
  const { cookie } = await signInWithPassword(s, victim, owned)
  const page = await s.request(`GET /forms${webhook}`, {
    cookie,
    'sec-fetch-site': 'same-origin',
    accept: 'text/html',
  })
  assert.match(page.text, /name="active"/)
  const confirmed = await s.request(`PATCH ${webhook}`, { ...owner, ...merge }, { active: true })
  assert.deepEqual([confirmed.status, confirmed.json.active], [200, true])
})

test('a password that an administrator sets stops the webhooks of the account; an own new one does not', async () => {
  await using s = await serve(define())
  const created = await s.request('POST /people', {}, { email: victim, password: owned })
  const account = `/people/${created.json.id}`
  const webhook = String((await s.request('POST /webhooks', basic(victim, owned), hook)).fields.location)
  const own = { password: 'a second password', currentPassword: owned }
  assert.equal((await s.request(`PATCH ${account}`, { ...basic(victim, owned), ...merge }, own)).status, 200)
  const isActive = async (password: string) =>
    (await s.request(`GET ${webhook}`, basic(victim, password))).json.active
  assert.equal(await isActive('a second password'), true)
  const set = await s.request(`PATCH ${account}`, { ...admin, ...merge }, { password: 'a third password' })
  assert.equal(set.status, 200, set.text)
  assert.equal(await isActive('a third password'), false)
})

test('a new password and a disabling on the command line stop the webhooks of the account', async (t) => {
  const database = await lastingDatabase(t)
  const file = join(import.meta.dirname, '..', 'features', 'audit', 'fixtures', 'erasable-notes.ts')
  const user = async (...words: string[]) => {
    const done = await outcomeOf(['user', ...words, '--service', file, '--database', database])
    assert.equal(done.code, 0, done.stderr)
    return done.stdout
  }
  const hook = { url: 'https://attacker.example/', events: ['notes.*'] }
  let webhook = ''
  {
    await using s = await serve(notes, { database })
    await s.request('POST /users', admin, { email: victim, password: chosen })
    const made = await s.request('POST /webhooks', basic(victim, chosen), hook)
    webhook = String(made.fields.location)
  }
  const [, password = ''] = /^Password: (\S+)/m.exec(await user('password', victim)) ?? []
  const owner = basic(victim, password)
  {
    await using s = await serve(notes, { database })
    assert.equal((await s.request(`GET ${webhook}`, owner)).json.active, false, 'after the new password')
    const confirmed = await s.request(`PATCH ${webhook}`, { ...owner, ...merge }, { active: true })
    assert.equal(confirmed.status, 200, confirmed.text)
  }
  await user('disable', victim)
  await user('enable', victim)
  await using s = await serve(notes, { database })
  assert.equal((await s.request(`GET ${webhook}`, owner)).json.active, false, 'after the disabling')
})

test('requests under way while the account is voided leave nothing behind, in any order', async () => {
  await using jwks = await jwksServer()
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256'], login: 'email' }]
  await using s = await serve(define({ issuers }), { publicUrl })
  const created = await s.request('POST /people', {}, { email: victim, password: chosen })
  const account = `/people/${created.json.id}`
  const attacker = basic(victim, chosen)
  const owner = bearer(await jwt({ claims: { email: victim, email_verified: true, sub: 'victim' } }))
  const attack = () =>
    Promise.all(
      ['/webhooks', '/tokens', `${account}/credentials`].map((path) =>
        s.request(`POST ${path}`, attacker, path === '/webhooks' ? hook : {}),
      ),
    )
  // The password is verified once, and cached.
  await s.request('GET /tokens', attacker)
  const rounds = Array.from({ length: 10 }, attack)
  const first = s.request('GET /tokens', owner)
  await Promise.all([...rounds, first, ...Array.from({ length: 10 }, attack)])
  assert.equal((await first).status, 200)
  const { webhooks, account_credentials } = await held(s, account)
  assert.deepEqual([webhooks, account_credentials], [0, 0])
})
