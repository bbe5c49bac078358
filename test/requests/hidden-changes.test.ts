/**
 * A change that touches only fields that a caller may not see does not show to it (RFC 9110 §8.8: its
 * representation has not changed).
 */

import assert from 'node:assert/strict'
import { beforeEach, describe, it, type TestContext } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  max,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from 'restwell'
import { account, as } from '../access/sample.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const definition = service({
  title: 'Zoo',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique().visibleTo(self, role('admin')),
        name: text(),
        password: password({ min: 8 }),
        role: choice(['member', 'vet', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: [self, role('admin')] } },
    ),
    enclosures: resource(
      { name: text() },
      {
        access: { read: anyone, create: signedIn, update: signedIn, delete: signedIn },
        derived: { latest: max('animals', 'updatedAt').always() },
      },
    ),
    animals: resource(
      {
        name: text(),
        weight: integer().optional(),
        notes: text().optional().visibleTo(role('vet')),
        price: integer().optional().visibleTo(owner('keeper')),
        keeper: ref('users').optional(),
        enclosure: ref('enclosures', { inverse: 'animals', onDelete: 'clear' }).optional(),
        quarantine: ref('enclosures', { onDelete: 'clear' }).optional().visibleTo(role('vet')),
      },
      {
        access: { read: anyone, create: signedIn, update: signedIn, delete: signedIn },
        history: {},
        index: ['updatedAt'],
        defaultSort: '-updatedAt',
      },
    ),
  },
})

let s: TestService
let keeper: Record<string, string>
let vet: Record<string, string>
let animal = ''

beforeEach(async (t) => {
  s = await serve(definition)
  ;(t as TestContext).after(() => s[Symbol.asyncDispose]())
  keeper = as(await account(s.request, 'keeper'))
  vet = as(await account(s.request, 'vet', 'vet'))
  animal = await created('/animals', { name: 'Leo', weight: 190 })
})

async function created(uri: string, body: object): Promise<string> {
  const reply = await s.request(`POST ${uri}`, vet, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.fields.location ?? ''
}

let written = 0

/** The vet writes the notes, which the keeper does not see. */
async function changeNotes(): Promise<Reply> {
  s.advance(10_000)
  written += 1
  const changed = await s.request(`PATCH ${animal}`, vet, { notes: `Limps ${written}` })
  assert.equal(changed.status, 200, changed.text)
  return changed
}

const idOf = (uri: string) => uri.slice(uri.lastIndexOf('/') + 1)

/** What a caller gets, without what differs in each response. */
function shown({ status, fields, text }: Reply) {
  const { date: _, 'request-id': __, ratelimit: ___, link, ...rest } = fields
  return { status, text, fields: { ...rest, link: String(link).replace(/last-event-id=[\w-]+/, '') } }
}

const lists = [
  '/animals',
  '/animals?sort=updatedAt',
  '/animals?fields=name,updatedAt',
  '/animals?format=csv',
  '/animals?format=ndjson',
  '/animals?format=hal',
  '/animals?format=xml&limit=10',
  '/animals?embed=enclosure',
  '/animals?group-by=updatedAt.month&aggregate=updatedAt.max',
  '/enclosures',
  '/users',
]

describe('a change of a field that the caller does not see', () => {
  it('leaves the item as it was: content, entity tag, Last-Modified', async () => {
    for (const caller of [keeper, {}]) {
      for (const format of ['json', 'hal', 'hal-forms', 'xml']) {
        const before = await s.request(`GET ${animal}?format=${format}`, caller)
        await changeNotes()
        assert.deepEqual(shown(await s.request(`GET ${animal}?format=${format}`, caller)), shown(before))
      }
    }
  })

  it('leaves lists, embedded items and aggregates as they were', async () => {
    const enclosure = await created('/enclosures', { name: 'Savanna' })
    await s.request(`PATCH ${animal}`, vet, { enclosure: idOf(enclosure) })
    await created('/animals', { name: 'Zoe' })
    const uris = [
      ...lists,
      enclosure,
      `${enclosure}?embed=animals`,
      `${enclosure}/animals`,
      `${animal}/history`,
    ]
    for (const caller of [keeper, {}]) {
      for (const uri of uris) {
        const before = await s.request(`GET ${uri}`, caller)
        assert.equal(
          before.status,
          uri.endsWith('history') && caller !== keeper ? before.status : 200,
          before.text,
        )
        await changeNotes()
        assert.deepEqual(shown(await s.request(`GET ${uri}`, caller)), shown(before), uri)
      }
    }
  })

  it('leaves HTML pages as they were', async () => {
    const page = { ...keeper, accept: 'text/html' }
    const withoutKeys = (reply: Reply) => reply.text.replaceAll(/name="_key" value="[^"]+"/g, '')
    for (const uri of [animal, '/animals', `/forms${animal}`, '/']) {
      const before = await s.request(`GET ${uri}`, page)
      assert.equal(before.status, 200, before.text)
      await changeNotes()
      const after = await s.request(`GET ${uri}`, page)
      assert.equal(withoutKeys(after), withoutKeys(before), uri)
      assert.equal(after.fields.etag, before.fields.etag, uri)
    }
  })

  it('is not found by filters and sort orders of updatedAt', async () => {
    const before = await s.request(`GET ${animal}`, keeper)
    const other = await created('/animals', { name: 'Zoe' })
    await changeNotes()
    const { updatedAt } = before.json
    const found = async (query: string, caller: Record<string, string>) =>
      (await s.request(`GET /animals?${query}`, caller)).json.map(({ id }: { id: string }) => id)
    assert.deepEqual(await found(`updatedAt[gt]=${updatedAt}`, keeper), [idOf(other)])
    assert.deepEqual(await found(`updatedAt=${updatedAt}`, keeper), [idOf(animal)])
    assert.deepEqual(await found('sort=updatedAt', keeper), [idOf(animal), idOf(other)])
    assert.deepEqual(await found('', keeper), [idOf(other), idOf(animal)], 'the default order')
    assert.deepEqual(await found('sort=updatedAt', vet), [idOf(animal), idOf(other)], 'nor who sees some')
  })

  it('follows the pages of a sorted list without a gap', async () => {
    await created('/animals', { name: 'Zoe' })
    await changeNotes()
    const first = await s.request('GET /animals?sort=updatedAt&limit=1', keeper)
    const next = /<([^>]+)>; rel="next"/.exec(String(first.fields.link))?.[1] ?? ''
    await changeNotes()
    const second = await s.request(`GET ${next}`, keeper)
    assert.deepEqual([first.json[0].name, second.json[0].name], ['Leo', 'Zoe'])
  })

  it('meets the preconditions of the caller (§13.1.1–4)', async () => {
    const before = await s.request(`GET ${animal}`, keeper)
    const etag = before.fields.etag ?? ''
    const date = before.fields['last-modified'] ?? ''
    await changeNotes()
    const get = (fields: Record<string, string>) => s.request(`GET ${animal}`, { ...keeper, ...fields })
    assert.equal((await get({ 'if-none-match': etag })).status, 304)
    assert.equal((await get({ 'if-modified-since': date })).status, 304)
    const patch = (fields: Record<string, string>, name: string) =>
      s.request(`PATCH ${animal}`, { ...keeper, ...fields }, { name })
    assert.equal((await patch({ 'if-unmodified-since': date }, 'One')).status, 200)
    const current = await s.request(`GET ${animal}`, keeper)
    await changeNotes()
    const changed = await patch({ 'if-match': current.fields.etag ?? '' }, 'Two')
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await s.request(`GET ${animal}`, vet)).json.notes, `Limps ${written}`, 'nothing was lost')
  })

  it('leaves the entity tag in a problem as it was', async () => {
    const refused = () =>
      s.request(`PATCH ${animal}`, { ...keeper, 'if-match': '"other"' }, { name: 'Other' })
    const before = await refused()
    assert.equal(before.status, 412)
    await changeNotes()
    const after = await refused()
    assert.equal(after.json.entityTag, before.json.entityTag)
    assert.equal(after.fields.etag, before.fields.etag)
  })

  it('does not conflict with a form that was made before', async () => {
    const uri = `/forms${animal}`
    const page = await s.request(`GET ${uri}`, { ...keeper, accept: 'text/html' })
    const target = /action="([^"]+)"/.exec(page.text.slice(page.text.indexOf('_originals') - 600))?.[1] ?? ''
    assert.match(target, /match=/)
    await changeNotes()
    const sent = await s.request(
      `POST ${target.replaceAll('&amp;', '&')}`,
      { ...keeper, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      'name=Leona&weight=190',
    )
    assert.equal(sent.status, 303, sent.text)
  })

  it('is not shown by a reference that is cleared and not seen', async () => {
    const enclosure = await created('/enclosures', { name: 'Ward' })
    await s.request(`PATCH ${animal}`, vet, { quarantine: idOf(enclosure) })
    const before = await s.request(`GET ${animal}`, keeper)
    const list = await s.request('GET /animals')
    s.advance(10_000)
    assert.equal((await s.request(`DELETE ${enclosure}`, vet)).status, 204)
    assert.equal((await s.request(`GET ${animal}`, vet)).json.quarantine, undefined)
    assert.deepEqual(shown(await s.request(`GET ${animal}`, keeper)), shown(before))
    assert.deepEqual(shown(await s.request('GET /animals')), shown(list))
  })

  it('is not shown by a new password', async () => {
    const uri = (await s.request('GET /users?name=keeper')).json[0].id
    const before = await s.request(`GET /users/${uri}`)
    const list = await s.request('GET /users')
    s.advance(10_000)
    const changed = await s.request(`PATCH /users/${uri}`, admin, { password: 'another password' })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(shown(await s.request(`GET /users/${uri}`)), shown(before))
    assert.deepEqual(shown(await s.request('GET /users')), shown(list))
  })

  it('may be made by the caller itself', async () => {
    const before = await s.request(`GET ${animal}`, keeper)
    s.advance(10_000)
    const changed = await s.request(`PATCH ${animal}`, keeper, { notes: 'Fed' })
    assert.equal(changed.status, 200)
    assert.deepEqual(changed.json, before.json)
    assert.equal(changed.fields.etag, before.fields.etag)
  })
})

describe('a change of a field that the caller sees', () => {
  it('shows to callers who see all fields of the resource, with version and time', async () => {
    const root = await s.request(`GET ${animal}`, admin)
    assert.equal(root.status, 200)
    const login = (await s.request('GET /users?name=keeper', admin)).json[0]
    const before = await s.request(`GET /users/${login.id}`, admin)
    s.advance(10_000)
    await s.request(`PATCH /users/${login.id}`, admin, { email: 'keeper2@example.org' })
    const after = await s.request(`GET /users/${login.id}`, admin)
    assert.ok(after.json.updatedAt > before.json.updatedAt)
    assert.notEqual(after.fields.etag, before.fields.etag)
    assert.ok(after.fields['last-modified'])
  })

  it('changes the tag of a caller who sees some restricted fields, not updatedAt, and sends no date', async () => {
    const before = await s.request(`GET ${animal}`, vet)
    assert.equal(before.fields['last-modified'], undefined)
    const list = await s.request('GET /animals', vet)
    await changeNotes()
    const after = await s.request(`GET ${animal}`, vet)
    assert.notEqual(after.fields.etag, before.fields.etag)
    assert.equal(after.json.updatedAt, before.json.updatedAt)
    assert.notEqual((await s.request('GET /animals', vet)).fields.etag, list.fields.etag)
    const stale = await s.request(
      `PATCH ${animal}`,
      { ...vet, 'if-match': before.fields.etag ?? '' },
      { name: 'X' },
    )
    assert.equal(stale.status, 412)
    assert.equal(stale.json.entityTag, after.fields.etag)
    const fresh = await s.request(
      `PATCH ${animal}`,
      { ...vet, 'if-match': after.fields.etag ?? '' },
      { name: 'X' },
    )
    assert.equal(fresh.status, 200)
  })

  it('has one tag for If-Match, whichever fields are selected', async () => {
    await changeNotes()
    const selected = await s.request(`GET ${animal}?fields=name`, vet)
    const changed = await s.request(
      `PATCH ${animal}`,
      { ...vet, 'if-match': selected.fields.etag ?? '' },
      { name: 'X' },
    )
    assert.equal(changed.status, 200, changed.text)
  })

  it('still shows to everyone', async () => {
    for (const caller of [keeper, {}]) {
      const before = await s.request(`GET ${animal}`, caller)
      const list = await s.request('GET /animals', caller)
      s.advance(10_000)
      assert.equal((await s.request(`PATCH ${animal}`, vet, { weight: 191 + written++ })).status, 200)
      const after = await s.request(`GET ${animal}`, caller)
      assert.ok(after.json.updatedAt > before.json.updatedAt)
      assert.notEqual(after.fields.etag, before.fields.etag)
      assert.notEqual(after.fields['last-modified'], before.fields['last-modified'])
      const again = await s.request('GET /animals', caller)
      assert.notEqual(again.fields.etag, list.fields.etag)
      assert.notEqual(again.text, list.text)
    }
  })
})
