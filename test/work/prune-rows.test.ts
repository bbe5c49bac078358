/** Rows of built-in tables are deleted when their time is over, and no other rows. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model, ResourceModel, Stored } from '../../src/definition/model.ts'
import {
  action,
  anyone,
  choice,
  email,
  file,
  password,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { pruneRows } from '../../src/work/prune-rows.ts'
import { openTestStore } from '../database.ts'

const notes = resource(
  { title: text(), scan: file({ types: ['image/*'], max: '1 MB' }).optional() },
  { access: { read: anyone } },
)
const options = {
  title: 'Notes',
  log: '30 days',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  mail: { from: 'notes@example.org' },
  resources: {
    users: resource({
      email: email().unique(),
      password: password(),
      role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
    }),
    notes,
  },
} as const
const sort = action({ on: 'collection', background: true, by: anyone, run: () => undefined })
const definition = service(options, { notes: { actions: { sort } } })

const hour = 3_600_000
const day = 24 * hour
const now = Date.parse('2026-11-19T12:00:00.000Z')
const timeOf = (age: number) => new Date(now - age).toISOString()

/** By table: its values, the field with its time, and how long it is kept. */
const kept: readonly (readonly [string, Readonly<Record<string, Stored>>, string, number])[] = [
  ['invitations', { email: 'ada@example.org', role: 'user' }, 'expiresAt', hour],
  ['account_mails', { kind: 'reset', recipient: 'ada@example.org', nonce: 'a' }, 'expiresAt', hour],
  ['jobs', { action: 'notes.sort', status: 'done', progress: 1, ownerless: 1 }, 'endedAt', 7 * day],
  ['webhook_deliveries', { message: 'msg_1', event: 'notes.created', attempt: 1 }, 'createdAt', 30 * day],
  ['file_uploads', { uploader: 'a', holder: 'a', target: '/notes/1/scan' }, 'expiresAt', 0],
]

for (const [name, values, field, time] of kept) {
  test(`rows of ${name} are kept for ${time / hour} hours after ${field}`, async () => {
    await using store = await open()
    const table = tableOf(name)
    const ages = [time - 1000, time + 1000, time + day]
    for (const age of ages) await insert(store, table, { ...values, [field]: timeOf(age) })
    await prune(store)
    const rows = await rowsOf(store, table)
    assert.deepEqual(
      rows.map((row) => row[field]),
      [timeOf(time - 1000)],
    )
  })
}

test('the parts of an upload are deleted with it, and those of others are kept', async () => {
  await using store = await open()
  const [uploads, parts] = [tableOf('file_uploads'), tableOf('file_upload_parts')]
  for (const [id, age] of [
    ['over', 1000],
    ['open', -1000],
  ] as const) {
    await insert(store, uploads, { id, uploader: 'a', holder: 'a', target: '/', expiresAt: timeOf(age) })
    for (let position = 0; position < 150; position += 1) {
      await insert(store, parts, { upload: id, position, size: 1, digest: 'd' })
    }
  }
  await prune(store)
  assert.equal((await rowsOf(store, uploads)).length, 1)
  const left = (await rowsOf(store, parts)).map(({ upload }) => upload)
  assert.deepEqual([...new Set(left)], ['open'])
  assert.equal(left.length, 150)
})

test('parked mails are kept for a week, parked messages of webhooks as long as the log, other work for ever', async () => {
  await using store = await open()
  const queue = tableOf('log_queue')
  const works = [
    ['mails', 'parked', 8],
    ['mails', 'parked', 6],
    ['mails', 'waiting', 90],
    ['webhooks', 'parked', 31],
    ['webhooks', 'parked', 29],
    ['after', 'parked', 90],
    ['jobs', 'waiting', 90],
  ] as const
  for (const [consumer, status, days] of works) {
    const values = { consumer, status, subscriber: String(days), lane: 'a', payload: '' }
    await insert(store, queue, {
      ...values,
      position: 0,
      attempts: 0,
      dueAt: timeOf(0),
      at: timeOf(days * day),
    })
  }
  await prune(store)
  const left = (await rowsOf(store, queue)).map(({ consumer, subscriber }) => `${consumer} ${subscriber}`)
  assert.deepEqual(left.toSorted(), ['after 90', 'jobs 90', 'mails 6', 'mails 90', 'webhooks 29'])
})

test('more rows than one step takes are deleted; a signal that has ended deletes none', async () => {
  await using store = await open()
  const table = tableOf('account_mails')
  for (let number = 0; number < 250; number += 1) {
    const values = { kind: 'reset', recipient: 'ada@example.org', nonce: 'a', expiresAt: timeOf(day) }
    await insert(store, table, values)
  }
  await prune(store, AbortSignal.abort())
  assert.equal((await rowsOf(store, table)).length, 250)
  await prune(store)
  assert.deepEqual(await rowsOf(store, table), [])
})

const model: Model = checkDefinition(definition)

/** A store with the account that references name. */
async function open(): Promise<Store & AsyncDisposable> {
  const store = await openTestStore(schemaOf(model))
  await insert(store, tableOf('users'), { id: 'ada', email: 'ada@example.org', password: 'x', role: 'user' })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

function prune(store: Store, signal = new AbortController().signal): Promise<void> {
  return pruneRows({ model, store, now }, signal)
}

function tableOf(name: string): ResourceModel {
  const table = [...model.resources.values(), ...model.ownTables.values()].find((one) => one.name === name)
  assert.ok(table, name)
  return table
}

let inserted = 0

/** Inserts a row with the values, and with valid ones in the other columns that need some. */
async function insert(
  store: Store,
  { name, fields }: ResourceModel,
  given: Readonly<Record<string, Stored>>,
) {
  inserted += 1
  const { id = `row-${String(inserted).padStart(4, '0')}`, at = given.createdAt ?? timeOf(0) } = given
  const usual: Readonly<Record<string, Stored>> = {
    status: 'sending',
    disabled: 0,
    complete: 0,
    parts: 0,
    offset: 0,
    maxSize: 1,
  }
  const values = fields.map((field) => {
    if (Object.hasOwn(given, field.name)) return given[field.name] ?? null
    if (!field.required) return null
    if (field.ref) return 'ada'
    return usual[field.name] ?? ''
  })
  const row = [id, 1, at, at, ...values]
  const { kind } = await store.write([{ kind: 'insert', table: name, values: row, conditionAfter: always }])
  assert.equal(kind, 'done', name)
}

async function rowsOf(store: Store, { name, fields }: ResourceModel) {
  const rows = await store.list({
    table: name,
    condition: always,
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 1000,
    evaluated: [],
  })
  return rows.map(
    (row): Readonly<Record<string, Stored | undefined>> => ({
      createdAt: row[2] ?? null,
      ...Object.fromEntries(fields.map((field) => [field.name, row[field.index]])),
    }),
  )
}
