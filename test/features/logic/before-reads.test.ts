/** What `before` reads: its own writes, sets of references and derived fields. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  boolean,
  check,
  computed,
  count,
  integer,
  ref,
  refs,
  resource,
  service,
  sum,
  text,
  where,
} from '../../../src/index.ts'
import { serve } from '../../service.ts'
import { failures } from './logic-failures.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

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
