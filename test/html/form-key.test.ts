/** Pages with forms can be revalidated (RFC 9110 §13.1.2), and a form that is sent twice counts once. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import shop from '../../examples/shop.ts'
import { anyone, nobody, resource, service, text } from '../../src/index.ts'
import { type Handling, handling } from '../handling.ts'
import { admin, serve, type TestService } from '../service.ts'
import { formOf } from './submitted-form.ts'

const browser = {
  host: 'localhost',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
}
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

const all = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: {
    notes: resource({ title: text() }, { access: all }),
    drops: resource({ title: text() }, { access: { create: anyone, read: nobody } }),
  },
})

function keyOf(page: string): string {
  const key = /name="_key" value="([^"]+)"/.exec(page)?.[1]
  assert.ok(key, 'the page has a form with a key')
  return key
}

async function countOf(s: TestService): Promise<number> {
  const { fields } = await s.request('GET /notes?limit=1', { prefer: 'count=exact' })
  return Number(fields['total-count'])
}

describe('a page with forms', () => {
  test('is 304 while it is unchanged, to anonymous callers and to accounts (RFC 9110 §15.4.5)', async () => {
    await using s = await serve(shop)
    const made = await s.request('POST /products', admin, { sku: 'T', name: 'Tea', price: '1.00' })
    for (const caller of [{}, admin]) {
      for (const path of ['/', '/users', '/products', '/articles', String(made.fields.location)]) {
        const first = await s.request(`GET ${path}`, { ...browser, ...caller })
        assert.equal(first.status, 200, path)
        const condition = { 'if-none-match': String(first.fields.etag) }
        for (const method of ['GET', 'HEAD']) {
          const again = await s.request(`${method} ${path}`, { ...browser, ...caller, ...condition })
          assert.equal(again.status, 304, `${method} ${path}`)
        }
      }
    }
  })

  test('has another tag and another key once it has changed, and for another caller', async () => {
    await using s = await serve(shop)
    const first = await s.request('GET /sign-in', browser)
    const other = await s.request('GET /forms/users', { ...browser, ...admin })
    assert.notEqual(keyOf(other.text), keyOf(first.text))
    const account = formOf(first.text, /^\/forms\/users$/)
      .set('email', 'ada@example.org')
      .set('name', 'Ada')
      .set('password', 'long enough for anyone')
    assert.equal((await s.request(`POST ${account.action}`, formed, account.content)).status, 303)
    const changed = await s.request('GET /sign-in', browser)
    assert.notEqual(changed.fields.etag, first.fields.etag)
    assert.notEqual(keyOf(changed.text), keyOf(first.text))
  })
})

describe('a form', () => {
  test('that is sent twice, one after the other or at once, makes one item', async () => {
    await using s = await serve(definition)
    const { content, action } = await newNote(s, 'One')
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => post(s, action, content)))
    assert.ok([first, ...others].some((reply) => reply?.status === 303))
    assert.equal((await post(s, action, content)).status, 303)
    assert.equal(await countOf(s), 1)
  })

  test('that is sent with another body under the same key is a new request, which can be repeated as well', async () => {
    await using s = await serve(definition)
    const form = await newNote(s, 'One')
    const bodies = [form.content, form.set('title', 'Two').content, form.set('title', 'Three').content]
    for (const body of [...bodies, ...bodies]) {
      assert.equal((await post(s, form.action, body)).status, 303)
    }
    assert.equal(await countOf(s), 3)
    const twice = bodies.flatMap((body) => [`${body}+`, `${body}+`])
    const replies = await Promise.all(twice.map((body) => post(s, form.action, body)))
    assert.ok(replies.every(({ status }) => status === 303 || status === 409))
    assert.equal(await countOf(s), 6)
  })

  test('of the page as it is after a creation makes another item, even with the same body and where the page does not show the first', async () => {
    await using s = await serve(definition)
    for (let at = 0; at < 60; at += 1) await s.request('POST /notes', {}, { title: `Note ${at}` })
    for (const expected of [61, 62, 63]) {
      const { action, content } = await newNote(s, 'Same')
      assert.equal((await post(s, action, content)).status, 303)
      assert.equal(await countOf(s), expected)
    }
  })

  test('on the entry point, of a collection that the caller cannot list, behaves alike', async () => {
    await using s = await serve(definition)
    const locations = new Set<unknown>()
    for (const _ of [1, 2]) {
      const page = await s.request('GET /', browser)
      const { action, content } = formOf(page.text, /^\/forms\/drops$/).set('title', 'Same')
      const reply = await post(s, action.replace('/forms', ''), content)
      assert.equal(reply.status, 201)
      locations.add(reply.fields.location)
      assert.equal((await post(s, '/drops', content)).fields.location, reply.fields.location)
    }
    assert.equal(locations.size, 2)
  })

  async function newNote(s: TestService, title: string) {
    const page = await s.request('GET /forms/notes', browser)
    return formOf(page.text, /^\/forms\/notes$/).set('title', title)
  }

  function post(s: TestService, action: string, content: string) {
    return s.request(`POST ${action}`, formed, content)
  }
})

test('an Idempotency-Key that a program sends is still 422 with another body', async () => {
  await using s = await serve(definition)
  const key = { 'idempotency-key': '"k"' }
  assert.equal((await s.request('POST /notes', { ...formed, ...key }, 'title=One')).status, 201)
  assert.equal((await s.request('POST /notes', { ...formed, ...key }, 'title=Two')).status, 422)
})

test('the key of a form that asks for a password is not known from the database, where a fast hash of the content is kept under it', async () => {
  await using one = await handling(shop)
  await using other = await handling(shop)
  const pageOf = async (s: Handling) => {
    const { fields, text } = await s.handle('GET /sign-in', browser)
    return { tag: fields.etag, key: keyOf(text) }
  }
  const first = await pageOf(one)
  assert.deepEqual(await pageOf(one), first)
  const elsewhere = await pageOf(other)
  assert.notEqual(elsewhere.key, first.key)
  assert.notEqual(elsewhere.tag, first.tag)
})
