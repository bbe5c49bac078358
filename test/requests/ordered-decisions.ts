/** A service in which each decision on a request can refuse it, and the requests that it refuses. */

import assert from 'node:assert/strict'
import {
  anyone,
  choice,
  email,
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
} from 'restwell'
import { basic, type Reply, serve, type TestService } from '../service.ts'

export const definition = service({
  title: 'Order',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    notes: resource(
      {
        slug: text().unique(),
        kind: choice(['public', 'private']).default('public'),
        author: ref('users').fromPrincipal(),
        status: state({
          initial: 'draft',
          transitions: {
            publish: { from: 'draft', to: 'published' },
            withdraw: { from: 'draft', to: 'withdrawn', by: role('admin') },
            restore: { from: 'withdrawn', to: 'draft' },
          },
        }),
      },
      {
        formerly: ['memos'],
        tombstones: true,
        access: {
          read: anyone,
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
    strict: resource(
      { slug: text() },
      {
        conditional: 'required',
        access: { read: anyone, create: anyone, update: anyone, delete: anyone },
      },
    ),
    secrets: resource({ slug: text() }, { access: { read: role('admin'), create: role('admin') } }),
    handed: resource(
      { slug: text().unique(), holder: ref('users') },
      { access: { read: anyone, create: anyone, update: owner('holder') } },
    ),
  },
})

export const ada = { email: 'ada@example.org', password: 'analytical' }
export const asAda = basic(ada.email, ada.password)
export const bob = { email: 'bob@example.org', password: 'bob builds' }
export const asBob = basic(bob.email, bob.password)
export const invalid = basic('nobody@example.org', 'wrong')

export const asJson = { 'content-type': 'application/json' }
export const png = { accept: 'image/png' }
export const plain = { 'content-type': 'text/plain' }
export const chunked = { ...asJson, 'transfer-encoding': 'chunked' }
export const stale = { 'if-match': '"stale"' }
export const absentId = '019a0000-0000-7000-8000-000000000000'
export const long = 'x'.repeat(101)

export async function start() {
  const s = await serve(definition, { limits: { content: 100 } })
  const adaUri = (await s.request('POST /users', {}, ada)).fields.location as string
  await s.request('POST /users', {}, bob)
  const note = (await s.request('POST /notes', asAda, { slug: 'a' })).fields.location as string
  return { s, adaUri, note }
}

/** Checks the status, and that this decision refused. */
export function decidedBy({ observations }: TestService, response: Reply, status: number, decision: string) {
  assert.equal(response.status, status, response.text)
  const last = observations.findLast((observation) => observation.kind === 'request')
  assert.equal(last?.decision, decision)
}
