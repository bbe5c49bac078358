/** A definition for several tenants: members of an organisation see its projects, tasks and notes. */

import {
  anyone,
  caller,
  callerField,
  choice,
  computed,
  count,
  email,
  exists,
  its,
  max,
  or,
  owner,
  password,
  ref,
  refs,
  resource,
  role,
  self,
  service,
  text,
  where,
} from '../../src/index.ts'

/** Members with one of the ranks in the organisation at the end of the path; any member without. */
function member(path: string, ...ranks: readonly string[]) {
  const rank = ranks.length === 0 ? {} : { rank: ranks }
  return exists('memberships', { user: caller, organisation: its(path), ...rank })
}

const users = resource(
  {
    email: email().unique().visibleTo(self),
    name: text({ max: 100 }),
    password: password({ min: 8 }),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
    organisation: ref('organisations', { onDelete: 'clear' }).optional(),
  },
  {
    access: { read: [self, where({ organisation: callerField('organisation') })], update: self },
    derived: { size: count('tasks') },
  },
)

const organisations = resource(
  { name: text({ max: 100 }) },
  {
    access: { read: member('id'), update: member('id', 'manager') },
    derived: { size: count('projects').always(), newest: max('projects', 'createdAt') },
  },
)

const memberships = resource(
  {
    user: ref('users', { onDelete: 'cascade' }),
    organisation: ref('organisations', { inverse: 'members', onDelete: 'cascade' }),
    rank: choice(['guest', 'member', 'manager']).default('member'),
  },
  {
    access: {
      read: or(owner('user'), member('organisation')),
      create: member('organisation', 'manager'),
      update: member('organisation', 'manager'),
      delete: member('organisation', 'manager'),
    },
  },
)

const projects = resource(
  {
    name: text({ max: 100 }),
    organisation: ref('organisations', { inverse: 'projects', onDelete: 'cascade' }),
    budget: text({ max: 100 }).optional().visibleTo(member('organisation', 'manager')),
  },
  {
    access: {
      read: member('organisation'),
      create: member('organisation', 'manager'),
      update: member('organisation', 'manager'),
      delete: member('organisation', 'manager'),
    },
    derived: {
      size: count('tasks').always(),
      open: count('tasks', where({ status: 'open' })),
      mine: count('tasks', where({ assignee: caller })),
      newest: max('tasks', 'createdAt'),
      costs: computed(text(), ['name', 'budget'], ({ name, budget }) => budget && `${name} ${budget}`),
    },
  },
)

/** Labels belong to an organisation too. */
const labels = resource(
  { name: text({ max: 100 }), organisation: ref('organisations', { onDelete: 'cascade' }) },
  {
    access: {
      read: member('organisation'),
      create: member('organisation', 'manager'),
      update: member('organisation', 'manager'),
      delete: member('organisation', 'manager'),
    },
  },
)

const tasks = resource(
  {
    title: text({ max: 100 }),
    project: ref('projects', { inverse: 'tasks', onDelete: 'cascade' }),
    status: choice(['open', 'done']).default('open'),
    assignee: ref('users', { inverse: 'tasks', onDelete: 'clear' }).optional(),
    labels: refs('labels'),
  },
  {
    access: {
      read: or(member('project.organisation'), where({ assignee: caller })),
      create: member('project.organisation', 'member', 'manager'),
      update: member('project.organisation', 'member', 'manager'),
      delete: member('project.organisation', 'manager'),
    },
  },
)

/** The organisation of the account is enough; no membership is needed. */
const notes = resource(
  {
    text: text({ max: 100 }),
    organisation: ref('organisations', { onDelete: 'cascade' }),
    topic: text({ max: 100 }).optional(),
  },
  {
    access: {
      read: where({ organisation: callerField('organisation') }),
      create: where({ organisation: callerField('organisation') }),
      update: where({ organisation: callerField('organisation') }),
      delete: where({ organisation: callerField('organisation') }),
    },
  },
)

/** For those who share an organisation with the user. */
const profiles = resource(
  { user: ref('users', { onDelete: 'cascade' }), words: text({ max: 100 }) },
  { access: { read: exists('memberships', { user: its('user'), 'organisation.members.user': caller }) } },
)

/** For everyone, so that a list has items of no tenant too. */
const notices = resource({ text: text({ max: 100 }) }, { access: { read: anyone } })

export const tenantDefinition = service({
  title: 'Tenants',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, organisations, memberships, projects, labels, tasks, notes, profiles, notices },
})
