/**
 * A service as it was, and as it is now with its first version beside it: fields were renamed
 * (`due`), split (`assignee`), merged (`x` and `y`), given other values (`done`) and removed (`archived`).
 */

import {
  action,
  anyone,
  boolean,
  choice,
  date,
  email,
  integer,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const options = { access, bulk: true, history: { keep: '1 year', read: anyone }, search: ['title'] as const }

const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
  },
  { access },
)
const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'role' } as const
const projects = resource({ title: text() }, { access })

/** The service when v1 was its present version. */
export const original = service({
  title: 'Tracker',
  accounts,
  resources: {
    users,
    projects,
    tasks: resource(
      {
        title: text({ max: 50 }),
        due: date().optional(),
        assignee: text(),
        done: boolean().default(false),
        x: integer().default(0),
        y: integer().default(0),
        archived: boolean().default(false),
        owner: ref('projects', { inverse: 'tasks' }).optional(),
      },
      options,
    ),
  },
})

interface Task {
  readonly id: string
  readonly title: string
  readonly deadline?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly progress: string
  readonly place: string
  readonly project?: string
  readonly createdAt: string
  readonly updatedAt: string
}

type OldTask = {
  readonly assignee: string
  readonly done: boolean
  readonly x: number
  readonly y: number
}

export const v1 = {
  tasks: {
    fields: {
      assignee: text(),
      done: boolean().default(false),
      x: integer().default(0),
      y: integer().default(0),
      archived: boolean().default(false),
    },
    without: ['firstName', 'lastName', 'progress', 'place', 'estimate', 'note'],
    renamed: { due: 'deadline', owner: 'project' },
    // Of the members of both shapes it only sets the order.
    down(task: Task) {
      const { id, title, deadline, firstName, lastName, progress, place, project } = task
      const [x, y] = place.split(',').map(Number)
      return {
        id,
        title,
        due: deadline,
        assignee: [firstName, lastName].filter((name) => name !== undefined).join(' '),
        done: progress === 'done',
        x,
        y,
        archived: false,
        owner: project,
        createdAt: task.createdAt,
        updatedAt: task.updatedAt,
      }
    },
    up({ assignee, done, x, y }: OldTask) {
      const [firstName, ...others] = assignee.split(' ')
      return {
        firstName,
        lastName: others.length === 0 ? undefined : others.join(' '),
        progress: done ? 'done' : 'open',
        place: `${x},${y}`,
      }
    },
  },
  deprecated: '2027-01-01',
  sunset: '2027-07-01',
} as const

/** The service now. */
export const present = service(
  {
    title: 'Tracker',
    name: 'tracker',
    accounts,
    // A test receives what webhooks send.
    webhooks: { by: role('admin'), networks: ['127.0.0.0/8'] },
    versions: { v1, v2: { tasks: { renamed: { due: 'deadline' } } } },
    resources: {
      users,
      projects,
      tasks: resource(
        {
          title: text({ max: 50 }),
          deadline: date().optional(),
          firstName: text(),
          lastName: text().optional(),
          progress: choice(['open', 'doing', 'done']).default('open'),
          place: text({ pattern: '^-?[0-9]+,-?[0-9]+$' }).default('0,0'),
          estimate: integer({ min: 0 }).optional(),
          note: text().optional().visibleTo(role('admin')),
          project: ref('projects', { inverse: 'tasks' }).optional(),
        },
        options,
      ),
    },
  },
  {
    tasks: {
      actions: {
        postpone: action({
          input: { to: date() },
          by: anyone,
          run(task, { to }, { tasks }) {
            return tasks.patch(task.id, { deadline: to })
          },
        }),
      },
    },
  },
)
