/** `checks`: conditions on the record to be stored, for every way of writing (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { check, choice, ref, refs, resource, role, service, text, where } from '../../../src/index.ts'
import { admin, serve } from '../../service.ts'
import { access, accounts, lastPosition, seeded, tracker, users } from './checked-tracker.ts'
import { waysToWrite } from './ways-to-write.ts'

describe('checks run once for each item, and a failed one leaves no trace', () => {
  for (const { title, tasks, pointers, write } of waysToWrite) {
    it(title, async () => {
      const { definition, judged } = tracker()
      await using s = await serve(definition)
      const seed = await seeded(s)
      const before = await lastPosition(s)
      const shown = (await s.request('GET /tasks')).text
      judged.length = 0
      const refused = await write(s.request, '2026-01-01', seed)
      assert.equal(refused.status, 422, refused.text)
      assert.deepEqual(
        refused.json.errors,
        pointers.map((pointer) => ({ pointer, rule: 'check', detail: 'Must not be before the start.' })),
      )
      assert.equal(judged.length, tasks)
      assert.equal(await lastPosition(s), before)
      assert.equal((await s.request('GET /tasks')).text, shown)
      judged.length = 0
      const written = await write(s.request, '2026-03-01', seed)
      assert.ok([200, 201, 303].includes(written.status), written.text)
      assert.deepEqual(
        judged.map(({ due }) => due),
        Array(tasks).fill('2026-03-01'),
      )
      assert.equal(await lastPosition(s), before + tasks)
    })
  }
})

describe('a deletion that clears references', () => {
  it('checks the items that it changes: 422 that names the item, and nothing is deleted', async () => {
    const { definition, judged } = tracker()
    await using s = await serve(definition)
    const seed = await seeded(s)
    const { project } = (await s.request(`PATCH ${seed}`, {}, { urgent: true })).json
    const before = await lastPosition(s)
    const refused = await s.request(`DELETE /projects/${project}`)
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.json.detail, /Without the deleted item, \/tasks\/SEED would not be valid\./)
    assert.deepEqual(refused.json.errors, [
      { pointer: '/project', rule: 'check', detail: 'An urgent task needs a project.' },
    ])
    assert.equal(await lastPosition(s), before)
    await s.request(`PATCH ${seed}`, {}, { urgent: false })
    judged.length = 0
    assert.equal((await s.request(`DELETE /projects/${project}`)).status, 204)
    assert.deepEqual(
      judged.map((task) => [task.code, task.project]),
      [['SEED', undefined]],
    )
    const { json } = await s.request(`GET ${seed}`)
    assert.equal(json.project, undefined)
    const changes = await s.service.store.readChanges(0, 1000)
    assert.deepEqual(
      changes.slice(-2).map(({ kind, table }) => [kind, table]),
      [
        ['updated', 'tasks'],
        ['deleted', 'projects'],
      ],
    )
  })

  it('and sets of references, which a member can leave by its own URI too', async () => {
    const definition = service(
      {
        title: 'Tracker',
        resources: {
          labels: resource({ name: text() }, { access }),
          tasks: resource({ title: text(), labels: refs('labels') }, { access }),
        },
      },
      { tasks: { checks: [check('labels', 'Must have a label.', ({ labels }) => labels.length > 0)] } },
    )
    await using s = await serve(definition)
    const create = async (uri: string, body: object) => (await s.request(`POST ${uri}`, {}, body)).json
    const [first, second] = [await create('/labels', { name: 'a' }), await create('/labels', { name: 'b' })]
    const task = await create('/tasks', { title: 'x', labels: [first.id, second.id] })
    const labels = async () => (await s.request(`GET /tasks/${task.id}`)).json.labels
    assert.equal((await s.request(`DELETE /labels/${first.id}`)).status, 204)
    assert.deepEqual(await labels(), [second.id])
    const refused = await s.request(`DELETE /labels/${second.id}`)
    assert.equal(refused.status, 422)
    assert.equal(refused.json.errors[0].pointer, '/labels')
    const member = await s.request(`DELETE /tasks/${task.id}/labels/${second.id}`)
    assert.equal(member.status, 422)
    assert.equal(member.json.errors[0].rule, 'check')
    assert.deepEqual(await labels(), [second.id])
    const third = await create('/labels', { name: 'c' })
    assert.equal((await s.request(`PUT /tasks/${task.id}/labels/${third.id}`)).status, 204)
    assert.equal((await s.request(`DELETE /labels/${second.id}`)).status, 204)
    assert.deepEqual(await labels(), [third.id])
  })

  it('through a cascade too', async () => {
    const customers = resource({ name: text() }, { access })
    const projects = resource({ customer: ref('customers', { onDelete: 'cascade' }) }, { access })
    const tasks = resource(
      {
        project: ref('projects', { onDelete: 'clear' }).optional(),
        other: ref('projects', { onDelete: 'clear' }).optional(),
      },
      { access },
    )
    const definition = service(
      { title: 'Tracker', resources: { customers, projects, tasks } },
      { tasks: { checks: [check('project', 'Needs a project.', (task) => !!(task.project || task.other))] } },
    )
    await using s = await serve(definition)
    const post = async (line: string, body: unknown) => String((await s.request(line, {}, body)).json.id)
    const [first, second] = [
      await post('POST /customers', { name: 'a' }),
      await post('POST /customers', { name: 'b' }),
    ]
    const project = await post('POST /projects', { customer: first })
    const other = await post('POST /projects', { customer: second })
    await post('POST /tasks', { project, other })
    assert.equal((await s.request(`DELETE /customers/${first}`)).status, 204)
    assert.equal((await s.request(`DELETE /customers/${second}`)).status, 422)
    assert.equal((await s.request('GET /projects')).json.length, 1)
  })

  it('sees an item that begins to refer to it meanwhile: the deletion starts again', async () => {
    const { definition } = tracker()
    await using s = await serve(definition)
    const seed = await seeded(s)
    const { project } = (await s.request(`GET ${seed}`)).json
    await s.request(`PATCH ${seed}`, {}, { urgent: true })
    const others = Array.from({ length: 10 }, (_, at) => ({
      code: `O${at}`,
      title: 'o',
      urgent: true,
      project,
    }))
    const replies = await Promise.all([
      s.request(`DELETE /projects/${project}`),
      ...others.map((task) => s.request('POST /tasks', {}, task)),
      s.request(`PATCH ${seed}`, {}, { urgent: false }),
    ])
    const [deleted] = replies
    const { json: tasks } = await s.request('GET /tasks?urgent=true')
    for (const task of tasks) assert.ok(task.project, 'an urgent task has a project')
    assert.ok(deleted?.status === 204 || deleted?.status === 422)
  })
})

describe('a check', () => {
  it('gets the record to be stored: defaults, ids of references, no absent and no write-only fields', async () => {
    const { definition, judged } = tracker()
    await using s = await serve(definition)
    await seeded(s)
    judged.length = 0
    const made = await s.request('POST /tasks', {}, { code: 'R', title: 'r', secret: 'hidden' })
    assert.deepEqual(Object.keys(judged[0] ?? {}).sort(), Object.keys(made.json).sort())
    assert.deepEqual(judged[0], made.json)
  })

  it('is not evaluated when a request changes nothing', async () => {
    const { definition, judged } = tracker()
    await using s = await serve(definition)
    const seed = await seeded(s)
    judged.length = 0
    assert.equal((await s.request(`PATCH ${seed}`, {}, { title: 's' })).status, 200)
    assert.equal(judged.length, 0)
  })

  it('is evaluated on the state after a transition', async () => {
    const { definition } = tracker()
    await using s = await serve(definition)
    const seed = await seeded(s)
    assert.equal((await s.request(`PATCH ${seed}`, {}, { title: 'closed' })).status, 422)
    assert.equal((await s.request(`PATCH ${seed}`, {}, { title: 'closed', status: 'closed' })).status, 200)
  })

  it('is reported beside its field on the page of a refused form', async () => {
    const { definition } = tracker()
    await using s = await serve(definition)
    const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const refused = await s.request('POST /tasks', form, 'code=X&title=x&start=2026-02-01&due=2026-01-01')
    assert.equal(refused.status, 422)
    assert.match(refused.text, /<p class="fault" id="form-due-fault">Must not be before the start\.<\/p>/)
  })

  it('comes after the faults of the content, and before the access to the result', async () => {
    const notes = resource(
      { title: text({ max: 5 }), kind: choice(['open', 'closed']) },
      { access: { ...access, create: where({ kind: 'open' }) } },
    )
    const definition = service(
      { title: 'Notes', resources: { notes } },
      { notes: { checks: [check('title', 'Must not be empty.', ({ title }) => title !== '')] } },
    )
    await using s = await serve(definition)
    const post = (title: string, kind: string) => s.request('POST /notes', {}, { title, kind })
    assert.deepEqual(
      (await post('', 'shut')).json.errors?.map(({ pointer }: { pointer: string }) => pointer),
      ['/kind'],
    )
    assert.equal((await post('', 'closed')).status, 422)
    assert.equal((await post('x', 'closed')).status, 403)
    assert.equal((await post('x', 'open')).status, 201)
  })

  it('names no field that the caller neither sees nor sets', async () => {
    const notes = resource(
      { title: text(), hidden: text().default('h').readOnly().visibleTo(role('admin')) },
      { access },
    )
    const definition = service(
      { title: 'Notes', accounts, resources: { users, notes } },
      { notes: { checks: [check('hidden', 'Must agree.', ({ title, hidden }) => title === hidden)] } },
    )
    await using s = await serve(definition)
    const refused = await s.request('POST /notes', {}, { title: 'x' })
    assert.deepEqual(refused.json.errors, [{ pointer: '', rule: 'check', detail: 'Must agree.' }])
    const known = await s.request('POST /notes', admin, { title: 'x' })
    assert.deepEqual(known.json.errors, [{ pointer: '/hidden', rule: 'check', detail: 'Must agree.' }])
  })
})

describe('a check that fails itself is 500, writes nothing, and is logged once with its place', () => {
  const failing: readonly (readonly [title: string, test: () => unknown, log: RegExp])[] = [
    ['it throws', () => assert.fail('planted'), /notes\.checks\[1\].*planted/],
    ['it returns a promise', async () => true, /notes\.checks\[1\].*true or false, not a promise/],
    ['it returns nothing', () => undefined, /notes\.checks\[1\].*true or false, not undefined/],
  ]
  for (const [title, run, log] of failing) {
    it(title, async () => {
      const notes = resource({ title: text() }, { access })
      const broken = { field: 'title', message: 'm', test: run as () => boolean } as const
      const definition = service(
        { title: 'Notes', resources: { notes } },
        { notes: { checks: [check('title', 'm', () => true), broken] } },
      )
      await using s = await serve(definition)
      const reply = await s.request('POST /notes', {}, { title: 'x' })
      assert.equal(reply.status, 500)
      assert.ok(!reply.text.includes('planted'))
      const logged = s.observations.filter(({ kind }) => kind === 'logic-failed')
      assert.equal(logged.length, 1)
      const [entry] = logged
      assert.ok(entry?.kind === 'logic-failed' && entry.cause instanceof Error)
      assert.equal(entry.hook, 'notes.checks[1]')
      assert.match(entry.cause.message, log)
      assert.deepEqual((await s.request('GET /notes')).json, [])
    })
  }
})

test('the first account and sample rows are checked too', async () => {
  const definition = service(
    { title: 'Users', accounts, resources: { users } },
    { users: { checks: [check('email', 'Must be internal.', (user) => user.email.endsWith('@internal'))] } },
  )
  await assert.rejects(serve(definition), /The first account\.email: Must be internal\./)
})
