/** RFC 9110 §9.3.2: HEAD has the header fields of GET, on every target of the demo and every error. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { maskPositions } from '../positions.ts'
import { admin, basic, type Reply } from '../service.ts'
import { type Demo, formats, serveDemo } from './demo.ts'

let demo: Demo
before(async () => {
  demo = await serveDemo()
})
after(() => demo[Symbol.asyncDispose]())

/** Fields of each message, and the framing of content that is not sent (RFC 9112 §6.1). */
const ofMessage = new Set(['date', 'request-id', 'server-timing', 'transfer-encoding'])
/** The content of these differs with each request. */
const changing = new Set(['/metrics', '/status', '/events'])
/** A page with a form has a new key each time, whose length differs when it is compressed. */
const isChanging = (path: string) => changing.has(path) || path.startsWith('/forms/')
const ofContent = new Set(['content-length', 'etag'])

type Fields = Readonly<Record<string, string>>

/** The status is asserted where one is expected. */
async function assertAlike(target: string, fields: Fields, status?: number): Promise<void> {
  const get = await demo.request(`GET ${target}`, fields)
  const head = await demo.request(`HEAD ${target}`, fields)
  const place = `${target} ${JSON.stringify(fields)}`
  if (status !== undefined) assert.equal(get.status, status, place)
  assert.equal(head.status, get.status, place)
  assert.equal(head.octets.length, 0, place)
  const [path = ''] = target.split('?')
  assert.deepEqual(comparable(head, path), comparable(get, path), place)
}

function comparable({ fields, status }: Reply, path: string) {
  const differs = (name: string) =>
    ofMessage.has(name) || (isChanging(path) && status === 200 && ofContent.has(name))
  const others = Object.entries(fields).filter(([name]) => !differs(name))
  return Object.fromEntries(others.map(([name, value]) => [name, maskPositions(String(value))]))
}

const callers: readonly (readonly [string, Fields])[] = [
  ['nobody', {}],
  ['an admin', admin],
]

describe('HEAD equals GET, field by field (RFC 9110 §9.3.2)', () => {
  for (const [name, credentials] of callers) {
    for (const format of formats) {
      test(`every target as ${format}, to ${name}`, async () => {
        for (const path of demo.targets) await assertAlike(`${path}?format=${format}`, credentials)
      })
    }

    test(`every target by Accept, to ${name}`, async () => {
      for (const path of demo.targets) {
        for (const accept of ['application/json', 'text/html', 'application/xml;q=0.9, */*;q=0.1']) {
          await assertAlike(path, { ...credentials, accept })
        }
        await assertAlike(path, { ...credentials, 'accept-encoding': 'gzip' })
      }
    })
  }

  test('403, in each format', async () => {
    const member = { email: 'eve@example.org', name: 'Eve', password: 'correct horse battery' }
    assert.equal((await demo.request('POST /users', {}, member)).status, 201)
    const credentials = basic(member.email, member.password)
    for (const accept of ['application/xml', 'text/html', 'application/json']) {
      await assertAlike('/status', { accept, ...credentials }, 403)
    }
  })

  const wrong = basic('ada@example.org', 'wrong password')
  const errors: readonly (readonly [status: number, target: string, fields?: Fields])[] = [
    [301, '/products/'],
    [304, '/products', { 'if-none-match': '*' }],
    [400, '/products?unknown=1'],
    [400, '/products?%zz=1'],
    [401, '/products', wrong],
    [401, '/tokens'],
    [401, '/metrics'],
    [404, '/nothing'],
    [404, '/products/NONE'],
    [406, '/products', { accept: 'image/png' }],
    [412, '/products/MUG-1', { 'if-match': '"x"' }],
    [414, `/products?name=${'x'.repeat(9000)}`],
    [417, '/products', { expect: 'other' }],
  ]
  for (const [status, target, fields = {}] of errors) {
    test(`${status} at ${target.slice(0, 40)}, in each format`, async () => {
      await assertAlike(target, fields, status)
      for (const accept of ['application/xml', 'text/html', 'application/json']) {
        await assertAlike(target, { accept, ...fields }, status)
      }
    })
  }
})
