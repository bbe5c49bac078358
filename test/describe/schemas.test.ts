import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import shop from '../../examples/shop.ts'
import { admin, serve } from '../service.ts'

test('every schema is at its $id, as application/schema+json', async () => {
  await using shopping = await serve(shop)
  const index = (await shopping.request('GET /schemas', admin)).json as Record<string, string>
  assert.ok(Object.keys(index).length > 8)
  for (const uri of Object.values(index)) {
    const { status, fields, json } = await shopping.request(`GET ${uri}`, admin)
    assert.equal(status, 200)
    assert.equal(fields['content-type'], 'application/schema+json')
    assert.equal(json.$id, uri)
    assert.equal(json.$schema, 'https://json-schema.org/draft/2020-12/schema')
    assert.equal(new Ajv2020({ strict: false }).validateSchema(json), true)
  }
})

test('a representation satisfies the schema of the item', async () => {
  await using shopping = await serve(shop)
  const schema = (await shopping.request('GET /schemas/users', admin)).json
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const users = (await shopping.request('GET /users', admin)).json as object[]
  assert.ok(users.length > 0)
  for (const user of users) assert.ok(ajv.validate(schema, user), ajv.errorsText())
})

test('a schema that the caller may not see gets the same response as one that does not exist', async () => {
  await using shopping = await serve(shop)
  const hidden = await shopping.request('GET /schemas/products.create')
  const absent = await shopping.request('GET /schemas/nothing')
  assert.equal(hidden.status, 404)
  const without = ({ instance, ...rest }: Record<string, unknown>) => rest
  assert.deepEqual(without(hidden.json), without(absent.json))
})

test('PUT accepts the representation of GET, and its schema declares that', async () => {
  await using shopping = await serve(shop)
  const created = { sku: 'A-1', name: 'A', price: '1.00' }
  const { fields } = await shopping.request('POST /products', admin, created)
  const item = (await shopping.request(`GET ${fields.location}`)).json
  const schema = (await shopping.request('GET /schemas/products.replace', admin)).json
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  assert.ok(ajv.validate(schema, item), ajv.errorsText())
  assert.equal((await shopping.request(`PUT ${fields.location}`, admin, item)).status, 200)
})
