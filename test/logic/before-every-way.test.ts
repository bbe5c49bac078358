/** `before` runs once for each item, for every way of writing, and a refusal leaves no trace. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { action, anyone, date, ref, resource, service, state, text } from '../../src/index.ts'
import { serve } from '../service.ts'
import { type WayToWrite, waysToWrite } from './ways-to-write.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

/** The definition of the tracker, and the due dates that its hooks have seen. */
function tracker() {
  const seen: (string | undefined)[] = []
  const projects = resource({ name: text() }, { access })
  const logs = resource({ about: text() }, { access })
  const reminders = resource({ due: date() }, { access })
  const tasks = resource(
    {
      code: text({ max: 20 }).unique(),
      title: text(),
      start: date().optional(),
      due: date().optional(),
      project: ref('projects', { inverse: 'tasks' }).optional(),
      note: text().readOnly(),
      status: state({ initial: 'open', transitions: { close: { from: 'open', to: 'closed' } } }),
    },
    { key: 'code', put: 'create', bulk: true, access },
  )
  const definition = service(
    { title: 'Tracker', resources: { projects, logs, reminders, tasks } },
    {
      reminders: {
        before: {
          async create({ due }, { tasks }) {
            await tasks.create({ code: 'X', title: 'x', start: '2026-02-01', due })
          },
        },
      },
      tasks: {
        before: {
          async create(task, { set, logs, refuse }) {
            seen.push(task.due)
            await logs.create({ about: task.code })
            if (task.due === '2026-01-01') refuse('state-conflict', 'Too early.')
            set({ note: `created ${task.due}` })
          },
          async update(task, { set, logs, refuse }) {
            seen.push(task.due)
            await logs.create({ about: task.code })
            if (task.due === '2026-01-01') refuse('state-conflict', 'Too early.')
            set({ note: `updated ${task.due}` })
          },
        },
        actions: {
          reschedule: action({
            input: { due: date() },
            by: anyone,
            run: (task, { due }, { tasks }) => tasks.patch(task.id, { due }),
          }),
          plan: action({
            on: 'collection',
            input: { due: date() },
            by: anyone,
            run: ({ due }, { tasks }) => tasks.create({ code: 'X', title: 'x', start: '2026-02-01', due }),
          }),
        },
      },
    },
  )
  return { definition, seen }
}

const byOtherLogic: WayToWrite = {
  title: 'a write by a hook of another collection',
  tasks: 1,
  pointers: [],
  write: (request, due) => request('POST /reminders', {}, { due }),
}

describe('before runs once for each item', () => {
  for (const { title, tasks, write } of [...waysToWrite, byOtherLogic]) {
    it(title, async () => {
      const { definition, seen } = tracker()
      await using s = await serve(definition)
      const { json: project } = await s.request('POST /projects', {}, { name: 'p' })
      const seed = { code: 'SEED', title: 's', start: '2026-02-01', due: '2026-02-10', project: project.id }
      const made = await s.request('POST /tasks', {}, seed)
      assert.equal(made.status, 201, made.text)
      const uri = String(made.fields.location)
      const before = (await s.service.store.readChanges(0, 1000)).length
      seen.length = 0
      const refused = await write(s.request, '2026-01-01', uri)
      assert.deepEqual([refused.status, refused.json.detail], [409, 'Too early.'])
      assert.equal(seen.length, 1)
      assert.equal((await s.service.store.readChanges(0, 1000)).length, before)
      seen.length = 0
      const written = await write(s.request, '2026-03-01', uri)
      assert.ok([200, 201, 303].includes(written.status), written.text)
      assert.deepEqual(seen, Array(tasks).fill('2026-03-01'))
      // Each task and its log entry.
      const others = title === byOtherLogic.title ? 1 : 0
      assert.equal((await s.service.store.readChanges(0, 1000)).length, before + 2 * tasks + others)
      const { json } = await s.request('GET /tasks?due=2026-03-01')
      assert.equal(json.length, tasks)
      for (const { note } of json) assert.match(note, /^(created|updated) 2026-03-01$/)
    })
  }
})
