/** A tracker for the tests of batches, and the requests that they send. */

import {
  action,
  anyone,
  choice,
  email,
  integer,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { admin, type Reply, type TestService } from '../service.ts'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const tracker = service(
  {
    title: 'Tracker',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin', 'member']).writableBy(role('admin')),
          nick: text().optional(),
        },
        { access: { read: role('admin'), create: role('admin'), update: role('admin') } },
      ),
      projects: resource({ name: text({ max: 20 }).unique() }, { access }),
      tasks: resource(
        {
          title: text({ max: 20 }),
          number: integer().optional(),
          project: ref('projects', { onDelete: 'cascade', inverse: 'tasks' }),
          blocker: ref('tasks', { onDelete: 'clear' }).optional(),
        },
        { access },
      ),
      labels: resource(
        { name: text({ max: 20 }) },
        { access, bulk: true, put: 'create', conditional: 'required' },
      ),
      diaries: resource(
        { text: text(), author: ref('users').fromPrincipal() },
        { access: { read: owner('author'), create: role('member') } },
      ),
    },
  },
  {
    tasks: {
      before: {
        async create(task, { tasks, set }) {
          const [last] = await tasks.list({ project: task.project, sort: '-number', limit: 1 })
          set({ number: (last?.number ?? 0) + 1 })
        },
      },
      actions: {
        rename: action({
          input: { title: text() },
          by: anyone,
          run: (task, { title }, { tasks }) => tasks.patch(task.id, { title }),
        }),
      },
    },
  },
)

export type Entry = Readonly<Record<string, unknown>>

export const send = (
  { request }: TestService,
  requests: readonly unknown[],
  fields = {},
  query = '',
): Promise<Reply> => request(`POST /batch${query}`, { ...admin, ...fields }, { requests })

/** The numbers of rows and of changes. */
export async function sizeOf({ service }: TestService): Promise<readonly number[]> {
  const { store, model } = service
  const counts = [...model.resources.keys()].map((table) => store.count(table, { kind: 'always' }))
  return [...(await Promise.all(counts)), (await store.readChanges(0, 10_000)).length]
}

export async function seed(s: TestService) {
  const project = await s.request('POST /projects', {}, { name: 'Seed' })
  const task = await s.request('POST /tasks', {}, { title: 'seed', project: project.json.id })
  return { project, task, taskUri: String(task.fields.location), projectUri: String(project.fields.location) }
}
