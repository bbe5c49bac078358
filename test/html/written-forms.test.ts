/** Numbers in forms: an input takes what pages show, and stores the same value in every language. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, date, decimal, integer, list, number, resource, service, text } from '../../src/index.ts'
import { serve, type TestService } from '../service.ts'
import { everyField, wholeNote } from './every-kind.ts'
import { formOf } from './submitted-form.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const orders = resource(
  {
    name: text(),
    price: decimal({ scale: 3 }),
    ratio: number().optional(),
    stock: integer().optional(),
    due: date().optional(),
    rates: list(decimal({ scale: 2 })).optional(),
  },
  { access },
)
const notes = resource(everyField, { access })
const definition = service({ title: 'Shop', resources: { notes, orders } })
const order = { name: 'Chairs', price: '18500.500', ratio: 1e-7, stock: 12_345, rates: ['7.50', '1900.25'] }

/** Inputs, and the values that they are stored as; undefined where the form is refused. */
const inputs = {
  en: [
    ['price', '18,500.5', '18500.500'],
    ['price', '1,234', '1234.000'],
    ['price', '12.5', '12.500'],
    ['price', '12,50', undefined],
    ['ratio', '-1,234,567.25', -1234567.25],
    ['ratio', '1.5e-7', 1.5e-7],
    ['stock', '12,345', 12345],
    ['stock', '1.234', undefined],
  ],
  de: [
    ['price', '18.500,5', '18500.500'],
    ['price', '18 500,5', '18500.500'],
    ['price', '12,50', '12.500'],
    ['price', '12.50', '12.500'],
    ['price', '1.234', undefined],
    ['price', '1.234.567', '1234567.000'],
    ['ratio', '-1.234.567,25', -1234567.25],
    ['ratio', '1.234', undefined],
    ['ratio', '1,5e-7', 1.5e-7],
    ['stock', '12.345', 12345],
    ['stock', '12,5', undefined],
  ],
} as const

for (const [tag, written] of Object.entries(inputs)) {
  describe(`numbers in forms in ${tag}`, () => {
    const browser = { accept: 'text/html', 'accept-language': tag }
    const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
    let s: TestService
    let uri: string
    before(async () => {
      s = await serve(definition)
      uri = String((await s.request('POST /orders', {}, order)).fields.location)
    })
    after(() => s[Symbol.asyncDispose]())

    const editOf = async (item: string) =>
      formOf((await s.request(`GET /forms${item}`, browser)).text, /method=PATCH/)
    const storedAt = async (item: string) => {
      const { updatedAt: _, ...members } = (await s.request(`GET ${item}`)).json
      return members
    }

    it('a form of every kind that is sent as it is shown stores the same values', async () => {
      const note = String(
        (await s.request('POST /notes', {}, { ...wholeNote, body: 'a\nb' })).fields.location,
      )
      for (const item of [uri, note]) {
        const was = await storedAt(item)
        const form = await editOf(item)
        // Without the digests, every value is read.
        const sent = await s.request(`POST ${form.action}`, formed, form.set('_originals', '').content)
        assert.equal(sent.status, 303, sent.text)
        assert.deepEqual(await storedAt(item), was)
      }
    })

    it('an input takes what the language writes, and refuses what has two meanings', async () => {
      for (const [name, value, stored] of written) {
        const was = await storedAt(uri)
        const form = await editOf(uri)
        const sent = await s.request(`POST ${form.action}`, formed, form.set(name, value).content)
        assert.equal(sent.status, stored === undefined ? 422 : 303, `${name} ${value}: ${sent.text}`)
        if (stored === undefined) assert.ok(sent.text.includes(`value="${value}"`), 'the input is kept')
        assert.deepEqual((await storedAt(uri))[name], stored ?? was[name], `${name} ${value}`)
      }
    })

    it('filters take them too, and show them again', async () => {
      const decimal = { en: '.', de: ',' }[tag] ?? ''
      const filter = new URLSearchParams({ 'price[gte]': written[0][1], _decimal: decimal })
      const reply = await s.request(`GET /forms/orders?${filter}`, browser)
      assert.equal(reply.fields.location, '/orders?price%5Bgte%5D=18500.5')
      const { text: page } = await s.request(`GET ${reply.fields.location}`, browser)
      assert.match(page, new RegExp(`name="price\\[gte\\]" type="text" value="18500${decimal}5"`))
      assert.match(page, new RegExp(`name="_decimal" value="${decimal}"`))
    })

    it('so do several selected items', async () => {
      const decimal = { en: '.', de: ',' }[tag] ?? ''
      const id = uri.slice(uri.lastIndexOf('/') + 1)
      const change = { id, change: 'set', field: 'price', value: written[0][1], _decimal: decimal }
      const sent = await s.request('POST /batch/orders', formed, new URLSearchParams(change).toString())
      assert.equal(sent.status, 200, sent.text)
      assert.equal((await storedAt(uri)).price, '18500.500')
    })
  })
}

describe('a number with two meanings', () => {
  const german = { accept: 'text/html', 'accept-language': 'de' }
  const formed = { ...german, 'content-type': 'application/x-www-form-urlencoded' }

  it('is refused in words, with both ways to write it', async () => {
    await using s = await serve(definition)
    const content = 'name=x&price=1.234&_decimal=%2C&rates=1,5%0A2.345'
    const { status, text: page } = await s.request('POST /forms/orders', formed, content)
    assert.equal(status, 422)
    assert.match(page, /Diese Zahl ist nicht eindeutig\. Schreiben Sie 1234 oder 1,234\./)
    assert.match(page, /Zeile 2: Diese Zahl ist nicht eindeutig\. Schreiben Sie 2345 oder 2,345\./)
    const filter = await s.request('GET /forms/orders?price%5Bgte%5D=1.234&_decimal=,', german)
    assert.equal(filter.status, 400)
    assert.match(filter.text, /Schreiben Sie 1234 oder 1,234\./)
  })

  it('has one where the content is not that of a page, whatever its language', async () => {
    await using s = await serve(definition)
    for (const more of ['', '&_decimal=x', '&_decimal=']) {
      const made = await s.request('POST /orders', formed, `name=x&price=1.234${more}`)
      assert.equal(made.status, 201, made.text)
      assert.equal((await s.request(`GET ${made.fields.location}`)).json.price, '1.234')
    }
    const refused = await s.request('POST /orders', formed, 'name=x&price=12,50')
    assert.equal(refused.status, 422)
  })
})
