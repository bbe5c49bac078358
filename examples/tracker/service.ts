/**
 * A project tracker for several customers. People belong to organisations by memberships; a member of one
 * organisation sees nothing of another. Start it with `restwell serve examples/tracker/service.ts`.
 */

import {
  action,
  and,
  boolean,
  check,
  computed,
  count,
  date,
  decimal,
  env,
  file,
  integer,
  list,
  oidc,
  or,
  owner,
  ref,
  refs,
  resource,
  schedule,
  service,
  state,
  sum,
  text,
  timestamp,
  where,
} from 'restwell'
import { anyMember, contributor, manager, memberships, organisations, users } from './people.ts'

const projects = resource(
  {
    name: text({ min: 1, max: 100 }),
    organisation: ref('organisations', { inverse: 'projects', onDelete: 'cascade' }).immutable(),
    archived: boolean().default(false),
    budget: decimal({ scale: 2, min: '0' }).optional().visibleTo(manager('organisation')),
  },
  {
    access: {
      read: anyMember('organisation'),
      create: manager('organisation'),
      update: manager('organisation'),
      delete: manager('organisation'),
    },
    derived: {
      taskCount: count('tasks'),
      openTasks: count('tasks', where({ status: 'open' })).always(),
    },
  },
)

const inTask = 'project.organisation'
const tasks = resource(
  {
    title: text({ min: 1, max: 200 }),
    project: ref('projects', { inverse: 'tasks', onDelete: 'cascade' }).immutable(),
    number: integer({ min: 1 }).readOnly(),
    description: text({ max: 10_000, format: 'markdown' }).optional(),
    start: date().optional(),
    due: date().optional(),
    assignee: ref('memberships', { inverse: 'tasks', onDelete: 'clear' }).optional(),
    labels: refs('labels'),
    attachments: list(file({ types: ['image/*', 'application/pdf', 'text/plain'], max: '10 MB' }), {
      max: 10,
    }),
    remindedAt: timestamp().optional().readOnly(),
    status: state({
      initial: 'open',
      transitions: {
        submit: { from: 'open', to: 'in review' },
        approve: { from: 'in review', to: 'done', by: manager(inTask) },
        reopen: { from: ['in review', 'done'], to: 'open' },
      },
      tones: { 'in review': 'warning', done: 'good' },
    }),
  },
  {
    unique: [['project', 'number']],
    columns: ['number', 'project', 'status', 'assignee', 'due', 'hours'],
    search: ['title', 'description'],
    history: { keep: '1 year' },
    access: {
      read: anyMember(inTask),
      create: contributor(inTask),
      update: contributor(inTask),
      delete: manager(inTask),
    },
    derived: {
      hours: sum('entries', 'hours').always(),
      commentCount: count('comments'),
      overdue: computed(
        boolean(),
        ['due', 'status'],
        ({ due, status }, { now }) =>
          status !== 'done' && due !== undefined && due < now.toISOString().slice(0, 10),
      ),
    },
  },
)

const labels = resource(
  {
    name: text({ min: 1, max: 40 }),
    organisation: ref('organisations', { inverse: 'labels', onDelete: 'cascade' }).immutable(),
  },
  {
    unique: [['organisation', 'name']],
    access: {
      read: anyMember('organisation'),
      create: contributor('organisation'),
      update: contributor('organisation'),
      delete: manager('organisation'),
    },
  },
)

const inEntry = 'task.project.organisation'
const ownContribution = and(owner('author'), contributor(inEntry))

const comments = resource(
  {
    text: text({ min: 1, max: 5_000 }),
    task: ref('tasks', { inverse: 'comments', onDelete: 'cascade' }).immutable(),
    author: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    access: {
      read: anyMember(inEntry),
      create: contributor(inEntry),
      update: ownContribution,
      delete: or(ownContribution, manager(inEntry)),
    },
  },
)

const entries = resource(
  {
    day: date(),
    hours: decimal({ scale: 2, min: '0', max: '24' }),
    note: text({ max: 500 }).optional(),
    task: ref('tasks', { inverse: 'entries', onDelete: 'cascade' }).immutable(),
    author: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    index: ['day'],
    bulk: true,
    access: {
      read: anyMember(inEntry),
      create: contributor(inEntry),
      update: ownContribution,
      delete: or(ownContribution, manager(inEntry)),
    },
  },
)

/** With a mail server, admins invite people and passwords can be reset. */
const mail = process.env.MAIL_URL === undefined ? {} : { mail: { from: 'Tracker <tracker@example.org>' } }

/** With a client at Google, people with an account can sign in there. */
const google = oidc({
  name: 'google',
  issuer: 'https://accounts.google.com',
  clientId: env('GOOGLE_ID'),
  clientSecret: env('GOOGLE_SECRET'),
})
const signIn = process.env.GOOGLE_ID === undefined ? {} : { signIn: { providers: [google] } }

export default service(
  {
    title: 'Tracker',
    name: 'tracker',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    ...mail,
    ...signIn,
    // Clients of the first release know the date as `deadline`.
    versions: {
      v1: { tasks: { renamed: { deadline: 'due' } }, deprecated: '2026-11-01', sunset: '2027-11-01' },
    },
    resources: { users, organisations, memberships, projects, tasks, labels, comments, entries },
  },
  {
    projects: {
      before: {
        async update(project, { previous, tasks, refuse }) {
          if (!project.archived || previous?.archived) return
          const open = await tasks.count({ project: project.id, status: { ne: 'done' } })
          if (open > 0)
            refuse('state-conflict', `The project has ${open} open tasks. Finish or delete them first.`)
        },
      },
    },
    tasks: {
      checks: [
        check('due', 'Must not be before the start.', ({ start, due }) => !start || !due || due >= start),
      ],
      before: {
        async create(task, { tasks, set }) {
          const [last] = await tasks.list({ project: task.project, sort: '-number', limit: 1 })
          set({ number: (last?.number ?? 0) + 1 })
        },
      },
      actions: {
        assign: action({
          input: { person: ref('memberships') },
          by: manager(inTask),
          async run(task, { person }, { tasks, projects, memberships, refuse }) {
            const { organisation } = await projects.get(task.project)
            const member = await memberships.get(person)
            if (member.organisation !== organisation)
              refuse('state-conflict', 'The person does not belong to the organisation.')
            return tasks.patch(task.id, { assignee: person })
          },
        }),
      },
      schedules: {
        reminders: schedule('0 6 * * *', async ({ tasks, now }) => {
          const tomorrow = new Date(Date.parse(now) + 86_400_000).toISOString().slice(0, 10)
          const due = await tasks.list({ due: tomorrow, status: { ne: 'done' }, limit: 1000 })
          for (const { id } of due) await tasks.patch(id, { remindedAt: now })
        }),
      },
    },
  },
)

export { sample } from './sample.ts'
