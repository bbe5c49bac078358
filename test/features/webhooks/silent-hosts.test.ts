/** Receivers that do not respond: they slow down the deliveries of their owners, not those of others. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../eventually.ts'
import { admin, serve } from '../../service.ts'
import { defineTasks } from './definition.ts'
import { startReceiver } from './receiver.ts'
import { addElement, createWebhook, recorded } from './webhook-requests.ts'

test('eight webhooks of one account to a silent host do not hold up the deliveries of another account', async () => {
  await using silent = await startReceiver(() => undefined)
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks(), { webhooks: { timeout: 120_000 } })
  const eve = await addElement(service, 'eve@example.org')
  const ann = await addElement(service, 'ann@example.org')
  for (let count = 0; count < 8; count += 1) await createWebhook(service, eve, silent.url)
  await createWebhook(service, ann, receiver.url)
  for (let count = 0; count < 8; count += 1) {
    await service.request('POST /tasks', { authorization: eve.authorization }, { title: `${count}` })
  }
  await silent.reached(16)
  await service.request('POST /tasks', { authorization: ann.authorization }, { title: 'Hers' })
  await receiver.reached(1)
  assert.equal(silent.received.length, 16, 'half of the places')
})

test('a host that did not respond gets one request at a time, until it responds', async () => {
  let responds = false
  let open = 0
  let most = 0
  await using receiver = await startReceiver((_, response) => {
    if (responds) return void response.writeHead(204).end()
    open += 1
    most = Math.max(most, open)
    response.on('close', () => {
      open -= 1
    })
  })
  await using service = await serve(defineTasks(), { webhooks: { timeout: 300 } })
  const { uri } = await createWebhook(service, admin, receiver.url)
  await service.request('POST /tasks', admin, { title: 'First' })
  await recorded(service, uri, 'failed', 1)
  most = 0
  for (let count = 0; count < 6; count += 1) {
    await service.request('POST /tasks', admin, { title: `${count}` })
  }
  await recorded(service, uri, 'failed', 4)
  // The connection of one may close after the next one has opened.
  assert.ok(most <= 2, String(most))
  responds = true
  service.advance(120_000)
  await recorded(service, uri, 'succeeded', 7)
  await eventually(() => open === 0)
})
