/** Sets of references in queries: filters and embedded members (docs/reference/http/writing.md, "Sets of references"). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admin } from '../service.ts'
import { create, ids, labels, mergePatch, s, task, unknown } from './labelled-tasks.ts'

describe('filters by sets', () => {
  it('has finds items with a member, missing those without any, a path those with some such member', async () => {
    const { json: label } = await create('labels', { name: 'filtered' })
    const { uri } = await task({ labels: [...ids('bug'), label.id], places: ['oslo'], levels: ['11'] })
    const id = uri.split('/')[2]
    const found = async (query: string) =>
      (await s.request(`GET /tasks?${query}&limit=100`)).json.map((one: { id: string }) => one.id)
    assert.deepEqual(await found(`labels[has]=${label.id}`), [id])
    assert.deepEqual(await found(`labels[has]=${label.id}&labels[has]=${labels.bug}`), [id])
    assert.deepEqual(await found(`labels[has]=${label.id}&labels[has]=${labels.idea}`), [])
    assert.deepEqual(await found('labels.name=filtered'), [id])
    assert.deepEqual(await found('labels.name[contains]=FILTER&places[has]=oslo&levels[has]=11'), [id])
    assert.deepEqual(await found(`labels[has]=${unknown}`), [])
    assert.deepEqual(await found('levels[has]=x'), [])
    assert.ok(!(await found('labels[missing]=true')).includes(id))
    assert.ok((await found('labels[missing]=false')).includes(id))
    const queried = await s.request(
      'QUERY /tasks',
      {},
      { any: [{ 'labels.name': 'filtered' }, { labels: { has: label.id } }] },
    )
    assert.deepEqual(
      queried.json.map((one: { id: string }) => one.id),
      [id],
    )
  })

  it('a path sees only members that the caller may read', async () => {
    const { uri } = await task({ title: 'with a hidden label' })
    await s.request(`PUT ${uri}/labels/${labels.hidden}`, admin)
    const query = 'GET /tasks?title=with%20a%20hidden%20label&labels.name=hidden'
    assert.deepEqual((await s.request(query)).json, [])
    assert.equal((await s.request(query, admin)).json.length, 1)
  })

  it('sets can be compared only by has and missing, and not be sorted by', async () => {
    for (const query of [
      `labels=${labels.bug}`,
      'labels[contains]=x',
      'sort=labels',
      `secrets[has]=${labels.bug}`,
    ]) {
      assert.equal((await s.request(`GET /tasks?${query}`)).status, 400, query)
    }
  })
})

describe('embedded members', () => {
  it('embed adds the members that the caller may read as an array, in the order of their ids', async () => {
    const { uri } = await task({ places: ['rome', 'oslo'] })
    await s.request(`PATCH ${uri}`, { ...mergePatch, ...admin }, { labels: ids('bug', 'idea', 'hidden') })
    const { json, fields } = await s.request(`GET ${uri}?embed=labels,places,blockers&fields=title`)
    assert.deepEqual(
      json._embedded.labels.map((one: { id: string }) => one.id),
      ids('bug', 'idea'),
    )
    assert.deepEqual(
      json._embedded.places.map((one: { code: string }) => one.code),
      ['oslo', 'rome'],
    )
    assert.deepEqual(json._embedded.blockers, [])
    assert.deepEqual(json.labels, ids('bug', 'idea', 'hidden'))
    assert.equal(fields['last-modified'], undefined)
    const every = await s.request(`GET ${uri}?embed=labels`, admin)
    assert.equal(every.json._embedded.labels.length, 3)
  })

  it('a list embeds them too, in JSON, HAL and XML; another label changes the entity tag', async () => {
    const { json: label } = await create('labels', { name: 'embedded' })
    const { uri } = await task({ labels: [label.id] })
    const list = `/tasks?labels%5Bhas%5D=${label.id}&embed=labels`
    const { json, fields } = await s.request(`GET ${list}`)
    assert.deepEqual(
      json.map((one: { _embedded: object }) => one._embedded),
      [{ labels: [label] }],
    )
    const hal = await s.request(`GET ${uri}?embed=labels`, { accept: 'application/hal+json' })
    assert.equal(hal.json._embedded['rw:labels'][0].name, 'embedded')
    const xml = await s.request(`GET ${uri}?embed=labels`, { accept: 'application/xml' })
    assert.match(xml.text, /<_embedded><labels><item><id>[^<]*<\/id><name>embedded<\/name>/)
    await s.request(`PATCH /labels/${label.id}`, mergePatch, { name: 'renamed' })
    const again = await s.request(`GET ${list}`, { 'if-none-match': String(fields.etag) })
    assert.equal(again.json[0]._embedded.labels[0].name, 'renamed')
  })

  it('a path embeds what members refer to; a hidden set cannot be embedded', async () => {
    const { uri: blocker } = await task({ labels: ids('bug') })
    const { uri } = await task({ blockers: [blocker.split('/')[2]] })
    const { json } = await s.request(`GET ${uri}?embed=blockers.labels`)
    assert.equal(json._embedded.blockers[0]._embedded.labels[0].name, 'bug')
    assert.equal((await s.request(`GET ${uri}?embed=secrets`)).status, 400)
    assert.equal((await s.request('GET /tasks?sort=labels.name')).status, 400)
  })
})
