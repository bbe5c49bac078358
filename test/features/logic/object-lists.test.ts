/** Lists of objects in the input and the result of an action (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  decimal,
  integer,
  list,
  owner,
  ref,
  resource,
  service,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { serve, type TestService } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const products = resource({ code: text(), price: integer() }, { key: 'code', access })
const orders = resource({ note: text() }, { access })

const lines = list(
  {
    product: ref('products'),
    quantity: integer({ min: 1 }).default(1),
    tags: list({ name: text({ max: 5 }) }).optional(),
  },
  { min: 1, max: 3 },
)

const definition = service(
  { title: 'Shop', resources: { products, orders } },
  {
    orders: {
      actions: {
        quote: action({
          on: 'collection',
          by: anyone,
          input: { lines, rate: decimal({ scale: 1 }).default('1') },
          result: {
            lines: list({ code: text(), amount: decimal({ scale: 2 }), words: list(text()) }),
            total: decimal({ scale: 2 }),
            notes: list({ text: text() }).optional().label('Remarks'),
          },
          async run({ lines, rate }, { products, refuse }) {
            const found = []
            for (const [at, { product, quantity, tags = [] }] of lines.entries()) {
              if (quantity > 9) refuse('invalid-content', 'Too many.', { field: `lines/${at}/quantity` })
              const { price } = await products.get(product)
              const words = tags.map(({ name }) => name)
              found.push({ code: product, amount: String(price * quantity), words })
            }
            const total = found.reduce((sum, { amount }) => sum + Number(amount), 0) * Number(rate)
            return { lines: found, total: String(total) }
          },
        }),
        broken: action({
          on: 'collection',
          by: anyone,
          result: { lines: list({ code: text() }) },
          run: () => ({ lines: [{ code: 'a' }, { code: 1 as unknown as string }] }),
        }),
      },
    },
  },
)

async function open(): Promise<TestService> {
  const s = await serve(definition)
  for (const [code, price] of [
    ['pen', 2],
    ['ink', 5],
  ]) {
    assert.equal((await s.request('POST /products', {}, { code, price })).status, 201)
  }
  return s
}

const quoted = {
  lines: [
    { code: 'pen', amount: '6.00', words: ['red', 'blue'] },
    { code: 'ink', amount: '5.00', words: [] },
  ],
  total: '11.00',
}
const sent = {
  lines: [{ product: 'pen', quantity: 3, tags: [{ name: 'red' }, { name: 'blue' }] }, { product: 'ink' }],
}

describe('a list of objects', () => {
  it('is validated and has defaults; its members are in the form that items show', async () => {
    await using s = await open()
    const reply = await s.request('POST /orders/quote', {}, sent)
    assert.deepEqual([reply.status, reply.json], [200, quoted])
  })

  it('has all faults with their pointers', async () => {
    await using s = await open()
    const pointers = async (body: unknown) => {
      const { status, json } = await s.request('POST /orders/quote', {}, body)
      assert.equal(status, 422)
      return json.errors.map(({ pointer, rule }: Record<string, string>) => `${pointer} ${rule}`)
    }
    const one = { product: 'pen' }
    assert.deepEqual(await pointers({}), ['/lines required'])
    assert.deepEqual(await pointers({ lines: [] }), ['/lines minItems'])
    assert.deepEqual(await pointers({ lines: [one, one, one, one] }), ['/lines maxItems'])
    assert.deepEqual(await pointers({ lines: null }), ['/lines type'])
    assert.deepEqual(await pointers({ lines: [one, 'pen', []] }), ['/lines/1 type', '/lines/2 type'])
    const wrong = { quantity: 0, prodct: 'pen', tags: [{ name: 'yellow' }, {}] }
    assert.deepEqual(await pointers({ rate: 'x', lines: [one, wrong, { product: 'none' }] }), [
      '/rate pattern',
      '/lines/1/prodct additionalProperties',
      '/lines/1/product required',
      '/lines/1/quantity minimum',
      '/lines/1/tags/0/name maxLength',
      '/lines/1/tags/1/name required',
      '/lines/2/product reference',
    ])
  })

  it('can be refused at a member of an object', async () => {
    await using s = await open()
    const body = { lines: [{ product: 'pen' }, { product: 'ink', quantity: 10 }] }
    const { status, json } = await s.request('POST /orders/quote', {}, body)
    assert.deepEqual([status, json.errors[0].pointer], [422, '/lines/1/quantity'])
  })

  it('is sent as XML and as JSON text in a form, and shown in XML and on a page', async () => {
    await using s = await open()
    const xml = `<quote><lines><item><product>pen</product><quantity>3</quantity><tags><item><name>red</name></item>
      <item><name>blue</name></item></tags></item><item><product>ink</product></item></lines></quote>`
    const fromXml = await s.request('POST /orders/quote', { 'content-type': 'application/xml' }, xml)
    assert.deepEqual([fromXml.status, fromXml.json], [200, quoted])
    const html = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const page = await s.request('GET /orders', { accept: 'text/html' })
    assert.match(page.text, /<textarea[^>]*name="lines"/)
    const text = `lines=${encodeURIComponent(JSON.stringify(sent.lines))}&rate=1`
    const shown = await s.request('POST /forms/orders/quote', html, text)
    assert.equal(shown.status, 200, shown.text)
    assert.match(shown.text, /<dt>Lines<\/dt>.*6\.00/s)
    const inXml = await s.request('POST /orders/quote', { accept: 'application/xml' }, sent)
    assert.match(inXml.text, /<lines><item><code>pen<\/code><amount>6\.00<\/amount><words><item>red<\/item>/)
  })

  it('of a result is checked: a fault is 500, and is logged with its place', async () => {
    await using s = await open()
    assert.equal((await s.request('POST /orders/broken')).status, 500)
    const failure = s.observations.find(({ kind }) => kind === 'logic-failed') as { cause?: unknown }
    assert.match(String(failure.cause), /lines\/1\/code: Must be a string/)
  })

  it('is in OpenAPI, HAL-FORMS and the clients', async () => {
    await using s = await open()
    const { schemas } = (await s.request('GET /openapi.json')).json.components
    const { items, minItems } = schemas['Orders.quoteInput'].properties.lines
    assert.deepEqual([minItems, items.required], [1, ['product']])
    assert.deepEqual(items.properties.tags.items.properties.name, { $ref: '#/components/schemas/Text5' })
    assert.deepEqual(schemas['Orders.quoteResult'].properties.lines.items.required, [
      'code',
      'amount',
      'words',
    ])
    const source = clientSource(checkDefinition(definition), 'everyone')
    assert.match(
      source,
      /readonly lines: readonly \{\s*readonly product: string\s*readonly quantity\?: number/,
    )
    const api = client<typeof definition>(s.url)
    const { lines, total } = await api.orders.quote(sent)
    assert.deepEqual([lines[0]?.amount, total], ['6.00', '11.00'])
    const forms = (await s.request('GET /orders', { accept: 'application/prs.hal-forms+json' })).json
      ._templates
    assert.equal(forms.quote.properties[0].type, 'textarea')
  })
})

describe('faults of the definition', () => {
  const faultsOf = (given: unknown): string => {
    try {
      checkDefinition(given)
    } catch (error) {
      return String((error as Error).message)
    }
    return ''
  }
  const withInput = (input: object) =>
    service(
      { title: 'Shop', resources: { orders } },
      { orders: { actions: { quote: action({ by: anyone, input: input as never, run: () => undefined }) } } },
    )

  it('name the member', () => {
    const at = "Action 'quote': The input 'lines': "
    const faults: readonly (readonly [object, string])[] = [
      [{ lines: list({ code: 'text' as never }) }, `${at}The member 'code': Not a field: "text".`],
      [{ lines: list({}) }, `${at}Its objects must have a member. Write: list({ name: text() }).`],
      [{ lines: list({ a: text() }, { max: 1001 }) }, `${at}The option 'max' must be`],
      [
        { lines: list({ a: text() }, { min: 3, max: 2 }) },
        `${at}The option 'min' (3) is greater than 'max' (2).`,
      ],
      [
        { lines: list({ order: ref('order') }) },
        `${at}The member 'order': Unknown collection 'order'. Did you mean 'orders'?`,
      ],
      [
        { lines: list({ a: text().unique() }) },
        `${at}The member 'a': .unique() has no meaning for an input. Remove it.`,
      ],
      [
        { lines: list({ a: integer({ max: 1 }).default(2) }) },
        `${at}The member 'a': The default 2 is not valid`,
      ],
      [
        { lines: list({ a: list({ b: list({ c: list({ d: text() }) }) }) }) },
        "The member 'c': Lists of objects are at most 3 deep.",
      ],
    ]
    for (const [input, message] of faults) {
      const found = faultsOf(withInput(input))
      assert.ok(found.includes(message), `${found}\n${message}`)
    }
    assert.equal(faultsOf(withInput({ lines: list({ a: list({ b: list({ c: text() }) }) }) })), '')
  })

  it('a resource has no list of objects', () => {
    const wrong = resource({ lines } as never, { access: { read: owner('x') } })
    assert.match(
      faultsOf(service({ title: 'Shop', resources: { wrong, products } } as never)),
      /wrong\.lines: Lists of objects are for actions\. Declare a resource with a reference to this one\./,
    )
  })
})
