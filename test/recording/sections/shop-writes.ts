/** Writes of the demo: contents of every type, faults, states, keys, dry runs, conflicts. */

import { gzipSync } from 'node:zlib'
import { openShop, password } from '../worlds.ts'
import type { Section } from './sections.ts'

const faultyArticles = [
  {},
  [],
  null,
  'text',
  { slug: 'A b', title: '' },
  { slug: 'a', title: 'A', nothing: 1 },
  { slug: 'a', title: 'A', status: 'published' },
  { slug: 'a', title: 'A', tags: 'x' },
  { slug: 'a', title: 'A', tags: ['x'.repeat(31), 1] },
  { slug: 'a', title: 1, body: null },
  { slug: 'a', title: 'A', id: 'x' },
  { slug: 'a', title: 'A', createdAt: '2026-01-01T00:00:00Z' },
  { slug: 'hello', title: 'A' },
  { slug: 'a', title: 'A\u0000' },
  { slug: 'a'.repeat(81), title: 'A'.repeat(201) },
  { slug: 'a', title: 'A', author: 'nobody' },
]

const faultyContents: readonly (readonly [string, string])[] = [
  ['application/json', ''],
  ['application/json', '{'],
  ['application/json', '{"slug":"a","slug":"b"}'],
  ['application/json', '{"slug":"\\ud800"}'],
  ['application/json', `${'['.repeat(40)}${']'.repeat(40)}`],
  ['application/json', '{"a":1e999}'],
  ['application/json; charset=latin1', '{}'],
  ['application/json; charset=UTF-8', '{"slug":"c1","title":"C"}'],
  ['text/plain', 'x'],
  ['nonsense', 'x'],
  ['', 'x'],
  [
    'application/xml',
    '<articles><slug>x1</slug><title>X &amp; Y</title><tags><item>a</item></tags></articles>',
  ],
  ['application/xml', '<articles><slug>x2</slug>'],
  ['application/xml', '<!DOCTYPE a><articles/>'],
  ['application/xml', '<products><slug>x2</slug></products>'],
  ['application/xml', '<articles><nothing/></articles>'],
  ['application/x-www-form-urlencoded', 'slug=f1&title=Form&tags=a%0Ab'],
  ['application/x-www-form-urlencoded', 'slug=F+1&title='],
  ['application/x-www-form-urlencoded', 'slug=%zz'],
  ['text/csv', 'slug,title\r\nq,Q\r\n'],
  ['application/x-ndjson', '{"slug":"q","title":"Q"}\n'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="slug"\r\n\r\nm1\r\n--x--\r\n',
  ],
  ['application/merge-patch+json', '{}'],
  ['application/x.shop.v1+json', '{}'],
]

const patches: readonly (readonly [string, unknown])[] = [
  ['application/merge-patch+json', { title: 'Merged', body: null }],
  ['application/merge-patch+json', { title: null }],
  ['application/merge-patch+json', { nothing: 1 }],
  ['application/merge-patch+json', []],
  ['application/json', { tags: ['one', 'two'] }],
  ['application/json-patch+json', [{ op: 'add', path: '/tags/-', value: 'three' }]],
  [
    'application/json-patch+json',
    [
      { op: 'test', path: '/title', value: 'Other' },
      { op: 'remove', path: '/body' },
    ],
  ],
  [
    'application/json-patch+json',
    [
      { op: 'test', path: '/title', value: 'Merged' },
      { op: 'replace', path: '/title', value: 'Patched' },
    ],
  ],
  ['application/json-patch+json', [{ op: 'move', from: '/tags/0', path: '/tags/1' }]],
  ['application/json-patch+json', [{ op: 'copy', from: '/title', path: '/body' }]],
  ['application/json-patch+json', [{ op: 'remove', path: '/nothing' }]],
  ['application/json-patch+json', [{ op: 'nothing', path: '/title' }]],
  ['application/json-patch+json', { op: 'add' }],
  ['application/json-patch+json', [{ op: 'replace', path: '/id', value: 'x' }]],
  [
    'application/xml',
    '<articles xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><body xsi:nil="true"/></articles>',
  ],
  ['application/xml', '<articles><title>From XML</title></articles>'],
  ['text/plain', 'x'],
  ['application/json', { status: 'archived' }],
  ['application/json', { status: 'published' }],
  ['application/json', { status: 'published' }],
  ['application/json', { status: 'draft' }],
  ['application/json', { status: 'nothing' }],
  ['application/json', { author: null }],
]

export const shopWrites: Section = {
  name: 'shop-writes',
  open: openShop,
  async play(p) {
    const member = { as: 'member' }
    for (const body of faultyArticles)
      await p.send('POST /articles', { ...member, 'content-type': 'application/json' }, JSON.stringify(body))
    for (const [type, content] of faultyContents) {
      await p.send('POST /articles', { ...member, ...(type ? { 'content-type': type } : {}) }, content)
    }
    await p.send('POST /articles', {}, { slug: 'a', title: 'A' })
    await p.send(
      'POST /articles',
      { ...member, 'content-encoding': 'gzip', 'content-type': 'application/json' },
      gzipSync('{"slug":"zipped","title":"Z"}'),
    )
    await p.send(
      'POST /articles',
      { ...member, 'content-encoding': 'gzip', 'content-type': 'application/json' },
      '{"slug":"zip","title":"Z"}',
    )
    await p.send(
      'POST /articles',
      { ...member, 'content-encoding': 'br', 'content-type': 'application/json' },
      'x',
    )
    await p.send(
      'POST /articles',
      { ...member, 'content-type': 'application/json' },
      `{"slug":"large","title":"${'a'.repeat(1_100_000)}"}`,
    )
    for (const format of ['json', 'hal', 'hal-forms', 'xml', 'html', 'csv']) {
      await p.send(`POST /articles?format=${format}`, member, {
        slug: `as-${format}`,
        title: `As ${format}`,
        tags: ['a'],
      })
    }
    await p.send(
      'POST /articles',
      { ...member, prefer: 'return=minimal' },
      { slug: 'minimal', title: 'Minimal' },
    )

    const { fields } = await p.send('POST /articles', member, { slug: 'mine', title: 'Mine', body: 'Text' })
    const mine = fields.location!
    for (const as of [undefined, 'editor', 'admin', 'member']) await p.send(`GET ${mine}`, as ? { as } : {})
    for (const [type, body] of patches) {
      await p.send(
        `PATCH ${mine}`,
        { ...member, 'content-type': type },
        typeof body === 'string' ? body : JSON.stringify(body),
      )
    }
    await p.send(`PATCH ${mine}`, { as: 'editor' }, { status: 'archived' })
    await p.send(`PATCH ${mine}`, {}, { title: 'X' })
    const present = await p.send(`GET ${mine}`, member)
    for (const format of ['json', 'xml', 'html', 'hal']) {
      await p.send(`PUT ${mine}?format=${format}`, member, { ...present.json, title: `Put as ${format}` })
    }
    await p.send(`PUT ${mine}`, member, { ...present.json, title: 'Put' })
    await p.send(`PUT ${mine}`, member, { slug: 'mine', title: 'Short' })
    await p.send(`PUT ${mine}`, member, { title: 'No slug' })
    await p.send(`PUT ${mine}`, member, { ...present.json, author: p.id('users', 1) })
    await p.send(`PUT ${mine}`, { as: 'editor', 'if-match': present.fields.etag! }, present.json)
    await p.send(
      `PUT ${mine}`,
      { ...member, 'content-type': 'application/x-www-form-urlencoded' },
      'slug=mine&title=Form',
    )
    await p.send(`PUT /articles/${'0'.repeat(8)}-0000-7000-8000-000000000000`, member, {
      slug: 'none',
      title: 'None',
    })
    await p.send(`PUT /articles/nothing`, member, { slug: 'none', title: 'None' })
    const latest = (await p.send(`GET ${mine}`, member)).fields.etag!
    await p.send(`DELETE ${mine}`, { ...member, 'if-match': '"a"' })
    await p.send(`DELETE ${mine}?dry-run=true`, member)
    await p.send(`DELETE ${mine}`)
    await p.send(`DELETE ${mine}`, { ...member, 'if-match': latest })
    await p.send(`DELETE ${mine}`, member)
    await p.send(`GET ${mine}`, member)

    for (const [line, body] of [
      ['POST /articles?dry-run=true', { slug: 'dry', title: 'Dry' }],
      ['POST /articles?dry-run=true', { slug: 'hello', title: 'Dry' }],
      ['POST /articles?dry-run=true&format=html', { slug: 'dry', title: 'Dry' }],
      ['POST /articles?dry-run=false', { slug: 'dry', title: 'Dry' }],
      ['PATCH /products/MUG-1?dry-run=true', { stock: 1 }],
      ['PUT /products/MUG-1?dry-run=true', { sku: 'MUG-1', name: 'M', price: '1.00' }],
    ] as const) {
      await p.send(line, { as: 'editor' }, body)
    }
    await p.send('GET /products/MUG-1?dry-run=true')

    const key = { ...member, 'idempotency-key': '"one"' }
    await p.send('POST /articles', key, { slug: 'once', title: 'Once' })
    await p.send('POST /articles', key, { slug: 'once', title: 'Once' })
    await p.send('POST /articles', key, { slug: 'once', title: 'Twice' })
    await p.send('POST /articles', { ...key, as: 'editor' }, { slug: 'once-more', title: 'Once' })
    await p.send('POST /articles', { ...member, 'idempotency-key': '' }, { slug: 'keyless', title: 'Once' })
    await p.send(
      'POST /articles',
      { ...member, 'idempotency-key': 'a'.repeat(256) },
      { slug: 'keyless', title: 'Once' },
    )
    await p.send(
      'POST /articles',
      { ...member, 'idempotency-key': 'token' },
      { slug: 'token', title: 'Token' },
    )
    await p.send('POST /tokens', { as: 'password', 'idempotency-key': '"t"' }, {})
    await p.send('PATCH /products/MUG-1', { as: 'editor', 'idempotency-key': '"p"' }, { stock: 7 })
    await p.send('PATCH /products/MUG-1', { as: 'editor', 'idempotency-key': '"p"' }, { stock: 7 })

    const product = { sku: 'JAR-1', name: 'Jar', price: '3.00' }
    for (const body of [
      product,
      product,
      { ...product, sku: 'jar' },
      { ...product, sku: 'JAR-2', price: 3 },
      { ...product, sku: 'JAR-2', price: '3.001' },
      { ...product, sku: 'JAR-2', price: '-1.00' },
      { ...product, sku: 'JAR-2', stock: -1 },
      { ...product, sku: 'JAR-2', stock: 1.5 },
    ]) {
      await p.send('POST /products', { as: 'editor' }, body)
    }
    await p.send('PATCH /products/JAR-1', { as: 'editor' }, { sku: 'JAR-9' })
    for (const line of [
      'GET /products/JAR-1',
      'GET /products/JAR-1?format=html',
      'HEAD /products/JAR-1',
      'GET /products/JAR-9',
    ])
      await p.send(line)
    await p.send('PATCH /products/JAR-1', { as: 'editor' }, { stock: 1 })
    await p.send('DELETE /products/JAR-9', { as: 'editor' })
    await p.send('DELETE /products/JAR-9', { as: 'admin' })
    await p.send('GET /products/JAR-9')
    await p.send('GET /products/JAR-1')
    await p.send('POST /products', member, product)
    await p.send('POST /products', {}, product)

    const user = { email: 'New@Example.org', name: 'New', password }
    for (const body of [
      user,
      user,
      { ...user, email: 'x' },
      { ...user, email: 'b@example.org', password: 'short' },
      { ...user, email: 'b@example.org', role: 'admin' },
      { ...user, email: 'b@example.org', disabled: true },
    ]) {
      await p.send('POST /users', {}, body)
    }
    await p.send(`DELETE /users/${p.id('users', 1)}`, { as: 'admin' })
    await p.send(`PATCH /users/${p.id('users', 1)}`, member, { name: 'X' })
    await p.send(`PATCH /users/${p.id('users', 2)}`, member, { name: 'Grace H.' })
    await p.send(`PATCH /users/${p.id('users', 2)}`, member, { role: 'admin' })
    await p.send(`PATCH /users/${p.id('users', 2)}`, member, { password: 'another long one' })
    for (const origin of ['https://evil.example', 'http://localhost', 'null']) {
      await p.send('PATCH /products/MUG-1', { as: 'password', origin }, { stock: 8 })
      await p.send('GET /products/MUG-1', { as: 'password', origin })
      await p.send('OPTIONS /products/MUG-1', { origin, 'access-control-request-method': 'PATCH' })
    }
    for (const line of ['POST /articles', 'PATCH /products/MUG-1', 'PUT /products/MUG-1']) {
      await p.send(line, { as: 'editor', accept: 'text/html' }, { nothing: 1 })
      await p.send(line, { as: 'editor', accept: 'application/xml' }, { nothing: 1 })
      await p.send(
        line,
        { as: 'editor', accept: 'text/html', 'accept-language': 'de' },
        { title: '', sku: 'x' },
      )
    }
  },
}
