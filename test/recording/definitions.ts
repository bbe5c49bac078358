/** Two services for what neither the demo nor the tracker has. */

import { setTimeout as pause } from 'node:timers/promises'
import {
  action,
  anyone,
  boolean,
  check,
  choice,
  computed,
  count,
  date,
  decimal,
  email,
  file,
  integer,
  json,
  list,
  number,
  owner,
  password,
  ref,
  refs,
  resource,
  role,
  schedule,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
  uuid,
} from 'restwell'

const people = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    name: text({ min: 1, max: 40 }),
    password: password({ min: 8 }),
    role: choice(['member', 'auditor', 'admin']).default('member').writableBy(role('admin')),
  },
  {
    singular: 'person',
    access: { read: anyone, create: anyone, update: [self, role('admin')], delete: role('admin') },
  },
)

const pictures = resource(
  {
    title: text({ max: 40 }),
    image: file({ types: ['image/*', 'text/plain', 'application/pdf'], max: '1 kB' }).optional(),
    original: file({ types: ['*/*'], max: '1 kB' })
      .visibleTo(role('admin'))
      .optional(),
    locked: file({ types: ['image/png'], max: '1 kB' })
      .writableBy(role('admin'))
      .optional(),
    proof: file({ types: ['text/plain'], max: '1 kB' }).optional(),
    painter: ref('people', { inverse: 'pictures' }).fromPrincipal(),
  },
  {
    history: { keep: '1 year', read: anyone },
    access: { read: anyone, create: signedIn, update: owner('painter'), delete: owner('painter') },
  },
)

const things = resource(
  {
    code: text({ pattern: '^[A-Z]{2}[0-9]{1,4}$', max: 6 }).label('Code').help('As on the label.'),
    name: text({ min: 1, max: 20 }),
    mail: email().optional(),
    site: url().optional(),
    mark: uuid().optional(),
    size: integer({ min: -5, max: 5 }).default(0),
    weight: number({ min: 0, max: 10 }).optional(),
    price: decimal({ scale: 2, min: '0', max: '99.99' }).optional(),
    live: boolean().default(true),
    day: date().optional(),
    moment: timestamp().optional(),
    colour: choice(['red', 'green'], { tones: { red: 'danger' } }).optional(),
    tags: list(text({ min: 1, max: 5 }), { max: 3, unique: true }).default([]),
    data: json({ type: 'object', properties: { a: { type: 'integer' } } }).optional(),
    secret: text().writeOnly().optional(),
    note: text().visibleTo(role('admin')).filterable(false).optional(),
    serial: integer({ min: 0, max: 99 }).immutable().default(1),
    parts: refs('parts', { max: 2, onDelete: 'restrict' }),
    stage: state({
      initial: 'new',
      transitions: {
        claim: { from: 'new', to: 'claimed', exclusive: true },
        use: { from: 'claimed', to: 'used', requires: ['day'] },
        mend: { from: 'used', to: 'new', by: role('admin') },
      },
    }),
  },
  {
    key: 'code',
    put: 'create',
    tombstones: true,
    formerly: ['stuff'],
    unique: [['name', 'serial']],
    title: 'name',
    defaultSort: '-name',
    search: ['name'],
    cache: { maxAge: 30, staleWhileRevalidate: 60, compositeMaxAge: 5 },
    access: { read: anyone, create: signedIn, update: signedIn, delete: signedIn },
    derived: {
      size2: computed(integer(), ['size'], ({ size }) => Number(size) * 2).label('Twice the size'),
      failing: computed(text(), ['name'], ({ name }) => {
        if (name === 'Failing') throw new Error('This function fails.')
        return name
      }),
    },
  },
)

const parts = resource(
  { label: text({ max: 9 }) },
  {
    conditional: 'required',
    bulk: true,
    access: { read: anyone, create: signedIn, update: signedIn, delete: signedIn },
    derived: { drawn: count('drawings').always() },
  },
)

const drawings = resource(
  {
    title: text({ max: 40 }),
    first: text({ max: 20 }),
    last: text({ max: 20 }).optional(),
    due: date().optional(),
    part: ref('parts', { inverse: 'drawings', onDelete: 'restrict' }).optional(),
  },
  {
    history: { read: anyone },
    bulk: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH'],
    access: { read: anyone, create: signedIn, update: signedIn },
  },
)

interface Drawing {
  readonly id: string
  readonly title: string
  readonly first: string
  readonly last?: string
  readonly due?: string
  readonly createdAt: string
  readonly updatedAt: string
}

const v1 = {
  drawings: {
    fields: { by: text() },
    without: ['first', 'last'],
    renamed: { deadline: 'due' },
    down: ({ first, last, due, ...others }: Drawing) => ({
      ...others,
      deadline: due,
      by: [first, last].filter((name) => name !== undefined).join(' '),
    }),
    up({ by }: { readonly by: string }) {
      const [first, last] = by.split(' ')
      return { first, last }
    },
  },
  deprecated: '2026-06-01',
  sunset: '2027-06-01',
} as const

/** Every kind of field, files, jobs, mails, JWTs, webhooks and an older version with functions. */
export const defineStudio = (jwks: string) =>
  service(
    {
      title: 'Studio',
      name: 'studio',
      accounts: {
        resource: 'people',
        login: 'email',
        password: 'password',
        roles: 'role',
        signUp: 'by-mail',
        secondFactor: ['auditor'],
        first: { name: 'Admin' },
      },
      mail: { from: 'Studio <studio@example.org>' },
      invitations: { by: role('admin', 'member') },
      issuers: [
        {
          issuer: 'https://id.example',
          audience: 'https://shop.example',
          jwks,
          algorithms: ['ES256'],
          login: 'email',
        },
      ],
      origins: ['https://app.example'],
      files: { quota: '2 kB' },
      webhooks: { by: signedIn, networks: ['127.0.0.0/8'] },
      securityContact: 'mailto:security@example.org',
      languages: {
        fr: {
          'New {1}': 'Nouveau : {1}',
          'Sign in': 'Connexion',
          pictures: { one: 'image', other: 'images' },
        },
      },
      versions: { v1 },
      resources: { people, pictures, things, parts, drawings },
    },
    {
      drawings: {
        checks: [check('title', 'Must not be shouted.', ({ title }) => title !== title.toUpperCase())],
        before: {
          async create({ title }, { refuse, parts }) {
            if (title === 'refused') refuse('state-conflict', 'No drawing may have this title.')
            if (title === 'forbidden') refuse('forbidden', 'Not today.')
            if (title === 'busy') refuse('too-many-requests', 'Draw slower.')
            if (title === 'failing') throw new Error('This function fails.')
            if (title === 'with a part') await parts.create({ label: 'Made' })
          },
        },
        after: {
          async created({ title }, { things, now }) {
            if (title === 'followed') await things.create({ code: 'AF1', name: `After ${now.slice(0, 10)}` })
          },
        },
        actions: {
          copy: action({
            by: signedIn,
            input: { title: text({ max: 40 }).default('A copy') },
            run: ({ first }, { title }, { drawings }) => drawings.create({ title, first }),
          }),
          tidy: action({
            on: 'collection',
            by: role('admin'),
            async run(_input, { drawings }) {
              for (const { id } of await drawings.list({ last: { missing: true }, limit: 100 })) {
                await drawings.patch(id, { last: 'Tidy' })
              }
            },
          }),
          draw: action({
            on: 'collection',
            background: true,
            by: signedIn,
            input: { titles: list(text({ max: 40 }), { max: 10 }) },
            async run({ titles }, { drawings, report, refuse }) {
              const drawn = titles.filter((title) => title !== 'stop')
              let last: Awaited<ReturnType<typeof drawings.create>> | undefined
              for (const title of drawn) last = await drawings.create({ title, first: 'Job' })
              if (last) report(drawn.length / titles.length, `Drawing ${drawn.length}`)
              // The timer that writes the report was set before. Without it the end of the job could write both.
              await pause(0)
              if (drawn.length < titles.length) refuse('state-conflict', 'It was told to stop.')
              return last
            },
          }),
        },
        schedules: {
          nightly: schedule('0 3 * * *', async ({ parts, now }) => {
            await parts.create({ label: now.slice(5, 10) })
          }),
        },
      },
    },
  )

const events = resource(
  { title: text({ max: 40 }).default('An event'), place: text({ max: 40 }).optional() },
  {
    access: { read: anyone, create: anyone, update: anyone, delete: anyone },
    cache: { maxAge: 10, shared: false },
    tombstones: true,
  },
)
const places = resource({ name: text({ max: 40 }) }, { access: { read: anyone }, methods: ['GET'] })

/** A service without accounts, below a path, with a collection in the place of a built-in one. */
export const town = service({
  title: 'Town',
  base: '/town',
  paths: { events: 'changes', batch: 'together' },
  resources: { events, places },
})
