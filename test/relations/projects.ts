/** Projects with tasks, for the tests of sub-collections: some projects and tasks are hidden. */

import {
  anyone,
  boolean,
  choice,
  email,
  integer,
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
  where,
} from '../../src/index.ts'
import { admin, basic, type SendRequest, serve, type TestOptions } from '../service.ts'

export const definition = service({
  title: 'Projects',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: anyone, update: self, delete: role('admin') } },
    ),
    projects: resource(
      { slug: text({ max: 40, pattern: '^[a-z ]+$' }).unique(), name: text(), open: boolean().default(true) },
      {
        key: 'slug',
        tombstones: true,
        formerly: ['plans'],
        access: {
          read: or(where({ open: true }), role('admin')),
          create: role('admin'),
          update: role('admin'),
          delete: role('admin'),
        },
      },
    ),
    tasks: resource(
      {
        title: text({ min: 1, max: 100 }),
        rank: integer().default(0),
        secret: boolean().default(false),
        project: ref('projects', { inverse: 'tasks', onDelete: 'cascade' }),
        reviewer: ref('users', { inverse: 'reviews' }).optional().readOnly(),
        author: ref('users', { inverse: 'tasks', onDelete: 'cascade' }).fromPrincipal(),
      },
      {
        bulk: true,
        search: ['title'],
        access: {
          read: or(where({ secret: false }), role('admin')),
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
  },
})

export const member = basic('member@example.org', 'correct horse battery')

/** The service with a member and the projects `alpha` (open), `beta` (open) and `gamma` (hidden). */
export async function serveProjects(options: TestOptions = {}) {
  const running = await serve(definition, options)
  const { request } = running
  const account = { email: 'member@example.org', password: 'correct horse battery' }
  const { json: memberAccount } = await request('POST /users', admin, account)
  for (const slug of ['alpha', 'beta'])
    await request('POST /projects', admin, { slug, name: `Project ${slug}` })
  await request('POST /projects', admin, { slug: 'gamma', name: 'Gamma', open: false })
  return Object.assign(running, { member: memberAccount as { readonly id: string } })
}

/** Creates tasks in a project and returns their ids. */
export async function createTasks(request: SendRequest, project: string, titles: readonly string[]) {
  const ids: string[] = []
  for (const title of titles) {
    const { json } = await request(`POST /projects/${project}/tasks`, member, { title })
    ids.push(json.id)
  }
  return ids
}

export const titles = (json: readonly { readonly title: string }[]) => json.map(({ title }) => title)
