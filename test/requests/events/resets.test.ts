/** When a reader of changes must read its list again: the event `reset`. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  caller,
  choice,
  email,
  exists,
  its,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from 'restwell'
import { account, as } from '../../access/sample.ts'
import { admin, type Reply, serve } from '../../service.ts'
import { follow, type ReceivedEvent } from './event-reader.ts'

const titleOf = (event: ReceivedEvent | undefined) => event?.data.item?.title ?? event?.event

const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'role' } as const

const users = resource(
  {
    email: email().unique(),
    name: text(),
    password: password({ min: 8 }),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: role('admin'), delete: role('admin') } },
)

const groups = service({
  title: 'Groups',
  accounts,
  resources: {
    users,
    projects: resource(
      { name: text(), lead: ref('users').optional(), code: text().optional() },
      {
        access: { read: role('admin'), create: role('admin'), update: role('admin'), delete: role('admin') },
      },
    ),
    members: resource(
      { project: ref('projects', { onDelete: 'cascade' }), person: ref('users'), note: text().optional() },
      {
        access: { read: role('admin'), create: role('admin'), update: role('admin'), delete: role('admin') },
      },
    ),
    tasks: resource(
      { title: text(), project: ref('projects') },
      {
        access: {
          read: [exists('members', { project: its('project'), person: caller }), role('admin')],
          create: role('admin'),
          update: role('admin'),
        },
      },
    ),
    plans: resource(
      { title: text(), project: ref('projects'), status: choice(['secret', 'known']).default('known') },
      {
        access: {
          read: [owner('project.lead'), role('admin')],
          create: signedIn,
          update: role('admin'),
        },
      },
    ),
  },
})

const byAdmin = { read: role('admin'), create: role('admin'), update: role('admin'), delete: role('admin') }

/** Notes are for those who share an open team with the author. */
const colleagues = service({
  title: 'Colleagues',
  accounts,
  resources: {
    users,
    teams: resource({ name: text(), kind: choice(['open', 'closed']).default('open') }, { access: byAdmin }),
    members: resource(
      { team: ref('teams', { inverse: 'members', onDelete: 'cascade' }), person: ref('users') },
      { access: byAdmin },
    ),
    notes: resource(
      { title: text(), author: ref('users') },
      {
        access: {
          ...byAdmin,
          read: exists('members', {
            person: its('author'),
            'team.kind': 'open',
            'team.members.person': caller,
          }),
        },
      },
    ),
  },
})

describe('a reset', () => {
  test('is sent when a record changes that an exists rule matches for the caller', async () => {
    await using s = await serve(groups)
    const [ada, bob] = [await account(s.request, 'ada'), await account(s.request, 'bob')]
    const project = (await s.request('POST /projects', admin, { name: 'P' })).json.id
    await s.request('POST /tasks', admin, { title: 'T', project })
    await using stream = await follow(s.port, '/tasks', as(ada))
    const seen = async () => titleOf(await stream.next())
    const other = await s.request('POST /members', admin, { project, person: bob.id })
    const own = await s.request('POST /members', admin, { project, person: ada.id })
    assert.equal(await seen(), 'reset')
    await s.request(`DELETE ${other.fields.location}`, admin)
    // A change that the rule does not depend on.
    await s.request(`PATCH ${own.fields.location}`, admin, { note: 'x' })
    await s.request('POST /tasks', admin, { title: 'U', project })
    assert.equal(await seen(), 'U')
    await s.request(`DELETE ${own.fields.location}`, admin)
    assert.equal(await seen(), 'reset')
    await s.request('POST /tasks', admin, { title: 'hidden', project })
    // Whether the task is seen depends on the membership when it is delivered.
    assert.deepEqual((await s.request('GET /tasks', as(ada))).json, [])
    const last = await s.request(`GET /tasks/-/events?last-event-id=${stream.lastId()}`, as(ada))
    assert.deepEqual(last.json, [])
  })

  test('is sent when a referenced record changes that decides about an item, and only then', async () => {
    await using s = await serve(groups)
    const ada = await account(s.request, 'ada')
    const [used, unused] = ['used', 'unused'].map((name) => s.request('POST /projects', admin, { name }))
    const [p, q] = [(await used)?.json.id, (await unused)?.json.id]
    await s.request('POST /plans', admin, { title: 'T', project: p })
    await using stream = await follow(s.port, '/plans', as(ada))
    const seen = async () => titleOf(await stream.next())
    await s.request(`PATCH /projects/${q}`, admin, { lead: ada.id })
    await s.request(`PATCH /projects/${p}`, admin, { code: 'other' })
    await s.request(`PATCH /projects/${p}`, admin, { lead: ada.id })
    assert.equal(await seen(), 'reset')
    await s.request('POST /plans', admin, { title: 'U', project: p })
    assert.equal(await seen(), 'U')
    await s.request(`PATCH /projects/${p}`, admin, { lead: null })
    assert.equal(await seen(), 'reset')
    await s.request('POST /plans', admin, { title: 'V', project: q })
    assert.equal(await seen(), 'V')
  })

  test('is not sent to callers for whom no record matches before or after', async () => {
    const byAdmin = { read: role('admin'), create: role('admin'), update: role('admin') }
    const members = resource({ group: text(), person: ref('users') }, { access: byAdmin })
    const projects = resource({ group: text() }, { access: byAdmin })
    const read = exists('members', { group: its('project.group'), person: caller })
    const tasks = resource({ project: ref('projects') }, { access: { ...byAdmin, read } })
    const resources = { users, members, projects, tasks }
    await using s = await serve(service({ title: 'Groups', accounts, resources }))
    const ada = await account(s.request, 'ada')
    await s.request('POST /members', admin, { group: 'own', person: ada.id })
    const start = (await s.request('GET /events', as(ada))).json.at(-1).id
    const project = (await s.request('POST /projects', admin, { group: 'other' })).fields.location
    await s.request('POST /tasks', admin, { project: project?.split('/').at(-1) })
    const resetsAfter = async (group: string) => {
      await s.request(`PATCH ${project}`, admin, { group })
      return (await s.request(`GET /events?last-event-id=${start}`, as(ada))).json.length
    }
    assert.equal(await resetsAfter('another'), 0)
    assert.equal(await resetsAfter('own'), 2, 'the task appears, and the list changes')
    assert.equal(await resetsAfter('other'), 2, 'the list changes again, and the task is hidden')
    assert.equal(await resetsAfter('another'), 2)
  })

  test('is sent when a record changes on a path of an exists rule, and only where it leads to the caller', async () => {
    await using s = await serve(colleagues)
    const [ada, bob] = [await account(s.request, 'ada'), await account(s.request, 'bob')]
    const post = async (uri: string, content: unknown) =>
      (await s.request(`POST ${uri}`, admin, content)).fields.location?.split('/').at(-1)
    const teamOf = (name: string) => post('/teams', { name })
    const [ours, theirs] = [await teamOf('ours'), await teamOf('theirs')]
    await post('/notes', { title: 'N', author: bob.id })
    const own = await post('/members', { team: ours, person: ada.id })
    let last = (await s.request('GET /events', as(ada))).json.at(-1).id
    const titles = async () => ((await s.request('GET /notes', as(ada))).json as { title: string }[]).length
    const isResetBy = async (line: string, content?: unknown) => {
      const { status } = await s.request(line, admin, content)
      assert.ok(status < 300, line)
      const events = (await s.request(`GET /events?last-event-id=${last}`, as(ada))).json
      last = events.at(-1)?.id ?? last
      return events.some(({ type }: { type: string }) => type === 'reset')
    }
    const isHidden = [
      await isResetBy('POST /members', { team: theirs, person: bob.id }),
      await isResetBy(`PATCH /teams/${theirs}`, { kind: 'closed' }),
    ]
    assert.deepEqual(isHidden, [false, false], 'a team of others')
    assert.equal(await titles(), 0)
    assert.equal(
      await isResetBy('POST /members', { team: ours, person: bob.id }),
      true,
      'a member of the team',
    )
    assert.equal(await titles(), 1)
    assert.equal(await isResetBy(`PATCH /teams/${ours}`, { name: 'renamed' }), false, 'not compared')
    assert.equal(await isResetBy(`PATCH /teams/${ours}`, { kind: 'closed' }), true, 'the record between')
    assert.equal(await titles(), 0)
    assert.equal(await isResetBy(`PATCH /teams/${ours}`, { kind: 'open' }), true)
    assert.equal(await titles(), 1)
    assert.equal(await isResetBy(`DELETE /members/${own}`), true, 'the record of the caller')
    assert.equal(await titles(), 0)
    await post('/members', { team: ours, person: ada.id })
    assert.equal(await titles(), 1)
    last = (await s.request(`GET /events?last-event-id=${last}`, as(ada))).json.at(-1).id
    assert.equal(await isResetBy(`DELETE /teams/${ours}`), true, 'all records of the path at once')
    assert.equal(await titles(), 0)
  })

  test('and the event of the same change have ids of their own', async () => {
    const open = { read: anyone, create: role('admin'), update: role('admin') }
    const members = resource({ project: text(), person: ref('users') }, { access: open })
    const read = exists('members', { project: its('title'), person: caller })
    const notes = resource({ title: text() }, { access: { ...open, read } })
    await using s = await serve(service({ title: 'Notes', accounts, resources: { users, members, notes } }))
    const ada = await account(s.request, 'ada')
    const before = (await s.request('GET /events', as(ada))).json.at(-1).id
    await s.request('POST /members', admin, { project: 'P', person: ada.id })
    const page = await s.request(`GET /events?last-event-id=${before}`, as(ada))
    const types = ({ json }: Reply) => json.map(({ type }: { type: string }) => type)
    assert.deepEqual(types(page), ['members.created', 'reset'])
    const rest = await s.request(`GET /events?last-event-id=${page.json[0].id}`, as(ada))
    assert.deepEqual(types(rest), ['reset'])
    await using stream = await follow(s.port, '/events', { ...as(ada), 'last-event-id': page.json[0].id })
    assert.equal((await stream.next())?.event, 'reset')
    assert.deepEqual((await s.request(`GET /events?last-event-id=${page.json[1].id}`, as(ada))).json, [])
  })
})
