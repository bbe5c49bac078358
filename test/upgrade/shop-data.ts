/** The requests that fill the databases of the test of upgrades, as version 0.1.0 knows them. */

import assert from 'node:assert/strict'
import { basic } from '../service.ts'

export const adminAccount = 'admin@example.org:correct horse battery'
export const admin = basic('admin@example.org', 'correct horse battery')
export const ada = basic('ada@example.org', 'a password of Ada')

/** Created with an Idempotency-Key. */
export const firstArticle = {
  slug: 'teapots',
  title: 'On teapots, “large” and small',
  tags: ['tea', 'Ünicode 🍵'],
}

/** What was shown to the admin. */
export const shownPaths = ['/users', '/articles', '/products', '/products/MUG-1', '/articles?q=teapot']

export interface Shown {
  /** A token of Ada. */
  readonly token: string
  readonly article: string
  readonly representations: Record<string, object>
}

export async function fillShop(url: string): Promise<Shown> {
  const send = async (line: string, fields: Record<string, string>, body?: object) => {
    const [method = '', path = ''] = line.split(' ')
    const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { accept: 'application/json', 'content-type': patch, ...fields }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    assert.ok(response.ok, `${line}: ${response.status} ${await response.clone().text()}`)
    return response
  }
  const user = { email: 'ada@example.org', name: 'Ada', password: 'a password of Ada' }
  await send('POST /users', {}, user)
  await send('POST /users', {}, { email: 'tom@example.org', name: 'Tom', password: 'a password of Tom' })
  const made = await send('POST /tokens', ada, { name: 'upgrade' })
  const { token } = (await made.json()) as { token: string }
  const article = (
    await send('POST /articles', { ...ada, 'idempotency-key': 'one' }, firstArticle)
  ).headers.get('location')
  assert.ok(article)
  await send(`PATCH ${new URL(article, url).pathname}`, ada, {
    status: 'published',
    body: 'A teapot\nfor two.',
  })
  await send('POST /articles', ada, { slug: 'draft', title: 'Not yet', tags: [] })
  for (const [sku, price, stock] of [
    ['CUP', '12.00', 3],
    ['POT-2', '39.90', 0],
    ['GONE', '9007199254740993.01', 1],
  ]) {
    await send('POST /products', admin, { sku, name: `Product ${sku}`, price, stock })
  }
  await send('PATCH /products/CUP', admin, { sku: 'MUG-1' })
  await send('DELETE /products/GONE', admin)
  return { token, article: new URL(article, url).pathname, representations: {} }
}
