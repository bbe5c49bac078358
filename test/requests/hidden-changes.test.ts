/**
 * A change that touches only fields that a caller may not see does not show to it (RFC 9110 §8.8: its
 * representation has not changed).
 */

import assert from 'node:assert/strict'
import { beforeEach, describe, it, type TestContext } from 'node:test'
import {
  anyone,
  boolean,
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
  where,
} from 'restwell'
import { account, as } from '../access/sample.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'
import { follow } from './events/event-reader.ts'

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
    plants: resource(
      {
        name: text(),
        height: integer().optional(),
        rare: boolean().default(false).visibleTo(role('vet')),
        site: text()
          .optional()
          .visibleTo(where({ rare: true })),
      },
      { access: { read: anyone, create: signedIn, update: signedIn }, history: {} },
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
  '/animals/-/aggregate?group-by=updatedAt.month&aggregate=updatedAt.max',
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

  it('leaves the column of the time in CSV', async () => {
    const { text } = await s.request('GET /animals?format=csv', keeper)
    assert.match(text, /^id,.*,createdAt,updatedAt\r\n[^\r]+,2\d{3}-[^,]+Z,2\d{3}-[^,]+Z\r\n/)
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

describe('a hidden change of which fields the caller sees', () => {
  let plant = ''

  beforeEach(async () => {
    plant = await created('/plants', { name: 'Sundew' })
  })

  async function change(body: object): Promise<void> {
    s.advance(10_000)
    const changed = await s.request(`PATCH ${plant}`, vet, body)
    assert.equal(changed.status, 200, changed.text)
  }

  it('leaves items and lists as they were where the fields have no value', async () => {
    const uris = [plant, `${plant}?format=hal`, `${plant}?format=xml`, '/plants', '/plants?fields=name']
    for (const caller of [keeper, {}]) {
      for (const uri of uris) {
        for (const rare of [true, false]) {
          const before = await s.request(`GET ${uri}`, caller)
          await change({ rare })
          assert.deepEqual(shown(await s.request(`GET ${uri}`, caller)), shown(before), uri)
        }
      }
    }
    assert.ok((await s.request(`GET ${plant}`, keeper)).fields['last-modified'])
  })

  it('changes the tag and ends the date where a value appears, however it does', async () => {
    const appears = [
      { before: { rare: true, site: null }, after: { site: 'Bog' } },
      { before: { rare: false, site: 'Bog' }, after: { rare: true } },
    ]
    for (const { before, after } of appears) {
      await change(before)
      const without = await s.request(`GET ${plant}`, keeper)
      await change(after)
      const present = await s.request(`GET ${plant}`, keeper)
      assert.deepEqual([without.json.site, present.json.site], [undefined, 'Bog'])
      assert.ok(without.fields['last-modified'])
      assert.equal(present.fields['last-modified'], undefined)
      const put = (etag = '') => s.request(`PUT ${plant}`, { ...keeper, 'if-match': etag }, { name: 'Oak' })
      assert.equal((await put(without.fields.etag)).status, 412, 'the PUT would remove the site')
      await change(before)
      assert.equal((await put(present.fields.etag)).status, 412)
      assert.equal((await s.request(`GET ${plant}`, keeper)).fields.etag, without.fields.etag)
    }
  })

  it('is an event only where a shown value changes', async () => {
    await using all = await follow(s.port, '/plants')
    await using names = await follow(s.port, '/plants?fields=name')
    await change({ rare: true })
    await change({ name: 'Oak' })
    for (const stream of [all, names]) assert.equal((await stream.next())?.data.item.name, 'Oak')
    await change({ rare: false, site: 'Bog' })
    await change({ rare: true })
    assert.equal((await all.next())?.data.item.site, 'Bog')
    await change({ name: 'Elm' })
    for (const stream of [all, names]) assert.equal((await stream.next())?.data.item.name, 'Elm')
  })
})

describe('a former version', () => {
  const formats = ['json', 'hal-forms', 'html', 'xml']
  const properties = ({ json }: Reply): readonly { name: string; value: unknown }[] | undefined =>
    json._templates?.restore.properties

  async function firstVersionOf(item: string): Promise<string> {
    const { json } = await s.request(`GET ${item}/history`, keeper)
    return `${item}/history/${json.at(-1).version}`
  }

  it('stays the present one for a caller who does not see the later change', async () => {
    const version = await firstVersionOf(animal)
    const read = (format: string) => s.request(`GET ${version}?format=${format}`, keeper)
    const before = new Map<string, Reply>()
    for (const format of formats) before.set(format, await read(format))
    await changeNotes()
    for (const [format, { status, text }] of before) {
      assert.equal(status, 200, text)
      assert.equal((await read(format)).text, text, format)
    }
    assert.ok(properties(await s.request(`GET ${version}?format=hal-forms`, vet)), 'the vet can undo it')
  })

  it('can be restored where only a value was added since', async () => {
    const plant = await created('/plants', { name: 'Sundew' })
    const version = await firstVersionOf(plant)
    const read = async () => properties(await s.request(`GET ${version}?format=hal-forms`, keeper))
    assert.equal(await read(), undefined)
    await s.request(`PATCH ${plant}`, keeper, { height: 20 })
    const content = Object.fromEntries((await read())?.map(({ name, value }) => [name, value]) ?? [])
    assert.deepEqual(content, { name: 'Sundew' })
    const restored = await s.request(`PUT ${plant}`, keeper, content)
    assert.deepEqual([restored.status, restored.json.height], [200, undefined])
    assert.equal(await read(), undefined)
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
    await changeNotes()
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
    // No date is later than the response, whose clock does not advance.
    s.advance(-60_000)
    animal = await created('/animals', { name: 'Zoe', weight: 180 })
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
