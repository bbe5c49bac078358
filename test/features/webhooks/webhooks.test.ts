/** Webhooks: the resource, what is sent, and what responses mean (docs/reference/http/changes.md, "Webhooks"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../eventually.ts'
import { admin, serve } from '../../service.ts'
import { lookedForWork } from '../../work/looked-for-work.ts'
import { defineTasks } from './definition.ts'
import { startReceiver } from './receiver.ts'
import { addElement, createWebhook, mergePatch, recorded } from './webhook-requests.ts'

test('a webhook sends the changes that its owner sees, signed as the reference library verifies', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const created = await service.request('POST /webhooks', admin, {
    url: receiver.url,
    events: ['tasks.created', 'tasks.deleted'],
  })
  assert.equal(created.status, 201)
  assert.equal(created.fields['cache-control'], 'no-store')
  const { secret, active } = created.json
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(active, true)
  const task = await service.request('POST /tasks', admin, { title: 'One' })
  const uri = String(task.fields.location)
  await service.request(
    `PATCH ${uri}`,
    { ...admin, 'content-type': 'application/merge-patch+json' },
    '{"title":"Two"}',
  )
  await service.request(`DELETE ${uri}`, admin)
  await receiver.reached(1)
  const [first] = receiver.received
  assert.ok(first)
  const verified = new Webhook(secret).verify(first.text, first.headers as Record<string, string>)
  assert.deepEqual(verified, first.json)
  assert.match(String(first.headers['webhook-id']), /^msg_/)
  assert.equal(first.headers['content-type'], 'application/json')
  await receiver.reached(1)
})

test('data is as in events; changes of other types and hidden changes are not sent', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const ann = await addElement(service, 'ann@example.org')
  await createWebhook(service, ann, receiver.url, ['tasks.*'])
  await service.request('POST /tasks', admin, { title: 'Hidden' })
  const task = await service.request('POST /tasks', ann, { title: 'Shown' })
  const uri = String(task.fields.location)
  await receiver.reached(1)
  await service.request(`PATCH ${uri}`, mergePatch(admin), '{"note":"secret"}')
  await service.request(`PATCH ${uri}`, mergePatch(ann), '{"open":false}')
  await receiver.reached(2)
  await service.request(`DELETE ${uri}`, ann)
  await receiver.reached(3)
  const types = receiver.received.map(({ json }) => json.type)
  assert.deepEqual(types, ['tasks.created', 'tasks.updated', 'tasks.deleted'])
  const [first, second, third] = receiver.received.map(({ json }) => json)
  assert.deepEqual(Object.keys(first), ['type', 'timestamp', 'data'])
  assert.equal(first.data.item.title, 'Shown')
  assert.equal(second.data.item.note, undefined)
  assert.equal(second.data.item.open, false)
  const { event: _, version, ...rest } = third.data
  assert.deepEqual(rest, { type: 'tasks.deleted', href: uri, at: third.timestamp })
  assert.equal(new Set([first, second, third].map(({ data }) => data.event)).size, 3)
  assert.equal(new Set([first.data.version, second.data.version, version]).size, 3)
  const feed = await service.request('GET /events', ann)
  const events = feed.json.filter(({ type }: { type: string }) => type.startsWith('tasks.'))
  assert.deepEqual(
    events.map(({ id: _, ...event }: { id: string }) => event),
    [third.data],
    'the feed has only the last change of a deleted item',
  )
})

test('the secret is shown once, is not stored as it is, and takes no Idempotency-Key', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { secret, uri } = await createWebhook(service, admin, receiver.url)
  for (const line of [`GET ${uri}`, 'GET /webhooks']) {
    const read = await service.request(line, admin)
    assert.equal(read.status, 200)
    assert.doesNotMatch(read.text, /secret"|whsec_/)
  }
  const { store } = service.service
  const rows = await store.list({
    table: 'webhooks',
    condition: { kind: 'always' },
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 1,
    evaluated: [],
  })
  assert.ok(!JSON.stringify(rows).includes(secret.slice('whsec_'.length)))
  assert.ok(!JSON.stringify(await store.readChanges(0, 100)).includes(String(rows[0]?.[8])))
  const keyed = { ...admin, 'idempotency-key': '"a"' }
  const refused = await service.request('POST /webhooks', keyed, { url: receiver.url, events: ['tasks.*'] })
  assert.equal(refused.status, 400)
})

test('during a rotation both secrets sign; afterwards only the new one', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { secret, uri } = await createWebhook(service, admin, receiver.url)
  const rotated = await service.request(`POST ${uri}/rotate`, admin)
  assert.equal(rotated.status, 200)
  const next = rotated.json.secret
  assert.notEqual(next, secret)
  await service.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(1)
  const [first] = receiver.received
  assert.ok(first)
  for (const one of [secret, next]) {
    new Webhook(one).verify(first.text, first.headers as Record<string, string>)
  }
  service.advance(25 * 3_600_000)
  await service.request('POST /tasks', admin, { title: 'Two' })
  await receiver.reached(2)
  const headers = receiver.received[1]?.headers as Record<string, string>
  assert.equal(String(headers['webhook-signature']).split(' ').length, 1)
})

test('unknown events, http, user information and private addresses are refused with a pointer', async () => {
  await using service = await serve(defineTasks([]))
  const send = (content: Readonly<Record<string, unknown>>) =>
    service.request('POST /webhooks', admin, content)
  const wrongEvent = await send({ url: 'https://example.org/', events: ['task.created'] })
  assert.equal(wrongEvent.status, 422)
  assert.equal(wrongEvent.json.errors[0].pointer, '/events/0')
  assert.match(wrongEvent.json.errors[0].detail, /tasks\.created/)
  for (const url of [
    'http://example.org/',
    'http://localhost:8080/',
    'https://user:word@example.org/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
  ]) {
    const refused = await send({ url, events: ['tasks.*'] })
    assert.equal(refused.status, 422, url)
    assert.equal(refused.json.errors[0].pointer, '/url', url)
  }
  const accepted = await send({ url: 'https://example.org/hook', events: ['tasks.*'] })
  assert.equal(accepted.status, 201)
})

test('a message above 20 kB has only the href of its item', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  await createWebhook(service, admin, receiver.url)
  const large = await service.request('POST /tasks', admin, { title: 'x'.repeat(20_000) })
  await receiver.reached(1)
  const feed = await service.request('GET /events', admin)
  const { event } = feed.json.find(({ href }: { href: string }) => href === large.fields.location)
  assert.deepEqual(receiver.received[0]?.json.data, { event, href: large.fields.location })
})

test('only 2xx is a success: failed attempts are recorded and repeated with the same id', async () => {
  await using receiver = await startReceiver((_, response, count) => {
    if (count === 1) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    else if (count === 2) response.writeHead(500).end()
    else response.writeHead(200).end()
  })
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(1)
  await recorded(service, uri, 'failed', 1)
  service.advance(60_000)
  await receiver.reached(2)
  await recorded(service, uri, 'failed', 2)
  service.advance(600_000)
  await receiver.reached(3)
  await recorded(service, uri, 'succeeded', 1)
  const { json } = await service.request(`GET ${uri}/deliveries`, admin)
  assert.deepEqual(
    json.map((one: Record<string, unknown>) => [one.attempt, one.status, one.responseStatus]),
    [
      [1, 'failed', 302],
      [2, 'failed', 500],
      [3, 'succeeded', 200],
    ],
  )
  assert.match(json[0].reason, /Redirects/)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, 1)
  assert.equal(json[0].message, ids[0])
})

test('410 deactivates the webhook; Retry-After is honoured', async () => {
  let status = 503
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(status, { 'retry-after': '3600' }).end(),
  )
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(1)
  await recorded(service, uri, 'failed', 1)
  service.advance(3_500_000)
  await lookedForWork(service.service.store)
  assert.equal(receiver.received.length, 1)
  status = 410
  service.advance(200_000)
  await receiver.reached(2)
  await recorded(service, uri, 'failed', 2)
  assert.equal((await service.request(`GET ${uri}`, admin)).json.active, false)
})

test('a receiver that hangs is given up after the time limit', async () => {
  await using receiver = await startReceiver(() => undefined)
  await using service = await serve(defineTasks(), { webhooks: { timeout: 200 } })
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request('POST /tasks', admin, { title: 'One' })
  await recorded(service, uri, 'failed', 1)
  const { json } = await service.request(`GET ${uri}/deliveries`, admin)
  assert.equal(json[0].reason, 'No response within 0.2 seconds.')
})

test('ping sends a test; redeliver repeats a message with its id', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  const ping = await service.request(`POST ${uri}/ping`, admin)
  assert.equal(ping.status, 202)
  assert.equal(ping.fields.location, `${uri}/deliveries`)
  await receiver.reached(1)
  assert.equal(receiver.received[0]?.json.type, 'ping')
  await service.request('POST /tasks', admin, { title: 'One' })
  await receiver.reached(2)
  await recorded(service, uri, 'succeeded', 2)
  const { json } = await service.request(`GET ${uri}/deliveries`, admin)
  const delivery = `${uri}/deliveries/${json[1].id}`
  assert.equal((await service.request(`GET ${delivery}`, admin)).status, 200)
  for (const query of ['deliveries.status=succeeded', 'embed=deliveries', 'fields=url']) {
    assert.equal((await service.request(`GET /webhooks?${query}`, admin)).status, 200, query)
  }
  for (const query of ['embed=webhook', 'webhook.url=a', 'sort=webhook.url']) {
    assert.equal((await service.request(`GET ${uri}/deliveries?${query}`, admin)).status, 400, query)
  }
  assert.equal((await service.request(`GET ${delivery}/redeliver`, admin)).status, 405)
  assert.equal((await service.request(`GET ${delivery}/redeliver`, admin)).fields.allow, 'POST, OPTIONS')
  assert.equal((await service.request(`POST ${delivery}/redeliver`, admin)).status, 202)
  await receiver.reached(3)
  const [, second, third] = receiver.received
  assert.equal(third?.text, second?.text)
  assert.equal(third?.headers['webhook-id'], second?.headers['webhook-id'])
})

test('the deliveries of a deleted webhook are 404', async () => {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request(`POST ${uri}/ping`, admin)
  await recorded(service, uri, 'succeeded', 1)
  const { json } = await service.request(`GET ${uri}/deliveries`, admin)
  await service.request(`DELETE ${uri}`, admin)
  for (const path of [`${uri}/deliveries`, `${uri}/deliveries/${json[0].id}`]) {
    assert.equal((await service.request(`GET ${path}`, admin)).status, 404, path)
  }
})

test('after writes in quick succession, webhooks are looked for at most once in 10 ms', async () => {
  await using service = await serve(defineTasks())
  const { store } = service.service
  const list = store.list.bind(store)
  let looks = 0
  store.list = (query) => {
    if (query.table === 'webhooks') looks += 1
    return list(query)
  }
  const began = performance.now()
  for (let n = 0; n < 100; n += 1) await service.request('POST /tasks', admin, { title: `Task ${n}` })
  await eventually(() => looks > 0)
  const most = 2 + (performance.now() - began) / 10
  assert.ok(looks <= most, `${looks} looks, at most ${most.toFixed(0)}`)
})
