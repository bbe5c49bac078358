/** URIs of the members of `refs()`: add and remove one (docs/reference/http/writing.md, "Sets of references"). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admin } from '../service.ts'
import { create, ids, labels, s, shown, task, unknown } from './labelled-tasks.ts'

describe('members of sets', () => {
  it('PUT adds and DELETE removes one, both idempotent: 204', async () => {
    const { uri, tag } = await task({ labels: ids('bug') })
    for (const _ of [1, 2]) {
      const reply = await s.request(`PUT ${uri}/labels/${labels.idea}`)
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.deepEqual(await shown(uri), ids('bug', 'idea'))
    }
    assert.notEqual((await s.request(`GET ${uri}`)).fields.etag, tag)
    for (const _ of [1, 2]) {
      assert.equal((await s.request(`DELETE ${uri}/labels/${labels.bug}`)).status, 204)
      assert.deepEqual(await shown(uri), ids('idea'))
    }
  })

  it('a repetition changes no version', async () => {
    const { uri, tag } = await task({ labels: ids('bug') })
    await s.request(`PUT ${uri}/labels/${labels.bug}`)
    await s.request(`DELETE ${uri}/labels/${labels.idea}`)
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, tag)
  })

  it('members of a collection with a key are named by it', async () => {
    const { uri } = await task()
    assert.equal((await s.request(`PUT ${uri}/places/a%20b`)).status, 204)
    assert.equal((await s.request(`PUT ${uri}/levels/7`)).status, 204)
    assert.equal((await s.request(`PUT ${uri}/levels/007`)).status, 404)
    const { json } = await s.request(`GET ${uri}`)
    assert.deepEqual([json.places, json.levels], [['a b'], ['7']])
    assert.equal((await s.request(`DELETE ${uri}/places/a%20b`)).status, 204)
    assert.deepEqual(await shown(uri, 'places'), [])
  })

  it('RFC 9110 §9.3.7: other methods are 405, with Allow; OPTIONS has it too', async () => {
    const { uri } = await task()
    const member = `${uri}/labels/${labels.bug}`
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'QUERY']) {
      const reply = await s.request(`${method} ${member}`)
      assert.deepEqual([reply.status, reply.fields.allow], [405, 'PUT, DELETE, OPTIONS'], method)
    }
    const options = await s.request(`OPTIONS ${member}`)
    assert.deepEqual([options.status, options.fields.allow], [204, 'PUT, DELETE, OPTIONS'])
  })

  it('404 without an item, a set, or an item to refer to', async () => {
    const { uri } = await task()
    const missing = [
      `PUT /tasks/${unknown}/labels/${labels.bug}`,
      `DELETE /tasks/${unknown}/labels/${labels.bug}`,
      `PUT ${uri}/labels/${unknown}`,
      `PUT ${uri}/labels/x`,
      `PUT ${uri}/title/${labels.bug}`,
      `PUT ${uri}/project/oslo`,
      `PUT ${uri}/nothing/${labels.bug}`,
      `GET ${uri}/labels`,
      `PUT ${uri}/labels/${labels.bug}/more`,
    ]
    for (const line of missing) assert.equal((await s.request(line)).status, 404, line)
    assert.equal((await s.request(`DELETE ${uri}/labels/${unknown}`)).status, 204)
  })

  it('RFC 9110 §13.1.1: preconditions apply to the item', async () => {
    const { uri, tag } = await task()
    const member = `${uri}/labels/${labels.bug}`
    assert.equal((await s.request(`PUT ${member}`, { 'if-match': '"other"' })).status, 412)
    assert.equal((await s.request(`PUT ${member}`, { 'if-match': tag })).status, 204)
    assert.equal((await s.request(`DELETE ${member}`, { 'if-match': tag })).status, 412)
    assert.deepEqual(await shown(uri), ids('bug'))
    const note = await create('notes', {})
    const onNote = `PUT /notes/${note.json.id}/labels/${labels.bug}`
    assert.equal((await s.request(onNote, admin)).status, 428)
    const { fields } = await s.request(`GET /notes/${note.json.id}`)
    assert.equal((await s.request(onNote, { ...admin, 'if-match': String(fields.etag) })).status, 204)
  })

  it('the right to update the item and to write the field is needed', async () => {
    const note = await create('notes', {})
    const onNote = `PUT /notes/${note.json.id}/labels/${labels.bug}`
    assert.equal((await s.request(onNote, { 'if-match': '*' })).status, 401)
    const { uri } = await task()
    assert.equal((await s.request(`PUT ${uri}/watchers/${labels.bug}`)).status, 401)
    assert.equal((await s.request(`PUT ${uri}/watchers/${labels.bug}`, admin)).status, 204)
    assert.deepEqual(await shown(uri, 'watchers'), ids('bug'))
    assert.equal((await s.request(`DELETE ${uri}/watchers/${labels.bug}`)).status, 401)
    const hidden = await s.request(`PUT ${uri}/secrets/${labels.bug}`)
    const absent = await s.request(`PUT ${uri}/labels/${unknown}`)
    assert.deepEqual([hidden.status, hidden.json.detail], [404, absent.json.detail])
    assert.equal((await s.request(`PUT ${uri}/secrets/${labels.bug}`, admin)).status, 204)
    assert.equal(await shown(uri, 'secrets'), undefined)
  })

  it('a collection without PATCH has no URIs of members', async () => {
    const { json } = await create('records', { labels: ids('bug') })
    assert.equal((await s.request(`PUT /records/${json.id}/labels/${labels.idea}`)).status, 404)
    assert.equal((await s.request(`OPTIONS /records/${json.id}/labels/${labels.idea}`)).status, 404)
  })
})
