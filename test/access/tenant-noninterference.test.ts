/**
 * Non-interference between tenants: two databases that differ only in rows of other tenants. The
 * same random requests of a member get the same responses, byte for byte.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { ResourceModel } from '../../src/definition/model.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { type NamedDatabases, namedDatabases } from './named-databases.ts'
import type { Step } from './repertoire/step.ts'
import { insert, tokenFor, uuid } from './rows.ts'
import { openSide, type Side } from './side.ts'
import { tenantModel as model, tenantSchema } from './tenant-lists.ts'
import {
  ada,
  anyCollection,
  anyField,
  anyId,
  anyQuery,
  bob,
  eve,
  other,
  own,
  third,
} from './tenant-queries.ts'

const of = (name: string) => model.resources.get(name) as ResourceModel

let folder = ''
let databases: NamedDatabases
let members: readonly (string | undefined)[] = []
let bobs = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restwell-tenants-'))
  databases = await namedDatabases(folder)
  await databases.create('base')
  const store = await open('base')
  await common(store)
  for (const name of ['cursor', 'entity-tags']) await store.loadSecret(name)
  members = [undefined, await tokenFor(store, model, ada), await tokenFor(store, model, eve)]
  bobs = await tokenFor(store, model, bob)
  await store.close()
  for (const [name, add] of [
    ['one', addToOne],
    ['two', addToTwo],
  ] as const) {
    await databases.copy('base', name)
    const copy = await open(name)
    await add(copy)
    await copy.close()
  }
})

after(() => rm(folder, { recursive: true, force: true }))

const open = (name: string): Promise<Store> => openStore(databases.urlOf(name), tenantSchema, () => undefined)

async function common(store: Store): Promise<void> {
  for (const number of [own, other, third]) {
    await insert(store, of('organisations'), number, { name: `Organisation ${number}` })
  }
  for (const [number, name, organisation] of [
    [ada, 'ada', own],
    [bob, 'bob', other],
    [eve, 'eve', own],
  ] as const) {
    const values = { email: `${name}@example.org`, name, password: 'x' }
    await insert(store, of('users'), number, { ...values, organisation: uuid(organisation) })
  }
  await member(store, 20, ada, own, 'manager')
  await member(store, 22, eve, own, 'guest')
  await member(store, 24, bob, other, 'manager')
  await label(store, 70, own)
  await label(store, 74, own)
  await label(store, 76, other)
  await project(store, 30, own)
  await project(store, 34, own)
  await task(store, 40, 30, undefined, [70, 74])
  await task(store, 44, 34, undefined, [74])
  await insert(store, of('notes'), 50, { text: 'Ours', organisation: uuid(own), topic: 'a' })
  await profile(store, 80, ada)
  await profile(store, 84, eve)
  await insert(store, of('notices'), 60, { text: 'For all' })
}

async function addToOne(store: Store): Promise<void> {
  await project(store, 32, other)
  await label(store, 72, other)
  await task(store, 42, 32, undefined, [72, 76])
  await insert(store, of('notes'), 52, { text: 'One', organisation: uuid(other), topic: 'one' })
  await member(store, 26, bob, third, 'guest')
  await profile(store, 82, bob)
}

async function addToTwo(store: Store): Promise<void> {
  for (const number of [29, 31, 36]) await project(store, number, third)
  for (const number of [39, 41, 43, 46]) await task(store, number, 31)
  await label(store, 73, third)
  await task(store, 47, 36, bob, [73, 76])
  for (const number of [49, 51, 56]) {
    await insert(store, of('notes'), number, { text: 'Two', organisation: uuid(third) })
  }
  for (const number of [79, 81, 83]) await profile(store, number, bob)
}

function profile(store: Store, number: number, user: number) {
  return insert(store, of('profiles'), number, { user: uuid(user), words: `W${number}` })
}

function member(store: Store, number: number, user: number, organisation: number, rank: string) {
  const values = { user: uuid(user), organisation: uuid(organisation), rank }
  return insert(store, of('memberships'), number, values)
}

function project(store: Store, number: number, organisation: number) {
  const values = { name: `P${number}`, organisation: uuid(organisation), budget: `${number}` }
  return insert(store, of('projects'), number, values)
}

function label(store: Store, number: number, organisation: number) {
  return insert(store, of('labels'), number, { name: `L${number}`, organisation: uuid(organisation) })
}

function task(
  store: Store,
  number: number,
  projectNumber: number,
  assignee?: number,
  labels: readonly number[] = [],
) {
  const values = { title: `T${number}`, project: uuid(projectNumber), status: 'open' }
  const further = { assignee: assignee && uuid(assignee), labels: labels.map(uuid) }
  return insert(store, of('tasks'), number, { ...values, ...further })
}
/** Contents that name items of the own and of other tenants. */
const anyContent = fc.oneof(
  anyId.map((id) => ({ title: 'New', project: id })),
  fc.tuple(anyId, anyId).map(([project, one]) => ({ title: 'New', project, labels: [one, uuid(70)] })),
  fc.uniqueArray(anyId, { maxLength: 3 }).map((labels) => ({ labels })),
  anyId.map((id) => ({ name: 'New', organisation: id })),
  anyId.map((id) => ({ text: 'New', organisation: id })),
  fc.tuple(anyId, anyId).map(([user, organisation]) => ({ user, organisation, rank: 'guest' })),
  fc.constantFrom({ name: 'Changed' }, { status: 'done' }, { rank: 'manager' }, { topic: null }),
)

const anySubCollection = fc
  .tuple(
    fc.constantFrom('organisations ID projects', 'projects ID tasks', 'users ID tasks', 'tasks ID project'),
    anyId,
  )
  .map(([path, id]) => `/${path.replace('ID', id).replaceAll(' ', '/')}`)

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step(
    'GET',
    fc.tuple(anyCollection, anyQuery).map(([name, query]) => `/${name}${query}`),
  ),
  step(
    'GET',
    fc.tuple(anySubCollection, anyQuery).map(([uri, query]) => uri + query),
  ),
  step('POST', anySubCollection, anyContent),
  step(
    'QUERY',
    anySubCollection,
    fc.tuple(anyField, anyId).map(([field, value]) => ({ [field]: value })),
  ),
  step('GET', anyItem('')),
  step('GET', anyItem('?format=html')),
  step('OPTIONS', anyItem('')),
  step('DELETE', anyItem('')),
  step('PATCH', anyItem(''), anyContent),
  step('PUT', anyItem(''), anyContent),
  step('PUT', anyMember()),
  step('DELETE', anyMember()),
  step(
    'POST',
    anyCollection.map((name) => `/${name}`),
    anyContent,
  ),
  step(
    'QUERY',
    anyCollection.map((name) => `/${name}`),
    fc.tuple(anyField, anyId).map(([field, value]) => ({ filter: { [field]: value } })),
  ),
  step('GET', fc.constantFrom('/', '/openapi.json', '/docs', '/tasks?limit=1')),
)

function anyItem(query: string): fc.Arbitrary<string> {
  return fc.tuple(anyCollection, anyId).map(([name, id]) => `/${name}/${id}${query}`)
}

function anyMember(): fc.Arbitrary<string> {
  return fc.tuple(anyId, anyId).map(([task, member]) => `/tasks/${task}/labels/${member}`)
}

function step(
  method: string,
  uri: fc.Arbitrary<string>,
  content: fc.Arbitrary<unknown> = fc.constant(undefined),
): fc.Arbitrary<Step> {
  return fc.tuple(uri, content, fc.nat(), fc.boolean()).map(([at, body, who, counts]) => () => {
    const authorization = members[who % members.length]
    const preferred: Record<string, string> = counts ? { prefer: 'count=exact' } : {}
    const fields = authorization === undefined ? preferred : { ...preferred, authorization }
    return { line: `${method} ${at}`, fields, body }
  })
}

const side = (name: string, run: number): Promise<Side> => openSide({ model, databases, folder, name, run })
const runs = cases(200, 100)
const length = 100

test(`${runs * length} random requests of a tenant tell nothing of other tenants`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  let run = 0
  const steps = fc.array(anyStep, { minLength: length, maxLength: length })
  const property = fc.asyncProperty(steps, async (sequence) => {
    run += 1
    await using one = await side('one', run)
    await using two = await side('two', run)
    for (const each of sequence) {
      assert.deepEqual(await one.ask(each), await two.ask(each), JSON.stringify(each([])))
    }
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
})

test('the test would notice: a member of the other tenant gets different responses', async () => {
  await using one = await side('one', 0)
  await using two = await side('two', 0)
  for (const line of ['GET /tasks', 'GET /projects', 'GET /notes', 'GET /memberships']) {
    const asked = () => ({ line, fields: { authorization: bobs } })
    assert.notDeepEqual(await one.ask(asked), await two.ask(asked))
  }
})

test('a member sees the rows of its own tenant', async () => {
  await using one = await side('one', -1)
  const authorization = members[1] as string
  for (const [line, count] of [
    ['GET /tasks', 2],
    ['GET /projects', 2],
    ['GET /notes', 1],
    ['GET /labels', 2],
    ['GET /tasks?labels.name=L74', 2],
    ['GET /organisations', 1],
    ['GET /users', 2],
    ['GET /memberships', 2],
  ] as const) {
    const { text } = await one.ask(() => ({ line, fields: { authorization } }))
    assert.equal(JSON.parse(text).length, count, line)
  }
})
