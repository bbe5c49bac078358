/** Random collections, fields and queries of a member of a tenant. */

import fc from 'fast-check'
import { uuid } from './rows.ts'

/** Ada manages the organisation 10, Eve is a guest there, and Bob belongs to others. */
export const [ada, bob, eve] = [1, 2, 3]
export const [own, other, third] = [10, 11, 12]

export const collections = [
  'users',
  'organisations',
  'memberships',
  'projects',
  'labels',
  'tasks',
  'notes',
  'profiles',
  'notices',
] as const
export const anyCollection = fc.constantFrom(...collections)
/** Items of the own tenant, items that one database has, and items that neither has. */
export const anyId = fc
  .constantFrom(
    ada,
    bob,
    eve,
    own,
    other,
    third,
    20,
    24,
    26,
    30,
    31,
    32,
    34,
    40,
    41,
    42,
    50,
    52,
    70,
    72,
    73,
    74,
    76,
    80,
    82,
    83,
    84,
    99,
  )
  .map(uuid)
export const anyField = fc.constantFrom(
  'name',
  'organisation',
  'organisation.name',
  'project.organisation',
  'project.organisation.name',
  'project.budget',
  'project',
  'assignee.name',
  'projects',
  'projects.name',
  'members.user',
  'user.name',
  'projects.tasks',
  'projects.tasks.status',
  'organisation.projects.tasks',
  'tasks',
  'tasks.status',
  'tasks.assignee.name',
  'project.tasks.title',
  'labels',
  'labels[has]',
  'labels.name',
  'labels.organisation.name',
  'user',
  'rank',
  'budget',
  'size',
  'open',
  'mine',
  'newest',
  'costs',
  'project.size',
  'organisation.newest',
  'projects.open',
  'topic',
  'status',
  'createdAt',
)
export const anyQuery = fc.oneof(
  fc.constantFrom('', '?limit=1', '?limit=2', '?format=html', '?format=csv', '?format=hal'),
  fc
    .tuple(anyField, fc.oneof(anyId, fc.constantFrom('one', 'Organisation 11', '32', '1')))
    .map(([field, value]) => `?${field}=${encodeURIComponent(value)}`),
  anyField.map((field) => `?sort=-${field}`),
  anyField.map((field) => `?embed=${field}`),
  anyField.map((field) => `?fields=${field}`),
  fc
    .tuple(
      anyField,
      fc.constantFrom('count', 'budget.sum', 'createdAt.max'),
      fc.constantFrom('', '&format=html'),
    )
    .map(([field, aggregate, format]) => `/-/aggregate?group-by=${field}&aggregate=${aggregate}${format}`),
)
