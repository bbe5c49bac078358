/** `exclusive: true` on a transition: of several callers only the first can perform it, a later PATCH is 409. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, resource, service, state, text } from 'restwell'
import { faultOf, type Loose, loose } from '../definition/sample.ts'
import { serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const status = state({
  initial: 'free',
  transitions: {
    take: { from: 'free', to: 'taken', exclusive: true },
    release: { from: 'taken', to: 'free' },
  },
})
const seats = service({
  title: 'Seats',
  resources: { seats: resource({ name: text().optional(), status }, { access: open }) },
})

describe('an exclusive transition (RFC 9110 §15.5.10)', () => {
  test('of eight concurrent PATCH requests one succeeds and seven are 409', async () => {
    await using s = await serve(seats)
    const { location } = (await s.request('POST /seats', {}, {})).fields
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => s.request(`PATCH ${location}`, {}, { status: 'taken' })),
    )
    const codes = replies.map((reply) => reply.status).sort()
    assert.deepEqual(codes, [200, 409, 409, 409, 409, 409, 409, 409])
    const refused = replies.find((reply) => reply.status === 409)
    assert.equal(refused?.json.type, '/problems/state-conflict')
    assert.match(refused?.json.detail, /'taken' already/)
    assert.deepEqual(refused?.json.open, [{ name: 'release', to: 'free' }])
  })

  test('other fields in the refused PATCH are not written, and a released item can be claimed again', async () => {
    await using s = await serve(seats)
    const { location } = (await s.request('POST /seats', {}, {})).fields
    await s.request(`PATCH ${location}`, {}, { status: 'taken', name: 'Ada' })
    const late = await s.request(`PATCH ${location}`, {}, { status: 'taken', name: 'Bob' })
    assert.equal(late.status, 409)
    assert.equal((await s.request(`GET ${location}`)).json.name, 'Ada')
    await s.request(`PATCH ${location}`, {}, { status: 'free' })
    assert.equal((await s.request(`PATCH ${location}`, {}, { status: 'taken' })).status, 200)
  })

  test('JSON Patch and XML follow the same rule', async () => {
    await using s = await serve(seats)
    const { location } = (await s.request('POST /seats', {}, {})).fields
    await s.request(`PATCH ${location}`, {}, { status: 'taken' })
    const patch = { 'content-type': 'application/json-patch+json' }
    for (const op of ['replace', 'add']) {
      const operations = [{ op, path: '/status', value: 'taken' }]
      assert.equal((await s.request(`PATCH ${location}`, patch, operations)).status, 409, op)
    }
    const later = [
      { op: 'add', path: '/name', value: 'Bob' },
      { op: 'replace', path: '/status', value: 'taken' },
    ]
    assert.equal(
      (await s.request(`PATCH ${location}`, patch, later)).status,
      409,
      'whichever operation writes it',
    )
    const test = [{ op: 'test', path: '/status', value: 'taken' }]
    assert.equal((await s.request(`PATCH ${location}`, patch, test)).status, 200)
    const xml = '<seats><status>taken</status></seats>'
    const type = { 'content-type': 'application/xml' }
    assert.equal((await s.request(`PATCH ${location}`, type, xml)).status, 409)
  })

  test('a PUT may send the present state back (RFC 9110 §9.3.4), and a PATCH may leave it out', async () => {
    await using s = await serve(seats)
    const { location } = (await s.request('POST /seats', {}, {})).fields
    await s.request(`PATCH ${location}`, {}, { status: 'taken' })
    const { json } = await s.request(`GET ${location}`)
    assert.equal((await s.request(`PUT ${location}`, {}, { ...json, name: 'Ada' })).status, 200)
    assert.equal((await s.request(`PATCH ${location}`, {}, { name: 'Bob' })).status, 200)
  })

  test('a retry with its Idempotency-Key gets the first response', async () => {
    await using s = await serve(seats)
    const { location } = (await s.request('POST /seats', {}, {})).fields
    const key = { 'idempotency-key': '"take"' }
    for (const _ of [1, 2]) {
      assert.equal((await s.request(`PATCH ${location}`, key, { status: 'taken' })).status, 200)
    }
  })

  test('the OpenAPI description of PATCH and the documentation name it', async () => {
    await using s = await serve(seats)
    const { json } = await s.request('GET /openapi.json')
    assert.match(json.paths['/seats/{id}'].patch.description, /'take' is exclusive.*409/)
    const page = await s.request('GET /docs', { accept: 'text/html' })
    assert.match(page.text, /take<\/strong>: from free to taken; only the first request succeeds/)
  })
})

describe('its declaration', () => {
  const fault = (exclusive: unknown, options: Loose = {}) => {
    const declared = state({
      initial: 'free',
      // Typed loosely: the checks are for definitions that the types did not see.
      transitions: { take: { from: 'free', to: 'taken', exclusive: exclusive as boolean } },
    })
    return faultOf({ things: loose({ status: declared }, options) })
  }

  test('must be true or false', () => {
    assert.match(fault('yes'), /'exclusive' must be true or false, not "yes"/)
  })

  test('needs PATCH, without which it would have no effect', () => {
    const expected = "'exclusive' needs the method PATCH. Add 'PATCH' to 'methods'."
    const methods = ['GET', 'POST', 'PUT']
    assert.equal(fault(true, { methods }), `things.status: Transition 'take': ${expected}`)
  })
})
