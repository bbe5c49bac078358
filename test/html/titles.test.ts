/** Titles of several fields: everywhere that people recognise items by, without the parts that they do not see. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  password,
  ref,
  refs,
  resource,
  role,
  service,
  text,
  where,
} from '../../src/index.ts'
import { postgres } from '../postgres.ts'
import { admin, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const browser = { accept: 'text/html' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

const definition = service({
  title: 'Shop',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['admin', 'member']).default('member') },
      { access: { read: anyone } },
    ),
    customers: resource(
      {
        name: text({ max: 40 }).optional(),
        city: text({ max: 40 }).optional(),
        number: integer().optional(),
        risk: choice(['low', 'high']).optional().visibleTo(role('admin')),
        note: text().optional(),
      },
      { access, bulk: true, title: '{name} ({city}) · {number}, {risk}' },
    ),
    clients: resource(
      {
        name: text({ max: 40 }),
        level: choice(['gold', 'tin']).default('tin').visibleTo(role('admin')),
        status: choice(['open', 'secret']).default('open'),
      },
      { access: { ...access, read: [where({ status: 'open' }), role('admin')] }, title: '{name} {level}' },
    ),
    deals: resource(
      { number: integer(), client: ref('clients').optional(), buyer: ref('clients').optional() },
      { access, bulk: true, title: '{client.name} [{client.level}] · {number} ({buyer.name})' },
    ),
    visits: resource(
      { place: text(), deal: ref('deals', { inverse: 'visits' }) },
      { access, title: '{deal.number} {place}' },
    ),
    vaults: resource({ name: text() }, { title: '{name}' }),
    invoices: resource(
      { total: integer(), customer: ref('customers'), copies: refs('customers') },
      { access, title: 'Invoice {total}' },
    ),
  },
})

const databases = { sqlite: async () => undefined, postgres: async () => (await postgres()).freshUrl() }

for (const [name, freshUrl] of Object.entries(databases)) {
  describe(`titles of several fields on ${name}`, () => {
    let s: TestService
    let customers: readonly { readonly id: string; readonly number: number | null }[]
    before(async () => {
      const database = await freshUrl()
      s = await serve(definition, database === undefined ? {} : { database })
      const made = await s.request('POST /customers', admin, [
        { name: 'Zoë Schulz', city: 'Kiel', number: 1004, risk: 'high' },
        { name: 'Zoë Schulz', number: 1005, note: 'Kiel' },
        { city: 'Bonn', number: 1006 },
        { note: 'Without a title' },
        ...Array.from({ length: 60 }, (_, at) => ({ name: `Person ${at}`, number: 2000 + at })),
      ])
      customers = made.json
    })
    after(() => s[Symbol.asyncDispose]())

    const idAt = (at: number) => customers[at]?.id ?? assert.fail()
    const find = async (words: string, fields: Readonly<Record<string, string>> = {}) => {
      const reply = await s.request(`GET /forms/customers?_choices=${encodeURIComponent(words)}`, fields)
      assert.equal(reply.status, 200, reply.text)
      return reply.json.map(({ title }: { readonly title: string }) => title)
    }

    it('the page of an item has them as heading, title and breadcrumb', async () => {
      const { text: page } = await s.request(`GET /customers/${idAt(0)}`, browser)
      assert.match(page, /<h1>Zoë Schulz \(Kiel\) · 1004<\/h1>/)
      assert.match(page, /<title>Zoë Schulz \(Kiel\) · 1004 · Shop<\/title>/)
      assert.match(page, /<li aria-current="page">Zoë Schulz \(Kiel\) · 1004<\/li>/)
    })

    it('a part without a value is left out, with its separator and its brackets', async () => {
      const headingOf = async (at: number) =>
        /<h1>([^<]*)/.exec((await s.request(`GET /customers/${idAt(at)}`, browser)).text)?.[1]
      assert.equal(await headingOf(1), 'Zoë Schulz · 1005')
      assert.equal(await headingOf(2), '(Bonn) · 1006')
      assert.equal(await headingOf(3), `…${idAt(3).slice(-8)}`)
    })

    it('a part that the reader does not see is left out, and shown to those who see it', async () => {
      const { text: seen } = await s.request(`GET /customers/${idAt(0)}`, { ...browser, ...admin })
      assert.match(seen, /<h1>Zoë Schulz \(Kiel\) · 1004, high<\/h1>/)
      assert.deepEqual(await find('1004'), ['Zoë Schulz (Kiel) · 1004'])
      assert.deepEqual(await find('1004', admin), ['Zoë Schulz (Kiel) · 1004, high'])
    })

    it('references show them in tables, on items and among the items that refer to one', async () => {
      const body = { total: 5, customer: idAt(0), copies: [idAt(1)] }
      const { json } = await s.request('POST /invoices', {}, body)
      for (const uri of ['/invoices', `/invoices/${json.id}`]) {
        const { text: page } = await s.request(`GET ${uri}`, browser)
        assert.match(page, />Zoë Schulz \(Kiel\) · 1004<\/a>/, uri)
        assert.match(page, />Zoë Schulz · 1005<\/a>/, uri)
      }
      const { text: customer } = await s.request(`GET /customers/${idAt(0)}`, browser)
      assert.match(customer, /<a href="\/invoices\/[^"]+">Invoice 5<\/a>/)
      const filtered = await s.request(`GET /invoices?customer=${idAt(0)}`, browser)
      assert.match(filtered.text, /Customer is Zoë Schulz \(Kiel\) · 1004 </)
    })

    it('a table has the further fields as columns after the first', async () => {
      const { text: page } = await s.request('GET /customers', browser)
      const heads = [...page.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]+)/g)].map(([, head]) => head)
      assert.deepEqual(heads.slice(0, 4), ['Name', 'City', 'Number', 'Updated at'])
    })

    it('a picker finds items by each named field that the caller sees, all words together', async () => {
      assert.deepEqual(await find('zoë'), ['Zoë Schulz (Kiel) · 1004', 'Zoë Schulz · 1005'])
      assert.deepEqual(await find('schulz kiel'), ['Zoë Schulz (Kiel) · 1004'])
      assert.deepEqual(await find('1005'), ['Zoë Schulz · 1005'])
      assert.deepEqual(await find(' 1005 Schulz '), ['Zoë Schulz · 1005'])
      assert.deepEqual(await find('bon'), ['(Bonn) · 1006'])
      assert.deepEqual(await find(idAt(0)), ['Zoë Schulz (Kiel) · 1004'])
      assert.deepEqual(await find('high'), [])
      assert.deepEqual(await find('high', admin), ['Zoë Schulz (Kiel) · 1004, high'])
      for (const words of ['', ' ', 'Without', '1004.5', '100', 'schulz 2001']) {
        assert.deepEqual(await find(words), [], words)
      }
      assert.equal((await find('person')).length, 20)
    })

    it('the choices of a collection are for those who may list it, in JSON', async () => {
      assert.equal((await s.request('GET /forms/vaults?_choices=a')).status, 401)
      assert.equal((await s.request('GET /forms/customers?_choices=a', browser)).status, 406)
      assert.equal((await s.request('GET /forms/customers?_choices=a&b=c')).status, 400)
      assert.equal((await s.request('GET /forms/nothing?_choices=a')).status, 404)
    })

    it('HAL-FORMS names the first field as promptField', async () => {
      const { json } = await s.request('GET /invoices', { accept: 'application/prs.hal-forms+json' })
      const [, customer] = json._templates.default.properties
      assert.equal(customer.options.promptField, 'name')
    })

    describe('with fields of other items', () => {
      let open: { readonly id: string }
      let hidden: { readonly id: string }
      before(async () => {
        const create = async (body: object) => (await s.request('POST /clients', admin, body)).json
        const [ada, grace] = [
          await create({ name: 'Ada', level: 'gold' }),
          await create({ name: 'Grace', status: 'secret' }),
        ]
        open = (await s.request('POST /deals', admin, { number: 7, client: ada.id, buyer: grace.id })).json
        hidden = (await s.request('POST /deals', admin, { number: 8, client: grace.id })).json
        const further = Array.from({ length: 60 }, (_, at) => ({ number: 100 + at }))
        assert.equal((await s.request('POST /deals', admin, further)).status, 201)
        await s.request('POST /visits', admin, { place: 'Kiel', deal: open.id })
        await s.request('POST /visits', admin, { place: 'Bonn', deal: hidden.id })
      })
      const deal = { open: 'Ada · 7', hidden: '8' }
      const seen = { open: 'Ada [gold] · 7 (Grace)', hidden: 'Grace [tin] · 8' }
      const findDeals = async (words: string, fields: Readonly<Record<string, string>> = {}) => {
        const { json } = await s.request(`GET /forms/deals?_choices=${encodeURIComponent(words)}`, fields)
        return json.map(({ title }: { readonly title: string }) => title)
      }

      it('headings and forms leave out the fields of items that the reader may not read', async () => {
        const readers = [
          [{}, deal],
          [admin, seen],
        ] as const
        for (const [fields, titles] of readers) {
          for (const [of, title] of [
            [open, titles.open],
            [hidden, titles.hidden],
          ] as const) {
            const pageAt = async (uri: string) =>
              (await s.request(`GET ${uri}`, { ...browser, ...fields })).text
            assert.ok((await pageAt(`/deals/${of.id}`)).includes(`<h1>${title}</h1>`))
            assert.ok((await pageAt(`/forms/deals/${of.id}`)).includes(`<h1>Edit ${title}</h1>`))
            assert.ok((await pageAt(`/deals/${of.id}/visits`)).includes(`>${title}</a>`))
            assert.ok((await pageAt('/visits')).includes(`>${title}</a>`))
          }
        }
      })

      it('a refused form, embedded items and items that refer have them too', async () => {
        const refused = await s.request(`POST /forms/deals/${open.id}?method=PATCH`, formed, 'number=x')
        assert.equal(refused.status, 422)
        assert.match(refused.text, /<h1>Ada · 7<\/h1>/)
        const { json } = await s.request(`GET /deals/${open.id}/visits`)
        const embedded = await s.request(`GET /visits/${json[0].id}?embed=deal`, browser)
        assert.match(embedded.text, /<h1>7 Kiel<\/h1>/)
        assert.match(embedded.text, /<p><a href="\/deals\/[^"]+">Ada · 7<\/a><\/p>/)
        const client = (await s.request('GET /clients', admin)).json[1]
        const { text: page } = await s.request(`GET /clients/${client.id}`, { ...browser, ...admin })
        assert.match(page, />Grace \[tin\] · 8<\/a>/)
      })

      it('a picker finds them by those fields, where the reader may read the items', async () => {
        assert.deepEqual(await findDeals('ada 7'), [deal.open])
        for (const words of ['grace', 'gold', 'tin']) assert.deepEqual(await findDeals(words), [], words)
        assert.deepEqual(await findDeals('grace', admin), [seen.open, seen.hidden])
        assert.deepEqual(await findDeals('grace 8', admin), [seen.hidden])
        assert.deepEqual(await findDeals('gold', admin), [seen.open])
      })

      it('tables have the reference as a column, and sort by the own field', async () => {
        const { text: page } = await s.request('GET /deals', browser)
        const heads = [...page.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]+)/g)].map(
          ([, head]) => head,
        )
        assert.deepEqual(heads, ['Number', 'Client', 'Buyer', 'Updated at'])
        assert.match(page, /<th scope="col" data-field="number">/, 'begins where its values do')
        assert.match((await s.request('GET /visits', browser)).text, /sort=deal\.number/)
      })
    })
  })
}
