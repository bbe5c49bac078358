/** Problem details (RFC 9457) in both formats. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseXml, type XmlElement } from '@rgrove/parse-xml'
import shop from '../../examples/shop.ts'
import { problemTypes } from '../../src/refusal.ts'
import { admin, type Reply, serve } from '../service.ts'

const xml = { accept: 'application/xml' }

/** The content of the elements as JSON. */
function membersOf(text: string): Record<string, unknown> {
  const { root } = parseXml(text)
  assert.equal(root?.name, 'problem')
  assert.equal(root?.attributes.xmlns, 'urn:ietf:rfc:7807')
  return Object.fromEntries(elementsOf(root!).map((one) => [one.name, valueIn(one)]))
}

function valueIn(element: XmlElement): unknown {
  const children = elementsOf(element)
  if (children.length === 0) return element.text
  if (children.every(({ name }) => name === 'i')) return children.map(valueIn)
  return Object.fromEntries(children.map((one) => [one.name, valueIn(one)]))
}

function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child.type === 'element') as XmlElement[]
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]))
}

describe('problems (RFC 9457)', () => {
  test('every 4xx that a client can provoke has an XML form with the members of the JSON (§B)', async () => {
    await using s = await serve(shop)
    const json = { 'content-type': 'application/json' }
    const requests: readonly [string, Record<string, string>, unknown?][] = [
      ['GET /%zz', {}],
      ['GET /nothing', {}],
      ['DELETE /products', {}],
      ['GET /products?colour=red', {}],
      ['GET /products?limit=0', {}],
      ['GET /products?after=x', {}],
      ['POST /products', {}, { sku: 'A' }],
      ['POST /products', { ...admin, ...json }, '{'],
      ['POST /products', admin, { sku: 'a b', name: '', stock: -1 }],
      ['POST /products', { ...admin, 'content-type': 'text/plain' }, 'x'],
      ['POST /products', { ...admin, ...json, 'content-encoding': 'nope' }, '{}'],
      ['POST /products', { ...admin, ...json }, `"${'x'.repeat(1024 * 1024)}"`],
      ['GET /products', { authorization: 'Basic eDp5' }],
      [`GET /${'a'.repeat(9000)}`, {}],
    ]
    const statuses = new Set<number>()
    for (const [line, fields, body] of requests) {
      const inJson = await s.request(line, { ...fields, accept: 'application/json' }, body)
      const inXml = await s.request(line, { ...fields, ...xml }, body)
      assert.equal(inXml.status, inJson.status, line)
      assert.equal(inXml.fields['content-type'], 'application/problem+xml', line)
      assert.deepEqual(withoutInstance(membersOf(inXml.text)), withoutInstance(asText(inJson.json)))
      assert.equal(inJson.json.status, inJson.status, '`status` is the status line (§3.1.2)')
      statuses.add(inXml.status)
    }
    const expected = [400, 401, 404, 405, 413, 414, 415, 422]
    assert.deepEqual([...statuses].sort(), expected)
  })

  test('faults are listed with their pointers as elements `i` (§B)', async () => {
    await using s = await serve(shop)
    const response = await s.request('POST /products', { ...admin, ...xml }, { sku: 'A', price: 1 })
    const { errors } = membersOf(response.text) as { errors: { pointer: string }[] }
    assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/name', '/price'])
  })

  test('echoed parts of a request cannot break the XML', async () => {
    await using s = await serve(shop)
    const name = encodeURIComponent('<&>"\u0001\uFFFE')
    const response = await s.request(`GET /products?${name}=1`, xml)
    assert.equal(response.status, 400)
    assert.match(String(membersOf(response.text).detail), /<&>"\uFFFD\uFFFD/)
  })

  test('each problem type has a document with cause and remedy in every format (docs/reference/http/errors.md, Errors)', async () => {
    await using s = await serve(shop)
    const all = (await s.request('GET /problems')).json as { type: string; status: number }[]
    const names = Object.keys(problemTypes)
    assert.equal(all.length, names.length)
    for (const [at, { type, status }] of all.entries()) {
      // A type that is registered with IANA is named by its URI there.
      const { json } = await s.request(`GET /problems/${names[at]}`)
      assert.deepEqual([json.type, json.status], [type, status])
      assert.ok(json.title && json.cause && json.remedy)
    }
    const pages: Reply[] = []
    for (const format of ['json', 'hal', 'hal-forms', 'xml']) {
      pages.push(await s.request(`GET /problems/gone?format=${format}`))
    }
    assert.ok(pages.every(({ status, text }) => status === 200 && text.includes('410')))
    assert.equal((await s.request('GET /problems/nope')).status, 404)
    assert.equal((await s.request('GET /problems/toString')).status, 404)
  })
})

function withoutInstance(members: unknown): unknown {
  const { instance, ...rest } = members as { instance: string }
  assert.match(instance, /^urn:uuid:/)
  return rest
}
