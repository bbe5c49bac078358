/** A definition whose parts a test changes, and its description. */

import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import {
  action,
  anyone,
  choice,
  date,
  decimal,
  email,
  integer,
  list,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

// biome-ignore lint/suspicious/noExplicitAny: the table changes every part of the definition
export type Options = any

/** The parts of the definition that the table changes. */
export interface Parts {
  fields: Options
  options: Options
  resources: Options
  service: Options
  actions: Options
}

export const parts = (): Parts => ({
  fields: {
    title: text({ min: 2, max: 20 }),
    note: text({ max: 100 }).optional(),
    size: integer({ min: 0, max: 10 }).optional(),
    price: decimal({ scale: 2 }).optional(),
    kind: choice(['bug', 'idea']).default('bug'),
    tags: list(text({ max: 10 }), { max: 5 }).default([]),
    due: date().optional(),
    code: text({ pattern: '^[A-Z]+$' }).optional(),
    project: ref('projects', { inverse: 'tasks' }).optional(),
  },
  options: { access: open, bulk: true, put: 'create' },
  resources: { projects: resource({ name: text() }, { access: open }) },
  service: { title: 'Tracker' },
  actions: { close: action({ input: { reason: text().optional() }, by: anyone, run: () => undefined }) },
})

export function describeDefinition(change: (parts: Parts) => void = () => undefined) {
  const changed = parts()
  change(changed)
  const { fields, options, resources, actions } = changed
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
    },
    { access: { read: anyone, create: anyone } },
  )
  const definition = service(
    {
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      ...changed.service,
      resources: { users, ...resources, tasks: resource(fields, options) },
    },
    { tasks: { actions } },
  )
  return describeService(definition)
}

export function describeService(definition: Parameters<typeof checkDefinition>[0]) {
  const model = checkDefinition(definition)
  const capabilities = createCapabilities(schemeNames(model), documentsFor(model))
  return createOpenApi({ model, audience: 'everyone', capabilities })
}
