/** People and their organisations: accounts, memberships, and the rules that other resources use. */

import {
  caller,
  choice,
  count,
  email,
  exists,
  its,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  text,
} from 'restwell'

type Role = 'viewer' | 'member' | 'manager'

/** The caller is a member of the organisation at the end of the path, with one of the roles. */
const member = (path: string, ...roles: readonly Role[]) =>
  exists('memberships', { user: caller, organisation: its(path), role: roles })

export const anyMember = (path: string) => member(path, 'viewer', 'member', 'manager')
export const contributor = (path: string) => member(path, 'member', 'manager')
export const manager = (path: string) => member(path, 'manager')

export const users = resource(
  {
    email: email().unique(),
    password: password({ min: 12 }),
    role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
  },
  {
    access: {
      read: [self, role('admin')],
      create: role('admin'),
      update: [self, role('admin')],
      delete: role('admin'),
    },
  },
)

export const organisations = resource(
  {
    slug: text({ pattern: '^[a-z0-9-]+$', max: 40 }).unique(),
    name: text({ min: 1, max: 100 }),
  },
  {
    key: 'slug',
    access: {
      read: [anyMember('id'), role('admin')],
      create: role('admin'),
      update: [manager('id'), role('admin')],
      delete: role('admin'),
    },
    derived: { projectCount: count('projects') },
  },
)

/** A person in an organisation, under the name that its other members see. */
export const memberships = resource(
  {
    name: text({ min: 1, max: 100 }),
    organisation: ref('organisations', { inverse: 'memberships', onDelete: 'cascade' }).immutable(),
    user: ref('users', { onDelete: 'cascade' }).immutable(),
    role: choice(['viewer', 'member', 'manager']).default('member'),
  },
  {
    unique: [['organisation', 'user']],
    access: {
      read: [owner('user'), anyMember('organisation'), role('admin')],
      create: role('admin'),
      update: [manager('organisation'), role('admin')],
      delete: [manager('organisation'), role('admin')],
    },
  },
)
