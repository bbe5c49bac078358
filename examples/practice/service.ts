/** A veterinary practice: owners, patients, appointments, treatments, invoices, payments by Stripe. */

import {
  action,
  anyone,
  boolean,
  check,
  choice,
  computed,
  date,
  decimal,
  email,
  env,
  file,
  integer,
  items,
  list,
  owner,
  password,
  query,
  type ReadTools,
  ref,
  resource,
  role,
  route,
  self,
  service,
  signedIn,
  state,
  stripe,
  sum,
  type Tools,
  text,
  timestamp,
  where,
} from 'restwell'

const staff = role('vet', 'desk', 'admin')
const ofKeeper = (path: string) => [owner(path), staff]
const species = choice(['dog', 'cat', 'rabbit', 'other'])

const people = resource(
  {
    email: email().unique().visibleTo(self, staff),
    name: text({ max: 100 }),
    password: password({ min: 12 }),
    role: choice(['client', 'vet', 'desk', 'admin']).default('client').writableBy(role('admin')),
  },
  // Everyone sees the vets, to choose one.
  {
    access: { read: [self, staff, where({ role: 'vet' })], create: anyone, update: [self, role('admin')] },
    title: 'name',
  },
)

const patients = resource(
  {
    name: text({ max: 60 }),
    species,
    born: date().optional(),
    keeper: ref('people', { inverse: 'patients' }),
  },
  { access: { read: ofKeeper('keeper'), create: ofKeeper('keeper'), update: ofKeeper('keeper') } },
)

const services = resource(
  { code: text({ max: 20 }).unique(), name: text({ max: 100 }), price: decimal({ scale: 2, min: '0' }) },
  {
    key: 'code',
    access: { read: anyone, create: role('admin'), update: role('admin') },
    headers: { 'Content-Language': 'en' },
  },
)

const endOf = ({ start, minutes }: { start: string; minutes: number }) =>
  new Date(Date.parse(start) + minutes * 60_000).toISOString()

const appointments = resource(
  {
    patient: ref('patients', { inverse: 'appointments' }),
    vet: ref('people'),
    start: timestamp(),
    minutes: integer({ min: 5, max: 240 }).default(20),
    reason: text({ max: 500 }),
    status: state({
      initial: 'requested',
      transitions: {
        confirm: { from: 'requested', to: 'confirmed', by: staff },
        finish: { from: 'confirmed', to: 'done', by: role('vet') },
        cancel: { from: ['requested', 'confirmed'], to: 'cancelled' },
      },
    }),
  },
  {
    access: { read: ofKeeper('patient.keeper'), create: signedIn, update: ofKeeper('patient.keeper') },
    index: ['start'],
    defaultSort: 'start',
    derived: { end: computed(timestamp(), ['start', 'minutes'], endOf, { always: true }) },
  },
)

const treatments = resource(
  {
    appointment: ref('appointments', { inverse: 'treatments' }),
    service: ref('services'),
    quantity: integer({ min: 1 }).default(1),
    amount: decimal({ scale: 2 }).readOnly(),
  },
  { access: { read: [owner('appointment.patient.keeper'), staff], create: role('vet') } },
)

const invoices = resource(
  {
    number: integer({ min: 1 }).unique().readOnly(),
    appointment: ref('appointments').unique(),
    client: ref('people'),
    total: decimal({ scale: 2 }).readOnly(),
    paidAt: timestamp().optional().readOnly(),
    status: state({ initial: 'open', transitions: { pay: { from: 'open', to: 'paid', by: staff } } }),
  },
  {
    access: { read: [owner('client'), staff] },
    derived: { paid: sum('payments', 'amount').always() },
  },
)

const payments = resource(
  {
    invoice: ref('invoices', { inverse: 'payments' }),
    amount: decimal({ scale: 2 }),
    reference: text({ max: 200 }),
  },
  { access: { read: [owner('invoice.client'), staff] } },
)

const reminders = resource(
  { patient: ref('patients'), due: date(), text: text({ max: 300 }), sent: boolean().default(false) },
  { access: { read: staff, create: staff, update: staff, delete: staff } },
)

const resources = { people, patients, services, appointments, treatments, invoices, payments, reminders }
type All = typeof resources

const money = (cents: number) => (cents / 100).toFixed(2)
const cents = (amount: string) => Math.round(Number(amount) * 100)
const totalOf = (rows: readonly { readonly amount: string }[]) =>
  money(rows.reduce((all, { amount }) => all + cents(amount), 0))

/** The prices of the lines. */
async function priced(lines: readonly { service: string; quantity: number }[], { services }: ReadTools<All>) {
  const found = await services.list({ code: { in: lines.map((line) => line.service) }, limit: 1000 })
  return lines.map(({ service, quantity }) => {
    const { name, price } = found.find(({ code }) => code === service)!
    return { name, quantity, amount: money(cents(price) * quantity) }
  })
}

/** Called by a route and an action. */
async function settle(invoice: string, amount: string, reference: string, tools: Tools<All>) {
  const { invoices, payments, now } = tools
  const { total } = await invoices.get(invoice)
  const { id } = await payments.create({ invoice, amount, reference })
  if (cents(amount) >= cents(total)) await invoices.patch(invoice, { status: 'paid', paidAt: now })
  return id
}

/** What is used of the events of Stripe. */
function asCheckout(event: unknown) {
  const { client_reference_id: invoice, amount_total: amount } = Object(event).data?.object ?? {}
  if (typeof invoice !== 'string' || typeof amount !== 'number') throw new TypeError('Not a checkout')
  return { invoice, amount }
}

const practice = service(
  {
    title: 'Practice',
    version: '1.4.0',
    contact: { name: 'Front desk', email: 'desk@practice.example' },
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources,
  },
  {
    appointments: {
      checks: [
        check('start', 'Must be on a quarter of an hour.', ({ start }) => /:(00|15|30|45):00/.test(start)),
      ],
      before: {
        async create({ vet, start }, { appointments, refuse }) {
          const taken = await appointments.count({ vet, start, status: { ne: 'cancelled' } })
          if (taken > 0)
            return refuse('invalid-content', 'The vet is not free at this time.', { field: 'start' })
        },
      },
      actions: {
        bill: action({
          by: staff,
          async run({ id, patient, status }, _, { invoices, treatments, patients, refuse }) {
            if (status !== 'done') return refuse('state-conflict', 'Finish the appointment first.')
            const total = totalOf(await treatments.list({ appointment: id, limit: 1000 }))
            const [last] = await invoices.list({ sort: '-number', limit: 1 })
            const { keeper } = await patients.get(patient)
            const number = (last?.number ?? 0) + 1
            return invoices.create({ appointment: id, client: keeper, total, number })
          },
        }),
      },
      queries: {
        today: query({
          on: 'collection',
          by: staff,
          result: items('appointments'),
          async run(_, { appointments, now }) {
            const day = now.slice(0, 10)
            const start = { gte: `${day}T00:00:00Z`, lte: `${day}T23:59:59Z` }
            return appointments.list({ start, limit: 200 })
          },
        }),
      },
    },
    treatments: {
      before: {
        async create({ service, quantity }, { services, set }) {
          const { price } = await services.get(service)
          set({ amount: money(cents(price) * quantity) })
        },
      },
    },
    invoices: {
      actions: {
        payInCash: action({
          input: { amount: decimal({ scale: 2, min: '0.01' }) },
          by: role('desk'),
          result: { paid: boolean(), left: decimal({ scale: 2 }) },
          async run({ id, total }, { amount }, tools) {
            const payment = await settle(id, amount, 'cash', tools)
            const left = Math.max(0, cents(total) - cents(amount))
            return tools.created('payments', payment, { paid: left === 0, left: money(left) })
          },
        }),
        payOnline: action({
          by: owner('client'),
          run: ({ id }, _, { seeOther }) =>
            seeOther(`https://pay.example/checkout?client_reference_id=${id}`),
        }),
      },
      queries: {
        pdf: query({
          by: [owner('client'), staff],
          result: file({ types: ['application/pdf'], max: '2 MB' }),
          cache: { maxAge: 60 },
          async run({ number, total }) {
            const octets = new TextEncoder().encode(`%PDF-1.7\n% Invoice ${number}: ${total}\n%%EOF`)
            return new File([octets], `invoice-${number}.pdf`, { type: 'application/pdf' })
          },
        }),
      },
    },
    '/': {
      actions: {
        quote: action({
          by: anyone,
          input: {
            species,
            lines: list(
              { service: ref('services'), quantity: integer({ min: 1 }).default(1) },
              { min: 1, max: 50 },
            ),
          },
          result: {
            lines: list({ name: text(), quantity: integer(), amount: decimal({ scale: 2 }) }),
            total: decimal({ scale: 2 }),
            note: text().optional(),
          },
          async run({ species, lines }, tools) {
            for (const [at, { quantity }] of lines.entries())
              if (quantity > 50)
                tools.refuse('invalid-content', 'Call us.', { field: `lines/${at}/quantity` })
            const found = await priced(lines, tools)
            const note = species === 'other' ? 'Plus the time that it takes.' : undefined
            return { lines: found, total: totalOf(found), note }
          },
        }),
      },
      queries: {
        revenue: query({
          by: role('admin'),
          input: { from: date(), to: date() },
          result: { total: decimal({ scale: 2 }), days: list({ day: date(), total: decimal({ scale: 2 }) }) },
          cache: { maxAge: 300 },
          async run({ from, to }, { payments, refuse }) {
            if (to < from) return refuse('invalid-content', 'Must not be before the start.', { field: 'to' })
            const createdAt = { gte: `${from}T00:00:00Z`, lt: `${to}T00:00:00Z` }
            const rows = await payments.list({ createdAt, limit: 1000 })
            const byDay = Map.groupBy(rows, ({ createdAt }) => createdAt.slice(0, 10))
            const days = [...byDay].map(([day, rows]) => ({ day, total: totalOf(rows) }))
            return { total: totalOf(rows), days }
          },
        }),
      },
      routes: {
        '/hooks/stripe': route({
          methods: ['POST'],
          verify: stripe(env('STRIPE_WEBHOOK_SECRET'), { parse: asCheckout }),
          once: ({ id }) => id,
          async run(_, { event, ...tools }) {
            if (event.type !== 'checkout.session.completed') return new Response(null, { status: 204 })
            const { invoice, amount } = event.payload
            await settle(invoice, money(amount), event.id, tools)
            return new Response(null, { status: 204 })
          },
        }),
      },
    },
  },
)

export default practice
