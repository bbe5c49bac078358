/** What `before` may rely on and what it must keep: rights, and items that stay valid. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  caller,
  check,
  choice,
  email,
  exists,
  integer,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { admin, adminPassword, basic, serve, type TestService } from '../../service.ts'
import { failures } from './logic-failures.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const users = resource(
  {
    email: email().unique(),
    password: password({ min: 12 }),
    role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
  },
  { access: { read: signedIn, create: role('admin'), update: self } },
)

describe('the rights of logic', () => {
  const notes = resource(
    { title: text(), secret: text().default('s').visibleTo(role('admin')), by: ref('users').fromPrincipal() },
    { access: { read: owner('by'), create: signedIn, update: owner('by'), delete: owner('by') } },
  )
  const probes = resource({ found: text().readOnly() }, { access: { read: anyone, create: anyone } })
  const definition = service(
    {
      title: 'Notes',
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      resources: { users, notes, probes },
    },
    {
      probes: {
        before: {
          async create(_, { notes, as, caller, set }) {
            const [all, seen] = [await notes.list(), await as(caller).notes.list()]
            const shown = seen.map(({ title, secret }) => `${title}:${secret}`)
            set({ found: `${caller.kind} ${all.length} ${shown.join()}` })
          },
        },
      },
      notes: {
        before: {
          async update(note, { as, caller, notes }) {
            const others = (await notes.list()).filter(({ id }) => id !== note.id)
            for (const { id } of others) await as(caller).notes.patch(id, { title: 'taken' })
          },
        },
      },
    },
  )

  it('code reads with all rights; as(caller) with those of the caller', async () => {
    await using s = await serve(definition)
    const other = await createUser(s, 'other@example.org')
    assert.equal((await s.request('POST /notes', admin, { title: 'own' })).status, 201)
    assert.equal((await s.request('POST /notes', other, { title: 'theirs' })).status, 201)
    assert.equal((await s.request('POST /probes', admin, {})).json.found, 'account 2 own:s')
    assert.equal((await s.request('POST /probes', other, {})).json.found, 'account 2 theirs:undefined')
    assert.equal((await s.request('POST /probes', {}, {})).json.found, 'anonymous 2 ')
  })

  it('as(caller) does not write what the caller may not write: 500', async () => {
    await using s = await serve(definition)
    const other = await createUser(s, 'other@example.org')
    await s.request('POST /notes', other, { title: 'theirs' })
    const { json } = await s.request('POST /notes', admin, { title: 'own' })
    const reply = await s.request(`PATCH /notes/${json.id}`, admin, { title: 'new' })
    assert.equal(reply.status, 500)
    assert.match(failures(s)[0] ?? '', /notes\.before\.update failed: notes\.patch: /)
    assert.equal((await s.request(`GET /notes/${json.id}`, admin)).json.title, 'own')
  })

  it('a caller without rights is 401 or 403 before the hook runs', async () => {
    await using s = await serve(definition)
    const reply = await s.request('POST /notes', {}, { title: 'x' })
    assert.equal(reply.status, 401)
    assert.ok(reply.fields['www-authenticate'])
  })
})

async function createUser(s: TestService, login: string) {
  const made = await s.request('POST /users', admin, { email: login, password: adminPassword })
  assert.equal(made.status, 201, made.text)
  return basic(login, adminPassword)
}

describe('a hook that breaks the item: 500, nothing is written', () => {
  const members = resource({ user: ref('users') }, { access })
  const pages = resource(
    { title: text(), by: ref('users').optional() },
    {
      access: { read: anyone, create: owner('by'), update: exists('members', { user: caller }) },
    },
  )
  const options = {
    title: 'Pages',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: { users, members, pages },
  } as const

  it('a field that makes the caller lose the right to create it', async () => {
    const definition = service(options, {
      pages: { before: { create: (_, { set }) => set({ by: null }) } },
    })
    await using s = await serve(definition)
    const { json } = await s.request('GET /users', admin)
    const reply = await s.request('POST /pages', admin, { title: 'x', by: json[0].id })
    assert.equal(reply.status, 500)
    assert.match(
      failures(s)[0] ?? '',
      /pages\.before\.create made the item one that the caller may not write/,
    )
    assert.deepEqual((await s.request('GET /pages')).json, [])
  })

  it('a write to another collection that takes the right away', async () => {
    const definition = service(options, {
      pages: {
        before: {
          async update(_, { members }) {
            for (const { id } of await members.list()) await members.remove(id)
          },
        },
      },
    })
    await using s = await serve(definition)
    const { json } = await s.request('GET /users', admin)
    await s.request('POST /members', admin, { user: json[0].id })
    const made = await s.request('POST /pages', admin, { title: 'x', by: json[0].id })
    const reply = await s.request(`PATCH ${made.fields.location}`, admin, { title: 'y' })
    assert.equal(reply.status, 500)
    assert.equal((await s.request('GET /members')).json.length, 1)
  })

  it('a required read-only field without a value', async () => {
    const items = resource({ number: integer().readOnly() }, { access })
    const definition = service(
      { title: 'Items', resources: { items } },
      { items: { before: { create() {} } } },
    )
    await using s = await serve(definition)
    assert.equal((await s.request('POST /items', {}, {})).status, 500)
    assert.match(failures(s)[0] ?? '', /items\.before\.create must set 'number'/)
  })

  it('a check that fails after the hook', async () => {
    const items = resource({ title: text() }, { access })
    const definition = service(
      { title: 'Items', resources: { items } },
      {
        items: {
          checks: [check('title', 'Must not be bad.', ({ title }) => title !== 'bad')],
          before: { create: (_, { set }) => set({ title: 'bad' }) },
        },
      },
    )
    await using s = await serve(definition)
    assert.equal((await s.request('POST /items', {}, { title: 'bad' })).status, 422)
    assert.equal((await s.request('POST /items', {}, { title: 'good' })).status, 500)
    assert.match(failures(s)[0] ?? '', /items\.before\.create broke the check of 'title': Must not be bad\./)
  })

  it('a password, which code cannot set', async () => {
    const definition = service(options, {
      members: {
        before: {
          async create({ user }, { users }) {
            await users.patch(user, { password: 'much longer than twelve' })
          },
        },
      },
    })
    await using s = await serve(definition)
    const { json } = await s.request('GET /users', admin)
    assert.equal((await s.request('POST /members', admin, { user: json[0].id })).status, 500)
    assert.match(failures(s)[0] ?? '', /Logic cannot set passwords/)
  })

  it('a call that is not awaited', async () => {
    const items = resource({ title: text() }, { access })
    const definition = service(
      { title: 'Items', resources: { items } },
      {
        items: {
          before: {
            create(_, { items }) {
              void items.list()
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    assert.equal((await s.request('POST /items', {}, { title: 'x' })).status, 500)
    assert.match(failures(s)[0] ?? '', /items\.before\.create has ended before 1 of its calls\. Await them\./)
  })

  it('a write to the item itself instead of set', async () => {
    const items = resource({ title: text() }, { access })
    const definition = service(
      { title: 'Items', resources: { items } },
      {
        items: {
          before: {
            async update(item, { items, previous }) {
              if (previous?.title === 'a') await items.patch(item.id, { title: 'c' })
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    const { json } = await s.request('POST /items', {}, { title: 'a' })
    assert.equal((await s.request(`PATCH /items/${json.id}`, {}, { title: 'b' })).status, 500)
    assert.equal((await s.request(`GET /items/${json.id}`)).json.title, 'a')
  })
})
