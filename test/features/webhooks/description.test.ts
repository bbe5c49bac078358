/** Webhooks in the OpenAPI document, and as methods of the client. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { client } from '../../../src/client.ts'
import { email, password, resource, service, signedIn, text } from '../../../src/index.ts'
import { resolve } from '../../describe/request-maker.ts'
import { admin, serve } from '../../service.ts'
import { defineTasks } from './definition.ts'
import { startReceiver } from './receiver.ts'

const operationsOf = (paths: object) =>
  Object.entries(paths)
    .filter(([route]) => route.startsWith('/webhooks'))
    .flatMap(([route, path]) => Object.keys(path).map((method) => `${method} ${route}`))
    .filter((operation) => !operation.startsWith('parameters'))

test('OpenAPI has the operations of webhooks, for callers who may have them', async () => {
  await using s = await serve(defineTasks())
  const { json } = await s.request('GET /openapi.json', admin)
  assert.deepEqual(operationsOf(json.paths), [
    'get /webhooks',
    'post /webhooks',
    'get /webhooks/-/aggregate',
    'get /webhooks/{id}',
    'patch /webhooks/{id}',
    'delete /webhooks/{id}',
    'post /webhooks/{id}/ping',
    'post /webhooks/{id}/rotate',
    'get /webhooks/{id}/deliveries',
    'get /webhooks/{id}/deliveries/-/aggregate',
    'get /webhooks/{id}/deliveries/{below}',
    'post /webhooks/{id}/deliveries/{below}/redeliver',
  ])
  const anonymous = await s.request('GET /openapi.json')
  assert.deepEqual(operationsOf(anonymous.json.paths), [])
})

test('OpenAPI without the option `webhooks` has only the requests that are sent', async () => {
  const users = resource({ email: email().unique(), password: password() }, { access: { read: signedIn } })
  const notes = resource({ title: text() }, { access: { read: signedIn } })
  const accounts = { resource: 'users', login: 'email', password: 'password' } as const
  await using s = await serve(service({ title: 'Notes', accounts, resources: { users, notes } }))
  const { json } = await s.request('GET /openapi.json', admin)
  assert.deepEqual(operationsOf(json.paths), [])
})

test('each described operation responds with the described status and content', async () => {
  await using receiver = await startReceiver()
  await using s = await serve(defineTasks())
  const document = (await s.request('GET /openapi.json', admin)).json
  const { paths, components } = document
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'doc', components })
  const content = { url: receiver.url, events: ['tasks.*'] }
  const { id } = (await s.request('POST /webhooks', admin, content)).json
  await s.request(`POST /webhooks/${id}/ping`, admin)
  await receiver.reached(1)
  const [{ id: delivery }] = (await s.request(`GET /webhooks/${id}/deliveries`, admin)).json
  // The deletion is last.
  const operations = operationsOf(paths).toSorted(
    (a, b) => Number(/^delete/.test(a)) - Number(/^delete/.test(b)),
  )
  for (const operation of operations) {
    const [method = '', route = ''] = operation.split(' ')
    const query = route.endsWith('/aggregate') ? '?aggregate=count' : ''
    const target = route.replace('{id}', id).replace('{below}', delivery) + query
    const hasContent = paths[route][method].requestBody !== undefined
    const sent = hasContent ? (method === 'patch' ? { active: true } : content) : undefined
    const reply = await s.request(`${method.toUpperCase()} ${target}`, admin, sent)
    const described = resolve(document, paths[route][method].responses[reply.status])
    assert.ok(described && reply.status < 300, `${operation}: ${reply.status} ${reply.text}`)
    const schema = described.content?.['application/json'].schema
    assert.equal(reply.text === '', schema === undefined, operation)
    if (schema) assert.ok(ajv.validate(inDocument(schema), reply.json), `${operation}: ${ajv.errorsText()}`)
  }
})

/** The schema with references into the document that the validator has. */
function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/'))
}

test('the client pings, rotates and redelivers', async () => {
  await using receiver = await startReceiver()
  const definition = defineTasks()
  await using s = await serve(definition)
  const api = client<typeof definition>(s.url, { authorization: admin.authorization })
  const webhook = await api.webhooks.create({ url: receiver.url, events: ['tasks.created'] })
  assert.equal(await api.webhooks.ping(webhook.id, {}), undefined)
  await receiver.reached(1)
  const { secret } = await api.webhooks.rotate(webhook.id, {})
  assert.notEqual(secret, webhook.secret)
  await api.tasks.create({ title: 'One' })
  await receiver.reached(2)
  const deliveries = api.webhooks.deliveries(webhook.id)
  const sent = (await deliveries.list()).find(({ event }) => event === 'tasks.created')
  assert.ok(sent)
  await deliveries.redeliver(sent.id, {})
  await receiver.reached(3)
  const [, first, again] = receiver.received
  assert.equal(again?.headers['webhook-id'], first?.headers['webhook-id'])
  await api.webhooks.patch(webhook.id, { active: false })
  await api.webhooks.remove(webhook.id)
  assert.deepEqual([...(await api.webhooks.list())], [])
})
