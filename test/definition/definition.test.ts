import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { boolean } from '../../src/definition/kinds/boolean.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { anyone, role, self, signedIn } from '../../src/definition/rule-functions.ts'
import { isDefinition, service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { accounts, loose, modelOf, things, users } from './sample.ts'

test('the demo is a sound definition', () => {
  const model = checkDefinition(shop)
  assert.deepEqual([...model.resources.keys()], ['users', 'articles', 'products', 'tokens', 'webhooks'])
  assert.equal(model.accounts?.resource, model.resources.get('users'))
  assert.equal(model.accounts?.adminRole, 'admin')
  assert.equal(model.resources.get('products')?.keyField?.name, 'sku')
})

test('a definition is known by its brand, also to another copy of the package', () => {
  assert.ok(isDefinition(service({ title: 'x', resources: {} })))
  assert.ok(Object.getOwnPropertySymbols(shop).includes(Symbol.for('restwell.definition')))
  for (const other of [undefined, null, 1, {}, [], () => {}]) assert.ok(!isDefinition(other))
  assert.throws(() => checkDefinition({}), DefinitionFault)
})

test('access that is not declared is denied', () => {
  const { access } = things({ a: text() }, { access: { read: anyone } })
  assert.deepEqual(
    Object.values(access).map((rule) => rule.kind),
    ['anyone', 'nobody', 'nobody', 'nobody'],
  )
  assert.equal(things({ a: text() }).access.read.kind, 'nobody')
})

test('a list of rules means any of them', () => {
  const model = modelOf(
    { users: users({}, { access: { read: [self, signedIn], update: [self] } }) },
    { accounts },
  )
  assert.deepEqual(model.accounts?.resource.access.read, {
    kind: 'any',
    of: [{ kind: 'self' }, { kind: 'signed-in' }],
  })
  assert.deepEqual(model.accounts?.resource.access.update, { kind: 'self' })
})

test('all methods are offered unless a definition keeps fewer', () => {
  const all = things({ a: text() })
  assert.deepEqual([...all.collectionMethods], ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS'])
  assert.deepEqual([...all.itemMethods], ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  const fewer = things({ a: text() }, { methods: ['GET', 'PATCH'] })
  assert.deepEqual([...fewer.collectionMethods], ['GET', 'HEAD', 'OPTIONS'])
  assert.deepEqual([...fewer.itemMethods], ['GET', 'HEAD', 'PATCH', 'OPTIONS'])
  const posting = things({ a: text() }, { methods: ['POST'] })
  assert.deepEqual([...posting.collectionMethods], ['POST', 'OPTIONS'])
  assert.deepEqual([...posting.itemMethods], ['OPTIONS'])
})

test('the places in a row: fields as declared, then keys of references to keyed resources', () => {
  const model = modelOf({
    brands: loose({ code: text() }, { key: 'code' }),
    shops: loose({ name: text() }),
    things: loose({
      brand: ref('brands'),
      shop: ref('shops'),
      name: text(),
      other: ref('brands').optional(),
    }),
  })
  const { fields } = model.resources.get('things')!
  assert.deepEqual(
    fields.map((f) => [f.name, f.index, f.outputIndex]),
    [
      ['brand', 4, 8],
      ['shop', 5, 5],
      ['name', 6, 6],
      ['other', 7, 9],
    ],
  )
})

test('references may go in circles, and each end knows the other', () => {
  const model = modelOf({
    things: loose({ next: ref('others').optional() }),
    others: loose({ back: ref('things', { onDelete: 'cascade' }) }),
  })
  const one = model.resources.get('things')!
  const other = model.resources.get('others')!
  assert.equal(one.fieldByName.get('next')?.ref?.resource, other)
  assert.equal(other.fieldByName.get('back')?.ref?.resource, one)
  assert.equal(other.fieldByName.get('back')?.ref?.onDelete, 'cascade')
  assert.deepEqual(
    one.referencedBy.map(({ resource, field }) => [resource.name, field.name]),
    [['others', 'back']],
  )
})

test('a reference shows the id of its target, and has the schema of it', () => {
  const model = modelOf({
    brands: loose({ number: integer() }, { key: 'number' }),
    things: loose({ brand: ref('brands'), same: ref('things').optional() }),
  })
  const { fieldByName: field } = model.resources.get('things')!
  assert.equal(field.get('brand')?.decode(7), '7')
  assert.equal(field.get('same')?.decode('x'), 'x')
  assert.equal(field.get('same')?.schema.format, 'uuid')
  assert.equal(field.get('brand')?.schema.type, 'string')
})

test('a key is unique and never an empty path segment, "." or ".." (RFC 3986 §5.2.4)', () => {
  const resource = things({ code: text() }, { key: 'code' })
  assert.ok(resource.keyField?.unique)
  for (const code of ['', '.', '..']) assert.equal(resource.validate({ code }).length, 1, code)
  for (const code of ['a', '...', '.a', '/']) assert.deepEqual(resource.validate({ code }), [])
})

test('a unique or indexed text has at most 500 characters unless it says fewer', () => {
  const resource = things({ a: text().unique(), b: text(), c: text() }, { index: ['b'] })
  const longest = (name: string) => resource.fieldByName.get(name)?.schema.maxLength
  assert.deepEqual([longest('a'), longest('b'), longest('c')], [500, 500, 10_000])
})

test('a state has its initial state, all states and transitions', () => {
  const { fieldByName: field } = things({
    status: state({
      initial: 'open',
      transitions: {
        close: { from: 'open', to: 'closed' },
        reopen: { from: ['closed', 'lost'], to: 'open' },
        lose: { from: 'open', to: 'lost' },
      },
    }),
  })
  const model = field.get('status')?.state
  assert.equal(model?.initial, 'open')
  assert.deepEqual(model?.states, ['open', 'closed', 'lost'])
  assert.deepEqual(model?.transitions[1], {
    name: 'reopen',
    from: ['closed', 'lost'],
    to: 'open',
    by: undefined,
    requires: [],
    sets: new Map(),
    exclusive: false,
  })
})

test('words make new fields and leave the old as they were', () => {
  const plain = text()
  const unique = plain.unique().formerly('old').filterable(false)
  const { fieldByName: field } = things({ plain, unique })
  assert.equal(field.get('plain')?.unique, false)
  assert.equal(field.get('plain')?.filterable, true)
  assert.equal(field.get('unique')?.unique, true)
  assert.equal(field.get('unique')?.filterable, false)
  assert.deepEqual(field.get('unique')?.formerly, ['old'])
})

test('options of a resource arrive in its model', () => {
  const resource = things(
    { a: text(), b: integer(), c: text() },
    {
      put: 'create',
      conditional: 'required',
      bulk: true,
      tombstones: true,
      cache: { maxAge: 60, compositeMaxAge: 5, staleWhileRevalidate: 30, shared: false },
      search: ['c', 'a'],
      index: ['b', ['b', 'a']],
      formerly: ['stuff'],
    },
  )
  assert.equal(resource.put, 'create')
  assert.equal(resource.conditional, 'required')
  assert.ok(resource.bulk && resource.tombstones)
  assert.deepEqual(resource.cache, {
    maxAge: 60,
    compositeMaxAge: 5,
    staleWhileRevalidate: 30,
    shared: false,
  })
  assert.deepEqual(
    resource.search.map((f) => f.name),
    ['c', 'a'],
  )
  assert.deepEqual(
    resource.indexes.map((fields) => fields.map((f) => f.name)),
    [['b'], ['b', 'a']],
  )
  assert.deepEqual(resource.formerly, ['stuff'])
})

test('former collection names lead to the resource', () => {
  const model = modelOf({ things: loose({ a: text() }, { formerly: ['stuff'] }) })
  assert.equal(model.formerNames.get('stuff'), model.resources.get('things'))
})

test('accounts have an admin role and values for the first account', () => {
  const roles = choice(['user', 'boss']).default('user').writableBy(role('boss'))
  const model = modelOf(
    { users: users({ roles, age: integer() }) },
    { accounts: { ...accounts, roles: 'roles', admin: 'boss', first: { age: 1 } } },
  )
  assert.equal(model.accounts?.adminRole, 'boss')
  assert.deepEqual(model.accounts?.first, { age: 1 })
})

test('the model is frozen all the way down, and the user keeps what is theirs', () => {
  const mine = { type: 'object', properties: { a: { type: 'string' } } }
  const value = ['x']
  const model = modelOf({
    things: loose({
      tags: list(text()).default(value),
      data: json(mine).optional(),
      price: decimal({ scale: 2 }),
      done: boolean().default(false),
      same: ref('things').optional(),
      number: ref('numbers'),
    }),
    numbers: loose({ no: integer() }, { key: 'no' }),
  })
  assertFrozen(model, new Set())
  assert.ok(!Object.isFrozen(mine) && !Object.isFrozen(mine.properties) && !Object.isFrozen(value))
})

function assertFrozen(value: unknown, seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  assert.ok(Object.isFrozen(value), `${JSON.stringify(Object.keys(value))} is frozen`)
  const members = value instanceof Map ? [...value.values()] : Object.values(value)
  for (const member of members) assertFrozen(member, seen)
}
