/** Deletions and transitions by forms on an item that another request has changed. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../service.ts'
import { everyKind, wholeNote } from './every-kind.ts'
import { formAt, itemAt, made, send } from './sent-forms.ts'
import { formOf } from './submitted-form.ts'

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
    assert.match(again.markup, /<button class="main">Close anyway<\/button>/)
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
