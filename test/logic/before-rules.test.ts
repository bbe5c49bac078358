/** What `before` may rely on and what it must keep: rights, consistent reads, its own writes, derived fields. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  boolean,
  caller,
  check,
  choice,
  computed,
  count,
  email,
  exists,
  integer,
  owner,
  password,
  ref,
  refs,
  resource,
  role,
  self,
  service,
  signedIn,
  sum,
  text,
  where,
} from '../../src/index.ts'
import { admin, adminPassword, basic, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

/** The messages of failed logic. */
function failures(s: TestService): readonly string[] {
  return s.observations.flatMap((one) => (one.kind === 'logic-failed' ? [(one.cause as Error).message] : []))
}

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

describe('the reads of a hook', () => {
  it('that no moment has given together run the hook again, instead of 500', async () => {
    const accounts = resource({ balance: integer() }, { access })
    const reports = resource({ total: integer().readOnly() }, { access })
    let between: (() => Promise<unknown>) | undefined
    let runs = 0
    const definition = service(
      { title: 'Bank', resources: { accounts, reports } },
      {
        reports: {
          before: {
            async create(_, { accounts, set }) {
              runs += 1
              const [first] = await accounts.list({ sort: 'createdAt' })
              const change = between
              between = undefined
              await change?.()
              const [, second] = await accounts.list({ sort: 'createdAt' })
              const total = (first?.balance ?? 0) + (second?.balance ?? 0)
              if (total !== 100) throw new Error(`The total is ${total}.`)
              set({ total })
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    const one = await s.request('POST /accounts', {}, { balance: 60 })
    const two = await s.request('POST /accounts', {}, { balance: 40 })
    between = async () => {
      await s.request(`PATCH ${one.fields.location}`, {}, { balance: 0 })
      await s.request(`PATCH ${two.fields.location}`, {}, { balance: 100 })
    }
    const reply = await s.request('POST /reports', {}, {})
    assert.deepEqual([reply.status, reply.json.total, runs], [201, 100, 2])
    assert.deepEqual(failures(s), [])
  })

  it('see its own writes, in the response too', async () => {
    const projects = resource(
      { name: text(), seen: integer().default(0) },
      { access, derived: { taskCount: count('tasks') } },
    )
    const tasks = resource(
      { title: text(), project: ref('projects', { inverse: 'tasks' }), open: boolean().default(true) },
      { access },
    )
    const definition = service(
      { title: 'Tracker', resources: { projects, tasks } },
      {
        projects: {
          before: {
            async update(project, { tasks, set }) {
              const made = await tasks.create({ title: 'new', project: project.id })
              await tasks.patch(made.id, { title: 'changed' })
              const seen = await tasks.list({ project: project.id })
              assert.deepEqual(
                seen.map(({ title }) => title),
                ['changed'],
              )
              set({ seen: await tasks.count({ title: 'changed' }) })
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    const { json } = await s.request('POST /projects', {}, { name: 'p' })
    const reply = await s.request(`PATCH /projects/${json.id}`, {}, { name: 'q' })
    assert.deepEqual([reply.status, reply.json.seen, reply.json.taskCount], [200, 1, 1], reply.text)
    assert.equal((await s.request(`GET /projects/${json.id}`)).fields.etag, reply.fields.etag)
  })
})

describe('sets of references in logic', () => {
  const labels = resource({ name: text() }, { access })
  const tasks = resource(
    { title: text(), labels: refs('labels'), marks: integer().default(0).readOnly() },
    { access },
  )
  const definition = service(
    { title: 'Tracker', resources: { labels, tasks } },
    {
      tasks: {
        before: {
          async create(task, { labels, set }) {
            const made = await labels.create({ name: `of ${task.title}` })
            set({ labels: [...(task.labels ?? []), made.id], marks: 1 })
          },
          async update(task, { tasks, labels, set, previous }) {
            const [other] = await labels.list({ name: 'other' })
            const twin = await tasks.create({ title: 'twin', labels: other ? [other.id] : [] })
            const seen = await tasks.list({ labels: { has: other?.id ?? '' } })
            assert.ok(seen.some(({ id }) => id === twin.id))
            set({ marks: task.labels.length - (previous?.labels.length ?? 0) })
          },
        },
      },
    },
  )

  it('are in records, can be set, and members of unsaved rows are found', async () => {
    await using s = await serve(definition)
    const other = await s.request('POST /labels', {}, { name: 'other' })
    const { json } = await s.request('POST /tasks', {}, { title: 'a' })
    assert.deepEqual([json.labels.length, json.marks], [1, 1])
    const added = await s.request(`PUT /tasks/${json.id}/labels/${other.json.id}`)
    assert.equal(added.status, 204, `${added.text} ${failures(s)}`)
    const after = await s.request(`GET /tasks/${json.id}`)
    assert.deepEqual([after.json.labels.length, after.json.marks], [2, 1])
  })
})

describe('derived fields in logic', () => {
  const projects = resource(
    { name: text() },
    {
      access,
      derived: {
        open: count('tasks', where({ done: false })),
        points: sum('tasks', 'points').always(),
        label: computed(text(), ['name'], ({ name }) => name.toUpperCase()),
      },
    },
  )
  const tasks = resource(
    {
      title: text(),
      points: integer().default(1),
      done: boolean().default(false),
      project: ref('projects', { inverse: 'tasks', onDelete: 'cascade' }),
    },
    { access },
  )
  const definition = service(
    { title: 'Tracker', resources: { projects, tasks } },
    {
      projects: {
        checks: [check('name', 'Must not be BAD.', ({ label }) => label !== 'BAD')],
        before: {
          delete(project, { refuse }) {
            if ((project.open ?? 0) > 0) refuse('state-conflict', `${project.label} has open tasks.`)
          },
        },
      },
      tasks: {
        before: {
          async create(task, { projects, refuse }) {
            const [full] = await projects.list({ open: { gte: 2 }, sort: '-points' })
            const { points = 0 } = await projects.get(task.project)
            if (full) refuse('state-conflict', `${full.name} is full with ${points} points.`)
          },
        },
      },
    },
  )

  it('a check sees computed fields; a hook sees aggregates too, under the rights of all', async () => {
    await using s = await serve(definition)
    const bad = await s.request('POST /projects', {}, { name: 'bad' })
    assert.deepEqual([bad.status, bad.json.errors?.[0]?.detail], [422, 'Must not be BAD.'])
    const { json } = await s.request('POST /projects', {}, { name: 'one' })
    const task = { title: 't', project: json.id }
    assert.equal((await s.request('POST /tasks', {}, task)).status, 201)
    assert.equal((await s.request('POST /tasks', {}, task)).status, 201)
    const full = await s.request('POST /tasks', {}, task)
    assert.deepEqual([full.status, full.json.detail], [409, 'one is full with 2 points.'])
    const refused = await s.request(`DELETE /projects/${json.id}`)
    assert.deepEqual([refused.status, refused.json.detail], [409, 'ONE has open tasks.'])
    for (const { id } of (await s.request('GET /tasks')).json)
      await s.request(`PATCH /tasks/${id}`, {}, { done: true })
    assert.equal((await s.request(`DELETE /projects/${json.id}`)).status, 204)
  })
})
