/** Hidden data is not revealed through references, embedded items, counts and entity tags. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
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
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { type Handling, handling } from '../handling.ts'
import { admin } from '../service.ts'

const users = resource(
  {
    login: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: nobody, create: anyone } },
)
const teams = resource(
  {
    name: text({ max: 50 }),
    kind: choice(['open', 'secret']),
    budget: text().optional().visibleTo(role('admin')),
    lead: ref('users').fromPrincipal(),
  },
  {
    index: ['name'],
    access: {
      read: [where({ kind: 'open' }), owner('lead')],
      create: signedIn,
      update: owner('lead'),
      delete: owner('lead'),
    },
  },
)
const tasks = resource(
  { title: text(), team: ref('teams').optional(), maker: ref('users').fromPrincipal() },
  { access: { read: anyone, create: signedIn } },
)
const definition = service({
  title: 'Teams',
  accounts: { resource: 'users', login: 'login', password: 'password', roles: 'role' },
  resources: { users, teams, tasks },
})

let s: Handling
const ids: Record<string, string> = {}

before(async () => {
  s = await handling(definition)
  for (const kind of ['open', 'secret']) {
    const team = await s.handle('POST /teams', admin, { name: `The ${kind}`, kind, budget: 'much' })
    ids[kind] = team.json.id
    const task = { title: `of ${kind}`, team: team.json.id }
    assert.equal((await s.handle('POST /tasks', admin, task)).status, 201)
  }
  await s.handle('POST /tasks', admin, { title: 'of none' })
})

after(() => s[Symbol.asyncDispose]())

async function titles(query: string, who = {}): Promise<string[]> {
  const response = await s.handle(`GET /tasks?${query}`, who)
  assert.equal(response.status, 200, response.text)
  return response.json.map((task: { title: string }) => task.title).sort()
}

it('a filter through a reference finds only what the caller may read at its end', async () => {
  const open = ['of open']
  assert.deepEqual(await titles('team.name[starts]=The'), open)
  assert.deepEqual(await titles('team.name=The+secret'), [])
  assert.deepEqual(await titles('team.name[ne]=x'), open)
  assert.deepEqual(await titles(`team.id=${ids.secret}`), [])
  assert.deepEqual(await titles('team.name=The+secret', admin), ['of secret'])
})

it('hidden values are treated like missing ones', async () => {
  assert.deepEqual(await titles('team.name[missing]=true'), ['of none', 'of secret'])
  assert.deepEqual(await titles('team.name[missing]=false'), ['of open'])
  assert.deepEqual(await titles('team.name[missing]=true', admin), ['of none'])
})

it('the reference itself is visible, and can be used as a filter', async () => {
  assert.deepEqual(await titles(`team=${ids.secret}`), ['of secret'])
})

it('no filter goes through a reference to a resource that the caller may never read', async () => {
  for (const query of ['maker.login=x', 'maker.id=x', 'team.lead.login=x', 'embed=maker']) {
    const hidden = await s.handle(`GET /tasks?${query}`, admin)
    assert.equal(hidden.status, 400, query)
    assert.equal(hidden.json.type, '/problems/unknown-parameter')
  }
})

it('embed shows what the caller may read of it, and leaves the rest out', async () => {
  const embedded = async (who = {}) => {
    const { json } = await s.handle('GET /tasks?embed=team&sort=title', who)
    return json.map((task: { _embedded?: { team: object } }) => task._embedded?.team)
  }
  const [none, open, secret] = await embedded()
  assert.deepEqual([none, secret], [undefined, undefined])
  assert.equal(open.name, 'The open')
  assert.equal(open.budget, undefined)
  const asAdmin = await embedded(admin)
  assert.deepEqual(
    asAdmin.map((team: { name: string; budget: string } | undefined) => team && [team.name, team.budget]),
    [undefined, ['The open', 'much'], ['The secret', 'much']],
  )
})

it('an entity tag changes when what is embedded does, for an item and for a list', async () => {
  const [task] = (await s.handle(`GET /tasks?team=${ids.open}`)).json
  for (const target of [`/tasks/${task.id}?embed=team`, '/tasks?embed=team']) {
    const before = await s.handle(`GET ${target}`)
    assert.equal(before.fields['last-modified'], undefined)
    const condition = { 'if-none-match': before.fields.etag ?? '' }
    assert.equal((await s.handle(`GET ${target}`, condition)).status, 304)
    const patch = { name: `Renamed for ${target.length}` }
    assert.equal((await s.handle(`PATCH /teams/${ids.open}`, admin, patch)).status, 200)
    const after = await s.handle(`GET ${target}`, condition)
    assert.equal(after.status, 200)
    assert.notEqual(after.fields.etag, before.fields.etag)
  }
})

it('a response that may differ by caller through a reference is private, and varies by Authorization', async () => {
  const plain = await s.handle('GET /tasks')
  assert.equal(plain.fields['cache-control'], 'no-cache')
  for (const query of ['embed=team', 'team.name=x', 'team.nothing=x']) {
    const response = await s.handle(`GET /tasks?${query}`)
    assert.equal(response.fields['cache-control'], 'private, no-cache', query)
    assert.match(response.fields.vary ?? '', /Authorization/)
  }
})

it('a hidden record changes neither the count nor the tag of visible records', async () => {
  const look = () => s.handle('GET /teams', { prefer: 'count=exact' })
  const before = await look()
  assert.equal(before.fields['total-count'], '1')
  const secret = { name: 'Another', kind: 'secret' }
  assert.equal((await s.handle('POST /teams', admin, secret)).status, 201)
  const after = await look()
  assert.equal(after.fields['total-count'], '1')
  assert.equal(after.fields.etag, before.fields.etag)
})
