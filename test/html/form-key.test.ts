/** A form that is sent twice counts once, by a random key of its page. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, nobody, resource, service, text } from '../../src/index.ts'
import { serve, type TestService } from '../service.ts'
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
    drops: resource({ title: text().unique() }, { access: { create: anyone, read: nobody } }),
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

test('a page has another key each time it is requested', async () => {
  await using s = await serve(definition)
  const pages = await Promise.all([1, 2].map(() => s.request('GET /forms/notes', browser)))
  assert.equal(new Set(pages.map(({ text }) => keyOf(text))).size, 2)
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

  test('of a page that was requested again makes another item, even with the same values', async () => {
    await using s = await serve(definition)
    for (const expected of [1, 2, 3]) {
      const { action, content } = await newNote(s, 'Same')
      assert.equal((await post(s, action, content)).status, 303)
      assert.equal(await countOf(s), expected)
    }
  })

  test('that two anonymous people behind one address send with the same values makes two items', async () => {
    await using s = await serve(definition)
    const forms = [await newNote(s, 'Same'), await newNote(s, 'Same')]
    for (const { action, content } of forms) assert.equal((await post(s, action, content)).status, 303)
    assert.equal(await countOf(s), 2)
  })

  test('on the entry point, of a collection that the caller cannot list, behaves alike', async () => {
    await using s = await serve(definition)
    const newDrop = async () =>
      formOf((await s.request('GET /', browser)).text, /^\/forms\/drops$/).set('title', 'Same')
    const { action, content } = await newDrop()
    for (const _ of [1, 2]) assert.equal((await post(s, action, content)).status, 303)
    const other = await newDrop()
    assert.equal((await post(s, other.action, other.content)).status, 409)
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

test('a repeated request for HTML with an Idempotency-Key has one effect, and no page', async () => {
  await using s = await serve(definition)
  const send = () => s.request('POST /notes', { ...formed, 'idempotency-key': '"k"' }, 'title=One')
  const [first, again] = [await send(), await send()]
  assert.match(first.text, /<h1>One<\/h1>/)
  assert.deepEqual([again.status, again.fields.location, again.text], [201, first.fields.location, ''])
  assert.equal(again.fields['content-type'], undefined)
  assert.equal(await countOf(s), 1)
})
