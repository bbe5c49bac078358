/** Projects with tasks and time entries, for the tests of derived fields: some tasks and hours are hidden. */

import assert from 'node:assert/strict'
import {
  anyone,
  avg,
  boolean,
  caller,
  choice,
  computed,
  count,
  date,
  decimal,
  email,
  integer,
  max,
  min,
  number,
  or,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  sum,
  text,
  where,
} from 'restwell'
import { type Handling, handling } from '../handling.ts'
import { admin, basic } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const definition = service({
  title: 'Timesheet',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: anyone } },
    ),
    projects: resource(
      {
        name: text(),
        due: date().optional(),
        closed: boolean().default(false),
        budget: integer().optional().visibleTo(role('admin')),
      },
      {
        access,
        cache: { maxAge: 60 },
        derived: {
          size: count('tasks').always(),
          open: count('tasks', where({ status: 'open' })),
          mine: count('tasks', where({ author: caller })),
          hours: sum('entries', 'hours'),
          average: avg('entries', 'hours'),
          points: sum('tasks', 'points'),
          meanPoints: avg('tasks', 'points'),
          weight: sum('tasks', 'weight'),
          firstDue: min('tasks', 'due'),
          longest: max('entries', 'hours'),
          newest: max('tasks', 'createdAt'),
          secrets: sum('tasks', 'secret'),
          overdue: computed(
            boolean(),
            ['due', 'closed'],
            ({ due, closed }, { now }) =>
              !closed && due !== undefined && due < now.toISOString().slice(0, 10),
          ),
          spent: computed(integer(), ['budget'], ({ budget }) =>
            budget === undefined ? undefined : budget * 2,
          ),
        },
      },
    ),
    tasks: resource(
      {
        title: text(),
        status: choice(['open', 'done']).default('open'),
        points: integer().optional(),
        weight: number().optional(),
        due: date().optional(),
        hidden: boolean().default(false),
        secret: integer().optional().visibleTo(owner('author')),
        project: ref('projects', { inverse: 'tasks' }).optional(),
        author: ref('users').fromPrincipal().optional(),
      },
      { access: { ...access, read: or(where({ hidden: false }), role('admin')) } },
    ),
    entries: resource(
      { hours: decimal({ scale: 2 }).optional(), project: ref('projects', { inverse: 'entries' }) },
      { access },
    ),
  },
})

export const member = basic('member@example.org', 'correct horse battery')

export interface Timesheet extends Handling {
  /** Creates an item and returns its id. */
  create(collection: string, body: object, who?: Readonly<Record<string, string>>): Promise<string>
}

/** The service with a member. */
export async function openTimesheet(): Promise<Timesheet> {
  const s = await handling(definition)
  const create: Timesheet['create'] = async (collection, body, who = admin) => {
    const created = await s.handle(`POST /${collection}`, who, body)
    assert.equal(created.status, 201, created.text)
    return created.json.id
  }
  await create('users', { email: 'member@example.org', password: 'correct horse battery' })
  return Object.assign(s, { create })
}
