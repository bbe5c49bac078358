/** A service with notes and a key, for the tests of Idempotency-Key. */

import { anyone, email, integer, nobody, password, resource, service, signedIn, text } from 'restwell'
import { always } from '../../src/store/condition.ts'
import type { TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const notes = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource({ email: email().unique(), password: password() }, { access: open }),
    notes: resource({ title: text({ max: 5000 }), count: integer().default(0) }, { access: open }),
    diary: resource({ title: text() }, { access: { ...open, create: signedIn } }),
    named: resource({ slug: text() }, { key: 'slug', access: open, put: 'create' }),
    parts: resource({ name: text().unique() }, { access: open, bulk: true }),
    dropbox: resource({ title: text() }, { access: { ...open, read: nobody } }),
  },
})

export const key = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }

export const note = { title: 'A' }

export const countOf = ({ service: { store } }: TestService, table = 'notes') => store.count(table, always)
