/** `refs()`: sets of references (docs/reference/http.md, "Sets of references"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  password,
  ref,
  refs,
  resource,
  role,
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').readOnly(),
      },
      { access: { read: anyone } },
    ),
    labels: resource(
      { name: text({ max: 40 }), status: choice(['open', 'secret']).default('open') },
      { access: { ...access, read: [where({ status: 'open' }), role('admin')] } },
    ),
    places: resource({ code: text({ max: 20 }).unique() }, { key: 'code', access }),
    levels: resource({ number: integer().unique() }, { key: 'number', access }),
    tasks: resource(
      {
        title: text({ max: 40 }),
        labels: refs('labels'),
        places: refs('places', { max: 3 }),
        levels: refs('levels'),
        blockers: refs('tasks', { onDelete: 'restrict' }),
        watchers: refs('labels').writableBy(role('admin')),
        secrets: refs('labels').visibleTo(role('admin')).writableBy(role('admin')),
        origin: refs('places').immutable(),
        project: ref('places').optional(),
      },
      { access, bulk: true },
    ),
    notes: resource(
      { labels: refs('labels') },
      { access: { ...access, update: signedIn }, conditional: 'required' },
    ),
    records: resource({ labels: refs('labels') }, { access, methods: ['GET', 'POST', 'PUT'] }),
  },
})

let s: TestService
const labels: Record<string, string> = {}
before(async () => {
  s = await serve(definition)
  for (const name of ['bug', 'idea', 'later']) labels[name] = (await create('labels', { name })).json.id
  const hidden = await s.request('POST /labels', admin, { name: 'hidden', status: 'secret' })
  labels.hidden = hidden.json.id
  for (const code of ['paris', 'oslo', 'rome', 'a b']) await create('places', { code })
  for (const number of [7, 11, 100]) await create('levels', { number })
})
after(() => s[Symbol.asyncDispose]())

async function create(name: string, body: object): Promise<Reply> {
  const reply = await s.request(`POST /${name}`, {}, body)
  assert.equal(reply.status, 201, reply.text)
  return reply
}

const ids = (...names: string[]) => names.map((name) => labels[name] as string).toSorted()
const faultsOf = ({ json }: Reply) =>
  json.errors.map(({ pointer, rule }: { pointer: string; rule: string }) => [pointer, rule])
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const unknown = '00000000-0000-7000-8000-000000000000'

async function task(body: object = {}): Promise<{ readonly uri: string; readonly tag: string }> {
  const { json } = await create('tasks', { title: 'Land', ...body })
  const { fields } = await s.request(`GET /tasks/${json.id}`)
  return { uri: `/tasks/${json.id}`, tag: String(fields.etag) }
}

async function shown(uri: string, name = 'labels'): Promise<unknown> {
  return (await s.request(`GET ${uri}`)).json[name]
}

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
