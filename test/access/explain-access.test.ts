/** `/-/access?account=ID` below an item: administrators learn which rule allows or denies an account what. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  action,
  anyone,
  caller,
  choice,
  email,
  exists,
  its,
  not,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
  where,
} from '../../src/index.ts'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const tracker = service(
  {
    title: 'Tracker',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin', 'editor', 'member']).default('member').writableBy(role('admin')),
          hidden: text().default('no'),
        },
        { access: { read: [where({ hidden: 'no' }), self], create: anyone, update: self } },
      ),
      memberships: resource(
        { user: ref('users', { onDelete: 'cascade' }), team: text(), hidden: text().default('yes') },
        { access: { create: anyone, read: where({ hidden: 'no' }) } },
      ),
      tasks: resource(
        {
          title: text(),
          team: text().optional(),
          wage: text().optional().visibleTo(role('editor')).writableBy(role('admin', 'editor')),
          note: text().optional().visibleTo(role('admin')),
          author: ref('users').fromPrincipal(),
          status: state({
            initial: 'open',
            states: ['open', 'closed'],
            transitions: { close: { from: 'open', to: 'closed', by: owner('author') } },
          }),
        },
        {
          access: {
            read: [
              owner('author'),
              exists('memberships', { user: caller, team: its('team') }),
              role('admin'),
            ],
            create: signedIn,
            update: [owner('author'), role('admin')],
          },
          history: { read: not(role('member')) },
        },
      ),
      vaults: resource({ text: text() }, { access: { create: anyone, read: role('editor') } }),
    },
  },
  {
    tasks: {
      actions: {
        assign: action({ by: role('editor'), run: (task, _input, { tasks }) => tasks.patch(task.id, {}) }),
      },
    },
  },
)

const as = (login: string) => basic(`${login}@example.org`, 'correct horse battery')

interface Tracker extends TestService {
  readonly task: string
  /** The ids of the accounts. */
  readonly ids: Readonly<Record<string, string>>
}

async function start(): Promise<Tracker> {
  const s = await serve(tracker)
  const ids: Record<string, string> = { nil: '00000000-0000-7000-8000-000000000000' }
  for (const login of ['ada', 'bob', 'eve']) {
    const hidden = login === 'eve' ? { hidden: 'yes' } : {}
    const user = { email: `${login}@example.org`, password: 'correct horse battery', ...hidden }
    const made = await s.request('POST /users', {}, user)
    assert.equal(made.status, 201)
    ids[login] = String(made.fields.location).split('/').at(-1) ?? ''
  }
  const created = await s.request('POST /tasks', as('ada'), { title: 'A', team: 'red' })
  assert.equal(created.status, 201, created.text)
  return { ...s, ids, task: String(created.fields.location) }
}

const explain = ({ request, task, ids }: Tracker, login: string, more = '') =>
  request(`GET ${task}/-/access?account=${ids[login]}${more}`, admin)

const find = ({ json }: Reply, operation: string, name?: string) =>
  json.find((one: Readonly<Record<string, unknown>>) => one.operation === operation && one.name === name)

describe('GET /{collection}/{id}/-/access?account=ID', () => {
  test('names the rules that allow, and those that deny', async () => {
    await using s = await start()
    const ada = await explain(s, 'ada')
    assert.equal(ada.status, 200, ada.text)
    assert.equal(ada.fields['cache-control'], 'no-store')
    assert.equal(ada.fields.etag, undefined)
    assert.deepEqual(find(ada, 'read'), {
      operation: 'read',
      allowed: true,
      rule: "the account in author; or anyone for whom memberships has an item where user is the caller and team is this item's team; or the role admin",
      because: 'The rule holds: the account in author.',
    })
    assert.equal(find(ada, 'transition', 'close').allowed, true)
    assert.equal(find(ada, 'delete').because, 'No rule allows it.')
    assert.equal(find(ada, 'history').allowed, false)
    assert.equal(find(ada, 'action', 'assign').because, 'No rule holds: the role editor.')
    assert.equal(find(ada, 'set', 'wage'), undefined, 'the administrator does not see the field')
    assert.equal(find(ada, 'see', 'note').because, 'No rule holds: the role admin.')
    const bob = await explain(s, 'bob')
    assert.equal(find(bob, 'read').allowed, false)
    assert.match(find(bob, 'read').because, /^No rule holds: the account in author; anyone for whom /)
    assert.match(find(bob, 'see', 'note').because, /^The account lacks the right to read\. /)
  })

  test('agrees with the responses that the account gets, also through records of others', async () => {
    await using s = await start()
    assert.equal((await s.request(`GET ${s.task}`, as('bob'))).status, 404)
    const [bob] = (await s.request('GET /users?email=bob@example.org', admin)).json
    await s.request('POST /memberships', {}, { user: bob.id, team: 'red' })
    assert.equal((await s.request(`GET ${s.task}`, as('bob'))).status, 200)
    const reply = await explain(s, 'bob')
    assert.equal(find(reply, 'read').allowed, true)
    assert.match(find(reply, 'read').because, /^The rule holds: anyone for whom memberships has an item/)
    assert.doesNotMatch(reply.text, new RegExp(bob.id), 'the membership and its values are not named')
    const open = { user: bob.id, team: 'red', hidden: 'no' }
    const { location } = (await s.request('POST /memberships', {}, open)).fields
    const named = find(await explain(s, 'bob'), 'read').because
    assert.ok(
      named.endsWith(` (${location}).`),
      `a membership that the administrator may read is named: ${named}`,
    )
    assert.equal(find(reply, 'update').allowed, false)
    assert.equal((await s.request(`PATCH ${s.task}`, as('bob'), { title: 'B' })).status, 403)
  })

  test('is an unknown path for others, in every octet, whatever they send', async () => {
    await using s = await start()
    const neutral = ({ status, text: body, fields }: Reply, name: string) => {
      const { date: _, 'request-id': __, 'content-length': ___, ...rest } = fields
      const shown = { status, body: body.replaceAll(name, 'NAME').replace(/urn:uuid:[-\w]+/, ''), rest }
      return JSON.stringify(shown)
    }
    const lines = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'QUERY']
    for (const fields of [{}, as('ada'), as('bob'), basic('ada@example.org', 'wrong')]) {
      for (const name of ['access', 'preview']) {
        for (const method of lines) {
          const at = (end: string) => `${method} ${s.task}/-/${end}?account=${s.ids.ada}`
          const sent = method === 'POST' ? [{ login: 'ada@example.org' }] : []
          const reply = await s.request(at(name), fields, ...sent)
          const usual = await s.request(at('x'.repeat(name.length)), fields, ...sent)
          assert.equal(neutral(reply, name), neutral(usual, 'x'.repeat(name.length)), at(name))
        }
      }
    }
    assert.equal((await s.request(`GET ${s.task}/-/access?account=${s.ids.ada}`, as('ada'))).status, 404)
  })

  test('has no other place: a list, a sub-path and the old parameter are unknown to administrators too', async () => {
    await using s = await start()
    for (const path of ['/tasks/-/access', `${s.task}/-/access/x`, `${s.task}/-/access/`, '/-/access']) {
      assert.equal((await s.request(`GET ${path}?account=${s.ids.ada}`, admin)).status, 404, path)
    }
    const old = await s.request(`GET ${s.task}?explain-access=ada@example.org`, admin)
    assert.equal(old.json.type, '/problems/unknown-parameter')
    const write = await s.request(`PATCH ${s.task}/-/access`, admin, { title: 'B' })
    assert.deepEqual([write.status, write.fields.allow], [405, 'GET, HEAD, OPTIONS, POST'])
  })

  test('finds an account by its login with a POST, and leads to its id', async () => {
    await using s = await start()
    const form = { ...admin, 'content-type': 'application/x-www-form-urlencoded' }
    const found = await s.request(`POST ${s.task}/-/access`, form, 'login=ada%40example.org')
    const uri = `${s.task}/-/access?account=${s.ids.ada}`
    assert.deepEqual([found.status, found.fields.location], [303, uri])
    assert.equal(find(await s.request(`GET ${uri}`, admin), 'read').allowed, true)
    for (const login of ['eve', 'nil']) {
      const refused = await s.request(`POST ${s.task}/-/access`, admin, { login: `${login}@example.org` })
      assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/login'])
    }
    const page = { ...form, accept: 'text/html' }
    const again = await s.request(`POST ${s.task}/-/access`, page, 'login=nil%40example.org')
    assert.equal(again.status, 422)
    assert.match(again.text, /There is no such account.*name="login"[^>]*value="nil@example.org"/s)
    const elsewhere = { ...page, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    assert.equal(
      (await s.request(`POST ${s.task}/-/access`, elsewhere, 'login=ada%40example.org')).status,
      403,
    )
  })

  test('needs the scope audit:read of a token', async () => {
    await using s = await start()
    const tokenWith = async (scopes: readonly string[]) => {
      const { json } = await s.request('POST /tokens', admin, { scopes })
      return { authorization: `Bearer ${json.token}` }
    }
    const target = `GET ${s.task}/-/access?account=${s.ids.ada}`
    assert.equal((await s.request(target, await tokenWith(['tasks:read']))).status, 404)
    const both = await tokenWith(['tasks:read', 'audit:read', 'users:read'])
    assert.equal((await s.request(target, both)).status, 200)
  })

  test('refuses accounts and items that the administrator cannot read like absent ones', async () => {
    await using s = await start()
    const [hidden, absent] = [await explain(s, 'eve'), await explain(s, 'nil')]
    const neutral = ({ text: body }: Reply) => body.replace(/"instance":"[^"]*"/, '')
    assert.equal(hidden.json.type, '/problems/invalid-parameter')
    assert.equal(neutral(hidden), neutral(absent))
    assert.equal((await s.request(`GET ${s.task}/-/access?account=`, admin)).status, 400)
    assert.deepEqual((await s.request(`GET ${s.task}/-/access`, admin)).json, [])
    assert.equal((await s.request(`GET ${s.task}x/-/access?account=${s.ids.ada}`, admin)).status, 404)
    const vault = await s.request('POST /vaults', {}, { text: 'x' })
    const kept = await s.request(`GET ${vault.fields.location}/-/access?account=${s.ids.ada}`, admin)
    assert.equal(kept.status, 403)
    const twice = `GET ${s.task}/-/access?account=${s.ids.ada}&account=${s.ids.bob}`
    assert.equal((await s.request(twice, admin)).status, 400)
  })

  test('is recorded in the audit, and in no history or feed', async () => {
    await using s = await start()
    const before = (await s.request('GET /events', admin)).json.length
    await explain(s, 'bob')
    const { json } = await s.request('GET /audit?kind=access-explained', admin)
    const places = json.map(({ collection }: { collection: string }) => collection)
    assert.deepEqual(places.sort(), ['tasks', 'users'])
    assert.ok(json.every(({ actor }: { actor?: string }) => actor !== undefined))
    assert.equal((await s.request('GET /events', admin)).json.length, before)
    assert.equal((await s.request(`GET ${s.task}/history`, admin)).json.length, 1)
  })

  test('has every format of documents, and is found by link and by form', async () => {
    await using s = await start()
    const types = {
      json: /^application\/json/,
      hal: /^application\/hal\+json/,
      xml: /^application\/xml/,
      csv: /^text\/csv/,
      ndjson: /^application\/x-ndjson/,
      html: /^text\/html/,
    }
    for (const [name, type] of Object.entries(types)) {
      const reply = await explain(s, 'ada', `&format=${name}`)
      assert.equal(reply.status, 200, name)
      assert.match(String(reply.fields['content-type']), type)
      assert.match(reply.text, /the account in author/)
    }
    const head = await s.request(`HEAD ${s.task}/-/access?account=${s.ids.ada}`, admin)
    assert.equal(head.status, 200)
    const home = await s.request('GET /?format=hal', admin)
    assert.match(home.text, /\{id\}\/-\/access\{\?account\}/)
    assert.doesNotMatch((await s.request('GET /?format=hal', as('ada'))).text, /explain/)
    const page = (fields: Record<string, string>) => s.request(`GET ${s.task}?format=html`, fields)
    assert.match((await page(admin)).text, new RegExp(`<form method="post" action="${s.task}/-/access"`))
    assert.doesNotMatch((await page(as('ada'))).text, /-\/access|explain-access/)
    const described = await s.request('GET /openapi.json', admin)
    assert.match(described.json.info.description, /access\?account=ID/)
    assert.doesNotMatch((await s.request('GET /openapi.json', as('ada'))).text, /-\/access/)
  })
})

test('a path with a variable part in braces names no document', async () => {
  await using s = await start()
  for (const path of ['/%7B%7D/%7B%7D/history', '/%7B%7D/%7B%7D/-/access', '/problems/%7B%7D']) {
    assert.equal((await s.request(`GET ${path}`, admin)).status, 404, path)
  }
})

test('a rule with paths is said in words, with the records that make it hold', async () => {
  const byAdmin = { read: role('admin'), create: role('admin') }
  const definition = service({
    title: 'Colleagues',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin', 'member']).default('member'),
        },
        { access: byAdmin },
      ),
      teams: resource({ name: text() }, { access: byAdmin }),
      members: resource(
        { user: ref('users'), team: ref('teams', { inverse: 'members' }) },
        { access: byAdmin },
      ),
      notes: resource(
        { author: ref('users') },
        {
          access: {
            ...byAdmin,
            read: [exists('members', { user: its('author'), 'team.members.user': caller }), role('admin')],
          },
        },
      ),
    },
  })
  await using s = await serve(definition)
  const post = async (uri: string, content: unknown) =>
    String((await s.request(`POST ${uri}`, admin, content)).fields.location)
  const idOf = (uri: string) => uri.split('/').at(-1)
  const person = (name: string) => post('/users', { email: `${name}@example.org`, password: 'correct horse' })
  const [ada, bob] = [await person('ada'), await person('bob')]
  const note = await post('/notes', { author: idOf(ada) })
  const reading = async () => {
    const { json } = await s.request(`GET ${note}/-/access?account=${idOf(bob)}`, admin)
    return json.find(({ operation }: { operation: string }) => operation === 'read')
  }
  const words = "members has an item where user is this item's author and team.members.user is the caller"
  const before = await reading()
  assert.deepEqual(
    [before.allowed, before.because.includes(`No rule holds: anyone for whom ${words}`)],
    [false, true],
  )
  const team = await post('/teams', { name: 'T' })
  const membership = await post('/members', { user: idOf(ada), team: idOf(team) })
  await post('/members', { user: idOf(bob), team: idOf(team) })
  const after = await reading()
  assert.equal(after.allowed, true)
  assert.ok(after.because.includes(`${words} (${membership})`), after.because)
})
