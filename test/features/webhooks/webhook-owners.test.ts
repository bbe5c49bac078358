/** Webhooks have the rights of their owners, and end with them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueName } from '../../../src/definition/delivery-resources.ts'
import { webhookConsumerName } from '../../../src/features/webhooks/webhooks-resource.ts'
import { formatPayload } from '../../../src/features/webhooks/work-payload.ts'
import { formatEntry } from '../../../src/requests/events/stored-entry.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import { enqueueWrite, type NewWork, type QueueContext } from '../../../src/work/queued-work.ts'
import { eventually } from '../../eventually.ts'
import { admin, basic, serve } from '../../service.ts'
import { defineTasks } from './definition.ts'
import { startReceiver } from './receiver.ts'
import { addElement, createWebhook, mergePatch, recorded } from './webhook-requests.ts'

test('a webhook that is not active sends nothing, and not later what happened meanwhile', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request(`PATCH ${uri}`, mergePatch(admin), '{"active":false}')
  await service.request('POST /tasks', admin, { title: 'Missed' })
  await service.request(`PATCH ${uri}`, mergePatch(admin), '{"active":true}')
  await service.request('POST /tasks', admin, { title: 'Sent' })
  await receiver.reached(1)
  assert.equal(receiver.received[0]?.json.data.item.title, 'Sent')
})

test('a test or a repeated message that was queued before a reset of the password is not sent after it', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const ann = await addElement(service, 'ann@example.org')
  const { uri } = await createWebhook(service, ann, receiver.url)
  await service.request('POST /tasks', ann, { title: 'One' })
  await receiver.reached(1)
  const { model, store } = service.service
  const isDone = async () => (await store.count(queueName, { kind: 'always' })) === 0
  await eventually(isDone)
  const queue = model.ownTables.get(queueName)
  assert.ok(queue)
  const [entry] = (await store.readChanges(0, 100)).filter(({ table }) => table === 'tasks')
  assert.ok(entry)
  const [subscriber, message] = [uri.slice('/webhooks/'.length), 'msg_before']
  const { position } = entry
  const queued: readonly NewWork[] = [
    { subscriber, item: 'ping', position: 0, payload: formatPayload({ kind: 'ping', message }) },
    {
      subscriber,
      item: 'redelivery',
      position,
      payload: formatPayload({
        kind: 'redelivery',
        message,
        entry: formatEntry(schemaOf(model), entry),
      }),
    },
  ]
  const reset = await service.request(`PATCH ${ann.uri}`, mergePatch(admin), { password: 'set by the admin' })
  assert.equal(reset.status, 200, reset.text)
  const now = new Date().toISOString()
  const context: QueueContext = { queue, consumer: webhookConsumerName } as const
  await store.write(
    queued.map((work) => enqueueWrite(context, work, now)),
    { actor: {} },
  )
  await service.request('POST /tasks', admin, { title: 'Two' })
  await eventually(isDone)
  assert.deepEqual(
    receiver.received.map(({ json }) => json.type),
    ['tasks.created'],
  )
  const owner = basic('ann@example.org', 'set by the admin')
  const [{ id }] = (await service.request(`GET ${uri}/deliveries`, owner)).json
  for (const line of [`POST ${uri}/ping`, `POST ${uri}/deliveries/${id}/redeliver`]) {
    const refused = await service.request(line, owner)
    assert.deepEqual([refused.status, refused.json.type], [409, '/problems/state-conflict'], line)
  }
  await service.request(`PATCH ${uri}`, mergePatch(owner), { active: true })
  assert.equal((await service.request(`POST ${uri}/ping`, owner)).status, 202)
})

test('an account sees its own webhooks and deliveries only', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const ann = await addElement(service, 'ann@example.org')
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request(`POST ${uri}/ping`, admin)
  await recorded(service, uri, 'succeeded', 1)
  const [{ id }] = (await service.request(`GET ${uri}/deliveries`, admin)).json
  assert.deepEqual((await service.request('GET /webhooks', ann)).json, [])
  const own = await createWebhook(service, ann, receiver.url)
  for (const line of [
    `GET ${uri}`,
    `GET ${uri}/deliveries`,
    `GET ${uri}/deliveries/${id}`,
    `GET ${own.uri}/deliveries/${id}`,
    `POST ${uri}/ping`,
    `POST ${uri}/deliveries/${id}/redeliver`,
  ]) {
    assert.equal((await service.request(line, ann)).status, 404, line)
  }
})

test('sending stops when the account is deleted, its right withdrawn or its token revoked', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const ann = await addElement(service, 'ann@example.org')
  const token = await service.request('POST /tokens', admin, { name: 'hooks' })
  const bearer = { authorization: `Bearer ${token.json.token}` }
  await createWebhook(service, bearer, `${receiver.url}?token`)
  await createWebhook(service, ann, `${receiver.url}?ann`)
  await service.request('POST /tasks', ann, { title: 'One' })
  await receiver.reached(2)
  await service.request(`DELETE ${token.fields.location}`, admin)
  await service.request('POST /tasks', ann, { title: 'Two' })
  await receiver.reached(3)
  await service.request(`DELETE ${ann.uri}`, admin)
  await createWebhook(service, admin, `${receiver.url}?admin`)
  await service.request('POST /tasks', admin, { title: 'Three' })
  await receiver.reached(4)
  await eventually(async () => (await service.service.store.count('log_queue', { kind: 'always' })) === 0)
  assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), [
    '/hook?admin',
    '/hook?ann',
    '/hook?ann',
    '/hook?token',
  ])
})

test('a webhook has no more scopes than the token that created it', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const scopes = ['users:read', 'webhooks:write', 'webhooks:read']
  const token = await service.request('POST /tokens', admin, { scopes })
  const bearer = { authorization: `Bearer ${token.json.token}` }
  await createWebhook(service, bearer, receiver.url, ['tasks.*', 'users.*'])
  await service.request('POST /tasks', admin, { title: 'Hidden' })
  await addElement(service, 'ann@example.org')
  await receiver.reached(1)
  assert.equal(receiver.received[0]?.json.type, 'users.created')
})
