/** Items and collections with a new URI: 301 (RFC 9110 §15.4.2). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyone, email, integer, password, ref, resource, service, text, where } from 'restwell'
import { cases } from '../cases.ts'
import { basic, type Reply, serve } from '../service.ts'
import { leadsTo, make, rename, things } from './moved-item.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const shop = service({
  title: 'Shop',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource({ email: email().unique(), password: password() }, { access: open }),
    things: resource(things, { key: 'sku', access: open }),
    kept: resource(things, { key: 'sku', access: open, tombstones: true }),
    named: resource(things, { key: 'sku', access: open, put: 'create' }),
    numbered: resource({ number: integer() }, { key: 'number', access: open }),
    shown: resource(
      { ...things, public: integer() },
      { key: 'sku', access: { ...open, read: where({ public: 1 }) } },
    ),
    parts: resource({ thing: ref('things'), twin: ref('parts').optional() }, { access: open }),
    nodes: resource({ sku: text(), next: ref('nodes').optional() }, { key: 'sku', access: open }),
  },
})

describe('an item whose key changed', () => {
  test('is 301 with Location for every method, with the query', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    await rename(s, '/things/old', 'new')
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      leadsTo(await s.request(`${method} /things/old`), '/things/new')
    }
    for (const method of ['PUT', 'PATCH']) {
      leadsTo(await s.request(`${method} /things/old`, {}, { sku: 'x' }), '/things/new')
    }
    leadsTo(await s.request('GET /things/old?format=json'), '/things/new?format=json')
    assert.equal((await s.request('OPTIONS /things/old')).status, 204)
    assert.equal((await s.request('POST /things/old', {}, {})).status, 405)
    assert.deepEqual((await s.request('GET /things/old')).json, { location: '/things/new' })
    assert.equal((await s.request('GET /things/new')).json.id, 'new')
  })

  test('redirects before preconditions are judged (RFC 9110 §13.2.1)', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    await rename(s, '/things/old', 'new')
    leadsTo(await s.request('GET /things/old', { 'if-match': '"x"' }), '/things/new')
    leadsTo(await s.request('GET /things/old', { 'if-none-match': '*' }), '/things/new')
  })

  test('responds to its own rename at the new URI', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    const renamed = await rename(s, '/things/old', 'new')
    assert.equal(renamed.fields['content-location'], '/things/new')
    assert.equal(renamed.fields.etag, (await s.request('GET /things/new')).fields.etag)
  })

  test('is found from every former name, in one step', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'a' })
    await rename(s, '/things/a', 'b')
    await rename(s, '/things/b', 'c')
    leadsTo(await s.request('GET /things/a'), '/things/c')
    leadsTo(await s.request('GET /things/b'), '/things/c')
  })

  test('can get its old name again, without a redirect loop', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'a' })
    await rename(s, '/things/a', 'b')
    await rename(s, '/things/b', 'a')
    assert.equal((await s.request('GET /things/a')).status, 200)
    leadsTo(await s.request('GET /things/b'), '/things/a')
  })

  test('may have a key that needs encoding, or is a number', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'a/b c' })
    await rename(s, '/things/a%2Fb%20c', 'ü?#')
    leadsTo(await s.request('GET /things/a%2fb%20c'), '/things/%C3%BC%3F%23')
    await make(s, '/numbered', { number: 1 })
    await rename(s, '/numbered/1', 2, 'number')
    leadsTo(await s.request('GET /numbered/1'), '/numbered/2')
    leadsTo(await s.request('GET /numbered/01'), undefined)
  })

  test('carries along what refers to it', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    const { location } = (await s.request('POST /parts', {}, { thing: 'old' })).fields
    await rename(s, '/things/old', 'new')
    assert.equal((await s.request(`GET ${location}`)).json.thing, 'new')
  })

  test('that refers to itself shows its new key at once', async () => {
    await using s = await serve(shop)
    await make(s, '/nodes', { sku: 'old' })
    await s.request('PATCH /nodes/old', {}, { next: 'old' })
    const renamed = await rename(s, '/nodes/old', 'new')
    assert.equal(renamed.json.next, 'new')
    assert.equal((await s.request('GET /nodes/new')).fields.etag, renamed.fields.etag)
  })

  test('redirects only callers who may read it now; it is absent for others', async () => {
    await using s = await serve(shop)
    await make(s, '/shown', { sku: 'old', public: 1 })
    await rename(s, '/shown/old', 'new')
    leadsTo(await s.request('GET /shown/old'), '/shown/new')
    await s.request('PATCH /shown/new', {}, { public: 0 })
    const hidden = await s.request('GET /shown/old')
    const absent = await s.request('GET /shown/never')
    assert.equal(hidden.status, 404)
    const same = ({ json, fields }: Reply) => {
      const { date, 'request-id': _, ...others } = fields
      return { ...others, ...json, instance: '' }
    }
    assert.deepEqual(same(hidden), same(absent))
  })

  test('redirects nowhere after it is deleted', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    await rename(s, '/things/old', 'new')
    await s.request('DELETE /things/new')
    leadsTo(await s.request('GET /things/old'), undefined)
  })
})

describe('a new item at the old URI', () => {
  test('takes precedence over the redirect, however it got its name', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old', name: 'first' })
    await rename(s, '/things/old', 'new')
    await make(s, '/things', { sku: 'old', name: 'second' })
    assert.equal((await s.request('GET /things/old')).json.name, 'second')
    await rename(s, '/things/old', 'elsewhere')
    leadsTo(await s.request('GET /things/old'), '/things/elsewhere')
    await rename(s, '/things/new', 'old')
    assert.equal((await s.request('GET /things/old')).json.name, 'first')
  })

  test('leaves no redirect when it is deleted', async () => {
    await using s = await serve(shop)
    await make(s, '/things', { sku: 'old' })
    await rename(s, '/things/old', 'new')
    await make(s, '/things', { sku: 'old' })
    await s.request('DELETE /things/old')
    leadsTo(await s.request('GET /things/old'), undefined)
  })

  test('is not created by a PUT, which follows the moved item', async () => {
    await using s = await serve(shop)
    await s.request('PUT /named/old', {}, {})
    await rename(s, '/named/old', 'new')
    leadsTo(await s.request('PUT /named/old', {}, {}), '/named/new')
    assert.equal((await s.request('PUT /named/other', {}, {})).status, 201)
  })
})

test('an item below one whose key changed is below the new URI', async () => {
  const users = resource(
    { nick: text(), email: email().unique(), password: password() },
    { key: 'nick', access: open },
  )
  const first = { nick: 'first' }
  const accounts = { resource: 'users', login: 'email', password: 'password', first } as const
  await using s = await serve(service({ title: 'Nicks', accounts, resources: { users } }))
  await make(s, '/users', { nick: 'old', email: 'ada@example.org', password: 'correct horse battery' })
  await rename(s, '/users/old', 'new', 'nick')
  const ada = basic('ada@example.org', 'correct horse battery')
  const below = 'credentials/0198a2f0-0000-7000-8000-000000000000'
  leadsTo(await s.request(`GET /users/old/${below}`, ada), `/users/new/${below}`)
  leadsTo(await s.request('GET /users/old/credentials?limit=1', ada), '/users/new/credentials?limit=1')
})

test('of a tombstone and a move the later one applies (docs/reference/http.md, "Order of decisions")', async () => {
  await using s = await serve(shop)
  await make(s, '/kept', { sku: 'a', name: 'first' })
  await s.request('DELETE /kept/a')
  assert.equal((await s.request('GET /kept/a')).status, 410)
  await make(s, '/kept', { sku: 'a', name: 'second' })
  assert.equal((await s.request('GET /kept/a')).status, 200)
  await rename(s, '/kept/a', 'b')
  leadsTo(await s.request('GET /kept/a'), '/kept/b')
  await make(s, '/kept', { sku: 'a', name: 'third' })
  await s.request('DELETE /kept/a')
  assert.equal((await s.request('GET /kept/a')).status, 410)
})

test('after random creates, renames and deletes each URI responds like a plain model', async (t) => {
  await using s = await serve(shop)
  const names = ['a', 'b', 'c', 'd']
  const name = fc.constantFrom(...names)
  const step = fc.oneof(
    fc.record({ do: fc.constant('make'), at: name, to: name }),
    fc.record({ do: fc.constant('rename'), at: name, to: name }),
    fc.record({ do: fc.constant('delete'), at: name, to: name }),
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
    for (const one of names) await s.request(`DELETE /things/${one}`)
    const model = new Model()
    for (const { do: what, at, to } of steps) {
      if (what === 'make') {
        await s.request('POST /things', {}, { sku: at })
        model.make(at)
      } else if (what === 'rename') {
        await s.request(`PATCH /things/${at}`, {}, { sku: to })
        model.rename(at, to)
      } else {
        await s.request(`DELETE /things/${at}`)
        model.delete(at)
      }
    }
    for (const one of names) {
      const reply = await s.request(`GET /things/${one}`)
      const expected = model.at(one)
      if (expected === one) assert.equal(reply.status, 200)
      else leadsTo(reply, expected && `/things/${expected}`)
    }
  })
  const seed = Date.now() % 2 ** 31
  t.diagnostic(`seed ${seed}`)
  // Each case starts without items, and earlier moved ones have been deleted.
  await fc.assert(property, { seed, numRuns: cases(300) })
})

/** The item at each name, and the last former item of each name. */
class Model {
  #next = 0
  readonly #items = new Map<number, string>()
  readonly #last = new Map<string, number>()

  at(name: string): string | undefined {
    const item = this.#last.get(name)
    return item === undefined ? undefined : this.#items.get(item)
  }

  make(name: string): void {
    if (this.#live(name) !== undefined) return
    this.#items.set(this.#next, name)
    this.#last.set(name, this.#next++)
  }

  rename(from: string, to: string): void {
    const item = this.#live(from)
    if (item === undefined || this.#live(to) !== undefined) return
    this.#items.set(item, to)
    this.#last.set(to, item)
  }

  delete(name: string): void {
    const item = this.#live(name)
    if (item !== undefined) this.#items.delete(item)
  }

  #live(name: string): number | undefined {
    const item = this.#last.get(name)
    return item !== undefined && this.#items.get(item) === name ? item : undefined
  }
}
