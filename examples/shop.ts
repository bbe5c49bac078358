/** The demo that `npm start` serves: users who write articles, and a few products. */

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

/** Rows for the first start. A reference names the row's place in its own collection's list. */
export const sample = {
  users: [
    { email: 'ada@example.org', name: 'Ada', role: 'editor' },
    { email: 'grace@example.org', name: 'Grace' },
  ],
  articles: [
    {
      slug: 'hello',
      title: 'HTTP has the verbs',
      body: 'Bring the nouns, and the rest is there already.',
      tags: ['http', 'rest'],
      author: 0,
      status: 'published',
    },
    { slug: 'draft', title: 'Not for everyone yet', author: 1 },
  ],
  products: [
    { sku: 'TEA-100', name: 'Green tea, 100 g', price: '4.50', stock: 120 },
    { sku: 'MUG-1', name: 'Mug', price: '12.00', stock: 35 },
    { sku: 'POT-2', name: 'Teapot for two', price: '39.90', stock: 0 },
  ],
}
