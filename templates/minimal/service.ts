import {
  anyone,
  boolean,
  choice,
  email,
  or,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from 'restwell'

const users = resource(
  {
    email: email().unique().visibleTo(self),
    name: text({ min: 1, max: 100 }),
    password: password({ min: 12 }),
    // The account that the first start makes is an admin, who sees /status and /audit.
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: or(self, role('admin')), delete: self } },
)

const notes = resource(
  {
    title: text({ min: 1, max: 200 }),
    body: text().optional(),
    done: boolean().default(false),
    owner: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    access: {
      read: owner('owner'),
      create: signedIn,
      update: owner('owner'),
      delete: owner('owner'),
    },
  },
)

export default service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, notes },
})
