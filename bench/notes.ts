/** The measured definition: one public resource of common size, and accounts for tokens. */

import { anyone, email, integer, list, password, resource, self, service, text } from 'restwell'

const users = resource(
  { email: email().unique(), password: password({ min: 12 }) },
  { access: { read: self } },
)

const notes = resource(
  {
    title: text({ max: 200 }),
    body: text({ max: 10_000 }),
    tags: list(text({ max: 30 }), { max: 20 }).default([]),
    stars: integer({ min: 0 }).default(0),
  },
  {
    access: { read: anyone, create: anyone, update: anyone, delete: anyone },
    index: ['stars'],
    bulk: true,
  },
)

export default service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: { users, notes },
})
