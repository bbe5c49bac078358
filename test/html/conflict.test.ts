/** Forms on an item that another request has changed: 412 with a page for each method (RFC 9110 §15.5.13). */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { anyone, choice, list, resource, role, service, text } from '../../src/index.ts'
import { accounts, users } from '../access/sample.ts'
import { type Reply, serve, type TestService } from '../service.ts'
import { everyKind, wholeNote } from './every-kind.ts'
import { browser, formAt, formed, itemAt, made, send } from './sent-forms.ts'
import { formOf, type SubmittedForm } from './submitted-form.ts'

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

  test('that is merged counts once against the rate limit (docs/reference/http.md, "Order of decisions")', async () => {
    await using s = await serve(everyKind, { rate: 100 })
    const left = ({ fields }: Reply) => Number(/;r=(\d+)/.exec(String(fields.ratelimit))?.[1])
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    const other = await s.request(`PATCH ${uri}`, {}, { count: 8 })
    const merged = await send(s, edit)
    assert.deepEqual([merged.status, left(merged)], [303, left(other) - 1])
    assert.match(String(merged.fields['set-cookie']), /restwell-notice=merged/)
  })

  test('of other fields than another edit is merged with it, and the next page says so', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine').set('body', 'Mine too')
    await s.request(`PATCH ${uri}`, {}, { count: 8, tags: ['theirs'], extra: { n: 2 } })
    const theirs = await itemAt(s, uri)
    const merged = await send(s, edit)
    assert.equal(merged.status, 303, merged.text)
    assert.deepEqual(await itemAt(s, uri), { ...theirs, title: 'Mine', body: 'Mine too' })
    const [cookie] = String(merged.fields['set-cookie']).split(';')
    const next = await s.request(`GET ${uri}`, { ...browser, cookie: String(cookie) })
    assert.match(next.text, /data-notice="merged">Saved\. Other fields of this item changed/)
  })

  test('that changes a field to the same value as another edit is no conflict', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Same').set('count', '9')
    await s.request(`PATCH ${uri}`, {}, { title: 'Same', body: 'Theirs' })
    assert.equal((await send(s, edit)).status, 303)
    const { title, body, count } = await itemAt(s, uri)
    assert.deepEqual([title, body, count], ['Same', 'Theirs', 9])
  })

  test('that changes nothing leaves what another edit wrote', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = await editAt(s, uri)
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const theirs = await s.request(`GET ${uri}`)
    assert.equal((await send(s, edit)).status, 303)
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, theirs.fields.etag)
  })

  test('of the same field is 412, shows both values, and changes nothing', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s, { ...wholeNote, title: 'On black tea' })
    const edit = (await editAt(s, uri)).set('title', 'On green tea').set('body', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { title: 'On white tea', count: 8 })
    const theirs = await itemAt(s, uri)
    const lost = await send(s, edit)
    assert.equal(lost.status, 412)
    assert.deepEqual(await itemAt(s, uri), theirs)
    const asked = [...lost.text.matchAll(/<legend>(\w+): choose one/g)].map(([, name]) => name)
    assert.deepEqual(asked, ['Title'], 'only a field that both changed')
    assert.match(lost.text, /<div class="current">.*On white tea/)
    const again = formOf(lost.text, /method=PATCH/)
    assert.deepEqual(
      again.pairs.filter(([name]) => ['title', 'body', 'count'].includes(name)),
      [
        ['title', 'On green tea'],
        ['body', 'Mine'],
        ['count', '8'],
      ],
    )
    assert.ok(!again.pairs.some(([name]) => name === '_keep.title'), 'the page does not choose')
  })

  for (const [choice, title] of [
    ['current', 'Theirs'],
    ['mine', 'Mine'],
  ] as const) {
    test(`of the same field saves the ${choice} value when it is chosen, and the other fields`, async () => {
      await using s = await serve(everyKind)
      const uri = await made(s)
      const edit = (await editAt(s, uri)).set('title', 'Mine').set('count', '9')
      await s.request(`PATCH ${uri}`, {}, { title: 'Theirs', body: 'Theirs' })
      const theirs = await itemAt(s, uri)
      const chosen = formOf((await send(s, edit)).text, /method=PATCH/).choose('_keep.title', choice)
      assert.equal((await send(s, chosen)).status, 303)
      assert.deepEqual(await itemAt(s, uri), { ...theirs, title, count: 9 })
    })
  }

  test('whose choice is refused with 422 keeps the choice and the rest', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine').set('count', 'many')
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const chosen = formOf((await send(s, edit)).text, /method=PATCH/).choose('_keep.title', 'current')
    const refused = await send(s, chosen)
    assert.equal(refused.status, 422)
    const mended = formOf(refused.text, /method=PATCH/).set('count', '9')
    assert.equal((await send(s, mended)).status, 303)
    const { title, count } = await itemAt(s, uri)
    assert.deepEqual([title, count], ['Theirs', 9])
  })

  test('that loses twice is asked again only about a field that changed again', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs' })
    const lost = formOf((await send(s, edit)).text, /method=PATCH/).choose('_keep.title', 'mine')
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs again' })
    const lostAgain = await send(s, lost)
    assert.equal(lostAgain.status, 412)
    const last = formOf(lostAgain.text, /method=PATCH/).choose('_keep.title', 'mine')
    await s.request(`PATCH ${uri}`, {}, { count: 9 })
    assert.equal((await send(s, last)).status, 303)
    const { title, count } = await itemAt(s, uri)
    assert.deepEqual([title, count], ['Mine', 9])
  })

  test('with a new password is not merged, and the page does not send it back', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('secret', 'a new secret').set('title', 'Mine')
    await s.request(`PATCH ${uri}`, {}, { count: 8 })
    const lost = await send(s, edit)
    assert.equal(lost.status, 412)
    assert.ok(!lost.text.includes('a new secret'))
    assert.match(lost.text, /Enter a new password again/)
    assert.doesNotMatch(lost.text, /choose one/)
    assert.equal((await send(s, formOf(lost.text, /method=PATCH/))).status, 303)
    const { title, count } = await itemAt(s, uri)
    assert.deepEqual([title, count], ['Mine', 8])
  })

  test('without original values, or of another item, is not merged', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Mine')
    const other = await editAt(s, await made(s))
    await s.request(`PATCH ${uri}`, {}, { count: 8 })
    const bare = await s.request(`POST ${edit.action}`, formed, '_action=default&title=Mine')
    assert.equal(bare.status, 412)
    const [, match = ''] = /match=([^&]*)/.exec(other.action) ?? []
    const foreign = edit.action.replace(/match=[^&]*/, `match=${match}`)
    assert.equal((await s.request(`POST ${foreign}`, formed, edit.content)).status, 412)
  })

  test('of an item that was deleted shows what the person typed', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s)
    const edit = (await editAt(s, uri)).set('title', 'Typed <b>').set('secret', 'a new secret')
    await s.request(`DELETE ${uri}`)
    const own = { ...formed, 'sec-fetch-site': 'same-origin' }
    const gone = await s.request(`POST ${edit.action}`, own, edit.content)
    assert.equal(gone.status, 404)
    assert.match(gone.text, /<dt>Title<\/dt><dd><span class="text">Typed &lt;b&gt;/)
    assert.doesNotMatch(gone.text, /a new secret|<dt>Body/)
  })

  test('does not tell by a merge what a hidden field holds', async () => {
    const secret = text({ max: 20 }).optional().visibleTo(role('admin')).writableBy(anyone)
    const all = { read: anyone, create: anyone, update: anyone, delete: anyone }
    const rows = resource({ title: text(), secret }, { access: all })
    await using s = await serve(service({ title: 'Hidden', accounts, resources: { users, rows } } as never))
    const uri = await made(s, { title: 'First', secret: 'old' }, '/rows')
    const edit = await editAt(s, uri)
    await s.request(`PATCH ${uri}`, {}, { title: 'Theirs', secret: 'new' })
    const guess = (value: string) => {
      const digest = hash('sha256', JSON.stringify(value), 'base64url').slice(0, 12)
      const content = new URLSearchParams({ _action: 'default', _originals: `secret=${digest}`, secret: 'x' })
      return s.request(`POST ${edit.action}&dry-run=true`, formed, content.toString())
    }
    assert.deepEqual([(await guess('new')).status, (await guess('wrong')).status], [412, 412])
  })

  test('does not carry a large text twice', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s, { ...wholeNote, body: 'long text '.repeat(1500) })
    const { markup } = await editAt(s, uri)
    assert.equal(markup.split('long text long text').length > 1, true)
    assert.ok(markup.length < 25_000, String(markup.length))
  })

  test('by PUT, where there is no PATCH, is merged, and asked about, as well', async () => {
    await using s = await serve(everyKind)
    const uri = await made(s, { title: 'First', body: 'b' }, '/replaced')
    const [first, second] = [await editAt(s, uri), await editAt(s, uri)]
    await s.request(`PUT ${uri}`, {}, { title: 'First', body: 'Theirs' })
    assert.equal((await send(s, first.set('title', 'Mine'))).status, 303)
    const { title, body } = await itemAt(s, uri)
    assert.deepEqual([title, body], ['Mine', 'Theirs'])
    const lost = await send(s, second.set('title', 'Last').set('body', 'Last'))
    assert.equal(lost.status, 412)
    const chosen = formOf(lost.text, /method=PUT/)
      .choose('_keep.title', 'current')
      .choose('_keep.body', 'mine')
    assert.equal((await send(s, chosen)).status, 303)
    const after = await itemAt(s, uri)
    assert.deepEqual([after.title, after.body], ['Mine', 'Last'])
  })
})
