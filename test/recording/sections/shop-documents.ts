/** The documents of the demo: descriptions, schemas, problem types, the client, pages for people. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'
import { formats } from './shop-formats.ts'

const collections = ['users', 'articles', 'products', 'tokens']

const documents = [
  '/schemas',
  '/problems',
  '/problems/not-found',
  '/relations',
  '/relations/author',
  '/.well-known/api-catalog',
  '/health/live',
  '/health/ready',
  '/docs',
  '/batch',
  '/tokens',
  '/webhooks',
  '/sign-in',
]

const pages = [
  '/',
  '/users',
  '/articles',
  '/articles?limit=1',
  '/articles?q=http',
  '/products',
  '/products/MUG-1',
  '/forms/articles',
  '/forms/products/MUG-1',
  '/sign-in',
  '/problems',
  '/problems/gone',
  '/relations',
  '/batch/articles',
  '/events',
  '/tokens',
  '/webhooks',
  '/audit',
  '/nothing',
  '/articles?nothing=1',
]

const problemTypes = [
  'malformed-request',
  'malformed-content',
  'unknown-parameter',
  'invalid-cursor',
  'unauthenticated',
  'forbidden',
  'duplicate',
  'state-conflict',
  'precondition-failed',
  'quota-exceeded',
  'invalid-content',
  'precondition-required',
  'too-many-requests',
  'internal-error',
  'insufficient-storage',
  'nothing',
]

export const shopDocuments: Section = {
  name: 'shop-documents',
  open: openShop,
  async play(p) {
    for (const as of [undefined, 'admin']) await p.send('GET /openapi.json', as ? { as } : {})
    for (const path of documents) {
      for (const format of formats) await p.send(`GET ${path}?format=${format}`, { as: 'admin' })
    }
    for (const path of [
      ...documents,
      '/audit',
      '/status',
      '/metrics',
      '/events',
      '/client.js',
      '/client.d.ts',
    ]) {
      await p.send(`GET ${path}`)
    }
    for (const path of ['/audit', '/status', '/metrics', '/webhooks', '/tokens'])
      await p.send(`GET ${path}`, { as: 'member' })
    for (const name of collections) {
      for (const kind of ['', '.create', '.replace', '.patch', '.aggregate', '.query', '.list', '.nothing']) {
        await p.send(`GET /schemas/${name}${kind}`)
      }
      await p.send(`GET /schemas/${name}`, { as: 'admin' })
      await p.send(`GET /schemas/${name}?format=html`, { as: 'member' })
      await p.send(`GET /relations/${name}`)
    }
    for (const type of problemTypes) {
      await p.send(`GET /problems/${type}`)
      await p.send(`GET /problems/${type}`, { accept: 'text/html' })
    }
    for (const path of pages) {
      for (const as of [undefined, 'member', 'admin']) {
        const caller = as ? { as } : {}
        await p.send(`GET ${path}`, { ...caller, accept: 'text/html', 'accept-language': 'de' })
      }
    }
    const home = await p.send('GET /', { accept: 'text/html', 'accept-language': 'fr, de;q=0.5, en;q=0.2' })
    for (const [asset] of home.text.matchAll(/\/assets\/[\w.]+/g)) {
      await p.send(`GET ${asset}`)
      await p.send(`HEAD ${asset}`, { 'accept-encoding': 'br' })
      await p.send(`POST ${asset}`)
    }
    await p.send('GET /assets/nothing.css')
  },
}
