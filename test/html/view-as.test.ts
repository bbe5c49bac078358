/** `/-/preview?as-account=ID` and `as-role=ROLE`: administrators see a page as others would, within their own rights. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  anyone,
  choice,
  email,
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
} from '../../src/index.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

const tracker = service({
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
    tasks: resource(
      {
        title: text(),
        wage: text().optional().visibleTo(role('editor')),
        note: text().optional().visibleTo(role('admin')),
        author: ref('users').fromPrincipal(),
      },
      {
        access: {
          read: [owner('author'), role('admin', 'editor')],
          create: signedIn,
          update: [owner('author'), role('admin')],
          delete: role('admin'),
        },
      },
    ),
    vaults: resource({ content: text() }, { access: { create: anyone, read: role('editor') } }),
  },
})

const as = (login: string) => basic(`${login}@example.org`, 'correct horse battery')
const page = { accept: 'text/html' }

let s: TestService
/** The task of Ada, and that of Bob. */
let tasks: readonly [string, string]
/** The ids of the accounts. */
const ids: Record<string, string> = { none: '00000000-0000-7000-8000-000000000000' }

before(async () => {
  s = await serve(tracker)
  for (const login of ['ada', 'bob', 'eve']) {
    const hidden = login === 'eve' ? 'yes' : 'no'
    const user = { email: `${login}@example.org`, password: 'correct horse battery', hidden }
    const made = await s.request('POST /users', {}, user)
    assert.equal(made.status, 201)
    ids[login] = String(made.fields.location).split('/').at(-1) ?? ''
  }
  const create = async (login: string) =>
    String((await s.request('POST /tasks', as(login), { title: `Of ${login}` })).fields.location)
  tasks = [await create('ada'), await create('bob')]
  for (const task of tasks) await s.request(`PATCH ${task}`, admin, { note: 'For admins' })
  await s.request(`PATCH ${tasks[0]}`, as('ada'), { wage: 'much' })
  await s.request('POST /vaults', {}, { content: 'For editors' })
})

after(() => s[Symbol.asyncDispose]())

test('a list shows what the account reads; it can neither be sent nor stored', async () => {
  const own = await s.request('GET /tasks', { ...page, ...admin })
  assert.match(own.text, /Of ada.*Of bob.*<details class="card" id="view-as">/s)
  const uri = `/tasks/-/preview?as-account=${ids.ada}`
  const { status, text: shown, fields: sent } = await s.request(`GET ${uri}`, { ...page, ...admin })
  assert.equal(status, 200, shown)
  assert.match(shown, /You see this page as ada@example\.org would/)
  assert.match(shown, /<fieldset class="preview" disabled>.*Of ada.*<\/fieldset>/s)
  assert.doesNotMatch(shown, /Of bob|For admins|<script|<details class="api"|sign-out/)
  assert.equal(sent['cache-control'], 'no-store')
  assert.equal(sent['content-location'], undefined)
})

test('an item shows the fields and actions of the account; an item that it cannot read is 404', async () => {
  const view = (task: string) =>
    s.request(`GET ${task}/-/preview?as-account=${ids.ada}`, { ...page, ...admin })
  const { text: shown } = await view(tasks[0])
  assert.match(shown, />Edit</)
  const why = /<a href="([^"]+)">What may they do/.exec(shown)?.[1]
  const reasons = (await s.request(`GET ${why}`, admin)).json
  const deletion = reasons.find((one: { operation: string }) => one.operation === 'delete')
  assert.deepEqual([deletion.allowed, deletion.because], [false, 'No rule holds: the role admin.'])
  assert.doesNotMatch(shown, /For admins|method=DELETE/)
  assert.match((await s.request(`GET ${tasks[0]}`, { ...page, ...admin })).text, /method=DELETE.*For admins/s)
  assert.equal((await view(tasks[1])).status, 404)
})

test('nobody sees by a view what they may not read themselves', async () => {
  const role = { ...page, ...admin }
  assert.equal((await s.request('GET /vaults/-/preview?as-role=editor', role)).status, 403)
  const list = await s.request('GET /tasks/-/preview?as-role=editor', role)
  assert.match(list.text, /as the role editor would.*Of ada.*Of bob/s)
  assert.doesNotMatch(list.text, /much|<th[^>]*>[^<]*<a[^>]*>Wage/)
  assert.doesNotMatch((await s.request(`GET ${tasks[0]}/-/preview?as-role=editor`, role)).text, /much/)
  const filtered = await s.request('GET /tasks/-/preview?as-role=editor&wage=1', role)
  assert.equal(filtered.status, 400)
})

test('only pages of declared resources, only for administrators: elsewhere the path is unknown', async () => {
  const asJson = { ...admin, accept: 'application/json' }
  const json = await s.request(`GET /tasks/-/preview?as-account=${ids.ada}`, asJson)
  assert.equal(json.status, 406)
  const limited = await s.request('POST /tokens', admin, { scopes: ['tasks:read'] })
  const bearer = { authorization: `Bearer ${limited.json.token}` }
  for (const who of [{}, as('ada'), bearer]) {
    for (const place of ['/tasks', tasks[0]]) {
      const [known, other] = [
        await s.request(`GET ${place}/-/preview?as-role=editor`, { ...who, ...page }),
        await s.request(`GET ${place}/-/nothing?as-role=editor`, { ...who, ...page }),
      ]
      const octets = ({ text: body }: typeof known) => body.replaceAll('/preview', '/nothing')
      const comparable = (reply: typeof known) => [
        reply.status,
        octets(reply).replaceAll(/[0-9a-f-]{36}/g, ''),
      ]
      assert.deepEqual(comparable(known), comparable(other))
      assert.equal(known.status, 404)
    }
  }
  for (const line of ['GET /tokens', 'GET /webhooks', 'GET /nothing', 'GET /tasks/x']) {
    const { status } = await s.request(`${line}/-/preview?as-account=${ids.ada}`, { ...page, ...admin })
    assert.equal(status, 404, line)
  }
  assert.equal((await s.request(`DELETE ${tasks[0]}/-/preview`, { ...page, ...admin })).status, 405)
  const old = await s.request('GET /tasks?view-as=ada@example.org', { ...page, ...admin })
  assert.equal(old.status, 400)
  assert.equal((await s.request('GET /tasks', admin)).json.length, 2)
})

test('the form finds the account by its login, and keeps the query of the list', async () => {
  const own = await s.request('GET /tasks?sort=-title', { ...page, ...admin })
  const target = /<form method="post" action="(\/tasks\/-\/preview\?[^"]+)"/.exec(own.text)?.[1]
  assert.equal(target, '/tasks/-/preview?sort=-title')
  const form = { ...page, ...admin, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = await s.request(`POST ${target}`, form, 'login=ada%40example.org')
  const uri = `/tasks/-/preview?sort=-title&as-account=${ids.ada}`
  assert.deepEqual([sent.status, sent.fields.location], [303, uri])
  assert.match((await s.request(`GET ${uri}`, { ...page, ...admin })).text, /Of ada/)
  const refused = await s.request(`POST ${target}`, form, 'login=eve%40example.org')
  assert.equal(refused.status, 422)
  assert.match(refused.text, /There is no such account.*value="eve@example.org"/s)
  const empty = await s.request('GET /tasks/-/preview', { ...page, ...admin })
  assert.match(empty.text, /<h1>View as…<\/h1>.*name="login".*name="as-role"/s)
})

test('an account that the administrator may not read is 400 like an unknown one; a role must exist', async () => {
  const detail = async (query: string) => {
    const { status, text: shown } = await s.request(`GET /tasks/-/preview?${query}`, { ...page, ...admin })
    assert.equal(status, 400, shown)
    return /<p class="lead">(.*?)<\/p>/.exec(shown)?.[1]
  }
  const hidden = await detail(`as-account=${ids.eve}`)
  assert.equal(await detail(`as-account=${ids.none}`), hidden)
  assert.match(String(await detail('as-role=king')), /must be one of admin, editor, member/)
  await detail(`as-account=${ids.ada}&as-role=editor`)
})

test('the view of an account is in the audit', async () => {
  const count = async () => {
    const { json } = await s.request('GET /audit?kind=access-explained', admin)
    return json.length as number
  }
  const earlier = await count()
  await s.request(`GET /tasks/-/preview?as-account=${ids.ada}`, { ...page, ...admin })
  assert.equal(await count(), earlier + 1)
})
