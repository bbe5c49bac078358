import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createSchema, patchSchema, rowSchema } from '../../src/definition/json-schemas.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { cleanText, text } from '../../src/definition/kinds/text.ts'
import { anyone, signedIn } from '../../src/definition/rule-functions.ts'
import { accounts, loose, modelOf, things, users } from './sample.ts'

const model = modelOf(
  {
    users: users(),
    things: loose(
      {
        name: text({ min: 1, max: 5 }),
        note: text().optional(),
        size: choice(['s', 'm']).default('s'),
        hidden: integer().visibleTo(signedIn),
        made: integer().default(1).readOnly(),
        author: ref('users').fromPrincipal(),
        status: state({ initial: 'a', transitions: { go: { from: 'a', to: 'b' } } }),
        secret: password(),
      },
      { access: { read: anyone, create: signedIn } },
    ),
  },
  { accounts },
)
const resource = model.resources.get('things')!

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const nameSchema = { type: 'string', minLength: 1, maxLength: 5, pattern: cleanText }

test('the schema of a record has the system fields and all that is shown', () => {
  const schema = rowSchema(resource)
  const properties = schema.properties as Record<string, Record<string, unknown>>
  assert.equal(schema.$schema, dialect)
  assert.equal(schema.title, 'things')
  assert.equal(schema.type, 'object')
  assert.equal(schema.additionalProperties, false)
  assert.deepEqual(
    Object.keys(properties),
    'id createdAt updatedAt name note size hidden made author status'.split(' '),
  )
  assert.deepEqual(schema.required, 'id createdAt updatedAt name size made author status'.split(' '))
  assert.deepEqual(properties.name, nameSchema)
  assert.equal(properties.id?.readOnly, true)
  assert.equal(properties.made?.readOnly, true)
  assert.equal(properties.author?.readOnly, true)
  assert.equal(properties.size?.default, 's')
})

test('the schema of a POST has what can be written, states at their beginning', () => {
  const schema = createSchema(resource)
  const properties = schema.properties as Record<string, Record<string, unknown>>
  assert.deepEqual(Object.keys(properties), 'name note size hidden status secret'.split(' '))
  assert.deepEqual(schema.required, ['name', 'hidden', 'secret'])
  assert.deepEqual(properties.status?.enum, ['a'])
  assert.equal(properties.secret?.writeOnly, true)
})

test('the schema of a merge-patch requires nothing, and null removes what is optional', () => {
  const schema = patchSchema(resource)
  const properties = schema.properties as Record<string, Record<string, unknown>>
  assert.equal(schema.required, undefined)
  assert.deepEqual(properties.name, nameSchema)
  assert.deepEqual((properties.note!.anyOf as unknown[])[1], { type: 'null' })
  assert.deepEqual(properties.status?.enum, ['a', 'b'])
})

test('the schemas are valid by the meta-schema of their dialect', () => {
  for (const schema of [rowSchema(resource), createSchema(resource), patchSchema(resource)]) {
    assert.equal(new Ajv2020({ strict: false }).validateSchema(schema), true)
  }
})

test('references within the schema of a json field still lead to it inside a document', () => {
  const tree = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#' } }, size: { $ref: '#/$defs/n' } },
    additionalProperties: false,
    $defs: { n: { type: 'integer' } },
  }
  const { validate } = things({ tree: json(tree) })
  const good = { tree: { children: [{ size: 1 }] } }
  const bad = { tree: { children: [{ size: 'x' }] } }
  assert.deepEqual(validate(good), [])
  assert.equal(validate(bad)[0]?.pointer, '/tree/children/0/size')
  const published = new Ajv2020({ strict: false }).compile(createSchema(things({ tree: json(tree) })))
  assert.equal(published(good), true)
  assert.equal(published(bad), false)
})
