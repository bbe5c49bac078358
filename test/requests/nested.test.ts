/** POST of an item with items that refer to it (docs/reference/http/writing.md, "Items with items"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  boolean,
  check,
  choice,
  count,
  email,
  integer,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  sum,
  text,
  where,
} from 'restwell'
import { account, as } from '../access/sample.ts'
import { accounts, faultOf, type Loose, loose } from '../definition/sample.ts'
import { admin, type Reply, serve } from '../service.ts'

const ofCustomer = owner('order.customer')

const definition = service(
  {
    title: 'Orders',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          name: text(),
          password: password({ min: 8 }),
          role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
        },
        { access: { read: anyone, create: anyone } },
      ),
      orders: resource(
        {
          number: text({ max: 10 }).unique(),
          customer: ref('users').fromPrincipal(),
          closed: boolean().default(false),
        },
        {
          access: { read: owner('customer'), create: signedIn, update: owner('customer') },
          nested: ['lines', 'notes', 'audits'],
          derived: { total: sum('lines', 'quantity').always(), size: count('lines').always() },
          history: {},
        },
      ),
      lines: resource(
        {
          order: ref('orders', { inverse: 'lines', onDelete: 'cascade' }),
          sku: text({ max: 10 }),
          quantity: integer({ min: 1 }),
          place: integer().default(0),
          checked: boolean().default(false).writableBy(role('admin')),
        },
        {
          access: { read: ofCustomer, create: ofCustomer, update: ofCustomer },
          unique: [['order', 'sku']],
        },
      ),
      notes: resource(
        { order: ref('orders', { inverse: 'notes', onDelete: 'cascade' }), text: text() },
        { access: { read: ofCustomer, create: where({ 'order.closed': true }) } },
      ),
      audits: resource(
        { order: ref('orders', { inverse: 'audits', onDelete: 'cascade' }), text: text() },
        { access: { create: role('admin') } },
      ),
    },
  },
  {
    lines: {
      checks: [check('quantity', 'Must be odd.', ({ quantity }) => quantity % 2 === 1)],
      before: {
        async create(line, { lines, refuse, set }) {
          if (line.sku === 'gone') refuse('invalid-content', 'It is sold out.', { field: 'sku' })
          set({ place: (await lines.count({ order: line.order })) + 1 })
        },
      },
    },
  },
)

const line = (sku: string, quantity = 1) => ({ sku, quantity })
const faultsIn = ({ json }: Reply): readonly string[] =>
  (json.errors ?? []).map(({ pointer, rule }: Record<string, string>) => `${pointer} ${rule}`)

async function serveOrders() {
  const s = await serve(definition)
  const ada = as(await account(s.request, 'ada'))
  return {
    ...s,
    ada,
    order: (content: object, fields: Readonly<Record<string, string>> = {}) =>
      s.request('POST /orders', { ...ada, ...fields }, content),
    linesOf: async (order: Reply) =>
      (await s.request(`GET ${order.fields.location}/lines?sort=place`, ada)).json as readonly Record<
        string,
        unknown
      >[],
    ordersOf: async () => (await s.request('GET /orders', ada)).json.length as number,
    [Symbol.asyncDispose]: () => s[Symbol.asyncDispose](),
  }
}

describe('a POST of an item with items', () => {
  test('creates all of them, and shows the item with what it derives from them', async () => {
    await using s = await serveOrders()
    const created = await s.order({ number: 'A', lines: [line('x', 3), line('y', 5)] })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual([created.json.number, created.json.total, created.json.size], ['A', 8, 2])
    assert.deepEqual((await s.request(`GET ${created.fields.location}`, s.ada)).json, created.json)
    const lines = await s.linesOf(created)
    assert.deepEqual(
      lines.map(({ order, sku, place }) => [order, sku, place]),
      [
        [created.json.id, 'x', 1],
        [created.json.id, 'y', 2],
      ],
      'hooks see the items before their own',
    )
    assert.equal((await s.order({ number: 'B', lines: [] })).json.size, 0)
    assert.equal((await s.order({ number: 'C' })).json.size, 0)
  })

  test('is refused with all faults, each at its place, and creates none', async () => {
    await using s = await serveOrders()
    const invalid = await s.order({
      number: 'far too long',
      lines: [line('x'), line('y', 0), { quantity: 1 }, 'z', { ...line('w'), checked: true, odd: 1 }],
    })
    assert.equal(invalid.status, 422)
    assert.deepEqual(faultsIn(invalid).toSorted(), [
      '/lines/1/quantity minimum',
      '/lines/2/sku required',
      '/lines/3 type',
      '/lines/4/checked readOnly',
      '/lines/4/odd additionalProperties',
      '/number maxLength',
    ])
    const checked = await s.order({ number: 'A', lines: [line('x', 2), line('y'), line('z', 4)] })
    assert.deepEqual(
      faultsIn(checked).map((fault) => fault.split(' ')[0]),
      ['/lines/0/quantity', '/lines/2/quantity'],
    )
    const hooked = await s.order({ number: 'A', lines: [line('x'), line('gone')] })
    assert.deepEqual([hooked.status, faultsIn(hooked)[0]?.split(' ')[0]], [422, '/lines/1/sku'])
    assert.equal(await s.ordersOf(), 0)
  })

  test('says which values are not unique', async () => {
    await using s = await serveOrders()
    const repeated = await s.order({ number: 'A', lines: [line('x'), line('y'), line('x')] })
    assert.equal(repeated.status, 409, repeated.text)
    assert.deepEqual(faultsIn(repeated), ['/lines/2/order unique', '/lines/2/sku unique'])
    assert.equal((await s.order({ number: 'A', lines: [line('x')] })).status, 201)
    const taken = await s.order({ number: 'A', lines: [line('x')] })
    assert.deepEqual([taken.status, faultsIn(taken)], [409, ['/number unique']])
    assert.equal(await s.ordersOf(), 1)
  })

  test('has arrays of at most 1,000 items in all, which do not name the item around them', async () => {
    await using s = await serveOrders()
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `${at}` }))
    for (const lines of [{}, 'x', null, 1]) {
      assert.deepEqual(faultsIn(await s.order({ number: 'A', lines })), ['/lines type'])
    }
    const order = { number: 'A', closed: true }
    assert.deepEqual(faultsIn(await s.order({ ...order, notes: many(1001) })), ['/notes maxItems'])
    assert.deepEqual(faultsIn(await s.order({ ...order, lines: [line('x')], notes: many(1000) })), [
      '/notes maxItems',
    ])
    const whole = await s.order({ ...order, notes: many(1000) })
    assert.equal(whole.status, 201, whole.text)
    const notes = await s.request('GET /notes?limit=1', { ...s.ada, prefer: 'count=exact' })
    assert.equal(notes.fields['total-count'], '1000')
    const named = await s.order({ number: 'B', lines: [{ ...line('x'), order: whole.json.id }] })
    assert.deepEqual(faultsIn(named), ['/lines/0/order readOnly'])
  })

  test('needs the right to create each item, judged with the item around it', async () => {
    await using s = await serveOrders()
    assert.equal((await s.order({ number: 'A', notes: [{ text: 'n' }] })).status, 403)
    const permitted = await s.order({ number: 'A', closed: true, notes: [{ text: 'n' }] })
    assert.equal(permitted.status, 201, permitted.text)
    const missing = await s.order({ number: 'B', audits: [{ text: 'n' }] })
    assert.equal(missing.status, 403, 'no item could be created')
    assert.equal((await s.order({ number: 'B', audits: [] })).status, 201)
    assert.equal((await s.request('POST /orders', {}, { number: 'C', lines: [line('x')] })).status, 401)
    // The token has the right to the orders only.
    const token = await s.request('POST /tokens', s.ada, {
      name: 't',
      scopes: ['orders:create', 'orders:read'],
    })
    const limited = { authorization: `Bearer ${token.json.token}` }
    const refused = await s.request('POST /orders', limited, { number: 'C', lines: [line('x')] })
    assert.equal(refused.status, 403)
    assert.match(String(refused.fields['www-authenticate']), /scope="lines:create"/)
    assert.equal((await s.request('POST /orders', limited, { number: 'C' })).status, 201)
  })

  test('is tried by a dry run, repeated by its key, and a part of a batch', async () => {
    await using s = await serveOrders()
    const content = { number: 'A', lines: [line('x'), line('y')] }
    const tried = await s.request('POST /orders?dry-run=true', s.ada, content)
    assert.deepEqual([tried.status, tried.json.total], [200, 2], tried.text)
    assert.equal(await s.ordersOf(), 0)
    const key = { 'idempotency-key': '"k"' }
    const [first, second] = [await s.order(content, key), await s.order(content, key)]
    assert.deepEqual([first.status, second.status, second.json], [201, 201, first.json])
    assert.equal((await s.linesOf(first)).length, 2)
    const batch = (lines: readonly object[]) =>
      s.request('POST /batch', s.ada, {
        requests: [{ method: 'POST', path: '/orders', body: { number: 'B', lines } }],
      })
    const refused = await batch([line('x', 0)])
    assert.deepEqual(
      [refused.status, refused.json.problem.errors[0].pointer],
      [422, '/requests/0/body/lines/0/quantity'],
    )
    const done = await batch([line('x', 3)])
    assert.deepEqual([done.status, done.json.responses[0].body.total], [200, 3])
  })

  test('makes an event and a version for each item', async () => {
    await using s = await serveOrders()
    const start = (await s.request('GET /events', s.ada)).json.at(-1).id
    const created = await s.order({ number: 'A', lines: [line('x'), line('y')] })
    const events = (await s.request(`GET /events?last-event-id=${start}`, s.ada)).json
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type).filter((type: string) => type !== 'reset'),
      ['orders.created', 'lines.created', 'lines.created'],
    )
    assert.equal((await s.request(`GET ${created.fields.location}/history`, s.ada)).json.length, 1)
  })

  test('is no merge patch, no PUT and no member of an order that exists', async () => {
    await using s = await serveOrders()
    const { fields } = await s.order({ number: 'A' })
    const patch = { ...s.ada, 'content-type': 'application/merge-patch+json' }
    const patched = await s.request(`PATCH ${fields.location}`, patch, { lines: [line('x')] })
    assert.deepEqual([patched.status, faultsIn(patched)], [422, ['/lines additionalProperties']])
  })

  test('is possible in XML, and HAL-FORMS has the schema of its items', async () => {
    await using s = await serveOrders()
    const item = '<item><sku>x</sku><quantity>3</quantity></item>'
    const xml = `<orders><number>A</number><lines>${item}${item.replace('x', 'y')}</lines></orders>`
    const created = await s.request('POST /orders', { ...s.ada, 'content-type': 'application/xml' }, xml)
    assert.deepEqual([created.status, created.json.total], [201, 6], created.text)
    const list = await s.request('GET /orders', { ...s.ada, accept: 'application/prs.hal-forms+json' })
    const template = list.json._templates.default
    const property = template.properties.find(({ name }: { name: string }) => name === 'lines')
    assert.equal(property.schema.maxItems, 1000)
    assert.deepEqual(Object.keys(property.schema.items.properties), ['sku', 'quantity', 'place'])
    const names = template.properties.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('notes') && !names.includes('audits'), 'only admins create audits')
  })

  test('is described by OpenAPI and the schemas, for the callers that may send it', async () => {
    await using s = await serveOrders()
    const { components } = (await s.request('GET /openapi.json', s.ada)).json
    const { lines, audits } = components.schemas.OrdersCreate.properties
    assert.deepEqual(lines, {
      type: 'array',
      items: { $ref: '#/components/schemas/OrdersCreate.lines' },
      maxItems: 1000,
    })
    assert.equal(audits, undefined)
    const inner = components.schemas['OrdersCreate.lines']
    assert.deepEqual(
      [Object.keys(inner.properties).includes('order'), inner.required],
      [false, ['sku', 'quantity']],
    )
    const all = (await s.request('GET /openapi.json', admin)).json.components.schemas
    assert.ok(all.OrdersCreate.properties.audits)
    const schema = (await s.request('GET /schemas/orders.create', s.ada)).json
    assert.deepEqual(schema.properties.lines.items.required, ['sku', 'quantity'])
  })
})

test('the option nested is checked', () => {
  const orders = (nested: unknown, options: Loose = {}) => loose({ number: text() }, { nested, ...options })
  const access = { create: anyone }
  const lines = (fields: Loose = {}, options: Loose = { access }) =>
    loose({ order: ref('orders', { inverse: 'lines' }), ...fields }, options)
  const fault = (nested: unknown, inner = lines(), options: Loose = {}) =>
    faultOf({ orders: orders(nested, options), lines: inner })
  assert.match(
    fault(['line']),
    /^orders: The option 'nested': orders has no inverse 'line'. Did you mean 'lines'\?/,
  )
  assert.match(fault(['number']), /no inverse 'number'. Declare it on the reference/)
  assert.match(fault('lines'), /nested/)
  assert.match(fault(['lines', 'lines']), /names an inverse twice/)
  assert.match(fault(['lines'], lines(), { methods: ['GET'] }), /needs the method POST/)
  assert.match(
    fault(['lines'], lines({}, { access, methods: ['GET'] })),
    /No request creates the items of 'lines'/,
  )
  assert.match(fault(['lines'], lines({}, {})), /No caller may create the items of 'lines' \(lines\)/)
  assert.match(fault(['lines'], lines({ pin: password() })), /'pin' of the items of 'lines' .* is a password/)
  const people = {
    users: loose(
      {
        email: email().unique(),
        password: password(),
        order: ref('orders', { inverse: 'people' }).optional(),
      },
      { access },
    ),
    orders: orders(['people']),
  }
  assert.match(
    faultOf(people, { accounts }),
    /The items of 'people' \(users\) are created alone. Remove 'people'/,
  )
  const fixed = loose({ order: ref('orders', { inverse: 'lines' }).readOnly().optional() }, { access })
  assert.match(fault(['lines'], fixed), /No request sets 'order'/)
})
