/** `fields`, `embed` and `filterable`: the fields shown, and the filters that a definition forbids. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { anyone, choice, email, password, ref, resource, role, service, text } from 'restwell'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { handling, linkOf } from '../handling.ts'
import { admin } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: {
    shelves: resource({ code: text({ max: 10 }) }, { key: 'code', access }),
    notes: resource(
      {
        title: text(),
        body: text().optional().filterable(false),
        shelf: ref('shelves').optional(),
      },
      { access, index: ['createdAt', ['shelf', 'updatedAt']] },
    ),
  },
})

it('fields selects these and the id, on items and lists, with distinct entity tags', async () => {
  await using s = await handling(definition)
  const { id } = (await s.handle('POST /notes', {}, { title: 'A', body: 'B' })).json
  const full = await s.handle(`GET /notes/${id}`)
  const some = await s.handle(`GET /notes/${id}?fields=title`)
  assert.deepEqual(some.json, { id, title: 'A' })
  const times = await s.handle(`GET /notes/${id}?fields=createdAt,id`)
  assert.deepEqual(Object.keys(times.json), ['id', 'createdAt'])
  const tags = [full, some, times].map(({ fields }) => fields.etag)
  assert.equal(new Set(tags).size, 3)
  const all = await s.handle(`GET /notes/${id}?fields=title,body,shelf,createdAt,updatedAt`)
  assert.equal(all.text, full.text)
  assert.equal(all.fields.etag, full.fields.etag, 'equal bytes have equal tags')
  for (const tag of tags) {
    const fields = { 'if-match': String(tag) }
    assert.equal((await s.handle(`PATCH /notes/${id}`, fields, { title: 'A' })).status, 200)
  }
  assert.deepEqual((await s.handle('GET /notes?fields=body')).json, [{ id, body: 'B' }])
})

it('an embedded item appears with its reference, by key too, and only if there is one', async () => {
  await using s = await handling(definition)
  await s.handle('POST /shelves', {}, { code: 'K1' })
  await s.handle('POST /notes', {}, { title: 'A', shelf: 'K1' })
  await s.handle('POST /notes', {}, { title: 'B' })
  const { json } = await s.handle('GET /notes?embed=shelf&fields=title&sort=title')
  assert.equal(json[0].shelf, 'K1')
  assert.equal(json[0]._embedded.shelf.id, 'K1')
  assert.deepEqual(Object.keys(json[1]), ['id', 'title'])
  const item = await s.handle(`GET /notes/${json[0].id}?embed=shelf`)
  assert.equal(item.json._embedded.shelf.code, 'K1')
})

it('a list that embeds has another tag where the embedded items show other fields (RFC 9110 §8.8.3)', async () => {
  const shown = service({
    title: 'Prices',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        { email: email().unique(), password: password(), role: choice(['admin']).optional() },
        { access: { read: role('admin') } },
      ),
      shelves: resource({ price: text().optional().visibleTo(role('admin')) }, { access }),
      notes: resource({ shelf: ref('shelves') }, { access }),
    },
  })
  await using s = await handling(shown)
  const shelf = (await s.handle('POST /shelves', admin, { price: '1' })).json.id
  assert.equal((await s.handle('POST /notes', admin, { shelf })).status, 201)
  const full = await s.handle('GET /notes?embed=shelf', admin)
  const some = await s.handle('GET /notes?embed=shelf')
  assert.notEqual(full.text, some.text)
  assert.notEqual(full.fields.etag, some.fields.etag)
})

it('each of several references to keyed items is shown by its key', async () => {
  const moves = resource({ from: ref('shelves'), to: ref('shelves') }, { access })
  const shelves = resource({ code: text() }, { key: 'code', access })
  await using s = await handling(service({ title: 'Moves', resources: { shelves, moves } }))
  for (const code of ['K1', 'K2']) await s.handle('POST /shelves', {}, { code })
  const created = await s.handle('POST /moves', {}, { from: 'K1', to: 'K2' })
  for (const line of [`GET ${created.fields.location}`, 'GET /moves?limit=1', 'GET /moves?embed=to']) {
    const [shown] = [(await s.handle(line)).json].flat()
    assert.deepEqual([shown.from, shown.to], ['K1', 'K2'], line)
  }
})

it('starts also finds the equal text, with an index', async () => {
  const tags = resource({ name: text() }, { access, index: ['name'] })
  await using s = await handling(service({ title: 'Tags', resources: { tags } }))
  for (const name of ['te', 'tea', 'teapot']) await s.handle('POST /tags', {}, { name })
  const found = (await s.handle('GET /tags?name[starts]=tea&sort=name')).json
  assert.deepEqual(
    found.map(({ name }: { name: string }) => name),
    ['tea', 'teapot'],
  )
})

it('a filter by a reference or an id finds an email key in any letter case', async () => {
  const keyed = service({
    title: 'Mail',
    resources: {
      people: resource({ address: email() }, { key: 'address', access }),
      letters: resource({ sender: ref('people') }, { access }),
    },
  })
  await using s = await handling(keyed)
  await s.handle('POST /people', {}, { address: 'ada@example.org' })
  await s.handle('POST /letters', {}, { sender: 'ada@example.org' })
  assert.equal((await s.handle('GET /letters?sender=ADA@example.org')).json.length, 1)
  assert.equal((await s.handle('GET /people?id=ADA@example.org')).json.length, 1)
})

it('a field that is not filterable is visible, and refused as a filter', async () => {
  await using s = await handling(definition)
  const filtered = await s.handle('GET /notes?body=x')
  assert.equal(filtered.status, 400)
  assert.match(filtered.json.detail, /'body' cannot be used to filter/)
  assert.match((await s.handle('GET /notes?sort=body')).json.detail, /cannot be sorted/)
  assert.equal((await s.handle('GET /notes?fields=body')).status, 200)
})

it('links contain all other parameters, and prev appears only if there is an earlier page', async () => {
  await using s = await handling(definition)
  for (const title of ['a', 'b', 'c']) await s.handle('POST /notes', {}, { title })
  const target = '/notes?sort=-title&limit=1&title%5Bne%5D=x&fields=title'
  const first = await s.handle(`GET ${target}`)
  assert.equal(linkOf(first, 'prev'), undefined)
  const second = await s.handle(`GET ${linkOf(first, 'next')}`)
  assert.ok(linkOf(second, 'next')?.startsWith(`${target}&after=`))
  const back = await s.handle(`GET ${linkOf(second, 'prev')}`)
  assert.equal(back.text, first.text)
  assert.equal(linkOf(back, 'prev'), undefined)
  assert.ok(linkOf(back, 'next'))
  await s.handle(`DELETE /notes/${first.json[0].id}`)
  assert.equal(linkOf(await s.handle(`GET ${linkOf(first, 'next')}`), 'prev'), undefined)
})

it('a list that the store gives up is 503 with Retry-After, and no fault of ours', async () => {
  await using s = await handling(definition)
  s.service.store.list = () => {
    throw new StoreUnavailable('slow', 'A list took too long.')
  }
  const response = await s.handle('GET /notes?title[contains]=x')
  assert.equal(response.status, 503)
  assert.match(response.fields['retry-after'] ?? '', /^\d+$/)
  assert.deepEqual(
    s.observations.map(({ kind }) => kind),
    ['request'],
  )
})

it('a resource with a password cannot accept many items at once', () => {
  const users = resource({ login: text(), secret: password() }, { access, bulk: true })
  assert.throws(
    () => checkDefinition(service({ title: 'X', resources: { users } })),
    /cannot have the option 'bulk'/,
  )
})
