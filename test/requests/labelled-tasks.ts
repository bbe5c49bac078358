/** A tracker whose tasks have sets of labels, places and levels; served before the tests of a file. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  password,
  ref,
  refs,
  resource,
  role,
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { admin, type Reply, serve, type TestService } from '../service.ts'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').readOnly(),
      },
      { access: { read: anyone } },
    ),
    labels: resource(
      { name: text({ max: 40 }), status: choice(['open', 'secret']).default('open') },
      { access: { ...access, read: [where({ status: 'open' }), role('admin')] } },
    ),
    places: resource({ code: text({ max: 20 }).unique() }, { key: 'code', access }),
    levels: resource({ number: integer().unique() }, { key: 'number', access }),
    tasks: resource(
      {
        title: text({ max: 40 }),
        labels: refs('labels'),
        places: refs('places', { max: 3 }),
        levels: refs('levels'),
        blockers: refs('tasks', { onDelete: 'restrict' }),
        watchers: refs('labels').writableBy(role('admin')),
        secrets: refs('labels').visibleTo(role('admin')).writableBy(role('admin')),
        origin: refs('places').immutable(),
        project: ref('places').optional(),
      },
      { access, bulk: true },
    ),
    notes: resource(
      { labels: refs('labels') },
      { access: { ...access, update: signedIn }, conditional: 'required' },
    ),
    records: resource({ labels: refs('labels') }, { access, methods: ['GET', 'POST', 'PUT'] }),
  },
})

export let s: TestService
export const labels: Record<string, string> = {}
before(async () => {
  s = await serve(definition)
  for (const name of ['bug', 'idea', 'later']) labels[name] = (await create('labels', { name })).json.id
  const hidden = await s.request('POST /labels', admin, { name: 'hidden', status: 'secret' })
  labels.hidden = hidden.json.id
  for (const code of ['paris', 'oslo', 'rome', 'a b']) await create('places', { code })
  for (const number of [7, 11, 100]) await create('levels', { number })
})
after(() => s[Symbol.asyncDispose]())

export async function create(name: string, body: object): Promise<Reply> {
  const reply = await s.request(`POST /${name}`, {}, body)
  assert.equal(reply.status, 201, reply.text)
  return reply
}

export const ids = (...names: string[]) => names.map((name) => labels[name] as string).toSorted()
export const faultsOf = ({ json }: Reply) =>
  json.errors.map(({ pointer, rule }: { pointer: string; rule: string }) => [pointer, rule])
export const mergePatch = { 'content-type': 'application/merge-patch+json' }
export const jsonPatch = { 'content-type': 'application/json-patch+json' }
export const unknown = '00000000-0000-7000-8000-000000000000'

export async function task(body: object = {}): Promise<{ readonly uri: string; readonly tag: string }> {
  const { json } = await create('tasks', { title: 'Land', ...body })
  const { fields } = await s.request(`GET /tasks/${json.id}`)
  return { uri: `/tasks/${json.id}`, tag: String(fields.etag) }
}

export async function shown(uri: string, name = 'labels'): Promise<unknown> {
  return (await s.request(`GET ${uri}`)).json[name]
}
