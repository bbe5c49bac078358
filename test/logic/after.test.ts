/** `after`: code that runs after the commit, at least once and in order for each item (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { AfterHooks } from '../../src/definition/logic.ts'
import {
  anyone,
  check,
  choice,
  email,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { pruneLog } from '../../src/service/log-pruning.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { admin, adminPassword, basic, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = resource({ title: text(), pin: text().optional().writeOnly() }, { access, bulk: true })
const options = { title: 'Notes', resources: { notes } }

interface Note {
  readonly id: string
  readonly title: string
}

// biome-ignore lint/suspicious/noExplicitAny: the tools are typed in test/definition/fixtures/logic-types.ts
type Tools = any

function withHooks(after: AfterHooks<Note, Tools>) {
  return service(options, { notes: { after } })
}

function failuresOf(s: TestService) {
  return s.observations.filter((one) => one.kind === 'logic-failed')
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5)
}

describe('after hooks', () => {
  it('get the item of the change, what it was before, and who made it', async () => {
    const seen: unknown[] = []
    const record =
      (kind: string) =>
      (item: Note, { previous, caller, requestId, now, signal }: Tools) => {
        assert.ok(Date.parse(now) > 0 && signal instanceof AbortSignal)
        seen.push({ kind, item: { ...item }, previous: previous && { ...previous }, caller, requestId })
      }
    const definition = withHooks({
      created: record('created'),
      updated: record('updated'),
      deleted: record('deleted'),
    })
    await using s = await serve(definition)
    const created = await s.request('POST /notes', {}, { title: 'a', pin: '1234' })
    const { id } = created.json
    const updated = await s.request(`PATCH /notes/${id}`, {}, { title: 'b' })
    const deleted = await s.request(`DELETE /notes/${id}`)
    await s.service.settled()
    const { createdAt } = created.json
    const caller = { kind: 'anonymous', roles: [] }
    const first = { id, title: 'a', createdAt, updatedAt: createdAt }
    const second = { id, title: 'b', createdAt, updatedAt: updated.json.updatedAt }
    const requestIds = [created, updated, deleted].map(({ fields }) => fields['request-id'])
    assert.deepEqual(seen, [
      { kind: 'created', item: first, previous: undefined, caller, requestId: requestIds[0] },
      { kind: 'updated', item: second, previous: first, caller, requestId: requestIds[1] },
      { kind: 'deleted', item: second, previous: second, caller, requestId: requestIds[2] },
    ])
  })

  it('see each version of an item in order, also when the next change is committed before', async () => {
    const titles: string[] = []
    let isFirst = true
    const slow = async ({ title }: Note) => {
      if (isFirst) {
        isFirst = false
        await pause(50)
      }
      titles.push(title)
    }
    await using s = await serve(withHooks({ created: slow, updated: slow }))
    const { json } = await s.request('POST /notes', {}, { title: '0' })
    for (const title of ['1', '2', '3']) await s.request(`PATCH /notes/${json.id}`, {}, { title })
    await s.service.settled()
    assert.deepEqual(titles, ['0', '1', '2', '3'])
  })

  it('run for each item of a POST, for cascades, and for references that a deletion clears', async () => {
    const seen: string[] = []
    const projects = resource({ name: text() }, { access })
    const tasks = resource(
      { title: text(), project: ref('projects', { onDelete: 'cascade' }) },
      { access, bulk: true },
    )
    const remarks = resource({ task: ref('tasks', { onDelete: 'clear' }).optional() }, { access })
    const definition = service(
      { title: 'Tracker', resources: { projects, tasks, remarks } },
      {
        tasks: {
          after: {
            created: ({ title }) => void seen.push(`created ${title}`),
            deleted: ({ title }) => void seen.push(`deleted ${title}`),
          },
        },
        remarks: {
          after: {
            updated: ({ task }, { previous }) =>
              void seen.push(`cleared ${task} ${previous.task !== undefined}`),
          },
        },
      },
    )
    await using s = await serve(definition)
    const { json: project } = await s.request('POST /projects', {}, { name: 'p' })
    const items = ['a', 'b'].map((title) => ({ title, project: project.id }))
    const made = await s.request('POST /tasks', {}, items)
    assert.equal(made.status, 201, made.text)
    const { json: all } = await s.request('GET /tasks?title=a')
    assert.equal((await s.request('POST /remarks', {}, { task: all[0].id })).status, 201)
    assert.equal((await s.request(`DELETE /projects/${project.id}`)).status, 204)
    await s.service.settled()
    assert.deepEqual(seen.toSorted(), [
      'cleared undefined true',
      'created a',
      'created b',
      'deleted a',
      'deleted b',
    ])
  })

  it('do not run for a refused request, nor for changes from before the hook was declared', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'restwell-after-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'notes.db')}`
    const seen: string[] = []
    const hook = ({ title }: Note) => void seen.push(title)
    const run = async (definition: Parameters<typeof serve>[0], title: string) => {
      await using s = await serve(definition, { database })
      assert.equal((await s.request('POST /notes', {}, { title: 7 })).status, 422)
      const { json } = await s.request('POST /notes', {}, { title })
      await s.request(`PATCH /notes/${json.id}`, {}, { title: `${title}!` })
      await s.service.settled()
    }
    await run(service(options), 'without hooks')
    await run(withHooks({ created: hook }), 'created only')
    await run(withHooks({ created: hook, updated: hook }), 'both')
    await run(withHooks({ updated: hook }), 'updated only')
    await run(withHooks({ created: hook }), 'created again')
    assert.deepEqual(seen, ['created only', 'both', 'both!', 'updated only!', 'created again'])
  })

  it('run for changes that were committed while no node ran', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'restwell-after-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'notes.db')}`
    const seen: string[] = []
    let isStopping = true
    const definition = withHooks({
      async created({ title }, { signal }) {
        if (isStopping) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        signal.throwIfAborted()
        seen.push(title)
      },
    })
    {
      await using s = await serve(definition, { database })
      await s.request('POST /notes', {}, { title: 'a' })
    }
    isStopping = false
    await using s = await serve(definition, { database })
    s.advance(10_000)
    await s.service.settled()
    assert.deepEqual(seen, ['a'])
  })

  it('entries are queued before they are pruned from the log', async () => {
    const seen: string[] = []
    let isOpen = false
    const definition = withHooks({
      async created({ title }) {
        await until(() => isOpen)
        seen.push(title)
      },
    })
    await using s = await serve(definition)
    for (const title of ['a', 'b']) await s.request('POST /notes', {}, { title })
    const { store, queueAll } = { store: s.service.store, queueAll: () => s.service.queueAfterHooks() }
    const clock = { now: () => Date.now() + 100 * 86_400_000 }
    const pruning = { store, clock, retention: 3600, queueWork: queueAll }
    await pruneLog(pruning, new AbortController().signal)
    assert.equal((await store.logExtent()).entries, 0)
    isOpen = true
    await s.service.settled()
    assert.deepEqual(seen.toSorted(), ['a', 'b'])
  })
})

describe('the writes of after hooks', () => {
  it('are transactions of their own, with checks and hooks, attributed to the hook and the request', async () => {
    const logs = resource({ text: text() }, { access })
    const problems: string[] = []
    const definition = service(
      { title: 'Notes', resources: { notes, logs } },
      {
        notes: {
          after: {
            async created(note, { logs }) {
              await logs.create({ text: `created ${note.title}` })
              await logs.create({ text: '' }).catch(({ type }) => problems.push(type))
            },
          },
        },
        logs: { checks: [check('text', 'Must not be empty.', ({ text }) => text !== '')] },
      },
    )
    await using s = await serve(definition)
    const created = await s.request('POST /notes', {}, { title: 'a' })
    await s.service.settled()
    assert.deepEqual(problems, ['invalid-content'])
    const { json } = await s.request('GET /logs')
    assert.deepEqual(
      json.map((log: { text: string }) => log.text),
      ['created a'],
    )
    const entry = (await s.service.store.readChanges(0, 10)).find(({ table }) => table === 'logs')
    const name = 'notes.after.created'
    assert.deepEqual(entry?.actor, { name, path: [name] })
    assert.equal(entry?.request, created.fields['request-id'])
  })

  it('run hooks in turn, five deep; then the entry is parked with a log line that names the cycle', async () => {
    let runs = 0
    const definition = withHooks({
      async updated({ id, title }, { notes }) {
        runs += 1
        await notes.patch(id, { title: `${title}.` })
      },
    })
    await using s = await serve(definition)
    const { json } = await s.request('POST /notes', {}, { title: 'a' })
    await s.request(`PATCH /notes/${json.id}`, {}, { title: 'b' })
    await assert.rejects(
      s.service.settled(),
      /more than 5 deep: notes\.after\.updated → notes\.after\.updated/,
    )
    assert.equal(runs, 5)
    const [failure] = failuresOf(s)
    assert.equal(failuresOf(s).length, 1)
    assert.ok(failure?.kind === 'logic-failed' && failure.parked !== undefined)
  })

  it('have all rights, and by as(caller) the present rights of the author', async () => {
    const users = resource(
      {
        email: email().unique(),
        password: password({ min: 12 }),
        role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: role('admin'), update: self, delete: role('admin') } },
    )
    const diaries = resource(
      { title: text(), by: ref('users', { onDelete: 'cascade' }).fromPrincipal() },
      { access: { read: owner('by'), create: signedIn, update: owner('by') } },
    )
    const seen: unknown[] = []
    const definition = service(
      {
        title: 'Diaries',
        accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
        resources: { users, diaries },
      },
      {
        diaries: {
          after: {
            async created(diary, { diaries, as, caller }) {
              const [own, all] = [await as(caller).diaries.count(), await diaries.count()]
              seen.push({ title: diary.title, own, all, caller })
            },
          },
        },
        users: {
          after: {
            created: (user) => void seen.push(Object.keys(user).toSorted()),
          },
        },
      },
    )
    await using s = await serve(definition)
    const bob = { email: 'bob@example.org', password: adminPassword }
    const { json: account } = await s.request('POST /users', admin, bob)
    await s.service.settled()
    const asBob = basic(bob.email, bob.password)
    await s.request('POST /diaries', admin, { title: 'of admin' })
    await s.request('POST /diaries', asBob, { title: 'of bob' })
    const { json: token } = await s.request('POST /tokens', asBob, { name: 't', scopes: ['diaries:create'] })
    const withToken = { authorization: `Bearer ${token.token}` }
    assert.equal((await s.request('POST /diaries', withToken, { title: 'by token' })).status, 201)
    await s.service.settled()
    const caller = { kind: 'account', id: account.id, roles: ['user'] }
    assert.deepEqual(seen[0], ['createdAt', 'disabled', 'email', 'id', 'role', 'updatedAt'])
    assert.deepEqual(
      (seen.slice(2) as { title: string }[]).toSorted((a, b) => (a.title < b.title ? -1 : 1)),
      [
        // The scopes of the token do not allow to read.
        { title: 'by token', own: 0, all: 3, caller },
        { title: 'of bob', own: 1, all: 2, caller },
      ],
    )
  })
})
