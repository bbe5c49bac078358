/** The smallest definition with accounts. */

import { anyone, choice, email, password, resource, role, service, signedIn, text } from 'restwell'

export const books = service({
  title: 'Books',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password({ min: 8 }),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: anyone, update: role('admin'), delete: role('admin') } },
    ),
    books: resource(
      { title: text({ max: 10_000 }) },
      { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
    ),
  },
})
