/** Formats, languages, codings, preferences and validators of the demo. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

const accepts = [
  '*/*',
  'application/*',
  'application/json;q=0',
  'application/xml, application/json;q=0.9',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/csv',
  'text/*',
  'image/png',
  'application/hal+json',
  'application/prs.hal-forms+json;q=0.4, application/hal+json;q=0.5',
  'application/problem+json',
  'application/problem+xml',
  'application/x-ndjson',
  'text/plain',
  'nonsense',
  '',
  'application/json;charset=utf-16',
  'application/x.shop.v1+json',
]

export const shopNegotiation: Section = {
  name: 'shop-negotiation',
  open: openShop,
  async play(p) {
    const article = `/articles/${p.id('articles')}`
    for (const accept of accepts) {
      for (const path of [article, '/products', '/nothing', '/docs']) await p.send(`GET ${path}`, { accept })
      await p.send(`HEAD ${article}`, { accept })
    }
    await p.send(`DELETE ${article}`, { accept: 'image/png' })
    for (const format of ['nothing', 'JSON', '', 'json&format=xml'])
      await p.send(`GET ${article}?format=${format}`)
    for (const coding of [
      'gzip',
      'br',
      'zstd',
      'identity',
      '*',
      'gzip;q=0',
      'identity;q=0',
      '*;q=0',
      'gzip, br;q=0.1, zstd;q=0',
      'foo',
    ]) {
      await p.send('GET /problems', { 'accept-encoding': coding })
      await p.send('GET /products', { 'accept-encoding': coding, accept: 'text/html' })
      await p.send('HEAD /problems', { 'accept-encoding': coding })
      await p.send(`GET ${article}`, { 'accept-encoding': coding })
    }
    for (const language of ['de', 'de-AT', 'en', 'fr', '*', 'de;q=0.1, en;q=0.9', 'xx-', '']) {
      await p.send(`GET ${article}`, { accept: 'text/html', 'accept-language': language })
      await p.send('GET /nothing', { accept: 'text/html', 'accept-language': language })
    }
    for (const prefer of [
      'count=exact',
      'return=minimal',
      'count=exact, handling=strict',
      'handling=strict, nonsense',
      'handling=lenient, nonsense',
      'respond-async',
      'wait=10',
      'count="exact"',
      'count=some',
      'return=minimal; foo="bar"',
    ]) {
      await p.send('GET /products?limit=2', { prefer })
      await p.send('PATCH /products/MUG-1', { as: 'editor', prefer }, { stock: prefer.length })
    }

    const first = await p.send(`GET ${article}`)
    const tag = first.fields.etag!
    const date = first.fields['last-modified']!
    const conditions = [
      { 'if-none-match': tag },
      { 'if-none-match': `W/${tag}` },
      { 'if-none-match': '*' },
      { 'if-none-match': `"a", ${tag}` },
      { 'if-none-match': '"a"' },
      { 'if-none-match': tag.slice(1) },
      { 'if-match': tag },
      { 'if-match': `W/${tag}` },
      { 'if-match': '*' },
      { 'if-match': '"a"' },
      { 'if-match': '' },
      { 'if-modified-since': date },
      { 'if-modified-since': 'Mon, 02 Nov 2026 08:59:59 GMT' },
      { 'if-modified-since': 'Monday, 02-Nov-26 09:00:00 GMT' },
      { 'if-modified-since': 'Mon Nov  2 09:00:00 2026' },
      { 'if-modified-since': 'yesterday' },
      { 'if-unmodified-since': date },
      { 'if-unmodified-since': 'Mon, 02 Nov 2026 08:59:59 GMT' },
      { 'if-match': tag, 'if-none-match': tag },
      { 'if-none-match': '"a"', 'if-modified-since': date },
      { 'if-match': '"a"', 'if-unmodified-since': date },
      { range: 'bytes=0-9' },
      { range: 'bytes=0-9', 'if-range': tag },
    ]
    for (const [index, fields] of conditions.entries()) {
      await p.send(`GET ${article}`, fields)
      await p.send(`HEAD ${article}`, fields)
      await p.send(`PATCH ${article}`, { as: 'editor', ...fields }, { title: `Title ${index}` })
    }
    for (const path of ['/', '/products', '/articles', '/docs', '/client.js', '/problems']) {
      for (const format of path === '/docs' ? ['html'] : ['json', 'html']) {
        const { fields } = await p.send(`GET ${path}?format=${format}`)
        if (fields.etag) await p.send(`GET ${path}?format=${format}`, { 'if-none-match': fields.etag })
        if (fields.etag)
          await p.send(`GET ${path}?format=${format}`, { 'if-none-match': fields.etag, as: 'editor' })
      }
    }
    const list = (await p.send('GET /products')).fields.etag!
    await p.send('PATCH /products/MUG-1', { as: 'editor' }, { name: 'Cup' })
    await p.send('GET /products', { 'if-none-match': list })
    await p.send('PATCH /products/MUG-1', { as: 'editor' }, { name: 'Cup' })
    await p.send('GET /products/MUG-1')
    await p.send('PATCH /products', { as: 'editor', 'if-match': list }, {})
    await p.send(
      'POST /products',
      { as: 'editor', 'if-match': list },
      { sku: 'NEW-1', name: 'New', price: '1' },
    )
    await p.send(
      'POST /products',
      { as: 'editor', 'if-none-match': '*' },
      { sku: 'NEW-2', name: 'New', price: '1' },
    )
  },
}
