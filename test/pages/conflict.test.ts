/** Forms on an item that another request has changed: 412 with a page for each method (RFC 9110 §15.5.13). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, list, resource, service, text } from '../../src/index.ts'
import { serve, type TestService } from '../service.ts'
import { everyKind, wholeNote } from './every-kind.ts'
import { formOf, type SubmittedForm } from './submitted-form.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
async function made(s: TestService, body: unknown = wholeNote, collection = '/notes'): Promise<string> {
  const { status, fields: sent, text: answer } = await s.request(`POST ${collection}`, {}, body)
  assert.equal(status, 201, answer)
  return String(sent.location)
}

async function formAt(s: TestService, uri: string, wanted: RegExp): Promise<SubmittedForm> {
  return formOf((await s.request(`GET ${uri}`, browser)).text, wanted)
}

function send(s: TestService, { action, content }: SubmittedForm) {
  return s.request(`POST ${action}`, formed, content)
}

async function itemAt(s: TestService, uri: string) {
  const { updatedAt: _, ...item } = (await s.request(`GET ${uri}`)).json
  return item
}

/** The edit form, which is the one with a title. */
async function editAt(s: TestService, uri: string): Promise<SubmittedForm> {
  return formAt(s, `/forms${uri}`, /method=P/)
}

describe('an edit', () => {
  test('that changes nothing writes nothing, whatever the browser made of the values', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const before = await s.request(`GET ${uri}`)
    const saved = await send(s, await editAt(s, uri))
    assert.equal(saved.status, 303, saved.text)
    const after = await s.request(`GET ${uri}`)
    assert.equal(after.fields.etag, before.fields.etag)
    assert.deepEqual(after.json, before.json)
  })

  test('leaves a list as it is that no control can hold: another order of boxes, empty items, returns', async () => {
    const all = { read: anyone, create: anyone, update: anyone, delete: anyone }
    const boxes = list(choice(['a', 'b', 'c'])).default([])
    const lines = list(text({ max: 10 })).optional()
    const rows = resource({ title: text(), boxes, lines }, { access: all })
    await using s = await serve(service({ title: 'Lists', resources: { rows } }))
    for (const lines of [['', 'x'], [''], ['x\ry'], [' x', 'y ']]) {
      const uri = await made(s, { title: 'Old', boxes: ['c', 'a'], lines }, '/rows')
      const before = await itemAt(s, uri)
      assert.equal((await send(s, (await editAt(s, uri)).set('title', 'New'))).status, 303)
      assert.deepEqual(await itemAt(s, uri), { ...before, title: 'New' })
    }
  })

  test('writes the changed fields alone; what is emptied is removed', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const before = await itemAt(s, uri)
    const edit = (await editAt(s, uri)).set('title', 'Mine').set('count', '')
    assert.equal((await send(s, edit)).status, 303)
    const { count: _, ...rest } = before
    assert.deepEqual(await itemAt(s, uri), { ...rest, title: 'Mine' })
  })

  test('replaces a JSON value as a whole, members that were taken out included', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('extra', '{"n":[2]}')
    assert.equal((await send(s, edit)).status, 303)
    assert.deepEqual((await itemAt(s, uri)).extra, { n: [2] })
  })

  test('is 422 where a required field was emptied, and its page keeps what was changed', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', '').set('count', '8')
    const refused = await send(s, edit)
    assert.equal(refused.status, 422)
    const again = formOf(refused.text, /method=PATCH/).set('title', 'Mended')
    assert.equal((await send(s, again)).status, 303)
    const { title, count, price } = await itemAt(s, uri)
    assert.deepEqual([title, count, price], ['Mended', 8, '2.50'])
  })

  test('after a lost race keeps the fields of the other that the person did not touch', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { body: 'Theirs', count: 8, tags: ['theirs'] })
    const theirs = await itemAt(s, uri)
    const lost = await send(s, edit)
    assert.equal(lost.status, 412)
    assert.deepEqual(await itemAt(s, uri), theirs)
    const rows = [...lost.text.matchAll(/<tr[^>]*><th scope="row">(\w+)/g)].map(([, name]) => name)
    assert.deepEqual(rows, ['Title'], 'only what the person changed is compared')
    assert.match(lost.text, /<button class="main">Overwrite with mine<\/button>/)
    const again = formOf(lost.text, /method=PATCH/)
    assert.equal((await send(s, again)).status, 303)
    assert.deepEqual(await itemAt(s, uri), { ...theirs, title: 'Mine' })
  })

  test('of the same field shows both values, and saves the one of the person', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const lost = await send(s, edit)
    assert.match(lost.text, /Theirs<\/span><\/td><td><span class="text">Mine/)
    assert.equal((await send(s, formOf(lost.text, /method=PATCH/))).status, 303)
    assert.equal((await itemAt(s, uri)).title, 'Mine')
  })

  test('that loses twice still keeps what it did not touch', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { count: 8 })
    const lost = await send(s, edit)
    await s.request(`PATCH ${uri}`, {}, { count: 9 })
    const lostAgain = await send(s, formOf(lost.text, /method=PATCH/))
    assert.equal(lostAgain.status, 412)
    assert.equal((await send(s, formOf(lostAgain.text, /method=PATCH/))).status, 303)
    const { title, count } = await itemAt(s, uri)
    assert.deepEqual([title, count], ['Mine', 9])
  })

  test('does not carry a large text twice', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s, { ...wholeNote, body: 'long text '.repeat(1500) })
    const { markup } = await editAt(s, uri)
    assert.equal(markup.split('long text long text').length > 1, true)
    assert.ok(markup.length < 25_000, String(markup.length))
  })

  test('by PUT, where there is no PATCH, keeps what the person did not touch as well', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s, { title: 'First', body: 'b' }, '/replaced')
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    await s.request(`PUT ${uri}`, {}, { title: 'First', body: 'Theirs' })
    const lost = await send(s, edit)
    assert.equal(lost.status, 412)
    assert.equal((await send(s, formOf(lost.text, /method=PUT/))).status, 303)
    const { title, body } = await itemAt(s, uri)
    assert.deepEqual([title, body], ['Mine', 'Theirs'])
  })
})

describe('a deletion after a lost race', () => {
  test('is not labelled as saving, shows the item as it is now, and deletes only when confirmed', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const deletion = await formAt(s, uri, /method=DELETE/)
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const lost = await send(s, deletion)
    assert.equal(lost.status, 412)
    assert.match(lost.text, /was not deleted/)
    assert.match(lost.text, /<dd><span class="text">Theirs/)
    assert.doesNotMatch(lost.text, /Save/)
    const again = formOf(lost.text, /./)
    assert.match(again.action, /method=DELETE/)
    assert.match(again.markup, /<button class="danger">Delete anyway<\/button>/)
    assert.equal((await s.request(`GET ${uri}`)).status, 200)
    assert.equal((await send(s, again)).status, 303)
    assert.equal((await s.request(`GET ${uri}`)).status, 404)
  })
})

describe('a transition after a lost race', () => {
  test('that is still open is offered again under its own name', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const close = await formAt(s, uri, /method=PATCH/)
    assert.ok(close.pairs.some(([name]) => name === 'phase'))
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const lost = await send(s, close)
    assert.equal(lost.status, 412)
    assert.match(lost.text, /“Close” was not done/)
    assert.match(lost.text, /<dd><span class="text">Theirs/)
    assert.doesNotMatch(lost.text, /Save|id="form-title"/)
    const again = formOf(lost.text, /method=PATCH/)
    assert.match(again.markup, /<button class="main">Close<\/button>/)
    assert.equal((await send(s, again)).status, 303)
    const { phase, title, body } = await itemAt(s, uri)
    assert.deepEqual([phase, title, body], ['closed', 'Theirs', wholeNote.body])
  })

  test('that is no longer open says so, and has no form', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const close = await formAt(s, uri, /method=PATCH/)
    await s.request(`PATCH ${uri}`, {}, { phase: 'closed' })
    const lost = await send(s, close)
    assert.equal(lost.status, 412)
    assert.match(lost.text, /“Close” was not done/)
    assert.match(lost.text, /no longer possible/)
    assert.doesNotMatch(lost.text, /action="\/forms/)
  })
})
