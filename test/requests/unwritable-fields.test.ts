/** Fields that a write cannot send: unknown ones, those of others, null. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { json, list, owner, ref, resource, service, text } from 'restwell'
import { serve } from '../service.ts'
import { accounts, ada, asAda, open, pointersOf, serveNotes, users } from './every-field-kind.ts'

describe('fields that cannot be sent', () => {
  test('unknown fields are 422 naming each, in POST, PUT and PATCH', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const body = { title: 'A', titel: 'A', Title: 'A' }
    for (const line of ['POST /notes', `PUT ${uri}`, `PATCH ${uri}`]) {
      assert.deepEqual(pointersOf(await s.request(line, asAda, body)), ['/Title', '/titel'], line)
    }
  })

  test('fields that the caller may not write are 422 naming each in POST and PATCH', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.request(`GET ${uri}`, asAda)
    const { id, createdAt, updatedAt, serial, rank, author } = before
    const body = { title: 'A', id, createdAt, updatedAt, serial, rank, author }
    const names = ['/author', '/createdAt', '/rank', '/serial', '/updatedAt']
    const post = await s.request('POST /notes', asAda, body)
    assert.deepEqual(pointersOf(post), [...names, '/id'].sort())
    // A PATCH may repeat the id.
    assert.deepEqual(pointersOf(await s.request(`PATCH ${uri}`, asAda, body)), names)
  })

  test('if that depends on the new item, POST is 422 naming each too', async () => {
    const field = text().optional().writableBy(owner('author'))
    const definition = service({
      title: 'Letters',
      accounts,
      resources: {
        users,
        letters: resource({ author: ref('users'), a: field, b: field }, { access: open }),
      },
    })
    await using s = await serve(definition)
    const { id: own } = (await s.request('POST /users', {}, ada)).json
    const other = await s.request('POST /users', {}, { ...ada, email: 'bob@example.org' })
    const letter = { author: other.json.id, a: 'x', b: 'y' }
    assert.deepEqual(pointersOf(await s.request('POST /letters', asAda, letter)), ['/a', '/b'])
    const created = await s.request('POST /letters', asAda, { ...letter, author: own })
    assert.equal(created.status, 201)
  })

  test('a field that the caller neither sees nor writes is refused like an unknown one', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    for (const method of ['PUT', 'PATCH']) {
      const hidden = await s.request(`${method} ${uri}`, asAda, { title: 'A', verdict: 'good' })
      const unknown = await s.request(`${method} ${uri}`, asAda, { title: 'A', verdant: 'good' })
      assert.deepEqual(pointersOf(hidden), ['/verdict'])
      assert.deepEqual({ ...hidden.json.errors[0], pointer: '' }, { ...unknown.json.errors[0], pointer: '' })
    }
  })

  test('null in POST and PUT is 422, but in json fields a value', async () => {
    const definition = service({
      title: 'Nulls',
      resources: {
        things: resource(
          { name: text().optional(), tags: list(text()).default([]), data: json().optional() },
          { access: open },
        ),
      },
    })
    await using s = await serve(definition)
    const created = await s.request('POST /things', {}, { data: null })
    assert.equal(created.status, 201)
    assert.equal(created.json.data, null)
    const uri = created.fields.location
    for (const line of ['POST /things', `PUT ${uri}`]) {
      assert.deepEqual(pointersOf(await s.request(line, {}, { name: null, tags: null })), ['/name', '/tags'])
    }
    const put = await s.request(`PUT ${uri}`, {}, { data: null })
    assert.equal(put.status, 200)
    assert.ok(put.text.includes('"data":null'))
  })
})
