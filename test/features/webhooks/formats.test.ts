/** Webhooks and their deliveries in every format and description. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../eventually.ts'
import { admin, serve } from '../../service.ts'
import { defineTasks } from './definition.ts'
import { startReceiver } from './receiver.ts'
import { createWebhook, recorded } from './webhook-requests.ts'

test('webhooks and deliveries have every format of items and lists', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { uri, delivery } = await prepare(service, receiver.url)
  for (const target of [uri, '/webhooks', `${uri}/deliveries`, delivery]) {
    for (const type of [
      'application/json',
      'application/hal+json',
      'application/prs.hal-forms+json',
      'application/xml',
      'text/html',
    ]) {
      const reply = await service.request(`GET ${target}`, { ...admin, accept: type })
      assert.equal(reply.status, 200, `${target} as ${type}`)
      assert.doesNotMatch(reply.text, /webhook_deliveries\/|whsec_/, `${target} as ${type}`)
    }
  }
  for (const target of ['/webhooks', `${uri}/deliveries`]) {
    for (const type of ['text/csv', 'application/x-ndjson']) {
      assert.equal((await service.request(`GET ${target}`, { ...admin, accept: type })).status, 200, target)
    }
  }
})

test('forms of a webhook send a test and make a secret; those of a delivery send it again', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { uri, delivery } = await prepare(service, receiver.url)
  const accept = 'application/prs.hal-forms+json'
  const webhook = (await service.request(`GET ${uri}`, { ...admin, accept })).json
  assert.deepEqual(Object.keys(webhook._templates).toSorted(), ['default', 'delete', 'ping', 'rotate'])
  assert.equal(webhook._templates.ping.target, `${uri}/ping`)
  assert.equal(webhook._templates.ping.method, 'POST')
  const sent = (await service.request(`GET ${delivery}`, { ...admin, accept })).json
  assert.deepEqual(Object.keys(sent._templates), ['redeliver'])
  assert.equal(sent._links.collection.href, `${uri}/deliveries`)
  const page = await service.request(`GET ${uri}`, { ...admin, accept: 'text/html' })
  assert.match(page.text, new RegExp(`action="${uri}/ping"`))
  const form = { ...admin, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const pressed = await service.request(`POST ${uri}/ping`, form, '')
  assert.equal(pressed.status, 303)
  assert.equal(pressed.fields.location, `${uri}/deliveries`)
  const rotated = await service.request(`POST ${uri}/rotate`, form, '')
  assert.equal(rotated.status, 200)
  assert.match(rotated.text, /whsec_/)
})

test('OpenAPI lists the requests that webhooks send, for callers who may have webhooks', async () => {
  await using service = await serve(defineTasks())
  const { json } = await service.request('GET /openapi.json', admin)
  assert.deepEqual(Object.keys(json.webhooks), [
    'users.created',
    'users.updated',
    'users.deleted',
    'tasks.created',
    'tasks.updated',
    'tasks.deleted',
  ])
  assert.deepEqual(json.webhooks['tasks.created'], { $ref: '#/components/pathItems/SentChange' })
  assert.ok(json.components.pathItems.SentChange.post)
  assert.equal((await service.request('GET /openapi.json')).json.webhooks, undefined)
})

test('/status and /metrics count what is waiting and parked', async () => {
  await using receiver = await startReceiver((_, response) => response.writeHead(500).end())
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request('POST /tasks', admin, { title: 'One' })
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    await recorded(service, uri, 'failed', attempt)
    service.advance(25 * 3_600_000)
  }
  await eventually(async () => {
    const { json } = await service.request('GET /status', { ...admin, accept: 'application/json' })
    return json.deliveries.parked === 1
  })
  const metrics = await service.request('GET /metrics', admin)
  assert.match(metrics.text, /^restwell_deliveries_parked 1$/m)
  assert.match(metrics.text, /^restwell_deliveries_waiting 0$/m)
  const page = await service.request('GET /status', { ...admin, accept: 'text/html' })
  assert.match(page.text, /0 waiting; 1 parked/)
})

/** A webhook with one delivery. */
async function prepare(service: Awaited<ReturnType<typeof serve>>, url: string) {
  const created = await service.request('POST /webhooks', admin, { url, events: ['tasks.*'] })
  const uri = String(created.fields.location)
  await service.request(`POST ${uri}/ping`, admin)
  await recorded(service, uri, 'succeeded', 1)
  const { json } = await service.request(`GET ${uri}/deliveries`, admin)
  return { uri, delivery: `${uri}/deliveries/${json[0].id}` }
}
