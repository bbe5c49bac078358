/** The service that the ways to write are for. */

import { action, anyone, date, ref, resource, service, state, text } from '../../../src/index.ts'
import type { WayToWrite } from './ways-to-write.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

/** The definition of the tracker, and the due dates that its hooks have seen. */
export function tracker() {
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

/** A write that a hook of another collection makes. */
export const byOtherLogic: WayToWrite = {
  title: 'a write by a hook of another collection',
  tasks: 1,
  pointers: [],
  write: (request, due) => request('POST /reminders', {}, { due }),
}
