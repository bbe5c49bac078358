/** RFC 3986 §6.2.2.2: a parameter that is percent-encoded is the same, its name and its value. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operatorsOf } from '../../src/query/comparison.ts'
import { createAttributes } from '../../src/query/queryable-fields.ts'
import { someOf } from '../cases.ts'
import { maskPositions } from '../positions.ts'
import { admin, type Reply } from '../service.ts'
import { type Demo, formats, serveDemo } from './demo.ts'

let demo: Demo
before(async () => {
  demo = await serveDemo()
})
after(() => demo[Symbol.asyncDispose]())

function encoded(text: string): string {
  const octets = [...Buffer.from(text)]
  return octets.map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
}

async function assertSame(path: string, name: string, value: string): Promise<Reply> {
  const plain = await demo.request(`GET ${path}?${name}=${encodeURIComponent(value)}`, admin)
  for (const query of [
    `${encoded(name)}=${encodeURIComponent(value)}`,
    `${name}=${encoded(value)}`,
    `${encoded(name)}=${encoded(value).toUpperCase()}`,
  ]) {
    const other = await demo.request(`GET ${path}?${query}`, admin)
    assert.equal(other.status, plain.status, `${path}?${query}: ${other.text}`)
    assert.deepEqual(comparable(other), comparable(plain), `${path}?${query}`)
    if (plain.status === 200) assert.equal(masked(other), masked(plain), `${path}?${query}`)
  }
  return plain
}

/** The content without positions, challenges and the keys of forms, which are new in each response. */
function masked({ text }: Reply): string {
  return maskPositions(text).replaceAll(/"challenge":"[^"]+"|name="_key" value="[^"]+"/g, '')
}

function comparable({ fields }: Reply) {
  const { date: _, 'request-id': __, 'server-timing': ___, link, ...others } = fields
  return { ...others, link: maskPositions(String(link)) }
}

describe('every parameter works percent-encoded (RFC 3986 §6.2.2.2)', () => {
  test('format, on every target', async () => {
    const changing = ['/metrics', '/status']
    const targets = demo.targets.filter((target) => !changing.includes(target))
    for (const path of someOf(targets, 10)) {
      for (const format of formats) await assertSame(path, 'format', format)
    }
  })

  const controls: readonly (readonly [path: string, name: string, value: string])[] = [
    ['/products', 'limit', '1'],
    ['/products', 'sort', '-price'],
    ['/products', 'fields', 'name,price'],
    ['/products/MUG-1', 'fields', 'name'],
    ['/articles', 'embed', 'author'],
    ['/articles', 'q', 'verbs'],
    ['/sign-in', 'next', '/products'],
    ['/products', 'unknown', '1'],
  ]
  for (const [path, name, value] of controls) {
    test(`${name} at ${path}`, async () => {
      const { status } = await assertSame(path, name, value)
      assert.equal(status, name === 'unknown' ? 400 : 200)
    })
  }

  test('after and before, which are cursors', async () => {
    const first = await demo.request('GET /products?limit=1', admin)
    const after = /after=([^>&]+)>; rel="next"/.exec(String(first.fields.link))?.[1] ?? ''
    assert.equal((await assertSame('/products', 'after', after)).status, 200)
    const second = await demo.request(`GET /products?limit=1&after=${after}`, admin)
    const before = /before=([^>&]+)>; rel="prev"/.exec(String(second.fields.link))?.[1] ?? ''
    assert.equal((await assertSame('/products', 'before', before)).status, 200)
  })

  test('the filter of every field, by every operator', async () => {
    for (const resource of demo.service.model.resources.values()) {
      const [item = {}] = (await demo.request(`GET /${resource.name}`, admin)).json
      for (const attribute of createAttributes(resource, resource.fields).values()) {
        if (!attribute.filterable || attribute.field?.writeOnly) continue
        for (const operator of someOf(operatorsOf(attribute), 2)) {
          const value = [item[attribute.name] ?? 'x'].flat()[0] ?? 'x'
          const name = `${attribute.name}[${operator}]`
          await assertSame(`/${resource.name}`, name, operator === 'missing' ? 'true' : `${value}`)
        }
      }
    }
  })

  test('the parameters of a form: method and match', async () => {
    const { fields } = await demo.request('GET /products/TEA-100', admin)
    const query = `${encoded('method')}=${encoded('PATCH')}&${encoded('match')}=${encoded(String(fields.etag))}`
    const form = { ...admin, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await demo.request(`POST /forms/products/TEA-100?${query}`, form, 'stock=7')
    assert.equal(sent.status, 303, sent.text)
    assert.equal((await demo.request('GET /products/TEA-100', admin)).json.stock, 7)
  })
})
