/** The definition that tests of webhooks use: tasks that only their owner or an administrator reads. */

import {
  boolean,
  choice,
  email,
  list,
  or,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'

export const users = resource(
  {
    email: email().unique(),
    password: password(),
    roles: list(choice(['admin', 'member'])).optional(),
  },
  { access: { read: signedIn, create: role('admin'), update: role('admin'), delete: role('admin') } },
)

const readers = or(owner('owner'), role('admin'))

export const tasks = resource(
  {
    title: text({ max: 100_000 }),
    open: boolean().default(true),
    note: text().optional().visibleTo(role('admin')),
    owner: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  { access: { read: readers, create: signedIn, update: readers, delete: readers } },
)

export const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'roles' } as const

/** Local networks are allowed, so that a test can receive what is sent. */
export function defineTasks(networks: readonly string[] = ['127.0.0.0/8']) {
  return service({
    title: 'Tasks',
    accounts,
    webhooks: { by: signedIn, networks },
    resources: { users, tasks },
  })
}
