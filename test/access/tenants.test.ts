/** Rules that look at other records: what each caller sees and may do, on both stores. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model, ResourceModel } from '../../src/definition/model.ts'
import {
  and,
  anyone,
  boolean,
  caller,
  callerField,
  choice,
  email,
  exists,
  its,
  not,
  password,
  ref,
  resource,
  service,
  text,
  where,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { createService } from '../../src/service/service.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestStore } from '../database.ts'
import { cheapPasswords } from '../password-cost.ts'
import { handleDirectly } from './direct.ts'
import { change, insert, tokenFor, uuid, type Values } from './rows.ts'
import { tenantDefinition } from './tenants.ts'

/** Rows by collection and number; a number is the row that a reference names. */
type Rows = Readonly<Record<string, Readonly<Record<number, Values>>>>

interface World extends AsyncDisposable {
  readonly store: Store
  readonly model: Model
  /** The status and the parsed body; account 0 is anonymous. */
  ask(account: number, line: string, body?: unknown): Promise<readonly [number, unknown]>
  /** The titles or names in a list. */
  names(account: number, uri: string): Promise<readonly string[]>
}

async function worldOf(definition: unknown, rows: Rows): Promise<World> {
  const model = checkDefinition(definition)
  const store = await openTestStore(schemaOf(model))
  for (const [name, records] of Object.entries(rows)) {
    for (const [number, values] of Object.entries(records)) {
      await insert(store, resourceOf(model, name), Number(number), valuesOf(model, name, values))
    }
  }
  const service = await createService({
    model,
    store,
    observe: (observation) => assert.notEqual(observation.kind, 'bug'),
    rate: 'off',
    overload: 'off',
    passwordCost: cheapPasswords,
  })
  const tokens = new Map<number, string>()
  const fieldsOf = async (account: number): Promise<Record<string, string>> => {
    if (account === 0) return {}
    if (!tokens.has(account)) tokens.set(account, await tokenFor(store, model, account))
    return { authorization: tokens.get(account) as string }
  }
  const ask: World['ask'] = async (account, line, body) => {
    const answer = await handleDirectly(service, { line, fields: await fieldsOf(account), body })
    return [answer.status, answer.text === '' ? undefined : JSON.parse(answer.text)]
  }
  return {
    store,
    model,
    ask,
    async names(account, uri) {
      const [status, items] = await ask(account, `GET ${uri}`)
      assert.equal(status, 200)
      return (items as Readonly<Record<string, string>>[]).map(
        ({ title, name, text: words }) => title ?? name ?? words ?? '',
      )
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

const resourceOf = (model: Model, name: string) => model.resources.get(name) as ResourceModel

function valuesOf(model: Model, name: string, values: Values): Values {
  const { fieldByName: field } = resourceOf(model, name)
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      field.get(key)?.ref && typeof value === 'number' ? uuid(value) : value,
    ]),
  )
}

const user = (name: string, more: Values = {}): Values => ({
  email: `${name}@example.org`,
  name,
  password: 'x',
  ...more,
})

/** Ada manages 10, Eve is a guest of 10, Bob manages 11, Zoe belongs to none. */
const [ada, bob, eve, zoe] = [1, 2, 3, 4]
const tenantRows: Rows = {
  organisations: { 10: { name: 'Ours' }, 11: { name: 'Theirs' } },
  users: {
    [ada]: user('ada', { organisation: 10 }),
    [bob]: user('bob', { organisation: 11 }),
    [eve]: user('eve'),
    [zoe]: user('zoe'),
  },
  memberships: {
    20: { user: ada, organisation: 10, rank: 'manager' },
    21: { user: bob, organisation: 11, rank: 'manager' },
    22: { user: eve, organisation: 10, rank: 'guest' },
  },
  projects: {
    30: { name: 'Our project', organisation: 10, budget: '5' },
    31: { name: 'Their project', organisation: 11, budget: '6' },
  },
  tasks: {
    40: { title: 'Our task', project: 30 },
    41: { title: 'Their task', project: 31 },
    42: { title: 'Lent task', project: 31, assignee: zoe },
  },
  notes: { 50: { text: 'Our note', organisation: 10 }, 51: { text: 'Theirs', organisation: 11 } },
}

test('a member sees what belongs to its organisation, directly and through a path', async () => {
  await using world = await worldOf(tenantDefinition, tenantRows)
  const { ask, names } = world
  assert.deepEqual(await names(ada, '/projects'), ['Our project'])
  assert.deepEqual(await names(ada, '/tasks'), ['Our task'])
  assert.deepEqual(await names(bob, '/tasks'), ['Their task', 'Lent task'])
  assert.deepEqual(await names(zoe, '/tasks'), ['Lent task'])
  assert.deepEqual(await names(zoe, '/projects'), [])
  assert.deepEqual(await names(ada, '/organisations'), ['Ours'])
  assert.deepEqual(await names(ada, '/notes'), ['Our note'])
  assert.deepEqual(await names(zoe, '/notes'), [])
  assert.equal((await ask(ada, `GET /tasks/${uuid(41)}`))[0], 404)
  assert.equal((await ask(ada, `GET /tasks/${uuid(40)}`))[0], 200)
  assert.equal((await ask(0, 'GET /tasks'))[0], 401)
})

test('callers who share an organisation see each other, and no others', async () => {
  const profiles = Object.fromEntries(
    [ada, bob, eve, zoe].map((who) => [60 + who, { user: who, words: `${who}` }]),
  )
  const seen = async (world: World, who: number) =>
    ((await world.ask(who, 'GET /profiles'))[1] as { words: string }[]).map(({ words }) => Number(words))
  await using world = await worldOf(tenantDefinition, { ...tenantRows, profiles })
  assert.deepEqual(await seen(world, ada), [ada, eve])
  assert.deepEqual(await seen(world, bob), [bob])
  assert.deepEqual(await seen(world, zoe), [], 'no membership leads to an organisation')
  assert.equal((await world.ask(zoe, `GET /profiles/${uuid(60 + zoe)}`))[0], 404)
  assert.equal((await world.ask(eve, `GET /profiles/${uuid(60 + ada)}`))[0], 200)
  assert.equal((await world.ask(ada, `DELETE /memberships/${uuid(22)}`))[0], 204)
  assert.deepEqual(await seen(world, ada), [ada])
  assert.deepEqual(await seen(world, eve), [])
})

test('a rule is judged on the item that a write would make', async () => {
  await using world = await worldOf(tenantDefinition, tenantRows)
  const { ask } = world
  const create = async (who: number, organisation: number) =>
    (await ask(who, 'POST /projects', { name: 'New', organisation: uuid(organisation) }))[0]
  assert.equal(await create(ada, 10), 201)
  assert.equal(await create(eve, 10), 403, 'a guest')
  assert.notEqual(await create(ada, 11), 201, 'another organisation')
  const note = { text: 'New', organisation: uuid(11) }
  assert.equal((await ask(bob, 'POST /notes', note))[0], 201)
  assert.notEqual((await ask(ada, 'POST /notes', note))[0], 201)
})

test('update must hold before and after: nothing is moved into another tenant', async () => {
  const rows = {
    ...tenantRows,
    // Ada also reads the other organisation, as a guest.
    memberships: { ...tenantRows.memberships, 23: { user: ada, organisation: 11, rank: 'guest' } },
  }
  await using world = await worldOf(tenantDefinition, rows)
  const { ask } = world
  const [status] = await ask(ada, `PATCH /tasks/${uuid(40)}`, { project: uuid(31) })
  assert.equal(status, 403)
  assert.equal((await ask(ada, `PATCH /tasks/${uuid(41)}`, { title: 'Mine' }))[0], 403)
  assert.equal((await ask(ada, `PATCH /tasks/${uuid(40)}`, { title: 'Changed' }))[0], 200)
  assert.equal((await ask(eve, `DELETE /tasks/${uuid(40)}`))[0], 403)
  assert.equal((await ask(ada, `DELETE /tasks/${uuid(40)}`))[0], 204)
})

test('no caller makes itself a member: create is judged before the record exists', async () => {
  await using world = await worldOf(tenantDefinition, tenantRows)
  const membership = { user: uuid(zoe), organisation: uuid(10), rank: 'manager' }
  assert.notEqual((await world.ask(zoe, 'POST /memberships', membership))[0], 201)
  assert.deepEqual(await world.names(zoe, '/projects'), [])
})

test('visibleTo with exists shows a field on some items, so no filter may use it', async () => {
  await using world = await worldOf(tenantDefinition, tenantRows)
  const { ask } = world
  const uri = `/projects/${uuid(30)}`
  assert.ok('budget' in ((await ask(ada, `GET ${uri}`))[1] as object))
  assert.ok(!('budget' in ((await ask(eve, `GET ${uri}`))[1] as object)))
  assert.equal((await ask(ada, 'GET /projects?budget=5'))[0], 400)
})

test('a change of a membership or of the own account applies to the next request', async () => {
  await using world = await worldOf(tenantDefinition, tenantRows)
  const { ask, names, store, model } = world
  assert.equal((await ask(ada, `DELETE /memberships/${uuid(22)}`))[0], 204)
  assert.deepEqual(await names(eve, '/projects'), [])
  await change(store, resourceOf(model, 'users'), ada, { organisation: uuid(11) })
  assert.deepEqual(await names(ada, '/notes'), ['Theirs'])
  await change(store, resourceOf(model, 'users'), ada, { organisation: undefined })
  assert.deepEqual(await names(ada, '/notes'), [])
})

/** Blocks hide posts from the blocked; nobody may read them. */
const blocking = service({
  title: 'Blocks',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique(), name: text(), password: password(), team: text().optional() },
      { access: { read: anyone } },
    ),
    blocks: resource({ by: ref('users'), blocked: ref('users'), team: text().optional() }),
    topics: resource({ name: text(), open: boolean() }, { access: { read: anyone } }),
    posts: resource(
      {
        title: text(),
        author: ref('users').optional(),
        topic: ref('topics').optional(),
        team: text().optional(),
        status: choice(['draft', 'done']).default('draft'),
      },
      { access: { read: not(exists('blocks', { by: its('author'), blocked: caller })) } },
    ),
    teams: resource(
      { title: text(), team: text().optional() },
      { access: { read: not(exists('blocks', { team: callerField('team') })) } },
    ),
    replies: resource(
      { title: text(), topic: ref('topics').optional() },
      { access: { read: and(where({ 'topic.open': true }), not(where({ 'topic.name': 'x' }))) } },
    ),
  },
})

const blockRows: Rows = {
  users: { 1: user('ada', { team: 'red' }), 2: user('bob', { team: 'blue' }), 3: user('eve') },
  blocks: { 20: { by: 1, blocked: 2, team: 'blue' } },
  topics: {
    30: { name: 'a', open: true },
    31: { name: 'x', open: true },
    32: { name: 'b', open: false },
  },
  posts: {
    40: { title: 'By Ada', author: 1 },
    41: { title: 'By Eve', author: 3 },
    42: { title: 'By none' },
  },
  teams: { 50: { title: 'Team' } },
  replies: {
    60: { title: 'open', topic: 30 },
    61: { title: 'x', topic: 31 },
    62: { title: 'closed', topic: 32 },
    63: { title: 'without' },
  },
}

test('exists looks into a collection that the caller cannot read', async () => {
  await using world = await worldOf(blocking, blockRows)
  assert.equal((await world.ask(2, 'GET /blocks'))[0], 403)
  assert.deepEqual(await world.names(2, '/posts'), ['By Eve'])
  assert.deepEqual(await world.names(3, '/posts'), ['By Ada', 'By Eve'])
})

test('not(exists(…)) is undecided, and denies, where a value it compares is missing', async () => {
  await using world = await worldOf(blocking, blockRows)
  // The post without an author is shown to no caller.
  assert.deepEqual(await world.names(1, '/posts'), ['By Ada', 'By Eve'])
  assert.equal((await world.ask(0, 'GET /posts'))[0], 401, 'an anonymous caller is no account')
  assert.deepEqual(await world.names(1, '/teams'), ['Team'])
  assert.deepEqual(await world.names(2, '/teams'), [])
  assert.deepEqual(await world.names(3, '/teams'), [], 'an account without a team')
})

test('paths of exists with the same steps lead through the same record', async () => {
  const definition = service({
    title: 'Chiefs',
    accounts: { resource: 'users', login: 'email', password: 'password' },
    resources: {
      users: resource({ email: email().unique(), name: text(), password: password() }),
      teams: resource({ name: text() }),
      members: resource({ user: ref('users'), team: ref('teams', { inverse: 'members' }), rank: text() }),
      posts: resource(
        { title: text(), team: ref('teams').optional() },
        {
          access: {
            read: exists('teams', {
              id: its('team'),
              'members.user': caller,
              'members.rank': ['chief', 'deputy'],
            }),
          },
        },
      ),
    },
  })
  await using world = await worldOf(definition, {
    users: { 1: user('ada'), 2: user('bob') },
    teams: { 10: { name: 'A' }, 11: { name: 'B' } },
    members: {
      20: { user: 1, team: 10, rank: 'chief' },
      21: { user: 2, team: 10, rank: 'member' },
      22: { user: 2, team: 11, rank: 'deputy' },
    },
    posts: { 30: { title: 'a', team: 10 }, 31: { title: 'b', team: 11 }, 32: { title: 'none' } },
  })
  assert.deepEqual(await world.names(1, '/posts'), ['a'])
  // Bob is a member of the team whose chief is Ada.
  assert.deepEqual(await world.names(2, '/posts'), ['b'])
})

test('where follows a path; a missing step is undecided', async () => {
  await using world = await worldOf(blocking, blockRows)
  assert.deepEqual(await world.names(0, '/replies'), ['open'])
})
