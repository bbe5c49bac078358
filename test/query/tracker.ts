/** A definition with references and inverses, some of them hidden. */

import {
  anyone,
  boolean,
  choice,
  decimal,
  integer,
  nobody,
  password,
  ref,
  resource,
  role,
  service,
  text,
  where,
} from 'restwell'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'login', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        login: text(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { key: 'login', access: { read: nobody, create: anyone } },
    ),
    organisations: resource({ name: text() }, { access }),
    projects: resource(
      {
        name: text().optional(),
        budget: decimal({ scale: 2 }).optional(),
        open: boolean(),
        secret: text().optional().visibleTo(role('admin')),
        organisation: ref('organisations', { inverse: 'projects' }).optional(),
        lead: ref('users').optional(),
      },
      { access: { ...access, read: [where({ open: true }), role('admin')] } },
    ),
    tasks: resource(
      {
        title: text(),
        points: integer().optional(),
        project: ref('projects', { inverse: 'tasks' }).optional(),
        hidden: ref('projects', { inverse: 'hiddenTasks' }).optional().visibleTo(role('admin')),
        quiet: ref('projects', { inverse: 'quietTasks' }).optional().filterable(false),
      },
      { access: { ...access, read: [where({ title: ['a', 'b', 'c', 'd'] }), role('admin')] } },
    ),
    comments: resource({ text: text(), task: ref('tasks', { inverse: 'comments' }) }, { access }),
  },
})
