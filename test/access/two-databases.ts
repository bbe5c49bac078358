/**
 * Two databases that differ only in data that Ada may not see, and what her requests can name in
 * them.
 */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { hashPassword } from '../../src/access/password.ts'
import { credentialsName } from '../../src/definition/credentials-resource.ts'
import type { JsonValue, ResourceModel } from '../../src/definition/model.ts'
import { deliveriesName } from '../../src/features/webhooks/webhooks-resource.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openFolderStore } from '../../src/store/files/folder-store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { cheapPasswords } from '../password-cost.ts'
import { basic } from '../service.ts'
import type { NamedDatabases } from './named-databases.ts'
import type { World } from './repertoire/step.ts'
import { change, find, insert, past, tokenFor, uuid, type Values } from './rows.ts'
import { wideDefinition } from './sample.ts'

export const model = checkDefinition(wideDefinition)
const of = (name: string) => model.resources.get(name) as ResourceModel
const users = of('users')
const articles = of('articles')
const notes = of('notes')
const vaults = of('vaults')
const cases = of('cases')
const pages = of('pages')
const folders = of('folders')
const webhooks = of('webhooks')
const deliveries = model.ownTables.get(deliveriesName) as ResourceModel
const accountCredentials = model.ownTables.get(credentialsName) as ResourceModel
const scans = of('scans')
const jobs = of('jobs')

const ada = 1
export const bob = 2

export interface TwoDatabases {
  readonly world: World
  /** A token of Bob, who may see the difference. */
  readonly bobs: string
}

/** Creates the databases `one` and `two`, and the folders of their files. */
export async function createTwoDatabases(databases: NamedDatabases, folder: string): Promise<TwoDatabases> {
  await databases.create('base')
  const store = await open(databases, 'base')
  const credentials = await common(folder, store)
  const bobs = await tokenFor(store, model, bob)
  // Created on first use, and the same for both from now on.
  for (const name of ['cursor', 'positions', 'versions', 'entity-tags']) await store.loadSecret(name)
  await store.close()
  for (const name of ['one', 'two']) {
    await databases.copy('base', name)
    cpSync(filesOf(folder, 'base'), filesOf(folder, name), { recursive: true })
  }
  await inOne(await open(databases, 'one'), folder)
  await inTwo(await open(databases, 'two'), folder)
  return { world: worldWith(credentials), bobs }
}

function open(databases: NamedDatabases, name: string): Promise<Store> {
  return openStore(databases.urlOf(name), schemaOf(model), () => undefined)
}

function filesOf(folder: string, name: string): string {
  return join(folder, `${name}-files`)
}

/** Stores a text in the files of a database; returns the value of a column that names it. */
async function stored(folder: string, name: string, content: string): Promise<JsonValue> {
  const octets = (async function* () {
    yield Buffer.from(content)
  })()
  const { size, digest, keep } = await openFolderStore(filesOf(folder, name)).receive(octets)
  await keep()
  return { name: 'a.txt', type: 'text/plain', size, digest, at: past }
}

/** Like `stored`, for a file of a list. */
async function listed(folder: string, name: string, content: string, number: number): Promise<JsonValue> {
  return { id: uuid(number), ...((await stored(folder, name, content)) as object) }
}

/** The items that the caller, Ada, may see: her own and published ones. */
async function common(folder: string, store: Store): Promise<World['credentials']> {
  const password = await hashPassword('a good password', { cost: cheapPasswords })
  for (const [number, name] of [
    [ada, 'ada'],
    [bob, 'bob'],
    [3, 'eve'],
  ] as const) {
    await insert(store, users, number, { email: `${name}@example.org`, name, password })
  }
  await insert(store, articles, 100, { title: 'Her draft', secret: 'hers', author: uuid(ada) })
  await insert(store, articles, 104, { title: 'Her own', status: 'published', author: uuid(ada) })
  await insert(store, articles, 108, {
    title: 'His',
    status: 'published',
    author: uuid(bob),
    secret: 'first',
  })
  await insert(store, articles, 112, { title: 'His other', status: 'published', author: uuid(bob) })
  await insert(store, notes, 200, { text: 'On hers', article: uuid(100), rank: 'high' })
  await insert(store, notes, 204, { text: 'On his', article: uuid(108), rank: 'high' })
  for (const number of [400, 404, 408]) {
    await insert(store, cases, number, { title: 'Case', status: 'open' })
  }
  await insert(store, pages, 500, { name: 'hers', label: 'Hers', author: uuid(ada), code: 'hers' })
  // A draft of Bob: hidden in both databases, but its id is shown in a set.
  await insert(store, articles, 114, { title: 'His draft', author: uuid(bob) })
  await insert(store, folders, 600, { name: 'Mixed', articles: [uuid(100), uuid(108), uuid(114)] })
  await insert(store, folders, 604, { name: 'Empty' })
  await insertWebhook(store, 700, ada)
  await insert(store, scans, 700, {
    title: 'Hers',
    author: uuid(ada),
    image: await stored(folder, 'base', 'hers'),
    plates: [await listed(folder, 'base', 'hers', 1)],
  })
  const published = { title: 'His', status: 'published', author: uuid(bob) }
  await insert(store, scans, 704, {
    ...published,
    image: await stored(folder, 'base', 'his'),
    plates: [await listed(folder, 'base', 'his', 1), await listed(folder, 'base', 'other', 2)],
  })
  await insertJob(store, 800, { status: 'done', creator: uuid(ada), result: `/articles/${uuid(100)}` })
  await insertJob(store, 801, { status: 'running', creator: uuid(ada) })
  // Its URI is all that a caller needs.
  await insertJob(store, 804, { status: 'done', ownerless: true })
  return [
    undefined,
    await tokenFor(store, model, ada),
    await tokenFor(store, model, ada),
    await tokenFor(store, model, ada, ['articles:read', 'notes:write']),
    basic('ada@example.org', 'a good password').authorization,
    'Bearer rw_nothing',
  ]
}

/** Ended shortly before the time of the requests, so that it is kept, or running for ever. */
async function insertJob(store: Store, number: number, values: Values): Promise<void> {
  const ended = values.status === 'running' ? {} : { progress: 1, endedAt: '2026-11-15T00:00:00.000Z' }
  await insert(store, jobs, number, {
    action: 'pages.archive',
    progress: 0,
    ownerless: false,
    ...ended,
    ...values,
  })
}

async function inOne(store: Store, folder: string): Promise<void> {
  await insert(store, articles, 102, { title: 'Hidden in one', author: uuid(bob) })
  await insert(store, vaults, 300, { content: 'one' })
  await insert(store, notes, 202, { text: 'Hidden in one', article: uuid(102), rank: 'low' })
  await change(store, articles, 108, { secret: 'one' })
  // More writes than in the other database, also of visible items: a change of a hidden field is a secret.
  for (const number of [1, 2, 3]) await change(store, cases, 404, { mark: `mark ${number}` }, past)
  await change(store, cases, 404, { status: 'reviewed', mark: 'one' })
  await change(store, cases, 408, { status: 'open' })
  await change(store, folders, 600, { kept: [uuid(102), uuid(108)] })
  await change(store, folders, 604, { kept: [] })
  await insert(store, pages, 502, { name: 'taken', label: 'His', author: uuid(bob), code: 'one' })
  await insert(store, scans, 702, {
    title: 'Hidden',
    author: uuid(bob),
    image: await stored(folder, 'one', 'one'),
    plates: [await listed(folder, 'one', 'one', 1)],
  })
  await change(store, scans, 700, { negative: await stored(folder, 'one', 'negative of one') })
  await change(store, scans, 704, {
    negative: await stored(folder, 'one', 'his'),
    proofs: [await listed(folder, 'one', 'one', 1), await listed(folder, 'one', 'his', 2)],
  })
  await change(store, users, bob, { email: 'bob.one@example.org' })
  await change(store, users, 3, { password: 'x' })
  await tokenFor(store, model, bob)
  await insertWebhook(store, 702, bob)
  await insertJob(store, 802, { status: 'running', creator: uuid(bob) })
  await insertCredential(store, 902, { kind: 'totp', name: 'one' })
  await store.close()
}

async function inTwo(store: Store, folder: string): Promise<void> {
  for (const number of [99, 102, 103, 106, 110, 120]) {
    await insert(store, articles, number, {
      title: 'Hidden in two',
      secret: 'two',
      author: uuid(bob),
    })
  }
  await insert(store, notes, 206, { text: 'Hidden in two', article: uuid(108), rank: 'low' })
  await insert(store, notes, 207, { text: 'Hidden in two', article: uuid(110), rank: 'high' })
  await change(store, articles, 108, { secret: undefined })
  await change(store, cases, 404, { status: 'closed', mark: 'two' })
  await change(store, cases, 408, { status: 'reviewed', mark: 'first' })
  await change(store, folders, 600, { kept: [] })
  await change(store, folders, 604, { kept: [uuid(103), uuid(110), uuid(112)] })
  await insert(store, pages, 506, { name: 'other', label: 'His', author: uuid(bob), code: 'two' })
  await insert(store, scans, 706, {
    title: 'Hidden',
    author: uuid(bob),
    image: await stored(folder, 'two', 'two'),
  })
  await change(store, scans, 700, { negative: undefined })
  await change(store, scans, 704, {
    negative: await stored(folder, 'two', 'negative of two'),
    proofs: [await listed(folder, 'two', 'two', 3)],
  })
  await change(store, users, bob, { email: 'bob.two@example.org' })
  await change(store, users, 3, { password: 'y' })
  await insertWebhook(store, 706, bob)
  await insertWebhook(store, 708, bob)
  await insertJob(store, 802, { status: 'done', creator: uuid(bob), result: '/articles' })
  await insertJob(store, 799, { status: 'failed', creator: uuid(bob) })
  await insertCredential(store, 906, { kind: 'recovery-codes', remaining: 3 })
  // A caller who does not know its URI finds it nowhere.
  await insertJob(store, 803, { status: 'done', ownerless: true })
  await store.close()
}

/** A second factor of Bob, which Ada does not see. */
function insertCredential(store: Store, number: number, values: Readonly<Record<string, JsonValue>>) {
  return insert(store, accountCredentials, number, { account: uuid(bob), ...values })
}

/** A webhook with a delivery, whose number is higher by one. */
async function insertWebhook(store: Store, number: number, owner: number): Promise<void> {
  const values = { url: 'https://hooks.example/', events: ['articles.*'], owner: uuid(owner), secret: 'x' }
  await insert(store, webhooks, number, values)
  await insert(store, deliveries, number + 1, {
    webhook: uuid(number),
    message: `msg_${uuid(number)}`,
    event: 'articles.created',
    href: `/articles/${uuid(100)}`,
    attempt: 1,
    status: 'succeeded',
    position: 4,
  })
}

function worldWith(credentials: World['credentials']): World {
  const ids = (...numbers: number[]) => numbers.map(uuid)
  return {
    articles: ids(100, 104, 108, 112, 114, 102, 110, 99, 998),
    notes: ids(200, 204, 202, 206, 207, 998),
    users: ids(ada, bob, 3, 998),
    tokens: ids(998),
    vaults: ids(300, 998),
    cases: ids(400, 404, 408, 998),
    folders: ids(600, 604, 998),
    webhooks: ids(700, 702, 706, 998),
    deliveries: ids(701, 703, 707, 998),
    accountCredentials: ids(902, 906, 998),
    scans: ids(700, 704, 702, 706, 998),
    contents: ['hers', 'his', 'one', 'two', 'negative of one', 'negative of two', 'other'],
    jobs: ids(800, 801, 804, 802, 799, 998),
    pages: ['hers', 'taken', 'other', 'free', 'NOT-A-NAME'],
    credentials,
    logins: [
      'ada@example.org',
      'bob@example.org',
      'bob.one@example.org',
      'bob.two@example.org',
      'zoe@example.org',
      'no address',
    ],
    values: [
      'first',
      'one',
      'two',
      'bob.one@example.org',
      'bob.two@example.org',
      uuid(102),
      uuid(110),
      uuid(998),
    ],
  }
}

/** Changes that Ada does not see, each of a visible item. */
const hiddenChanges: readonly ((number: number) => readonly [ResourceModel, number, Values])[] = [
  (number) => [articles, 108, { secret: `secret ${number}` }],
  (number) => [cases, 400, { mark: `mark ${number}` }],
  (number) => [cases, 404, { status: number % 2 === 0 ? 'open' : 'reviewed' }],
  (number) => [folders, 600, { kept: number % 2 === 0 ? [] : [uuid(108)] }],
  (number) => [users, bob, { email: `bob.${number}@example.org` }],
  (number) => [users, 3, { password: `hash ${number}` }],
  () => [scans, 704, { negative: undefined }],
]

/** Makes one of these changes, where the item is still there. */
export async function changeHidden(store: Store, number: number, at: string): Promise<void> {
  const [resource, item, values] = hiddenChanges[number % hiddenChanges.length]!(number)
  if (await find(store, resource, item)) await change(store, resource, item, values, at)
}
