/** A service with notes of every kind of field, for the tests of PUT and PATCH. */

import assert from 'node:assert/strict'
import {
  anyone,
  choice,
  email,
  integer,
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
import { admin, basic, type Reply, serve } from '../service.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const users = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')], delete: self } },
)

export const accounts = {
  resource: 'users',
  login: 'email',
  password: 'password',
  roles: 'role',
} as const

export const ada = { email: 'ada@example.org', password: 'analytical' }

export const asAda = basic(ada.email, ada.password)

/** Notes that Ada owns, with fields that some callers cannot write or see. */
export const notes = service({
  title: 'Notes',
  accounts,
  resources: {
    users,
    notes: resource(
      {
        title: text(),
        body: text().optional(),
        colour: choice(['red', 'blue']).default('blue'),
        serial: integer().default(7).readOnly(),
        pin: text().writeOnly().optional(),
        remark: text().optional().visibleTo(role('admin')),
        rank: integer().default(0).writableBy(role('admin')),
        verdict: text().optional().visibleTo(role('admin')).writableBy(role('admin')),
        author: ref('users').fromPrincipal(),
        status: state({
          initial: 'draft',
          transitions: { publish: { from: 'draft', to: 'published' } },
        }),
      },
      {
        access: {
          read: signedIn,
          create: signedIn,
          update: [owner('author'), role('admin')],
          delete: owner('author'),
        },
      },
    ),
  },
})

export async function serveNotes() {
  const s = await serve(notes)
  assert.equal((await s.request('POST /users', {}, ada)).status, 201)
  const created = await s.request('POST /notes', asAda, {
    title: 'A',
    body: 'B',
    pin: '1',
    remark: 'r',
  })
  assert.equal(created.status, 201, created.text)
  const uri = created.fields.location as string
  await s.request(`PATCH ${uri}`, admin, { verdict: 'good', rank: 3 })
  return { s, uri }
}

export function pointersOf(response: Reply): string[] {
  assert.equal(response.status, 422, response.text)
  return response.json.errors.map((error: { pointer: string }) => error.pointer).sort()
}
