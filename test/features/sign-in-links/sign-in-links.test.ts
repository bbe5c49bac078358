/** Signing in by a link in a mail (docs/reference/http/accounts.md, "Sign-in links"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AnyDefinition } from '../../../src/definition/service-definition.ts'
import { anyone, choice, email, password, resource, role, self, service } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { type MailServer, startMailServer } from '../mail/mail-server.ts'
import { browser, cookiesOf, post, registerAuthenticator } from '../second-factors/authenticator.ts'

const members = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    password: password({ min: 8 }).optional(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: role('admin'), update: role('admin'), delete: role('admin') } },
)
/** Members who can choose their own login. */
const selfMade = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    password: password({ min: 8 }).optional(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')] } },
)
const accounts = { resource: 'members', login: 'email', password: 'password', roles: 'role' } as const
const mail = { from: 'Club <club@example.org>' }
const signIn = { links: true }
const definition = service({ title: 'Club', accounts, mail, signIn, resources: { members } })
const publicUrl = 'https://club.example'
const ada = 'ada@example.org'
const chosen = 'the chosen password'

interface Club extends AsyncDisposable {
  readonly s: TestService
  readonly mails: MailServer
}

async function openClub(served: AnyDefinition = definition): Promise<Club> {
  const mails = await startMailServer()
  const s = await serve(served, { publicUrl, mail: mails.url })
  return {
    s,
    mails,
    async [Symbol.asyncDispose]() {
      await s[Symbol.asyncDispose]()
      await mails[Symbol.asyncDispose]()
    },
  }
}

async function join({ s }: Club, login = ada, more = {}): Promise<string> {
  const created = await s.request('POST /members', admin, { email: login, ...more })
  assert.equal(created.status, 201, created.text)
  return `/members/${created.json.id}`
}

const ask = ({ s }: Club, login = ada, query = '', more = {}) =>
  post(s, `/sign-in-links${query}`, { login }, more)

interface Waiting {
  readonly uri: string
  readonly cookie: string
}

/** A browser that has asked, and the link in its mail. */
async function receive(club: Club, query = ''): Promise<Waiting> {
  const links = () => club.mails.received.flatMap(({ secrets }) => secrets)
  const before = links().length
  const asked = await ask(club, ada, query)
  assert.equal(asked.status, 303, asked.text)
  for (let count = 1; links().length === before; count += 1) await club.mails.reached(count)
  return { uri: `/sign-in-links/${links()[before]}`, ...cookiesOf(asked) }
}

const use = ({ s }: Club, { uri, cookie }: Waiting, values = {}) => post(s, uri, values, { cookie })

/** The cookie of a session that works. */
function sessionIn(reply: Reply) {
  const { cookie } = cookiesOf(reply)
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

async function isSignedIn({ s }: Club, reply: Reply): Promise<boolean> {
  return (await s.request('GET /-/session', sessionIn(reply))).json.signedIn === true
}

test('the link signs in the browser that asked for it, once, and goes to the page that asked', async () => {
  await using club = await openClub()
  await join(club)
  const asked = await ask(club, ada, '?next=/members?limit=1')
  assert.deepEqual([asked.status, asked.fields.location], [303, '/sign-in-links?sent=true'])
  assert.match(String(asked.fields['set-cookie']), /^restwell-link=.*Max-Age=900; HttpOnly; SameSite=Lax$/)
  await club.mails.reached(1)
  const [received] = club.mails.received
  assert.deepEqual(received?.to, [ada])
  assert.match(received?.text ?? '', /^Subject: Sign in to Club\r$/m)
  const waiting = { uri: `/sign-in-links/${received?.secrets[0]}`, ...cookiesOf(asked) }
  assert.ok(received?.text.includes(publicUrl + waiting.uri))
  const used = await use(club, waiting)
  assert.deepEqual([used.status, used.fields.location], [303, '/members?limit=1'])
  assert.ok(await isSignedIn(club, used))
  assert.match(String(used.fields['set-cookie']), /restwell-link=; Path=\/; Max-Age=0/)
  assert.equal((await use(club, waiting)).status, 404)
  const audit = await club.s.request('GET /audit', admin)
  assert.ok(audit.text.includes('signed-in'))
  assert.ok(!audit.text.includes(received?.secrets[0] ?? '-'))
})

test('GET uses nothing up, as programs send it that scan mails', async () => {
  await using club = await openClub()
  await join(club)
  const waiting = await receive(club)
  const secret = waiting.uri.split('/').at(-1) ?? ''
  for (const cookie of ['', waiting.cookie, waiting.cookie]) {
    const page = await club.s.request(`GET ${waiting.uri}`, { accept: 'text/html', cookie })
    assert.equal(page.status, cookie === '' ? 303 : 200)
    assert.equal(page.fields['cache-control'], 'no-store')
    assert.equal(page.fields['referrer-policy'], 'no-referrer')
    assert.equal(page.fields['set-cookie'], undefined)
    assert.ok(!page.text.includes(secret), 'no other URI repeats the secret')
  }
  assert.equal((await club.s.request(`HEAD ${waiting.uri}`, { cookie: waiting.cookie })).status, 200)
  assert.ok(await isSignedIn(club, await use(club, waiting)))
})

test('another browser is told where to open it, and cannot use it; then the first one can', async () => {
  await using club = await openClub()
  await join(club)
  const waiting = await receive(club)
  const stranger = cookiesOf(await ask(club, 'eve@example.org')).cookie
  for (const cookie of ['', 'restwell-link=x', stranger]) {
    const shown = await club.s.request(`GET ${waiting.uri}`, { cookie })
    const used = await use(club, { ...waiting, cookie })
    assert.deepEqual([shown.status, shown.fields.location], [303, '/sign-in-links?elsewhere=true'])
    assert.equal(used.status, 403)
    assert.match(used.text, /only in the browser in which you asked for it last.*\/sign-in-links/)
    for (const { fields } of [shown, used]) assert.equal(fields['set-cookie'], undefined)
  }
  for (const [language, words] of [
    ['en', /Copy it to that browser, or ask for a new link in this one/],
    ['de', /Kopieren Sie ihn in jenen Browser/],
  ] as const) {
    const fields = { accept: 'text/html', 'accept-language': language }
    assert.match((await club.s.request('GET /sign-in-links?elsewhere=true', fields)).text, words)
  }
  const foreign = { cookie: waiting.cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await post(club.s, waiting.uri, {}, foreign)).status, 403)
  assert.ok(await isSignedIn(club, await use(club, waiting)))
})

test('of 20 concurrent uses exactly one begins a session', async () => {
  await using club = await openClub()
  await join(club)
  const waiting = await receive(club)
  const replies = await Promise.all(Array.from({ length: 20 }, () => use(club, waiting)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [
    303,
    ...Array.from({ length: 19 }, () => 404),
  ])
})

describe('a link ends', () => {
  test('after 15 minutes', async () => {
    await using club = await openClub()
    await join(club)
    const before = Date.now()
    const waiting = await receive(club)
    // The test itself must not take the rest of the time.
    const passed = Date.now() - before
    club.s.advance(900_000 - passed - 60_000)
    assert.equal((await club.s.request(`GET ${waiting.uri}`, { cookie: waiting.cookie })).status, 200)
    club.s.advance(60_000 + passed)
    assert.equal((await use(club, waiting)).status, 404)
  })

  test('with a newer one of its browser, and not with that of another one', async () => {
    await using club = await openClub()
    await join(club)
    const first = await receive(club)
    const other = await receive(club)
    assert.equal((await use(club, { uri: first.uri, cookie: other.cookie })).status, 403)
    assert.equal((await use(club, other)).status, 303)
    assert.equal((await use(club, first)).status, 303, 'a stranger who asks ends no link')
  })

  for (const [name, changed] of [
    ['another address', { email: 'eve@example.org' }],
    ['a new password', { password: chosen }],
    ['a disabled account', { disabled: true }],
  ] as const) {
    test(`with ${name}`, async () => {
      await using club = await openClub()
      const uri = await join(club)
      const waiting = await receive(club)
      assert.equal((await club.s.request(`PATCH ${uri}`, admin, changed)).status, 200)
      assert.equal((await use(club, waiting)).status, 404)
      assert.equal((await club.s.request(`GET ${waiting.uri}`, { cookie: waiting.cookie })).status, 404)
    })
  }

  test('with its account', async () => {
    await using club = await openClub()
    const uri = await join(club)
    const waiting = await receive(club)
    assert.equal((await club.s.request(`DELETE ${uri}`, admin)).status, 204)
    assert.equal((await use(club, waiting)).status, 404)
  })
})

test('known, unknown and disabled addresses get the same response after the same writes; only the known one gets a mail', async () => {
  await using club = await openClub()
  await join(club)
  const disabled = await join(club, 'bob@example.org')
  await club.s.request(`PATCH ${disabled}`, admin, { disabled: true })
  const comparable = ({ status, fields, text }: Reply) => {
    const { date: _date, 'request-id': _id, 'set-cookie': cookie, ...others } = fields
    const length = String(cookie).replace(/=[\w-]+;/, (value) => `${value.length};`)
    return { status, fields: others, cookie: length, text: text.replace(/urn:uuid:[0-9a-f-]+/g, '') }
  }
  const replies: Reply[] = []
  for (const login of ['nobody@example.org', 'bob@example.org', ada]) replies.push(await ask(club, login))
  const [first, ...others] = replies.map(comparable)
  for (const one of others) assert.deepEqual(one, first)
  assert.equal(await club.s.service.store.count('account_mails', { kind: 'always' }), 3)
  await club.mails.reached(1)
  await ask(club, ada)
  await club.mails.reached(2)
  assert.deepEqual(
    club.mails.received.flatMap(({ to }) => to),
    [ada, ada],
  )
})

test('pages of other origins, also of those that the definition lists, neither ask for a link nor use one', async () => {
  const origins = ['https://app.example']
  await using club = await openClub(
    service({ title: 'Club', accounts, mail, signIn, origins, resources: { members } }),
  )
  await join(club)
  const waiting = await receive(club)
  for (const origin of ['https://app.example', 'https://evil.example']) {
    const foreign = { origin, 'sec-fetch-site': 'cross-site' }
    assert.equal((await ask(club, ada, '', foreign)).status, 403)
    assert.equal((await post(club.s, waiting.uri, {}, { ...foreign, cookie: waiting.cookie })).status, 403)
  }
  assert.equal((await use(club, waiting)).status, 303)
})

test('requests for links are limited for a client, like those for resets', async () => {
  await using club = await openClub()
  for (let count = 0; count < 20; count += 1) {
    assert.equal((await ask(club, `nobody${count}@example.org`)).status, 303)
  }
  const refused = await ask(club)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.fields['retry-after']) > 0)
  assert.equal(refused.fields['set-cookie'], undefined)
})

test('a second factor is still asked for', async () => {
  await using club = await openClub()
  const { s } = club
  const uri = await join(club, ada, { password: chosen })
  const { code } = await registerAuthenticator(s, uri, basic(ada, chosen), Date.now)
  const used = await use(club, await receive(club, '?next=/members'))
  assert.deepEqual([used.status, used.fields.location], [303, '/sign-in/second-factor?next=%2Fmembers'])
  assert.equal(await isSignedIn(club, used), false)
  const done = await post(s, '/sign-in/second-factor?next=/members', { code: code() }, sessionIn(used))
  assert.deepEqual([done.status, done.fields.location], [303, '/members'])
  assert.ok(await isSignedIn(club, done))
})

test('an account that has as many tokens as it may have is refused, and keeps the link for later', async () => {
  await using club = await openClub()
  const { s } = club
  await join(club, ada, { password: chosen })
  const create = () => s.request('POST /tokens', basic(ada, chosen), {})
  const first = (await create()).json.id
  for (let created = 1; created < 500; created += 25) {
    const replies = await Promise.all(Array.from({ length: Math.min(25, 500 - created) }, create))
    assert.ok(replies.every(({ status }) => status === 201))
  }
  const waiting = await receive(club)
  const refused = await use(club, waiting)
  assert.equal(refused.status, 403)
  assert.match(refused.text, /An account has at most 500 tokens\. Delete some of them first\./)
  assert.equal((await s.request(`DELETE /tokens/${first}`, basic(ada, chosen))).status, 204)
  assert.ok(await isSignedIn(club, await use(club, waiting)))
})

test('an account whose role needs a second factor is led to its credentials', async () => {
  const strict = { ...accounts, secondFactor: ['member'] as const }
  await using club = await openClub(
    service({ title: 'Club', accounts: strict, mail, signIn, resources: { members } }),
  )
  const uri = await join(club)
  assert.equal((await use(club, await receive(club))).fields.location, `${uri}/credentials`)
})

describe('where people can choose their own login', () => {
  const definition = service({ title: 'Club', accounts, mail, signIn, resources: { members: selfMade } })

  test('the link asks for the password as long as nothing has proven the address, so it leads to no account of another person', async () => {
    await using club = await openClub(definition)
    assert.equal((await club.s.request('POST /members', {}, { email: ada, password: chosen })).status, 201)
    const waiting = await receive(club)
    const page = await club.s.request(`GET ${waiting.uri}`, { accept: 'text/html', cookie: waiting.cookie })
    assert.match(page.text, /Enter the password of the account as well/)
    assert.match(page.text, /name="password"[^>]*required/)
    for (const values of [{}, { password: 'another password' }]) {
      const refused = await use(club, waiting, values)
      assert.equal(refused.status, 422)
      assert.equal(refused.fields['set-cookie'], undefined)
    }
    assert.ok(await isSignedIn(club, await use(club, waiting, { password: chosen })))
    assert.ok(await isSignedIn(club, await use(club, await receive(club))), 'the first use has proven it')
  })

  test('the link to an account without a password and proof ends all that the account has handed out', async () => {
    await using club = await openClub(definition)
    const { s } = club
    const created = await s.request('POST /members', {}, { email: ada, password: chosen })
    const uri = `/members/${created.json.id}`
    await registerAuthenticator(s, uri, basic(ada, chosen), Date.now)
    assert.equal((await s.request(`PATCH ${uri}`, admin, { password: null })).status, 200)
    const used = await use(club, await receive(club))
    assert.equal(used.fields.location, '/', 'the authenticator of the other person is gone')
    const own = await s.request(`GET ${uri}/credentials`, sessionIn(used))
    assert.deepEqual(own.json, [])
    assert.ok(await isSignedIn(club, await use(club, await receive(club))))
    assert.ok(await isSignedIn(club, used), 'later links keep sessions')
  })
})

test('a definition with links needs accounts and mail, and a service without them has none of the paths', async () => {
  const refused = (declared: unknown, reason: RegExp) =>
    assert.throws(() => checkDefinition(declared), reason)
  const notes = resource({ email: email() })
  refused(
    service({ title: 'Club', accounts, signIn, resources: { members } }),
    /signIn: The option 'links' needs mail\.[\s\S]*Add mail: /,
  )
  refused(
    service({ title: 'Club', signIn, resources: { notes } }),
    /signIn: Sign-in needs accounts, but the service declares none/,
  )
  refused(service({ title: 'Club', accounts, mail, signIn: {}, resources: { members } }), /no way to sign in/)
  refused(
    service({ title: 'Club', accounts, mail, signIn: { links: 'yes' as never }, resources: { members } }),
    /The option 'links' must be/,
  )
  refused(
    service({ title: 'Club', accounts, mail, signIn: { link: true } as never, resources: { members } }),
    /Unknown option 'link'.*\n?.*'links'/,
  )
  for (const without of [
    service({ title: 'Club', accounts, mail, resources: { members } }),
    service({ title: 'Club', accounts, signIn: { links: false }, resources: { members } }),
  ]) {
    await using s = await serve(without)
    for (const path of ['/sign-in-links', '/sign-in-links/x']) {
      for (const method of ['GET', 'POST']) {
        assert.equal(
          (await s.request(`${method} ${path}`, {}, method === 'POST' ? {} : undefined)).status,
          404,
        )
      }
    }
    assert.ok(!(await s.request('GET /sign-in', { accept: 'text/html' })).text.includes('/sign-in-links'))
  }
})

test('the page to sign in leads there with the page that asked, and no description names the links', async () => {
  await using club = await openClub()
  const page = await club.s.request('GET /sign-in?next=/members', browser)
  assert.match(page.text, /href="\/sign-in-links\?next=%2Fmembers">Get a link by mail</)
  const asking = await club.s.request('GET /sign-in-links?next=/members', browser)
  assert.match(asking.text, /action="\/sign-in-links\?next=\/members"/)
  assert.ok(!(await club.s.request('GET /openapi.json')).text.includes('/sign-in-links'))
})

test('a person without a password is told where to set one, in its language', async () => {
  await using club = await openClub(
    service({ title: 'Club', accounts, mail, signIn, resources: { members: selfMade } }),
  )
  const { s } = club
  const uri = await join(club)
  const session = sessionIn(await use(club, await receive(club)))
  s.advance(300_001)
  const late = await s.request(`PATCH ${uri}`, session, { password: chosen })
  assert.deepEqual(
    [late.status, late.json.errors[0].detail],
    [422, 'Your account has no password. Set one at /password-resets.'],
  )
  const changed = { ...session, 'accept-language': 'de' }
  const page = await post(s, `${uri}/credentials`, { kind: 'totp' }, changed)
  assert.match(page.text, /Legen Sie unter \/password-resets eines fest/)
})

test('the path can be moved, and the name of a collection is refused', async () => {
  const links = resource({ name: email() })
  const resources = { members, 'sign-in-links': links }
  const declared = { title: 'Club', accounts, mail, signIn, resources }
  assert.throws(() => checkDefinition(service(declared)), /The path \/sign-in-links is reserved/)
  await using club = await openClub(
    service({ ...declared, base: '/club', paths: { 'sign-in-links': 'magic' } }),
  )
  const { s, mails } = club
  await s.request('POST /club/members', admin, { email: ada })
  const page = await s.request('GET /club/sign-in', browser)
  assert.match(page.text, /href="\/club\/magic">Get a link by mail</)
  const asked = await post(s, '/club/magic', { login: ada })
  await mails.reached(1)
  const [, path = ''] =
    /https:\/\/club\.example(\/magic\/[\w-]{43})/.exec(mails.received[0]?.text ?? '') ?? []
  const used = await post(s, `/club${path}`, {}, cookiesOf(asked))
  assert.deepEqual([used.status, used.fields.location], [303, '/club'])
})

test('/mails shows the mail on this machine', async () => {
  await using s = await serve(definition, { mail: 'page' })
  await s.request('POST /members', admin, { email: ada })
  const asked = await post(s, '/sign-in-links', { login: ada }, { host: 'localhost:3000' })
  const [shown] = (await s.request('GET /mails', { host: 'localhost:3000' })).json
  const path = /http:\/\/localhost:3000(\/sign-in-links\/\S+)/.exec(shown.text)?.[1] ?? ''
  assert.equal((await post(s, path, {}, { ...cookiesOf(asked), host: 'localhost:3000' })).status, 303)
})
