/** A service with one book, for the tests of conditional requests. */

import assert from 'node:assert/strict'
import { anyone, email, integer, password, ref, resource, self, service, text, where } from 'restwell'
import { type Reply, serve } from '../service.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const fields = { title: text({ max: 5000 }), pages: integer().optional() }

export const books = service({
  title: 'Books',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique().visibleTo(self), password: password(), name: text().optional() },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    books: resource(fields, { access: open }),
    named: resource({ slug: text(), ...fields }, { key: 'slug', put: 'create', access: open }),
    guarded: resource(fields, { access: open, conditional: 'required' }),
    reserved: resource(
      { slug: text(), ...fields },
      { key: 'slug', put: 'create', access: open, conditional: 'required' },
    ),
    pages: resource({ book: ref('named'), text: text() }, { access: open }),
    drafts: resource({ title: text(), shown: integer() }, { access: { ...open, read: where({ shown: 1 }) } }),
  },
})

export async function serveBook() {
  const s = await serve(books)
  const created = await s.request('POST /books', {}, { title: 'A' })
  assert.equal(created.status, 201, created.text)
  return { s, uri: created.fields.location as string, tag: created.fields.etag as string }
}

export const tagOf = ({ fields: { etag } }: Reply) => etag as string
