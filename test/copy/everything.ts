/** A definition with every kind of field, and everything that a store keeps beside rows. */

import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  password,
  ref,
  refs,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
  uuid,
  where,
} from 'restwell'

const users = resource(
  {
    email: email().unique().visibleTo(self),
    password: password({ min: 12 }),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: self, delete: self } },
)

const books = resource(
  {
    slug: text({ max: 80 }),
    title: text({ max: 200 }),
    blurb: text({ max: 100_000 }).optional(),
    site: url().optional(),
    batch: uuid().optional(),
    pages: integer().optional(),
    weight: number().optional(),
    price: decimal({ scale: 2, digits: 18 }).optional(),
    printed: boolean().optional(),
    day: date().optional(),
    sold: timestamp().optional(),
    size: choice(['s', 'm', 'l']).optional(),
    tags: list(text()).default([]),
    extra: json().optional(),
    sequel: ref('books').optional(),
    similar: refs('books'),
    readers: refs('users', { onDelete: 'restrict' }),
    owner: ref('users').fromPrincipal().optional(),
    status: state({
      initial: 'draft',
      transitions: { publish: { from: 'draft', to: 'published' } },
    }),
  },
  {
    key: 'slug',
    tombstones: true,
    put: 'create',
    search: ['title', 'blurb'],
    index: ['pages'],
    unique: [['title', 'batch']],
    access: { read: anyone, create: anyone, update: anyone, delete: anyone },
  },
)

/** Seen or not by what the record says: the tag of such a list is made of its page. */
const notes = resource(
  { line: text(), open: boolean(), about: ref('books', { onDelete: 'cascade' }) },
  { access: { read: [where({ open: true }), signedIn], create: anyone } },
)

export default service({
  title: 'Everything',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, books, notes },
})
