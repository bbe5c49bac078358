/** Files as results of actions and queries (docs/reference/http/actions.md): octets with a media type and a name. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import {
  action,
  anyone,
  choice,
  email,
  file,
  integer,
  openService,
  password,
  query,
  resource,
  role,
  service,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { admin, serve, type TestService } from '../../service.ts'

const people = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['admin']).optional().writableBy(role('admin')),
  },
  { access: { create: anyone } },
)
const access = { read: anyone, create: anyone, update: anyone }
const orders = resource({ number: integer(), note: text().optional() }, { access })
const pdf = file({ types: ['application/pdf'], max: '100 B' })
const octets = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0xfe])

/** What the code returns, by the input. */
const returned: Readonly<Record<string, () => unknown>> = {
  plain: () => new Blob(['a\n'], { type: 'text/plain' }),
  csv: () => new File(['a,b\n'], '../Übersicht "1".csv', { type: 'text/csv;charset=utf-16' }),
  html: () => new File(['<script>alert(1)</script>'], 'a.html', { type: 'text/html' }),
  largest: () => new Blob(['x'.repeat(100)], { type: 'text/plain' }),
  larger: () => new Blob(['x'.repeat(101)], { type: 'text/plain' }),
  other: () => new Blob(['{}'], { type: 'application/json' }),
  none: () => new Blob(['x']),
  object: () => ({ octets: 'x' }),
}

const definition = service(
  {
    title: 'Shop',
    name: 'shop',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, orders },
    versions: { v1: {} },
  },
  {
    orders: {
      actions: {
        print: action({
          by: anyone,
          input: { copies: integer().default(1) },
          result: pdf,
          async run({ id, number }, { copies }, { orders }) {
            await orders.patch(id, { number: number + copies })
            return new File([octets], `order-${number}.pdf`, { type: 'application/pdf' })
          },
        }),
        broken: action({
          by: anyone,
          input: { what: text() },
          result: file({ types: ['text/plain'], max: '100 B' }),
          async run({ id }, { what }, { orders }) {
            await orders.patch(id, { note: 'broken' })
            return returned[what]?.() as Blob
          },
        }),
        copy: action({
          by: anyone,
          result: pdf,
          run: ({ id }, _, { created }) =>
            created('orders', id, new Blob([octets], { type: 'application/pdf' })),
        }),
      },
      queries: {
        pdf: query({
          by: anyone,
          cache: { maxAge: 60 },
          result: pdf,
          run: ({ number }) => new File([octets], `order-${number}.pdf`, { type: 'application/pdf' }),
        }),
        listed: query({
          on: 'collection',
          by: anyone,
          input: { what: text() },
          result: file({ types: ['text/plain', 'text/csv', 'text/html'], max: '100 B' }),
          run: ({ what }) => returned[what]?.() as Blob,
        }),
        secret: query({
          on: 'collection',
          by: role('admin'),
          result: pdf,
          run: () => new Blob([octets], { type: 'application/pdf' }),
        }),
      },
    },
  },
)

interface Shop extends AsyncDisposable {
  readonly s: TestService
  readonly order: string
}

async function open(): Promise<Shop> {
  const s = await serve(definition)
  const order = String((await s.request('POST /orders', {}, { number: 4 })).fields.location)
  return { s, order, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

describe('a query whose result is a file', () => {
  it('is served as stored files are: type, name, digest, tag, lifetime, policy', async () => {
    await using shop = await open()
    const { status, fields, octets: sent } = await shop.s.request(`GET ${shop.order}/pdf`)
    assert.deepEqual([status, Buffer.compare(sent, octets)], [200, 0])
    assert.equal(fields['content-type'], 'application/pdf')
    assert.equal(fields['content-disposition'], 'inline; filename="order-4.pdf"')
    assert.equal(fields['x-content-type-options'], 'nosniff')
    assert.equal(fields['content-security-policy'], "frame-ancestors 'none'")
    assert.equal(fields['cache-control'], 'max-age=60, no-transform')
    assert.equal(fields.vary, 'Accept, Authorization, Cookie')
    assert.match(String(fields['repr-digest']), /^sha-256=:/)
    const head = await shop.s.request(`HEAD ${shop.order}/pdf`)
    assert.deepEqual([head.status, head.fields.etag, head.octets.length], [200, fields.etag, 0])
    assert.equal(head.fields['content-length'], String(octets.length))
  })

  it('has a tag by its content, type and name: 304, and parts (RFC 9110 §14)', async () => {
    await using shop = await open()
    const line = `GET ${shop.order}/pdf`
    const { fields } = await shop.s.request(line)
    const tag = String(fields.etag)
    assert.equal((await shop.s.request(line, { 'if-none-match': tag })).status, 304)
    const part = await shop.s.request(line, { range: 'bytes=1-3', 'if-range': tag })
    assert.deepEqual([part.status, part.text], [206, 'PDF'])
    assert.equal(part.fields['content-range'], 'bytes 1-3/7')
    const beyond = await shop.s.request(line, { range: 'bytes=7-' })
    assert.deepEqual([beyond.status, beyond.fields['content-range']], [416, 'bytes */7'])
    assert.equal((await shop.s.request(line, { range: 'bytes=1-3', 'if-range': '"x"' })).status, 200)
    await shop.s.request(`POST ${shop.order}/print`, {}, {})
    assert.equal((await shop.s.request(line, { 'if-none-match': tag })).status, 200, 'it has another name')
    const asked = await shop.s.request(`QUERY ${shop.order}/pdf`, { range: 'bytes=1-3' }, {})
    assert.deepEqual([asked.status, asked.octets.length], [200, 7])
  })

  it('has the type that the code chooses, and the name of the query where it gives none', async () => {
    await using shop = await open()
    const plain = await shop.s.request('GET /orders/listed?what=plain')
    assert.equal(plain.fields['content-type'], 'text/plain; charset=utf-8')
    assert.equal(plain.fields['content-disposition'], 'inline; filename="listed.txt"')
    const csv = await shop.s.request('GET /orders/listed?what=csv', { accept: 'text/csv' })
    assert.equal(csv.fields['content-type'], 'text/csv;charset=utf-16')
    const name = `attachment; filename="?bersicht _1_.csv"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.csv`
    assert.equal(csv.fields['content-disposition'], name)
  })

  it('is never rendered as active content', async () => {
    await using shop = await open()
    const { fields } = await shop.s.request('GET /orders/listed?what=html', { accept: 'text/html' })
    assert.equal(fields['content-disposition'], 'attachment; filename="a.html"')
    assert.equal(fields['content-security-policy'], "default-src 'none'; sandbox")
    assert.equal(fields['x-content-type-options'], 'nosniff')
  })

  it('is 406 where none of its types is acceptable, and has no parameter `format`', async () => {
    await using shop = await open()
    const refused = await shop.s.request(`GET ${shop.order}/pdf`, { accept: 'application/json' })
    assert.deepEqual([refused.status, refused.json.offered], [406, ['application/pdf']])
    assert.equal((await shop.s.request(`GET ${shop.order}/pdf`, { accept: 'application/*' })).status, 200)
    const { status, json } = await shop.s.request(`GET ${shop.order}/pdf?format=json`)
    assert.deepEqual([status, json.type.split('/').at(-1)], [400, 'unknown-parameter'])
    const coded = await shop.s.request(`GET ${shop.order}/pdf`, { 'accept-encoding': 'gzip' })
    assert.equal(coded.fields['content-encoding'], undefined)
  })

  it('needs the right to it', async () => {
    await using shop = await open()
    assert.equal((await shop.s.request('GET /orders/secret')).status, 401)
    assert.equal((await shop.s.request('GET /orders/secret', admin)).status, 200)
  })

  it('keeps its types in an older version of the interface', async () => {
    await using shop = await open()
    const { status, fields } = await shop.s.request(`GET ${shop.order}/pdf?api-version=v1`)
    assert.deepEqual([status, fields['content-type']], [200, 'application/pdf'])
  })
})

describe('an action whose result is a file', () => {
  it('responds with it after its writes, and with Location where it made an item', async () => {
    await using shop = await open()
    const { status, fields, octets: sent } = await shop.s.request(`POST ${shop.order}/print`, {}, {})
    assert.deepEqual([status, Buffer.compare(sent, octets)], [200, 0])
    assert.equal(fields['content-disposition'], 'inline; filename="order-4.pdf"')
    assert.equal(fields.etag, undefined)
    assert.equal((await shop.s.request(`GET ${shop.order}`)).json.number, 5)
    const made = await shop.s.request(`POST ${shop.order}/copy`, {}, {})
    assert.deepEqual([made.status, made.fields.location], [201, shop.order])
    assert.equal(made.fields['content-disposition'], 'inline; filename="copy.pdf"')
    const minimal = await shop.s.request(`POST ${shop.order}/print`, { prefer: 'return=minimal' }, {})
    assert.deepEqual([minimal.status, minimal.octets.length], [204, 0])
  })

  it('has its effect once for an Idempotency-Key, and the same octets each time', async () => {
    await using shop = await open()
    const print = () => shop.s.request(`POST ${shop.order}/print`, { 'idempotency-key': '"a1"' }, {})
    const first = await print()
    const again = await print()
    assert.deepEqual([again.status, Buffer.compare(again.octets, octets)], [200, 0])
    assert.deepEqual(again.fields['content-type'], first.fields['content-type'])
    assert.equal((await shop.s.request(`GET ${shop.order}`)).json.number, 5)
  })

  it('is 500, and writes nothing, where the file is not as declared', async () => {
    await using shop = await open()
    const reasons: Readonly<Record<string, RegExp>> = {
      larger: /returned a file of 101 octets, more than its 'max' of 100 B\./,
      other: /returned a file of the type 'application\/json', not of 'text\/plain'\./,
      none: /of the type '', not of/,
      object: /must return a File or a Blob\. Write: return new File\(…\)\./,
    }
    for (const [what, reason] of Object.entries(reasons)) {
      const { status, json } = await shop.s.request(`POST ${shop.order}/broken`, {}, { what })
      assert.deepEqual([status, json.type.split('/').at(-1)], [500, 'internal-error'], what)
      const failure = shop.s.observations.findLast(({ kind }) => kind === 'logic-failed')
      assert.match(JSON.stringify(failure && 'cause' in failure && String(failure.cause)), reason)
    }
    assert.equal((await shop.s.request(`GET ${shop.order}`)).json.note, undefined)
    const { status, octets: sent } = await shop.s.request(
      `POST ${shop.order}/broken`,
      {},
      { what: 'largest' },
    )
    assert.deepEqual([status, sent.length], [200, 100])
  })

  it('is not part of a batch', async () => {
    await using shop = await open()
    const requests = [{ id: '1', method: 'POST', path: `${shop.order}/print`, body: {} }]
    const { status, text } = await shop.s.request('POST /batch', {}, { requests })
    assert.equal(status, 422)
    assert.match(text, /A batch has no files/)
  })
})

describe('on pages', () => {
  it('a query is a form that leads to the file, and an action is answered by it', async () => {
    await using shop = await open()
    const page = await shop.s.request(`GET ${shop.order}`, { accept: 'text/html' })
    const [, print = ''] = /<form ([^>]*action="[^"]*\/print\?match=[^>]*)>/.exec(page.text) ?? []
    assert.match(print, /method="post"/)
    assert.doesNotMatch(print, /data-send/, 'the browser itself sends it')
    assert.match(page.text, /<form method="get" action="[^"]*\/pdf"/)
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', origin: shop.s.url }
    const asked = await shop.s.request(`GET /forms${shop.order}/pdf`, browser)
    assert.deepEqual([asked.status, asked.fields.location], [303, `${shop.order}/pdf`])
    assert.equal((await shop.s.request(`GET ${shop.order}/pdf`, browser)).status, 200)
    const form = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
    const printed = await shop.s.request(`POST /forms${shop.order}/print`, form, 'copies=2')
    assert.deepEqual([printed.status, Buffer.compare(printed.octets, octets)], [200, 0])
    assert.equal((await shop.s.request(`GET ${shop.order}`)).json.number, 6)
    const refused = await shop.s.request(`POST /forms${shop.order}/print`, form, 'copies=x')
    assert.deepEqual([refused.status, /<form/.test(refused.text)], [422, true])
  })
})

describe('for programs', () => {
  it('the client returns a File with its type and name', async () => {
    await using shop = await open()
    const { orders } = client<typeof definition>(shop.s.url)
    const id = shop.order.slice('/orders/'.length)
    const made: File = await orders.print(id, { copies: 1 })
    assert.deepEqual([made.name, made.type, made.size], ['order-4.pdf', 'application/pdf', 7])
    assert.equal(Buffer.compare(Buffer.from(await made.arrayBuffer()), octets), 0)
    const asked = await orders.queries.listed({ what: 'csv' })
    assert.deepEqual([asked.name, asked.type], ['Übersicht "1".csv', 'text/csv;charset=utf-16'])
    const source = clientSource(checkDefinition(definition), 'everyone')
    assert.match(source, /readonly pdf: \{[^;]*;[^;]*; readonly result: File \}/)
  })

  it('an opened service returns a File', async () => {
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { id } = await opened.system.orders.create({ number: 4 })
    const asked: File = await opened.system.orders.pdf(id, {})
    assert.deepEqual([asked.name, asked.type], ['order-4.pdf', 'application/pdf'])
    const copied: File = await opened.system.orders.copy(id, {})
    assert.equal(copied.name, 'copy.pdf')
  })

  it('OpenAPI describes its types', async () => {
    await using shop = await open()
    const { json } = await shop.s.request('GET /openapi.json')
    const { get } = json.paths['/orders/{id}/pdf']
    assert.deepEqual(get.responses[200].content, { 'application/pdf': {} })
    assert.deepEqual(get.responses[206].content, { 'application/pdf': {} })
    assert.ok(get.responses[416])
    const { post } = json.paths['/orders/{id}/print']
    assert.deepEqual(post.responses[200].content, { 'application/pdf': {} })
  })
})

describe('a declaration of a file', () => {
  const faultsOf = (result: unknown, more: object = {}, isQuery = false) => {
    const options = { on: 'collection', result, run: () => undefined, ...more } as never
    const one = isQuery ? query(options) : action(options)
    const logic = { orders: isQuery ? { queries: { one } } : { actions: { one } } }
    try {
      checkDefinition(service({ title: 'Faults', resources: { orders } }, logic as never))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is refused with its place and a suggestion', () => {
    const types = ['application/pdf']
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        faultsOf(text()),
        /Action 'one': 'result': Cannot be text\(\)\. Write: result: \{ total: integer\(\) \}\./,
      ],
      [faultsOf(file({ types: ['image/*'], max: '1 MB' })), /have no '\*', not image\/\*\. Name each/],
      [faultsOf(file({ types: [], max: '1 MB' })), /'types' must be a list of media types/],
      [
        faultsOf(file({ types, max: '5 MB' })),
        /file of an action has at most 4 MB, not 5 MB\. Write max: '4 MB'/,
      ],
      [faultsOf(file({ types, max: '21 MB' }), {}, true), /Query 'one': 'result'.*a query has at most 20 MB/],
      [
        faultsOf(file({ types: ['text/javascript'], max: '1 MB' })),
        /could run text\/javascript\. Write a route/,
      ],
      [
        faultsOf(file({ types, max: '1 MB' }).optional()),
        /\.optional\(\) has no meaning for a file\. Remove it/,
      ],
      [
        faultsOf(file({ types, max: '1 MB' }), { background: true }),
        /cannot return a file\. Remove 'background'/,
      ],
      [faultsOf({ copy: file({ types, max: '1 MB' }) }), /Write: result: file\(\{ … \}\), or declare it/],
    ]
    for (const [message, expected] of cases) assert.match(message, expected)
    assert.equal(faultsOf(file({ types, max: '4 MB' })), '')
    assert.equal(faultsOf(file({ types, max: '20 MB' }), {}, true), '')
  })
})

/** Mistakes that the compiler finds. */
export const mistakes = () =>
  service(
    { title: 'Mistakes', resources: { orders } },
    {
      orders: {
        queries: {
          // @ts-expect-error The result is a file.
          object: query({ on: 'collection', result: pdf, run: () => ({ total: 1 }) }),
          // @ts-expect-error A result has members, or is a file.
          single: query({ on: 'collection', result: text(), run: () => 'a' }),
        },
      },
    },
  )
