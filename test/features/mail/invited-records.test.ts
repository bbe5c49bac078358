/** Records that invitations carry (docs/reference/http/accounts.md, "Invitations with a record"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../../src/client.ts'
import {
  and,
  caller,
  check,
  choice,
  email,
  exists,
  file,
  integer,
  its,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
  where,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { bearer } from '../../access/sample.ts'
import { lastingDatabase } from '../../database.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const publicUrl = 'https://teams.example'
const mail = { from: 'service@example.org' }
const pass = 'the right password'
const ada = 'ada@example.org'

/** Teams, which see and invite only their own people. */
const users = resource(
  {
    email: email().unique(),
    password: password(),
    name: text({ max: 40 }).optional(),
    role: choice(['person', 'admin']).default('person').writableBy(role('admin')),
  },
  { access: { read: signedIn, create: role('admin'), update: role('admin'), delete: role('admin') } },
)
const ofOwnTeam = exists('memberships', { organisation: its('organisation'), user: caller, role: 'owner' })
const organisations = resource(
  { slug: text({ max: 20 }).unique(), name: text({ max: 40 }) },
  {
    key: 'slug',
    access: {
      read: [exists('memberships', { organisation: its('id'), user: caller }), role('admin')],
      create: role('admin'),
      update: role('admin'),
      delete: role('admin'),
    },
  },
)
const memberships = resource(
  {
    organisation: ref('organisations', { onDelete: 'cascade' }),
    user: ref('users', { onDelete: 'cascade' }),
    role: choice(['member', 'owner']).default('member'),
    seat: integer({ min: 1, max: 9 }).unique().optional(),
    note: text({ max: 20 }).optional(),
    addedBy: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
    welcomed: text({ max: 60 }).optional().readOnly(),
  },
  {
    access: {
      read: [exists('memberships', { organisation: its('organisation'), user: caller }), role('admin')],
      create: [ofOwnTeam, role('admin')],
      update: role('admin'),
      delete: role('admin'),
    },
    unique: [['organisation', 'user']],
    history: { read: role('admin') },
  },
)
const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'role' } as const
const definition = service(
  {
    title: 'Teams',
    accounts,
    mail,
    invitations: { by: signedIn, record: 'memberships.user' },
    resources: { users, organisations, memberships },
  },
  {
    memberships: {
      checks: [check('note', 'Write it politely.', ({ note }) => note !== 'RUDE')],
      before: {
        async create(item, { users, set, refuse }) {
          if (item.note === 'full') refuse('state-conflict', 'The team is full.')
          const user = await users.get(item.user)
          set({ welcomed: user.email })
        },
      },
    },
  },
)

const boss = basic('boss@example.org', pass)
const rival = basic('rival@example.org', pass)

interface Teams extends TestService {
  readonly mails: MailServer
  readonly bossId: string
  /** The memberships of the owners. */
  readonly ownership: string
}

async function serveTeams(mails: MailServer): Promise<Teams> {
  await using began = new AsyncDisposableStack()
  const s = began.use(await serve(definition, { publicUrl, mail: mails.url }))
  const created = async (line: string, body: object) => {
    const reply = await s.request(line, admin, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.id as string
  }
  const owner = async (name: string) => {
    await created('POST /organisations', { slug: `${name}-team`, name })
    const user = await created('POST /users', { email: `${name}@example.org`, password: pass })
    const ownership = await created('POST /memberships', {
      organisation: `${name}-team`,
      user,
      role: 'owner',
    })
    return { user, ownership }
  }
  const { user: bossId, ownership } = await owner('boss')
  await owner('rival')
  began.move()
  return Object.assign(s, { mails, bossId, ownership })
}

const invite = (s: TestService, by: Record<string, string>, record: unknown, address = ada) =>
  s.request('POST /invitations', by, { email: address, record })

/** The link of the invitation that was just made. */
async function linkOf(s: Teams, record: object, by = boss): Promise<string> {
  const sent = s.mails.received.length
  const made = await invite(s, by, record)
  assert.equal(made.status, 201, made.text)
  await s.mails.reached(sent + 1)
  return `/invitations/${s.mails.received[sent]?.secrets[0]}`
}

const accept = (s: TestService, uri: string) => s.request(`POST ${uri}`, {}, { password: pass, name: 'Ada' })

/** Neither the account nor the membership exists, and the link is over. */
async function assertRefused(s: Teams, uri: string): Promise<void> {
  const count = async (table: string) => s.service.store.count(table, { kind: 'always' })
  const before = [await count('users'), await count('memberships')]
  const reply = await accept(s, uri)
  assert.deepEqual(
    [reply.status, reply.json.detail],
    [404, 'This link is not valid any more. Ask for a new one.'],
  )
  assert.deepEqual([await count('users'), await count('memberships')], before)
}

test('accepting an invitation creates the account and the record together, as an insert of the inviter', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const uri = await linkOf(s, { organisation: 'boss-team', role: 'owner', seat: 4 })
  const [shown] = (await s.request('GET /invitations', boss)).json
  assert.deepEqual(shown.record, { organisation: 'boss-team', role: 'owner', seat: 4 })
  assert.ok(!('recordTargets' in shown))
  assert.equal((await s.request(`GET ${uri}`)).status, 200)
  assert.ok(!(await s.request(`GET ${uri}`, { accept: 'text/html' })).text.includes('boss-team'))
  const done = await accept(s, uri)
  assert.equal(done.status, 204, done.text)
  const own = (await s.request('GET /memberships', basic(ada, pass))).json
  const [person] = (await s.request(`GET /users?email=${ada}`, basic(ada, pass))).json
  const made = own.find((one: { user: string }) => one.user === person.id)
  const { organisation, role: given, seat, addedBy, welcomed } = made
  assert.deepEqual([organisation, given, seat, addedBy], ['boss-team', 'owner', 4, s.bossId])
  // Its hook sees the account.
  assert.equal(welcomed, ada)
  assert.equal(await s.service.store.count('invitations', { kind: 'always' }), 0)
  await s.logSettled()
  const [version] = (await s.request(`GET /memberships/${made.id}/history`, admin)).json
  assert.equal(version.by, s.bossId)
})

test('a record is judged like a POST of the inviter when the invitation is made, with faults at its members', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const fault = async (record: unknown, by = boss) => {
    const { status, json } = await invite(s, by, record)
    return [status, ...(json.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)]
  }
  const organisation = 'boss-team'
  assert.deepEqual(await fault({}), [422, '/record/organisation'])
  assert.deepEqual(await fault({ organisation, size: 1 }), [422, '/record/size'])
  assert.deepEqual(await fault({ organisation, user: s.bossId }), [422, '/record/user'])
  assert.deepEqual(await fault({ organisation, welcomed: 'x' }), [422, '/record/welcomed'])
  assert.deepEqual(await fault({ organisation, role: 'king', seat: 0 }), [
    422,
    '/record/role',
    '/record/seat',
  ])
  assert.deepEqual(await fault({ organisation, note: 'RUDE' }), [422, '/record/note'])
  assert.deepEqual(await fault({ organisation: 'unknown' }), [422, '/record/organisation'])
  for (const record of [null, 'x', [], [{ organisation }]]) {
    assert.deepEqual(await fault(record), [422, '/record'], JSON.stringify(record))
  }
  // A hidden item and one that does not exist are the same, also to those who may create memberships elsewhere.
  assert.deepEqual(
    (await invite(s, boss, { organisation: 'rival-team' })).json.errors[0].detail,
    (await invite(s, boss, { organisation: 'unknown' })).json.errors[0].detail,
  )
  await linkOf(s, { organisation, seat: 4 })
  assert.equal((await s.request('POST /memberships', admin, { organisation, user: s.bossId })).status, 409)
  await s.request(`PATCH /memberships/${s.ownership}`, admin, { seat: 7 })
  assert.deepEqual(await fault({ organisation, seat: 7 }), [409, '/record/seat'])
  await s.request(`PATCH /memberships/${s.ownership}`, admin, { role: 'member' })
  assert.deepEqual(await fault({ organisation }), [403])
  assert.equal((await s.request('POST /invitations', boss, { email: 'b@example.org' })).status, 201)
  assert.deepEqual(await fault({ organisation: 'boss-team' }, {} as never), [401])
  const token = (await s.request('POST /tokens', rival, { scopes: ['invitations:create'] })).json.token
  assert.deepEqual(await fault({ organisation: 'rival-team' }, bearer(token)), [403])
  const dry = await s.request('POST /invitations?dry-run=true', rival, {
    email: 'dry@example.org',
    record: { organisation: 'rival-team' },
  })
  assert.deepEqual([dry.status, dry.json.record], [200, { organisation: 'rival-team' }])
  const large = { organisation: 'rival-team', note: 'x'.repeat(1_100_000) }
  assert.equal((await invite(s, rival, large)).status, 413)
})

test('the rights of the inviter are judged again when the link is used: nothing is created without them', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const organisation = 'boss-team'
  const own = `PATCH /memberships/${s.ownership}`
  const link = await linkOf(s, { organisation })
  await s.request(own, admin, { role: 'member' })
  assert.equal((await s.request(`GET ${link}`)).status, 404)
  await assertRefused(s, link)
  await s.request(own, admin, { role: 'owner' })
  assert.equal((await s.request(`GET ${link}`)).status, 200)

  const seated = await linkOf(s, { organisation, seat: 3 })
  await s.request(own, admin, { seat: 3 })
  await assertRefused(s, seated)

  const full = await linkOf(s, { organisation, note: 'full' })
  await assertRefused(s, full)

  const token = (await s.request('POST /tokens', boss, {})).json
  const byToken = await linkOf(s, { organisation }, bearer(token.token))
  await s.request(`DELETE /tokens/${token.id}`, boss)
  await assertRefused(s, byToken)

  await s.request(`PATCH /users/${s.bossId}`, admin, { disabled: true })
  await assertRefused(s, link)
})

test('a right of the inviter that ends while a hook runs ends the invitation, with and without a record', async () => {
  const access = { read: role('admin'), create: signedIn, delete: role('admin') }
  const badges = resource(
    { user: ref('users', { onDelete: 'cascade' }), kind: choice(['host', 'guest']) },
    { access },
  )
  const options = { title: 'Badges', accounts, mail, resources: { users, badges } } as const
  const by = [role('admin'), exists('badges', { user: caller, kind: 'host' })]
  let end = async (_hook: string) => {}
  const hooks = {
    users: { before: { create: async ({ email: address }: { email: string }) => end(address) } },
    badges: { before: { create: async ({ kind }: { kind: string }) => end(kind) } },
  }
  await using mails = await startMailServer()
  const judged = service({ ...options, invitations: { by, record: 'badges.user' } }, hooks)
  await using s = await serve(judged, { publicUrl, mail: mails.url })
  const person = { email: 'boss@example.org', password: pass }
  const bossId = (await s.request('POST /users', admin, person)).json.id
  const badge = (await s.request('POST /badges', admin, { user: bossId, kind: 'host' })).json.id
  const demote = () => s.request(`PATCH /users/${bossId}`, admin, { role: 'person' })
  const record = { kind: 'guest' }
  const cases = [
    { hook: ada, content: { role: 'admin' }, lose: demote },
    { hook: ada, content: { role: 'admin', record }, lose: demote },
    { hook: 'guest', content: { record }, lose: () => s.request(`DELETE /badges/${badge}`, admin) },
  ]
  for (const [index, { hook, content, lose }] of cases.entries()) {
    // The last one may invite by its badge.
    const isAdmin = 'role' in content
    assert.equal(
      (await s.request(`PATCH /users/${bossId}`, admin, { role: isAdmin ? 'admin' : 'person' })).status,
      200,
    )
    assert.equal((await s.request('POST /invitations', boss, { email: ada, ...content })).status, 201)
    await mails.reached(index + 1)
    end = async (hooked) => {
      if (hooked !== hook) return
      end = async () => {}
      assert.ok((await lose()).status < 300)
    }
    const reply = await accept(s, `/invitations/${mails.received[index]?.secrets[0]}`)
    assert.equal(reply.status, 404, `${index}: ${reply.text}`)
    assert.deepEqual((await s.request(`GET /users?email=${ada}`, admin)).json, [])
  }
})

test('a record is not created for another item than the one that its reference named', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const everyTeam = await linkOf(s, { organisation: 'boss-team' }, admin)
  await s.request('PATCH /organisations/boss-team', admin, { slug: 'old-team' })
  assert.equal(
    (await s.request('POST /organisations', admin, { slug: 'boss-team', name: 'New' })).status,
    201,
  )
  await assertRefused(s, everyTeam)
  const deleted = await linkOf(s, { organisation: 'boss-team' }, admin)
  await s.request('DELETE /organisations/boss-team', admin)
  await assertRefused(s, deleted)
})

test('a record creates no item of another resource that the option names later', async (t) => {
  await using mails = await startMailServer()
  const database = await lastingDatabase(t)
  const person = resource({ email: email().unique(), password: password() }, { access: { create: signedIn } })
  const access = { read: signedIn, create: signedIn }
  const user = ref('users', { onDelete: 'cascade' })
  const guests = resource({ user, name: text() }, { access })
  const resources = { users: person, guests, owners: resource({ user, name: text() }, { access }) }
  const parties = (record: 'guests.user' | 'owners.user') =>
    service({
      title: 'Parties',
      accounts: { resource: 'users', login: 'email', password: 'password' },
      mail,
      invitations: { by: signedIn, record },
      resources,
    })
  const options = { publicUrl, mail: mails.url, database }
  {
    await using before = await serve(parties('guests.user'), options)
    assert.equal((await invite(before, admin, { name: 'Ada' })).status, 201)
    await mails.reached(1)
  }
  await using after = await serve(parties('owners.user'), options)
  const uri = `/invitations/${mails.received[0]?.secrets[0]}`
  assert.equal((await after.request(`POST ${uri}`, {}, { password: pass })).status, 404)
  assert.deepEqual((await after.request('GET /owners', admin)).json, [])
})

test('an invitation ends with the account of its inviter, and of concurrent acceptances one succeeds', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const link = await linkOf(s, { organisation: 'boss-team' })
  const replies = await Promise.all(Array.from({ length: 4 }, () => accept(s, link)))
  const statuses = replies.map(({ status }) => status).toSorted()
  assert.deepEqual(statuses, [204, 404, 404, 404])
  assert.equal(await s.service.store.count('memberships', { kind: 'always' }), 3)
  const other = await invite(s, rival, { organisation: 'rival-team' }, 'next@example.org')
  assert.equal(other.status, 201)
  await mails.reached(2)
  const [rivalAccount] = (await s.request('GET /users?email=rival@example.org', admin)).json
  assert.equal((await s.request(`DELETE /users/${rivalAccount.id}`, admin)).status, 204)
  assert.equal(await s.service.store.count('invitations', { kind: 'always' }), 0)
  await assertRefused(s, `/invitations/${mails.received[1]?.secrets[0]}`)
})

test('only the inviter sees the record: administrators may lack the right to see it', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const { id } = (await invite(s, boss, { organisation: 'boss-team', note: 'between us' })).json
  await s.logSettled()
  for (const uri of ['/invitations', `/invitations/${id}`, '/invitations/-/events', '/events', '/audit']) {
    for (const format of ['json', 'xml', 'csv', 'hal-forms', 'html']) {
      const { text } = await s.request(`GET ${uri}?format=${format}`, admin)
      assert.ok(!text.includes('between us'), `${uri} ${format}`)
    }
    const { status, text } = await s.request(`GET ${uri}?format=json`, admin)
    assert.ok(status === 200 && text.includes(id), `${uri}: ${text}`)
  }
  assert.equal((await s.request(`GET /invitations/${id}`, boss)).json.record.note, 'between us')
  assert.equal((await s.request(`GET /invitations/${id}`, rival)).status, 404)
})

test('rules of the record may speak of the account, as far as it is known when the invitation is made', async () => {
  await using mails = await startMailServer()
  const badges = resource(
    { user: ref('users', { onDelete: 'cascade' }), kind: choice(['guest', 'staff']) },
    {
      access: {
        read: signedIn,
        create: [where({ 'user.role': 'admin' }), and(role('admin'), where({ kind: 'guest' }))],
      },
    },
  )
  const options = { title: 'Badges', accounts, mail, resources: { users, badges } } as const
  const moved = {
    ...options,
    paths: { invitations: 'invites' },
    invitations: { record: 'badges.user' },
  } as const
  await using s = await serve(service(moved), { publicUrl, mail: mails.url })
  const invited = (given: string, kind: string) =>
    s.request('POST /invites', admin, { email: ada, role: given, record: { kind } })
  assert.equal((await invited('person', 'staff')).status, 403)
  assert.equal((await invited('person', 'guest')).status, 201)
  assert.equal((await invited('admin', 'staff')).status, 201)
  await mails.reached(2)
  assert.equal((await accept(s, `/invites/${mails.received[1]?.secrets[0]}`)).status, 204)
  const [badge] = (await s.request('GET /badges', admin)).json
  assert.equal(badge.kind, 'staff')
})

test('XML has the record as an element with the members', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const xml = (record: string) =>
    s.request(
      'POST /invitations',
      { ...boss, 'content-type': 'application/xml' },
      `<invitations><email>${ada}</email><record>${record}</record></invitations>`,
    )
  const made = await xml('<organisation>boss-team</organisation><seat>5</seat>')
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.json.record, { organisation: 'boss-team', seat: 5 })
  const refused = await xml('<organisation>boss-team</organisation><seat>none</seat>')
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/record/seat'])
})

/** The form of /forms/invitations, as a browser sends it. */
const sendForm = (s: TestService, fields: Record<string, string>, language = 'en') =>
  s.request(
    'POST /forms/invitations',
    {
      ...boss,
      accept: 'text/html',
      'accept-language': language,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    new URLSearchParams(fields).toString(),
  )

test('the form has the members of the record, with faults beside them, and no record where none is filled in', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const page = await s.request('GET /forms/invitations', { ...boss, accept: 'text/html' })
  assert.equal(page.status, 200, page.text)
  const [, fieldset = ''] = /<fieldset>(.*?)<\/fieldset>/s.exec(page.text) ?? []
  assert.match(fieldset, /<legend>New membership <small>optional<\/small><\/legend>/)
  assert.match(fieldset, /<label for="form-record.organisation">Organisation<\/label>/)
  assert.match(fieldset, /<option value="boss-team"[^>]*>/)
  assert.ok(
    !fieldset.includes('rival-team') && !fieldset.includes(' required') && !fieldset.includes('record.user'),
  )
  const german = await s.request('GET /forms/invitations', {
    ...boss,
    accept: 'text/html',
    'accept-language': 'de',
  })
  assert.match(german.text, /<legend>.* anlegen <small>optional<\/small><\/legend>/)

  const empty = { 'record.organisation': '', 'record.role': 'member', 'record.seat': '', 'record.note': '' }
  const plain = await sendForm(s, { email: 'plain@example.org', ...empty })
  assert.equal(plain.status, 303, plain.text)
  const filled = { ...empty, 'record.organisation': 'boss-team', 'record.seat': '6' }
  assert.equal((await sendForm(s, { email: ada, ...filled })).status, 303)
  const shown = (await s.request('GET /invitations', boss)).json
  assert.deepEqual(
    shown.map(({ record }: { record?: object }) => record),
    [undefined, { organisation: 'boss-team', role: 'member', seat: 6 }],
  )

  const refused = await sendForm(s, { email: ada, ...filled, 'record.seat': '12', 'record.note': 'RUDE' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /<input id="form-record.seat"[^>]* value="12"[^>]* aria-invalid="true"/)
  assert.match(refused.text, /<a href="#form-record.seat">Seat<\/a>/)
  const unchosen = await sendForm(s, { email: ada, ...empty, 'record.role': 'owner' })
  assert.match(unchosen.text, /id="form-record.organisation-fault">This field is required\./)
  const rude = await sendForm(s, { email: ada, ...filled, 'record.note': 'RUDE' }, 'de')
  assert.match(rude.text, /id="form-record.note-fault">Write it politely\./)
})

test('OpenAPI, HAL-FORMS and pages have the record for those who may create one', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const described = async (by: Record<string, string>) => {
    const { components } = (await s.request('GET /openapi.json', by)).json
    const { record } = components.schemas.InvitationsCreate.properties
    return components.schemas[record?.$ref?.split('/').at(-1)]
  }
  const schema = await described(boss)
  assert.deepEqual(Object.keys(schema.properties), ['organisation', 'role', 'seat', 'note'])
  assert.deepEqual(schema.required, ['organisation'])
  const forms = (await s.request('GET /invitations', { ...boss, accept: 'application/prs.hal-forms+json' }))
    .json
  const record = forms._templates.default.properties.find(({ name }: { name: string }) => name === 'record')
  assert.deepEqual([record.type, record.schema.required], ['textarea', ['organisation']])
  // A token without the scope may invite, and cannot give a membership.
  const { token } = (await s.request('POST /tokens', boss, { scopes: ['invitations:create'] })).json
  assert.equal(await described(bearer(token)), undefined)
})

test('clients have the type of the record', async () => {
  await using mails = await startMailServer()
  await using s = await serveTeams(mails)
  const { invitations } = client<typeof definition>(s.url, { authorization: `${boss.authorization}` })
  const made = await invitations.create({ email: ada, record: { organisation: 'boss-team', seat: 4 } })
  assert.deepEqual(made.record, { organisation: 'boss-team', seat: 4 })
  const [read] = await invitations.list()
  assert.equal(read?.record?.seat, 4)
  const wrong = [
    // @ts-expect-error the service sets the reference to the account
    () => invitations.create({ email: ada, record: { organisation: 'boss-team', user: 'x' } }),
    // @ts-expect-error the organisation is required
    () => invitations.create({ email: ada, record: { seat: 4 } }),
    // @ts-expect-error the role is one of the choices
    () => invitations.create({ email: ada, record: { organisation: 'boss-team', role: 'king' } }),
  ]
  for (const use of wrong) await assert.rejects(use, { status: 422 })
  const plain = service({ title: 'Teams', accounts, mail, resources: { users, organisations, memberships } })
  // @ts-expect-error its invitations carry no record
  const use = () => client<typeof plain>(s.url).invitations.create({ email: ada, record: {} })
  await assert.rejects(use, { status: 401 })
  const { text: types } = await s.request('GET /client.d.ts', boss)
  assert.match(
    types,
    /readonly record\?: \{\s+readonly organisation: string\s+readonly role\?: "member" \| "owner"/,
  )
})

test('the option names a reference to the accounts of a resource that requests create', () => {
  const refused = (record: string, reason: RegExp, more: object = {}) =>
    assert.throws(
      () =>
        checkDefinition(
          service({
            title: 'Teams',
            accounts,
            mail,
            invitations: { record } as never,
            resources: { users, organisations, memberships, ...more },
          }),
        ),
      reason,
    )
  const resources = { users, organisations, memberships }
  // @ts-expect-error the type has the references of all resources
  service({ title: 'Teams', accounts, mail, invitations: { record: 'memberships.usr' }, resources })
  refused(
    'membership.user',
    /invitations: The record 'membership\.user' names no reference\. Did you mean 'memberships'\?/,
  )
  refused('memberships', /invitations: .* names no reference\. Write a resource and its reference/)
  refused('memberships.user.name', /names no reference/)
  refused(
    'memberships.usr',
    /invitations: The record 'memberships\.usr' names no field\. Did you mean 'user'\?/,
  )
  refused('memberships.organisation', /does not refer to users/)
  refused('memberships.role', /does not refer to users/)
  refused('memberships.addedBy', /invitations\.record: No request sets 'addedBy'/)
  const access = { create: role('admin') }
  const user = ref('users')
  refused('closed.user', /invitations\.record: No caller may create/, { closed: resource({ user }) })
  refused('locked.user', /No request creates/, {
    locked: resource({ user }, { access, methods: ['GET'] }),
  })
  refused('badges.user', /'photo' of badges is a file/, {
    badges: resource({ user, photo: file({ types: ['image/png'], max: '1 MB' }).optional() }, { access }),
  })
  refused('seats.user', /'code' of seats is write-only/, {
    seats: resource({ user, code: text({ max: 9 }).optional().writeOnly() }, { access }),
  })
  refused('users.boss', /are created alone/, {
    users: resource({
      email: email().unique(),
      password: password(),
      role: choice(['admin']),
      boss: user.optional(),
    }),
  })
})
