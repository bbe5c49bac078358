/** A helpdesk for several customers: organisations, their members, tickets with answers, times to answer. */

import {
  action,
  and,
  anyone,
  boolean,
  caller,
  choice,
  computed,
  count,
  date,
  email,
  env,
  exists,
  file,
  hmac,
  integer,
  its,
  list,
  mailTemplate,
  owner,
  password,
  query,
  ref,
  resource,
  role,
  route,
  schedule,
  self,
  service,
  signedIn,
  state,
  type Tools,
  text,
  timestamp,
  where,
} from 'restwell'

const agent = role('agent', 'admin')
const member = (path: string) => exists('memberships', { person: caller, organisation: its(path) })
const manager = (path: string) =>
  exists('memberships', { person: caller, organisation: its(path), role: 'manager' })

const people = resource(
  {
    email: email().unique(),
    name: text({ min: 1, max: 100 }),
    password: password({ min: 12 }),
    role: choice(['customer', 'agent', 'admin']).default('customer').writableBy(role('admin')),
  },
  { access: { read: [self, agent], create: anyone, update: [self, role('admin')] }, title: 'name' },
)

const organisations = resource(
  {
    name: text({ min: 1, max: 100 }).unique(),
    plan: choice(['basic', 'gold']).default('basic').writableBy(role('admin')),
    domain: text({ max: 200 }).unique().optional().visibleTo(agent),
  },
  {
    access: { read: [member('id'), agent], create: role('admin'), update: [manager('id'), role('admin')] },
    derived: { open: count('tickets', where({ status: ['open', 'waiting'] })).always() },
  },
)

const memberships = resource(
  {
    person: ref('people', { onDelete: 'cascade' }).immutable(),
    organisation: ref('organisations', { inverse: 'memberships', onDelete: 'cascade' }).immutable(),
    role: choice(['member', 'manager']).default('member'),
  },
  {
    unique: [['person', 'organisation']],
    access: {
      read: [owner('person'), member('organisation'), agent],
      create: [manager('organisation'), role('admin')],
      update: [manager('organisation'), role('admin')],
      delete: [owner('person'), manager('organisation'), role('admin')],
    },
  },
)

const tickets = resource(
  {
    number: integer({ min: 1 }).unique().readOnly(),
    organisation: ref('organisations', { inverse: 'tickets' }).immutable(),
    author: ref('people').fromPrincipal(),
    subject: text({ min: 1, max: 200 }),
    body: text({ max: 20_000, format: 'markdown' }),
    priority: choice(['low', 'normal', 'urgent'], { tones: { urgent: 'danger' } }).default('normal'),
    assignee: ref('people').optional().writableBy(agent),
    answerBy: timestamp().readOnly(),
    answeredAt: timestamp().optional().readOnly(),
    late: boolean().default(false).readOnly(),
    files: list(file({ types: ['image/*', 'application/pdf', 'text/plain'], max: '10 MB' }), { max: 10 }),
    status: state({
      initial: 'open',
      transitions: {
        wait: { from: 'open', to: 'waiting', by: agent },
        resume: { from: 'waiting', to: 'open' },
        solve: { from: ['open', 'waiting'], to: 'solved' },
        reopen: { from: 'solved', to: 'open' },
      },
    }),
  },
  {
    access: {
      read: [member('organisation'), agent],
      create: [member('organisation'), agent],
      update: [owner('author'), manager('organisation'), agent],
    },
    search: ['subject', 'body'],
    index: ['answerBy', 'late'],
    columns: ['number', 'status', 'priority', 'answerBy', 'answered'],
    defaultSort: '-createdAt',
    history: { keep: '2 years' },
    derived: {
      replies: count('comments'),
      answered: computed(
        boolean().label('Answered'),
        ['answeredAt'],
        ({ answeredAt }) => answeredAt !== undefined,
        {
          always: true,
        },
      ),
    },
  },
)

const comments = resource(
  {
    ticket: ref('tickets', { inverse: 'comments', onDelete: 'cascade' }).immutable(),
    author: ref('people').fromPrincipal(),
    text: text({ min: 1, max: 20_000, format: 'markdown' }),
    internal: boolean().default(false).writableBy(agent),
  },
  {
    access: {
      read: [and(member('ticket.organisation'), where({ internal: false })), agent],
      create: [member('ticket.organisation'), agent],
    },
  },
)

const resources = { people, organisations, memberships, tickets, comments }
type All = typeof resources

const answered = mailTemplate({
  subject: 'Answer to your ticket {number}',
  text: '{name} answered:\n\n{answer}\n',
  languages: { de: { subject: 'Antwort auf Ihre Anfrage {number}', text: '{name} schreibt:\n\n{answer}\n' } },
})
const overdue = mailTemplate({ subject: 'Ticket {number} is late', text: 'It should be answered by {time}.' })

const hours = { basic: { low: 72, normal: 24, urgent: 8 }, gold: { low: 24, normal: 8, urgent: 1 } } as const

/** Whether the person is an agent. */
async function isAgent(id: string, { people }: Tools<All>): Promise<boolean> {
  const { role } = await people.get(id)
  return role === 'agent' || role === 'admin'
}

/** Mails to the helpdesk arrive as signed requests of the mail provider. */
function asInboundMail(payload: unknown) {
  const { from, subject, text } = Object(payload)
  if (typeof from !== 'string' || typeof text !== 'string') throw new TypeError('Not a mail')
  return { from: from.toLowerCase(), subject: String(subject ?? ''), text }
}

export default service(
  {
    title: 'Helpdesk',
    version: '2.0.0',
    contact: { email: 'it@helpdesk.example' },
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role', signUp: 'by-mail' },
    mail: { from: 'Helpdesk <help@helpdesk.example>', templates: { answered, overdue } },
    // The rules of memberships say whom a person can invite to an organisation.
    invitations: { by: signedIn, record: 'memberships.person' },
    resources,
  },
  {
    people: {
      after: {
        // People with an address of a customer become its members.
        async created({ id, email }, { organisations, memberships }) {
          const [found] = await organisations.list({ domain: email.split('@')[1] ?? '', limit: 1 })
          if (!found || (await memberships.count({ person: id, organisation: found.id })) > 0) return
          await memberships.create({ person: id, organisation: found.id })
        },
      },
    },
    organisations: {
      queries: {
        times: query({
          on: 'collection',
          by: agent,
          input: { from: date(), to: date() },
          result: { customers: list({ name: text(), tickets: integer(), late: integer() }) },
          cache: { maxAge: 600 },
          async run({ from, to }, { organisations, tickets, refuse }) {
            if (to < from) return refuse('invalid-content', 'Must not be before the start.', { field: 'to' })
            const customers = []
            for (const { id, name } of await organisations.list({ sort: 'name', limit: 1000 })) {
              const createdAt = { gte: `${from}T00:00:00Z`, lt: `${to}T00:00:00Z` }
              const within = { organisation: id, createdAt }
              const late = await tickets.count({ ...within, late: true })
              customers.push({ name, tickets: await tickets.count(within), late })
            }
            return { customers }
          },
        }),
      },
    },
    tickets: {
      schedules: {
        late: schedule('*/5 * * * *', async ({ tickets, people, mail, now, transaction }) => {
          for (const { id, number, assignee, answerBy } of await tickets.list({
            answerBy: { lt: now },
            answeredAt: { missing: true },
            late: false,
            limit: 1000,
          })) {
            const to = assignee && (await people.get(assignee)).email
            await transaction(async ({ tickets }) => {
              await tickets.patch(id, { late: true })
            })
            if (to) await mail.send(overdue, { to, key: `late-${id}`, data: { number, time: answerBy } })
          }
        }),
      },
      before: {
        async create({ organisation, priority }, { tickets, organisations, now, set }) {
          const [last] = await tickets.list({ sort: '-number', limit: 1 })
          const { plan } = await organisations.get(organisation)
          const answerBy = new Date(Date.parse(now) + hours[plan][priority] * 3_600_000).toISOString()
          set({ number: (last?.number ?? 0) + 1, answerBy })
        },
        async update({ assignee }, { previous, refuse, ...tools }) {
          if (!assignee || assignee === previous.assignee) return
          const { role } = await tools.people.get(assignee)
          if (role === 'customer') refuse('invalid-content', 'Must be an agent.', { field: 'assignee' })
        },
      },
      actions: {
        assign: action({
          by: agent,
          input: { agent: ref('people').optional(), note: text({ max: 500 }).optional() },
          async run({ id, assignee }, { agent, note }, tools) {
            const { tickets, comments, caller, refuse } = tools
            const person = agent ?? caller.id
            if (!person || !(await isAgent(person, tools)))
              return refuse('invalid-content', 'Must be an agent.', { field: 'agent' })
            if (person === assignee) return refuse('state-conflict', 'This agent has the ticket already.')
            if (note) await comments.create({ ticket: id, author: person, text: note, internal: true })
            return tickets.patch(id, { assignee: person })
          },
        }),
        merge: action({
          by: agent,
          input: { into: ref('tickets') },
          result: { moved: integer() },
          async run({ id, organisation }, { into }, { tickets, comments, refuse }) {
            const target = await tickets.get(into)
            if (target.id === id || target.organisation !== organisation)
              return refuse('invalid-content', 'Must be another ticket of the customer.', { field: 'into' })
            const rows = await comments.list({ ticket: id, sort: 'createdAt', limit: 1000 })
            for (const { author, text, internal } of rows)
              await comments.create({ ticket: into, author, text, internal })
            await tickets.patch(id, { status: 'solved' })
            return { moved: rows.length }
          },
        }),
        importMany: action({
          on: 'collection',
          background: true,
          by: role('admin'),
          input: {
            organisation: ref('organisations'),
            rows: list({ subject: text({ max: 200 }), body: text(), author: ref('people') }, { max: 1000 }),
          },
          result: { made: integer() },
          async run({ organisation, rows }, { tickets, report, signal }) {
            for (const [at, row] of rows.entries()) {
              signal.throwIfAborted()
              await tickets.create({ ...row, organisation })
              report((at + 1) / rows.length, row.subject)
            }
            return { made: rows.length }
          },
        }),
      },
      queries: {
        mine: query({
          on: 'collection',
          by: signedIn,
          result: { open: integer(), late: integer(), next: ref('tickets').optional() },
          cache: { maxAge: 10 },
          async run(_, { as, caller }) {
            const { tickets } = as(caller)
            const [first] = await tickets.list({ status: 'open', sort: 'answerBy', limit: 1 })
            const open = await tickets.count({ status: { ne: 'solved' } })
            return { open, late: await tickets.count({ late: true }), ...(first && { next: first.id }) }
          },
        }),
      },
    },
    comments: {
      after: {
        async created({ id, ticket, author, text, internal }, tools) {
          const { tickets, people, mail } = tools
          if (internal || !(await isAgent(author, tools))) return
          const found = await tickets.get(ticket)
          const [from, to] = [await people.get(author), await people.get(found.author)]
          if (!found.answeredAt) await tickets.patch(ticket, { answeredAt: tools.now })
          const data = { number: found.number, name: from.name, answer: text }
          await mail.send(answered, { to: to.email, key: `answered-${id}`, data })
        },
      },
    },
    '/': {
      routes: {
        '/hooks/mail': route({
          methods: ['POST'],
          maxSize: '5 MB',
          verify: hmac({
            secret: env('MAIL_HOOK_SECRET'),
            header: 'X-Signature',
            id: 'X-Id',
            parse: asInboundMail,
          }),
          once: ({ id }) => id,
          async run(_, { event, people, tickets, memberships, comments }) {
            const { from, subject, text } = event.payload
            const [author] = await people.list({ email: from, limit: 1 })
            const [membership] = author ? await memberships.list({ person: author.id, limit: 1 }) : []
            // A sender that is not known gets no answer, so that addresses cannot be tried.
            if (!author || !membership) return new Response(null, { status: 202 })
            const number = Number(/\[#(\d+)\]/.exec(subject)?.[1])
            const { organisation } = membership
            const [ticket] = number ? await tickets.list({ number, organisation, limit: 1 }) : []
            if (ticket) await comments.create({ ticket: ticket.id, author: author.id, text })
            else await tickets.create({ organisation, author: author.id, subject, body: text })
            return new Response(null, { status: 204 })
          },
        }),
      },
    },
  },
)
