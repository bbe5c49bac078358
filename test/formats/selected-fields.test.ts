/** `fields` in the formats that show actions: inputs have the values of all fields that the caller sees. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, integer, owner, ref, resource, service, signedIn, text } from '../../src/index.ts'
import { accounts, users } from '../access/sample.ts'
import { admin, serve } from '../service.ts'

const items = resource(
  {
    title: text(),
    price: integer().visibleTo(owner('author')),
    author: ref('users').fromPrincipal(),
  },
  { access: { read: anyone, create: signedIn, update: signedIn, delete: signedIn } },
)

test('a selection leaves out a field whose visibility depends on the item, and the template has its value', async () => {
  await using s = await serve(service({ title: 'Items', accounts, resources: { users, items } }))
  const made = await s.request('POST /items', admin, { title: 'A', price: 5 })
  const uri = String(made.fields.location)
  const halForms = { ...admin, accept: 'application/prs.hal-forms+json' }
  for (const target of [`${uri}?fields=title`, '/items?fields=title']) {
    for (const fields of [halForms, { ...admin, accept: 'text/html' }]) {
      const reply = await s.request(`GET ${target}`, fields)
      assert.equal(reply.status, 200, `${target} ${fields.accept}: ${reply.text.slice(0, 200)}`)
    }
  }
  const { json } = await s.request(`GET ${uri}?fields=title`, halForms)
  assert.equal(json.price, undefined)
  const price = json._templates.default.properties.find(({ name }: { name: string }) => name === 'price')
  assert.equal(price.value, 5)
})
