/** After a copy the change log and all that is made from it continue: feeds, histories, the audit, webhooks. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anyone, choice, email, password, resource, role, service, signedIn, text } from 'restwell'
import { verifyAudit } from '../../src/features/audit/audit-command.ts'
import { sealAudit } from '../../src/operation/audit-sealing.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { pruneLog, retentionOf } from '../../src/service/log-pruning.ts'
import { copyDatabase } from '../../src/store/copy/copy-database.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { someOf } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { type Receiver, startReceiver } from '../features/webhooks/receiver.ts'
import { postgres } from '../postgres.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'
import { folderFor } from '../store/folder.ts'

const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  webhooks: { by: signedIn, networks: ['127.0.0.0/8'] },
  log: '30 days',
  audit: '90 days',
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: signedIn } },
    ),
    notes: resource(
      { title: text() },
      { access: { read: anyone, create: anyone, update: anyone }, history: { keep: '1 year' } },
    ),
  },
})

let files = 0
const places = {
  SQLite: async (t: TestContext) => `file:${join(folderFor(t), `${files++}.db`)}`,
  PostgreSQL: async (_: TestContext) => (await postgres()).freshUrl(),
}
const kinds = ['SQLite', 'PostgreSQL'] as const

for (const from of kinds) {
  for (const to of someOf(kinds, 1)) {
    test(`from ${from} to ${to}: feeds, histories, the audit and deliveries continue`, async (t) => {
      let isAccepting = false
      await using receiver = await startReceiver((_, response) =>
        response.writeHead(isAccepting ? 204 : 500).end(),
      )
      const [origin, destination] = [await places[from](t), await places[to](t)]
      const before = await live(origin, receiver)
      const schema = schemaOf(checkDefinition(definition))
      await copyDatabase({ from: origin, to: destination, schema, report: () => undefined })
      isAccepting = true
      await checkCopy(destination, receiver, before)
    })
  }
}

/** Milliseconds in a day. */
const day = 86_400_000

/** Notes with versions in the log and beyond, a pruned audit, and a delivery that failed. */
async function live(database: string, receiver: Receiver) {
  await using s = await serve(definition, { database })
  const { request } = s
  const { location: old } = (await request('POST /notes', {}, { title: 'A' })).fields
  await request(`PATCH ${old}`, {}, { title: 'B' })
  await prune(s, 40)
  await prune(s, 100)
  await request(`PATCH ${old}`, {}, { title: 'C' })
  const hook = await request('POST /webhooks', admin, { url: receiver.url, events: ['notes.created'] })
  const position = (await request('GET /events')).json.at(-1).id
  await request('POST /notes', {}, { title: 'D' })
  await receiver.reached(1)
  const uris = [`${old}/history`, `${hook.fields.location}`, `${hook.fields.location}/deliveries`]
  await eventually(async () => (await request(`GET ${uris[2]}?status=failed`, admin)).json.length > 0)
  await sealAudit(s.service.store.audit, s.service.model)
  const replies = new Map<string, Reply>()
  for (const uri of [...uris, '/audit']) replies.set(uri, await request(`GET ${uri}`, admin))
  return { replies, position, deliveries: uris[2], ...(await verifyAudit(s.service.store.audit)) }
}

async function prune({ service: { store, model } }: TestService, days: number): Promise<void> {
  const clock = { now: () => Date.now() + days * day }
  await pruneLog({ store, clock, ...retentionOf(model) }, new AbortController().signal)
}

async function checkCopy(
  database: string,
  receiver: Receiver,
  before: Awaited<ReturnType<typeof live>>,
): Promise<void> {
  await using s = await serve(definition, { database })
  assert.deepEqual(before.faults, [])
  for (const [uri, { json }] of before.replies) {
    assert.deepEqual((await s.request(`GET ${uri}`, admin)).json, json, uri)
  }
  assert.equal(before.replies.values().next().value?.json.length, 3, 'versions that outlived the log')
  const { faults, entries } = await verifyAudit(s.service.store.audit, before.head)
  assert.deepEqual([faults, entries], [[], before.entries])
  const { json } = await s.request(`GET /events?last-event-id=${before.position}`)
  assert.deepEqual(
    json.map((one: { item: { title: string } }) => one.item.title),
    ['D'],
  )
  s.advance(60_000)
  await receiver.reached(2)
  const [first, again] = receiver.received
  assert.equal(again?.headers['webhook-id'], first?.headers['webhook-id'])
  await s.request('POST /notes', {}, { title: 'E' })
  await receiver.reached(3)
  assert.equal(receiver.received[2]?.json.data.item.title, 'E')
}
