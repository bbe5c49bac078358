/** Hidden fields in an older version of the interface. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  nobody,
  password,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { admin, serve } from '../service.ts'

it('an older version converts what the caller sees: the code never gets a hidden field', async () => {
  const secrets = resource(
    { title: text(), pay: integer().visibleTo(role('admin')) },
    { access: { read: anyone, create: anyone } },
  )
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      role: choice(['admin']).writableBy(nobody).optional(),
    },
    { access: { read: signedIn } },
  )
  await using s = await serve(
    service({
      title: 'Pay',
      name: 'pay',
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      versions: {
        v1: {
          secrets: {
            fields: { all: text() },
            without: ['title', 'pay'],
            down: ({ id, ...all }) => ({ id, all: JSON.stringify(all) }),
            up: (old) => old,
          },
        },
      },
      resources: { users, secrets },
    }),
  )
  await s.request('POST /secrets', admin, { title: 'A', pay: 4711 })
  const [seen, whole] = [
    await s.request('GET /secrets?api-version=v1'),
    await s.request('GET /secrets?api-version=v1', admin),
  ]
  assert.doesNotMatch(seen.text, /4711/)
  assert.match(whole.text, /4711/)
})
