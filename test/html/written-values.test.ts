/** Numbers and days on pages, as the language of the reader writes them; formats for programs stay exact. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  date,
  decimal,
  integer,
  list,
  number,
  ref,
  resource,
  service,
  text,
  timestamp,
} from '../../src/index.ts'
import { serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Shop',
  resources: {
    orders: resource(
      {
        name: text(),
        price: decimal({ scale: 2, max: '99999.50' }),
        stock: integer({ max: 20_000 }),
        ratio: number().optional(),
        number: integer().unique(),
        year: integer(),
        due: date(),
        rates: list(decimal({ scale: 1 })).optional(),
      },
      { access, history: {} },
    ),
    sales: resource(
      {
        name: text(),
        stock: integer(),
        due: date(),
        price: decimal({ scale: 2 }),
        number: integer().unique(),
      },
      { access, title: '{name} · {stock} ({due}, {price}) {number}' },
    ),
    visits: resource({ sale: ref('sales'), at: timestamp() }, { access, title: 'of {sale.price} {at}' }),
  },
})

const order = {
  name: 'Chairs',
  price: '18500.00',
  stock: 12_345,
  ratio: -1234567.25,
  number: 20_001,
  year: 2026,
  due: '2026-11-18',
  rates: ['7.5', '1900.0'],
}

/** What each language writes. */
const languages = {
  en: {
    shown: ['18,500.00', '12,345', '-1,234,567.25', '20001', '2026', '18 Nov 2026', '7.5', '1,900.0'],
    changed: ['<del>18,500.00</del> <ins>18,501.50</ins>', '<del>18 Nov 2026</del> <ins>1 Dec 2026</ins>'],
    filter: 'Price from 18,500.00',
    sum: '18,501.50',
    help: 'at most 99,999.50.',
    faults: ['Must be at most 99,999.50.', 'Must be at most 20,000.'],
    title: 'Chairs · 12,345 (18 Nov 2026, 18,500.00) 20001',
    referred: 'of 18,500.00',
    time: '18 Nov 2026, 07:30 UTC',
  },
  de: {
    shown: ['18.500,00', '12.345', '-1.234.567,25', '20001', '2026', '18.11.2026', '7,5', '1.900,0'],
    changed: ['<del>18.500,00</del> <ins>18.501,50</ins>', '<del>18.11.2026</del> <ins>01.12.2026</ins>'],
    filter: 'Price ab 18.500,00',
    sum: '18.501,50',
    help: 'höchstens 99.999,50.',
    faults: ['Darf höchstens 99.999,50 sein.', 'Darf höchstens 20.000 sein.'],
    title: 'Chairs · 12.345 (18.11.2026, 18.500,00) 20001',
    referred: 'of 18.500,00',
    time: '18.11.2026, 07:30 UTC',
  },
}

for (const [tag, written] of Object.entries(languages)) {
  describe(`values on pages in ${tag}`, () => {
    const browser = { accept: 'text/html', 'accept-language': tag }
    let s: TestService
    let uri: string
    before(async () => {
      s = await serve(definition)
      uri = String((await s.request('POST /orders', {}, order)).fields.location)
    })
    after(() => s[Symbol.asyncDispose]())

    const pageAt = async (target: string) => (await s.request(`GET ${target}`, browser)).text

    const firstVersion = async () => {
      const { json } = await s.request(`GET ${uri}/history`)
      return `${uri}/history/${json.at(-1).version}`
    }

    it('the item and the list have them as the language writes them', async () => {
      const [item, table] = [await pageAt(uri), await pageAt('/orders')]
      const values = item.slice(item.indexOf('<dl class="fields">'))
      for (const value of written.shown) assert.ok(values.includes(`>${value}<`), value)
      for (const value of written.shown.slice(0, 6)) assert.ok(table.includes(`>${value}<`), value)
      assert.match(item, /<time datetime="2026-11-18">/)
    })

    it('so have filters, summaries and the help and faults of forms', async () => {
      const filtered = await pageAt('/orders?price[gte]=18500.00')
      assert.ok(filtered.includes(`</span> ${written.filter} <`))
      assert.ok((await pageAt('/forms/orders')).includes(written.help))
      const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
      const refused = await s.request('POST /forms/orders', formed, 'name=x&price=99999.51&stock=20001')
      for (const fault of written.faults) assert.ok(refused.text.includes(fault), refused.text)
    })

    it('so have titles: of items, of references and of the items that a picker finds', async () => {
      const made = { name: 'Chairs', stock: 12_345, due: '2026-11-18', price: '18500.00', number: 20_001 }
      const sold = (await s.request('POST /sales', {}, made)).json.id
      const visit = await s.request('POST /visits', {}, { sale: sold, at: '2026-11-18T07:30:00Z' })
      assert.match(await pageAt(`/sales/${sold}`), new RegExp(`<h1>${RegExp.escape(written.title)}`))
      const page = await pageAt(String(visit.fields.location))
      assert.ok(page.includes(`>${written.title}</a>`))
      assert.ok(page.includes(`<h1>${written.referred} ${written.time}`), page)
      const found = await s.request('GET /forms/sales?_choices=Chairs', { 'accept-language': tag })
      assert.equal(found.json[0].title, written.title)
      assert.match(String(found.fields.vary), /Accept-Language/)
      const plain = await s.request('GET /sales', { 'accept-language': tag })
      assert.equal(plain.json[0].price, '18500.00')
    })

    it('so have histories, former versions and groups', async () => {
      const { status } = await s.request(
        `PATCH ${uri}`,
        { 'content-type': 'application/merge-patch+json' },
        { price: '18501.50', due: '2026-12-01' },
      )
      assert.equal(status, 200)
      const history = await pageAt(`${uri}/history`)
      for (const change of written.changed) assert.ok(history.includes(change), change)
      const former = await pageAt(await firstVersion())
      for (const value of written.shown.slice(0, 6)) assert.ok(former.includes(`<dd>${value}</dd>`), value)
      const groups = await pageAt('/orders/-/aggregate?group-by=name&aggregate=price.sum')
      assert.ok(groups.includes(`<td class="number">${written.sum}</td>`))
    })

    it('JSON and CSV have the exact values in every language', async () => {
      const { json } = await s.request(`GET ${await firstVersion()}`, { 'accept-language': tag })
      assert.deepEqual(
        { ...json, id: undefined, createdAt: undefined, updatedAt: undefined },
        {
          ...order,
          id: undefined,
          createdAt: undefined,
          updatedAt: undefined,
        },
      )
      const csv = await s.request('GET /orders', { accept: 'text/csv', 'accept-language': tag })
      assert.match(csv.text, /,18501\.50,12345,-1234567\.25,20001,2026,2026-12-01,/)
    })
  })
}
