/** Products with a history, whose prices two editors change. */

import assert from 'node:assert/strict'
import { choice, decimal, email, password, resource, role, service, signedIn, text } from '../../src/index.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

const secret = 'a password of twenty'

const definition = service({
  title: 'Price list',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        name: text({ max: 100 }),
        email: email().unique(),
        password: password({ min: 12 }),
        role: choice(['editor', 'admin']).default('editor'),
      },
      { access: { read: signedIn, create: role('admin') } },
    ),
    products: resource(
      { name: text({ max: 100 }), price: decimal({ scale: 2 }) },
      { history: { keep: '1 year' }, access: { read: signedIn, create: signedIn, update: signedIn } },
    ),
  },
})

/** Green tea by Ada, at a price that Grace has changed. */
export async function openPriceList(): Promise<TestService> {
  const opened = await serve(definition)
  for (const name of ['Ada', 'Grace']) {
    const user = { name, email: `${name.toLowerCase()}@example.org`, password: secret }
    assert.equal((await opened.request('POST /users', admin, user)).status, 201)
  }
  const tea = { name: 'Green tea', price: '4.50' }
  const { fields } = await opened.request('POST /products', basic('ada@example.org', secret), tea)
  const raised = await opened.request(`PATCH ${fields.location}`, basic('grace@example.org', secret), {
    price: '5.50',
  })
  assert.equal(raised.status, 200, raised.text)
  return opened
}
