/** The last administrator stays, whatever way of writing would remove it: the store judges what is committed. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  openService,
  password,
  ref,
  resource,
  role,
  schedule,
  service,
  text,
} from '../../src/index.ts'
import { freshDatabase } from '../database.ts'
import { eventually } from '../eventually.ts'
import { admin, adminLogin, adminPassword, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const day = 86_400_000

// biome-ignore lint/suspicious/noExplicitAny: the tools are typed in test/definition/fixtures/logic-types.ts
type Tools = any

/** How code of the definition removes the account with this id. */
type Removal = (people: Tools, id: string) => Promise<unknown>

const removals: Readonly<Record<string, Removal>> = {
  'takes the role': (people, id) => people.patch(id, { role: 'member' }),
  'disables the account': (people, id) => people.patch(id, { disabled: true }),
  'deletes the account': (people, id) => people.remove(id),
}

/** A service whose code removes the first administrator, and the problems that code outside of requests got. */
function attacked(removal: Removal) {
  const problems: { readonly type: string; readonly status: number }[] = []
  const remove = async ({ people }: Tools) => {
    for (const { id } of await people.list({ role: 'admin', sort: 'createdAt', limit: 1 })) {
      await removal(people, id)
    }
  }
  const outside = async (tools: Tools) => {
    await remove(tools).catch((problem) => problems.push(problem))
  }
  const people = resource(
    {
      email: email().unique(),
      password: password(),
      role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
      team: ref('teams', { onDelete: 'clear' }).optional(),
    },
    { access: open },
  )
  const teams = resource({ name: text() }, { access: open })
  const [notes, facts, jobs] = [1, 2, 3].map(() => resource({ title: text() }, { access: open }))
  const definition = service(
    {
      title: 'Attacked',
      accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
      resources: { people, teams, notes: notes!, facts: facts!, errands: jobs! },
    },
    {
      people: {
        before: {
          update: async (person: Tools, { set, previous }: Tools) => {
            if (previous.team !== undefined && person.team === undefined) set({ role: 'member' })
          },
        },
      },
      notes: {
        before: { create: (_note, tools) => remove(tools), delete: (_note, tools) => remove(tools) },
        actions: {
          shift: action({
            on: 'collection',
            by: anyone,
            run: (_input: unknown, tools: Tools) => remove(tools),
          }),
          later: action({
            on: 'collection',
            by: anyone,
            background: true,
            run: (_input: unknown, tools: Tools) => outside(tools),
          }),
        },
        schedules: { daily: schedule('0 3 * * *', outside) },
      },
      facts: { after: { created: (_fact, tools) => outside(tools) } },
    },
  )
  return { definition, problems }
}

async function requireRefused(s: TestService, reply: Reply): Promise<void> {
  assert.equal(reply.status, 409, reply.text)
  assert.match(reply.json.detail, /the last account with the role 'admin'/)
  await requireAdmin(s)
}

async function requireAdmin({ request }: TestService): Promise<void> {
  assert.equal((await request('GET /people?role=admin', admin)).json.length, 1)
}

for (const [title, removal] of Object.entries(removals)) {
  describe(`the last administrator, where code ${title}`, () => {
    it('stays at an action, a hook before the commit and a batch with one: 409 (RFC 9110 §15.5.10)', async () => {
      const { definition } = attacked(removal)
      await using s = await serve(definition)
      await requireRefused(s, await s.request('POST /notes/shift', admin))
      await requireRefused(s, await s.request('POST /notes', admin, { title: 'a' }))
      await requireRefused(s, await s.request('POST /notes?dry-run=true', admin, { title: 'a' }))
      const batch = await s.request('POST /batch', admin, {
        requests: [{ method: 'POST', path: '/notes', body: { title: 'a' } }],
      })
      assert.deepEqual([batch.status, batch.json.problem?.status], [409, 409], batch.text)
      assert.match(batch.json.problem.detail, /the last account with the role 'admin'/)
      await requireAdmin(s)
      assert.deepEqual((await s.request('GET /notes', admin)).json, [])
    })

    it('stays at a hook after the commit, a job and a schedule, which get the problem', async () => {
      const { definition, problems } = attacked(removal)
      await using s = await serve(definition)
      await s.request('POST /facts', admin, { title: 'a' })
      await s.request('POST /notes/later', admin)
      s.advance(day)
      await eventually(() => problems.length >= 3)
      for (const { type, status } of problems) assert.deepEqual([type, status], ['state-conflict', 409])
      await requireAdmin(s)
    })

    it('stays at calls of service.system', async () => {
      const { definition } = attacked(removal)
      const first = { login: adminLogin, password: adminPassword }
      await using opened = await openService(definition, {
        database: await freshDatabase(),
        admin: first,
      })
      const people: Tools = opened.system.people
      const [one] = await people.list({ role: 'admin' })
      await assert.rejects(removal(people, one.id), { type: 'state-conflict', status: 409 })
      assert.equal(await people.count({ role: 'admin' }), 1)
    })
  })
}

it('the last administrator stays where a deletion clears a reference, and a hook then takes its role', async () => {
  const { definition } = attacked(async () => undefined)
  await using s = await serve(definition)
  const team = (await s.request('POST /teams', admin, { name: 't' })).json.id
  const own = (await s.request('GET /', admin)).json.links.account
  assert.equal((await s.request(`PATCH ${own}`, admin, { team })).status, 200)
  await requireRefused(s, await s.request(`DELETE /teams/${team}`, admin))
})

it('a batch may give the role to another account after it has taken it from the last', async () => {
  const { definition } = attacked(async () => undefined)
  await using s = await serve(definition)
  const own = (await s.request('GET /', admin)).json.links.account
  const other = { email: 'o@example.org', password: 'another one' }
  const { id } = (await s.request('POST /people', admin, other)).json
  const give = { method: 'PATCH', path: `/people/${id}`, body: { role: 'admin' } }
  const take = { method: 'PATCH', path: own, body: { role: 'member' } }
  assert.equal((await s.request('POST /batch', admin, { requests: [take] })).json.problem.status, 409)
  const both = await s.request('POST /batch', admin, { requests: [take, give] })
  assert.equal(both.status, 200, both.text)
})

it('a disabled administrator is none: the other stays, at an action too', async () => {
  const { definition } = attacked(removals['takes the role']!)
  await using s = await serve(definition)
  const other = { email: 'o@example.org', password: 'another one', role: 'admin' }
  const { id } = (await s.request('POST /people', admin, other)).json
  assert.equal((await s.request(`PATCH /people/${id}`, admin, { disabled: true })).status, 200)
  assert.equal((await s.request('POST /notes/shift', admin)).status, 409)
})

it('of two administrators whom concurrent actions and requests remove one remains', async () => {
  const { definition } = attacked(removals['takes the role']!)
  await using s = await serve(definition)
  const own = (await s.request('GET /', admin)).json.links.account
  const other = { email: 'o@example.org', password: 'another one', role: 'admin' }
  const { id } = (await s.request('POST /people', admin, other)).json
  const replies = await Promise.all([
    s.request('POST /notes/shift', admin),
    s.request(`DELETE /people/${id}`, admin),
    s.request(`PATCH ${own}`, admin, { disabled: true }),
  ])
  assert.ok(
    replies.some(({ status }) => status >= 400),
    replies.map(({ status }) => status).join(),
  )
  const { store, model } = s.service
  const { resource } = model.accounts!
  const rows = await store.list({
    table: resource.name,
    condition: { kind: 'compare', path: ['role'], operator: 'eq', values: ['admin'] },
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 10,
    evaluated: [],
  })
  const disabled = resource.fields.findIndex(({ name }) => name === 'disabled') + 4
  assert.ok(rows.some((row) => row[disabled] === 0))
})
