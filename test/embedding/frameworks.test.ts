/**
 * Runs each example in its framework.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { OpenService } from '../../src/index.ts'
import { frameworksFolder, whyNoFramework } from '../frameworks-folder.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'

const frameworks = ['express', 'fastify', 'hono', 'koa']

registerHooks({
  resolve(name, context, next) {
    if (!frameworks.includes(name) && !name.startsWith('@hono/')) return next(name, context)
    return next(name, { ...context, parentURL: pathToFileURL(join(frameworksFolder, 'example.js')).href })
  },
})

for (const name of ['http', ...frameworks]) {
  const skip = name !== 'http' && whyNoFramework(name)
  test(`the service mounts under a prefix in ${name}`, { skip }, async () => {
    const example = (await import(`../../examples/embedding/${name}.js`)) as Example
    await serving(example, askAll)
  })
}

test('the practice has a page of its own in fastify, with the rights of who asks', {
  skip: whyNoFramework('fastify'),
}, async () => {
  process.env.STRIPE_WEBHOOK_SECRET = 'whsec_of_the_practice'
  // Frameworks have no types here.
  const page: string = '../../examples/practice/app.js'
  const example = (await import(page)) as Example
  await serving(example, askPractice)
})

interface Example {
  readonly server: Server
  readonly service: OpenService
}

async function serving({ server, service }: Example, request: (request: SendRequest) => Promise<void>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await request(createRequester((server.address() as AddressInfo).port))
  } finally {
    server.closeAllConnections()
    server.close()
    await service.close()
  }
}

async function askAll(request: SendRequest): Promise<void> {
  assert.equal((await request('GET /')).text, 'My page for guests: 0 articles')
  const home = await request('GET /api')
  assert.equal(home.status, 200)
  assert.equal(home.json.links.users, '/api/users')
  const person = { email: 'ada@example.org', name: 'Ada', password: 'correct horse battery' }
  const made = await request('POST /api/users', {}, person)
  assert.equal(made.status, 201, made.text)
  assert.match(String(made.fields.location), /^\/api\/users\//)
  const got = await request(`GET ${made.fields.location}?fields=name`)
  assert.deepEqual(got.json, { id: made.json.id, name: 'Ada' })
  assert.match(String(got.fields.etag), /^"/)
  const ada = basic(person.email, person.password)
  assert.equal((await request('POST /api/articles', ada, { slug: 'draft', title: 'Draft' })).status, 201)
  assert.equal((await request('GET /', ada)).text, `My page for ${made.json.id}: 1 articles`)
  assert.equal((await request('GET /')).text, 'My page for guests: 0 articles')
  const refused = await request('GET /', basic(person.email, 'wrong'))
  assert.deepEqual([refused.status, refused.json.type], [401, '/api/problems/unauthenticated'])
  assert.match(String(refused.fields['www-authenticate']), /^Basic /)
  assert.equal((await request('GET /api/nothing')).json.type, '/api/problems/not-found')
  assert.equal((await request('DELETE /api/users')).status, 405)
  assert.equal((await request('POST /api/users', {}, '{')).status, 415)
  assert.equal((await request('POST /api/users', { 'content-type': 'application/json' }, '{')).status, 400)
}

async function askPractice(request: SendRequest): Promise<void> {
  const boss = basic('admin@practice.example', 'correct horse battery')
  const made = async (collection: string, content: object) => {
    const reply = await request(`POST /api/${collection}`, boss, content)
    assert.equal(reply.status, 201, reply.text)
    return String(reply.json.id)
  }
  const person = {
    name: 'Vera',
    email: 'vera@practice.example',
    password: 'correct horse battery',
    role: 'vet',
  }
  const vet = await made('people', person)
  const patient = await made('patients', { name: 'Rex', species: 'dog', keeper: vet })
  const day = new Date().toISOString().slice(0, 10)
  const visit = await made('appointments', {
    patient,
    vet,
    start: `${day}T09:15:00Z`,
    reason: 'Vaccination',
  })
  const page = 'GET /dashboard'
  const own = basic(person.email, person.password)
  assert.equal((await request(page, boss)).text, `${day}T09:15:00.000Z Vaccination\n`)
  assert.equal((await request(page)).status, 401)
  assert.equal((await request(page, basic(person.email, 'wrong'))).status, 401)
  for (const status of ['confirmed', 'done']) {
    const { text } = await request(`PATCH /api/appointments/${visit}`, own, { status })
    assert.match(text, new RegExp(status))
  }
  assert.equal((await request(`POST /api/appointments/${visit}/bill`, boss, {})).status, 201)
  const { status, text } = await request(`${page}?remind`, own)
  assert.equal(status, 200, text)
  assert.match(text, /\ninvoice-1\.pdf$/)
  const reminders = await request('GET /api/reminders?fields=patient,due', boss)
  assert.deepEqual(
    reminders.json.map(({ due }: { due: string }) => due),
    [day],
  )
}
