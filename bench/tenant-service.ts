/**
 * A definition with one large table, whose items belong to tenants by `exists`, and a small one like it. Roles choose
 * the rule, so that each rule lists the same million rows.
 */

import {
  and,
  caller,
  choice,
  email,
  exists,
  its,
  or,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from 'restwell'

const member = (path: string) => exists('memberships', { user: caller, organisation: its(path) })

const tasks = resource(
  {
    title: text({ max: 100 }),
    organisation: ref('organisations'),
    customer: ref('organisations'),
    project: ref('projects'),
  },
  {
    access: {
      read: [
        role('all'),
        and(role('one'), member('customer')),
        and(role('through'), member('project.organisation')),
        and(role('either'), or(member('organisation'), member('customer'))),
      ],
    },
  },
)

export default service({
  title: 'Tenants',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource({
      email: email().unique(),
      password: password(),
      role: choice(['admin', 'all', 'one', 'through', 'either']).writableBy(role('admin')),
    }),
    organisations: resource({ name: text({ max: 100 }) }),
    memberships: resource({
      user: ref('users', { onDelete: 'cascade' }),
      organisation: ref('organisations', { onDelete: 'cascade' }),
    }),
    projects: resource({ organisation: ref('organisations') }),
    tasks,
    alone: tasks,
  },
})
