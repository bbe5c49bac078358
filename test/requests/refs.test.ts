/** `refs()`: sets of references (docs/reference/http/writing.md, "Sets of references"). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admin } from '../service.ts'
import {
  create,
  faultsOf,
  ids,
  jsonPatch,
  labels,
  mergePatch,
  s,
  shown,
  task,
  unknown,
} from './labelled-tasks.ts'

describe('sets of references', () => {
  it('a set is an array of ids in order; an item without one has the empty set', async () => {
    const { json } = await create('tasks', { title: 'a', labels: ids('bug', 'idea').toReversed() })
    assert.deepEqual(json.labels, ids('bug', 'idea'))
    assert.deepEqual([json.places, json.levels, json.blockers], [[], [], []])
  })

  it('ids of a collection with a key are its keys, in their order', async () => {
    const { json } = await create('tasks', {
      title: 'a',
      places: ['rome', 'a b', 'oslo'],
      levels: ['100', '7', '11'],
    })
    assert.deepEqual(json.places, ['a b', 'oslo', 'rome'])
    assert.deepEqual(json.levels, ['7', '11', '100'])
    await s.request('PATCH /places/rome', mergePatch, { code: 'bari' })
    assert.deepEqual(await shown(`/tasks/${json.id}`, 'places'), ['a b', 'bari', 'oslo'])
    await s.request('PATCH /places/bari', mergePatch, { code: 'rome' })
  })

  it('a repetition is 422 at its pointer', async () => {
    const [bug] = ids('bug')
    const reply = await s.request('POST /tasks', {}, { title: 'a', labels: [bug, ...ids('idea'), bug] })
    assert.equal(reply.status, 422)
    assert.deepEqual(faultsOf(reply), [['/labels/2', 'uniqueItems']])
  })

  it('an id that does not exist or is hidden is 422 at its pointer, with the same words', async () => {
    const reply = await s.request('POST /tasks', {}, { title: 'a', labels: [...ids('bug'), unknown] })
    assert.equal(reply.status, 422)
    assert.deepEqual(faultsOf(reply), [['/labels/1', 'reference']])
    const hidden = await s.request('POST /tasks', {}, { title: 'a', labels: [...ids('bug'), labels.hidden] })
    assert.deepEqual(hidden.json.errors, reply.json.errors)
    const malformed = await s.request('POST /tasks', {}, { title: 'a', labels: ['x', 1] })
    assert.deepEqual(faultsOf(malformed), [
      ['/labels/0', 'format'],
      ['/labels/1', 'type'],
    ])
  })

  it('a set has at most 100 ids, or as many as the definition says', async () => {
    const many = await Promise.all(
      Array.from(
        { length: 101 },
        async (_, n) => (await create('labels', { name: `l${n}` })).json.id as string,
      ),
    )
    const full = await create('tasks', { title: 'a', labels: many.slice(0, 100) })
    assert.equal(full.json.labels.length, 100)
    const beyond = await s.request('POST /tasks', {}, { title: 'a', labels: many })
    assert.equal(beyond.status, 422)
    assert.deepEqual(faultsOf(beyond), [['/labels', 'maxItems']])
    const { uri } = { uri: `/tasks/${full.json.id}` }
    const added = await s.request(`PUT ${uri}/labels/${many[100]}`)
    assert.deepEqual([added.status, faultsOf(added)], [422, [['/labels', 'maxItems']]])
    assert.equal((await s.request(`PUT ${uri}/labels/${many[0]}`)).status, 204)
    const places = await s.request(
      'POST /tasks',
      {},
      { title: 'a', places: ['a b', 'oslo', 'paris', 'rome'] },
    )
    assert.deepEqual(faultsOf(places), [['/places', 'maxItems']])
  })

  it('PUT and merge patch write the whole set; null and absence empty it', async () => {
    const { uri } = await task({ labels: ids('bug', 'idea') })
    await s.request(`PUT ${uri}`, {}, { title: 'b', labels: ids('later') })
    assert.deepEqual(await shown(uri), ids('later'))
    await s.request(`PATCH ${uri}`, mergePatch, { labels: ids('bug', 'later') })
    assert.deepEqual(await shown(uri), ids('bug', 'later'))
    await s.request(`PATCH ${uri}`, mergePatch, { labels: null })
    assert.deepEqual(await shown(uri), [])
    await s.request(`PATCH ${uri}`, mergePatch, { labels: ids('bug') })
    await s.request(`PUT ${uri}`, {}, { title: 'b' })
    assert.deepEqual(await shown(uri), [])
  })

  it('a change of the set makes another version; the same ids in another order do not', async () => {
    const { uri, tag } = await task({ labels: ids('bug', 'idea') })
    await s.request(`PATCH ${uri}`, mergePatch, { labels: ids('bug', 'idea').toReversed() })
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, tag)
    await s.request(`PATCH ${uri}`, mergePatch, { labels: ids('bug') })
    assert.notEqual((await s.request(`GET ${uri}`)).fields.etag, tag)
  })

  it('a hidden item in the set is shown, and may stay there, but not be added elsewhere', async () => {
    const { uri } = await task()
    await s.request(`PATCH ${uri}`, { ...mergePatch, ...admin }, { labels: ids('bug', 'hidden') })
    assert.deepEqual(await shown(uri), ids('bug', 'hidden'))
    const kept = await s.request(`PATCH ${uri}`, mergePatch, { labels: ids('hidden', 'idea') })
    assert.deepEqual(kept.json.labels, ids('hidden', 'idea'))
    const put = await s.request(`PUT ${uri}/labels/${labels.hidden}`)
    assert.equal(put.status, 204)
    const { uri: other } = await task()
    assert.equal((await s.request(`PATCH ${other}`, mergePatch, { labels: ids('hidden') })).status, 422)
    assert.equal((await s.request(`PUT ${other}/labels/${labels.hidden}`)).status, 404)
  })

  it('deleting an item removes it from the sets, which get another version', async () => {
    const { json } = await create('labels', { name: 'short-lived' })
    const { uri, tag } = await task({ labels: [...ids('bug'), json.id] })
    assert.equal((await s.request(`DELETE /labels/${json.id}`)).status, 204)
    const after = await s.request(`GET ${uri}`)
    assert.deepEqual(after.json.labels, ids('bug'))
    assert.notEqual(after.fields.etag, tag)
    const stale = await s.request(`PATCH ${uri}`, { ...mergePatch, 'if-match': tag }, { title: 'c' })
    assert.equal(stale.status, 412)
  })

  it("with onDelete: 'restrict' the deletion of a member is 409", async () => {
    const { uri } = await task()
    const { json } = await create('tasks', { title: 'b', blockers: [uri.split('/')[2]] })
    const refused = await s.request(`DELETE ${uri}`)
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.json.by, [`/tasks/${json.id}`])
    assert.equal((await s.request(`DELETE ${uri}/blockers/${json.id}`)).status, 204)
    assert.equal((await s.request(`DELETE /tasks/${json.id}`)).status, 204)
    assert.equal((await s.request(`DELETE ${uri}`)).status, 204)
  })

  it('an immutable set keeps its ids', async () => {
    const { uri } = await task({ origin: ['oslo', 'paris'] })
    assert.equal((await s.request(`PATCH ${uri}`, mergePatch, { origin: ['paris', 'oslo'] })).status, 200)
    const changed = await s.request(`PATCH ${uri}`, mergePatch, { origin: ['oslo'] })
    assert.deepEqual([changed.status, faultsOf(changed)], [422, [['/origin', 'immutable']]])
    assert.equal((await s.request(`PUT ${uri}/origin/rome`)).status, 404)
  })
})

describe('JSON Patch of sets', () => {
  it('add /labels/- adds an id', async () => {
    const { uri } = await task({ labels: ids('idea') })
    const reply = await s.request(`PATCH ${uri}`, jsonPatch, [
      { op: 'add', path: '/labels/-', value: labels.bug },
    ])
    assert.deepEqual(reply.json.labels, ids('bug', 'idea'))
  })

  it('a removal by index needs If-Match or a test of the value', async () => {
    const both = ids('bug', 'idea')
    const { uri, tag } = await task({ labels: both })
    const remove = { op: 'remove', path: '/labels/1' }
    const untested = await s.request(`PATCH ${uri}`, jsonPatch, [remove])
    assert.deepEqual([untested.status, faultsOf(untested)], [422, [['/labels/1', 'index']]])
    const any = await s.request(`PATCH ${uri}`, { ...jsonPatch, 'if-match': '*' }, [remove])
    assert.equal(any.status, 422)
    const other = [{ op: 'test', path: '/labels/0', value: both[0] }, remove]
    assert.equal((await s.request(`PATCH ${uri}`, jsonPatch, other)).status, 422)
    const wrong = [{ op: 'test', path: '/labels/1', value: both[0] }, remove]
    assert.equal((await s.request(`PATCH ${uri}`, jsonPatch, wrong)).status, 409)
    const tested = [{ op: 'test', path: '/labels/1', value: both[1] }, remove]
    const done = await s.request(`PATCH ${uri}`, jsonPatch, tested)
    assert.deepEqual([done.status, done.json.labels], [200, both.slice(0, 1)])
    assert.equal((await s.request(`PATCH ${uri}`, { ...jsonPatch, 'if-match': tag }, [remove])).status, 412)
    const matched = { ...jsonPatch, 'if-match': String(done.fields.etag) }
    const first = await s.request(`PATCH ${uri}`, matched, [{ op: 'remove', path: '/labels/0' }])
    assert.deepEqual(first.json.labels, [])
  })

  it('a test before another change of the set does not count', async () => {
    const { uri } = await task({ labels: ids('bug', 'idea') })
    const [, second] = ids('bug', 'idea')
    const test = { op: 'test', path: '/labels/1', value: second }
    const move = { op: 'move', from: '/labels/1', path: '/places/-' }
    const replace = { op: 'replace', path: '/labels/1', value: labels.later }
    const add = { op: 'add', path: '/labels/0', value: labels.later }
    for (const patch of [[move], [replace], [test, add, { op: 'remove', path: '/labels/1' }]]) {
      assert.equal((await s.request(`PATCH ${uri}`, jsonPatch, patch)).status, 422)
    }
    const whole = { op: 'test', path: '/labels', value: ids('bug', 'idea') }
    assert.equal((await s.request(`PATCH ${uri}`, jsonPatch, [whole, replace])).status, 200)
  })
})

describe('bulk creation with sets', () => {
  it('JSON, NDJSON and CSV create items with sets', async () => {
    const items = [{ title: 'x', labels: ids('bug') }, { title: 'y' }]
    const json = await s.request('POST /tasks', {}, items)
    assert.equal(json.status, 201, json.text)
    const lines = items.map((one) => `${JSON.stringify(one)}\n`).join('')
    const ndjson = await s.request('POST /tasks', { 'content-type': 'application/x-ndjson' }, lines)
    assert.equal(ndjson.status, 201, ndjson.text)
    const cell = JSON.stringify(ids('bug', 'idea')).replaceAll('"', '""')
    const csv = `title,labels\r\nfrom csv,"${cell}"\r\nempty,\r\n`
    const reply = await s.request('POST /tasks', { 'content-type': 'text/csv' }, csv)
    assert.equal(reply.status, 201, reply.text)
    const read = await s.request('GET /tasks?title=from%20csv&fields=title,labels', { accept: 'text/csv' })
    assert.match(read.text, /^id,title,labels\r\n[^,]+,from csv,"\[""[^\]]*""\]"\r\n$/)
    const wrong = await s.request('POST /tasks', {}, [{ title: 'x' }, { title: 'y', labels: [unknown] }])
    assert.deepEqual(faultsOf(wrong), [['/1/labels/0', 'reference']])
  })

  it('XML has an item element for each id', async () => {
    const { uri } = await task({ labels: ids('bug', 'idea') })
    const xml = (await s.request(`GET ${uri}`, { accept: 'application/xml' })).text
    assert.ok(
      xml.includes(
        `<labels>${ids('bug', 'idea')
          .map((id) => `<item>${id}</item>`)
          .join('')}</labels>`,
      ),
      xml,
    )
    const body = `<tasks><title>z</title><labels><item>${labels.bug}</item></labels></tasks>`
    const reply = await s.request('POST /tasks', { 'content-type': 'application/xml' }, body)
    assert.deepEqual(reply.json.labels, ids('bug'))
  })
})
