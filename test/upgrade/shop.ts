/** The definition of the databases in this folder: that of the demo in version 0.1.0. */

import {
  anyone,
  choice,
  decimal,
  email,
  integer,
  list,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
  where,
} from 'restwell'

const users = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    name: text({ min: 1, max: 100 }),
    password: password({ min: 12 }),
    role: choice(['member', 'editor', 'admin']).default('member').writableBy(role('admin')),
  },
  {
    access: {
      read: anyone,
      create: anyone,
      update: [self, role('admin')],
      delete: [self, role('admin')],
    },
  },
)

const articles = resource(
  {
    slug: text({ pattern: '^[a-z0-9-]+$', max: 80 }).unique(),
    title: text({ min: 1, max: 200 }),
    body: text({ max: 100_000 }).optional(),
    tags: list(text({ max: 30 }), { max: 20 }).default([]),
    author: ref('users').fromPrincipal(),
    status: state({
      initial: 'draft',
      transitions: {
        publish: { from: 'draft', to: 'published' },
        archive: { from: 'published', to: 'archived', by: role('editor', 'admin') },
      },
    }),
  },
  {
    access: {
      read: [where({ status: 'published' }), owner('author'), role('editor', 'admin')],
      create: signedIn,
      update: [owner('author'), role('editor', 'admin')],
      delete: [owner('author'), role('admin')],
    },
    cache: { maxAge: 60 },
    search: ['title', 'body'],
  },
)

const products = resource(
  {
    sku: text({ pattern: '^[A-Z0-9-]+$', max: 40 }),
    name: text({ min: 1, max: 200 }),
    price: decimal({ scale: 2, min: '0' }),
    stock: integer({ min: 0 }).default(0),
  },
  {
    key: 'sku',
    access: {
      read: anyone,
      create: role('editor', 'admin'),
      update: role('editor', 'admin'),
      delete: role('admin'),
    },
  },
)

export default service({
  title: 'Example shop',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, articles, products },
})
