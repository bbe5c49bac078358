/** A tracker with a check on every resource. */

import assert from 'node:assert/strict'
import {
  action,
  anyone,
  boolean,
  check,
  choice,
  date,
  email,
  password,
  ref,
  resource,
  role,
  service,
  state,
  text,
} from '../../../src/index.ts'
import type { TestService } from '../../service.ts'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['admin', 'user']).default('user').writableBy(role('admin')),
  },
  { access },
)
export const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'role' } as const

/** The definition of the tracker, and the records that its check of `due` has judged. */
export function tracker() {
  const judged: Record<string, unknown>[] = []
  const projects = resource({ name: text() }, { access })
  const tasks = resource(
    {
      code: text({ max: 20 }).unique(),
      title: text(),
      start: date().optional(),
      due: date().optional(),
      project: ref('projects', { inverse: 'tasks', onDelete: 'clear' }).optional(),
      urgent: boolean().default(false),
      secret: text().writeOnly().optional(),
      status: state({ initial: 'open', transitions: { close: { from: 'open', to: 'closed' } } }),
    },
    { key: 'code', put: 'create', bulk: true, access },
  )
  const definition = service(
    { title: 'Tracker', resources: { projects, tasks } },
    {
      tasks: {
        checks: [
          check('due', 'Must not be before the start.', (task) => {
            judged.push(task)
            return !task.start || !task.due || task.due >= task.start
          }),
          check('project', 'An urgent task needs a project.', (task) => !task.urgent || !!task.project),
          check('title', "Must not be 'closed' while it is open.", ({ title, status }) => {
            return title !== 'closed' || status === 'closed'
          }),
        ],
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
  return { definition, judged }
}

export async function seeded(service: TestService): Promise<string> {
  const project = await service.request('POST /projects', {}, { name: 'p' })
  const task = { code: 'SEED', title: 's', start: '2026-02-01', due: '2026-02-10', project: project.json.id }
  const made = await service.request('POST /tasks', {}, task)
  assert.equal(made.status, 201, made.text)
  return String(made.fields.location)
}

export async function lastPosition({ service }: TestService): Promise<number> {
  return (await service.store.readChanges(0, 1000)).length
}
