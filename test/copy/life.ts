/** What clients did with a service before its database was copied, and what they ask afterwards. */

import assert from 'node:assert/strict'
import { admin, type Reply, type SendRequest } from '../service.ts'

export interface Life {
  readonly token: string
  /** The answer to the request that came with the key. */
  readonly kept: Reply
}

export async function live(request: SendRequest): Promise<Life> {
  const token = (await made(request, '/tokens', { name: 'phone' }, admin)).json.token
  for (let n = 0; n < 12; n += 1) await made(request, '/books', bookOf(n), admin)
  const patch = { 'content-type': 'application/merge-patch+json' }
  const changes: readonly [string, unknown][] = [
    ['/books/b-1', { sequel: (await request('GET /books/b-2')).json.id, status: 'published' }],
    ['/books/b-2', { sequel: 'b-1' }],
    ['/books/b-6', { similar: ['b-8', 'b-1', 'b-10'] }],
    ['/books/b-3', { slug: 'renamed', pages: 9007199254740991 }],
  ]
  for (const [path, change] of changes) {
    const reply = await request(`PATCH ${path}`, patch, JSON.stringify(change))
    assert.equal(reply.status, 200, reply.text)
  }
  for (let n = 0; n < 8; n += 1) {
    await made(request, '/notes', { line: `note ${n}`, open: n % 2 === 0, about: 'b-1' })
  }
  await made(request, '/notes', { line: 'goes along', open: true, about: 'b-4' })
  assert.equal((await request('DELETE /books/b-4')).status, 204)
  // Removed and made again, it has a version that it never had.
  assert.equal((await request('DELETE /books/b-5')).status, 204)
  assert.equal((await request('PUT /books/b-5', {}, bookOf(5))).status, 201)
  const key = { 'idempotency-key': '"once"' }
  const kept = await made(request, '/notes', { line: 'once', open: true, about: 'b-1' }, key)
  return { token, kept }
}

async function made(request: SendRequest, path: string, body: unknown, fields = {}): Promise<Reply> {
  const reply = await request(`POST ${path}`, fields, body)
  assert.equal(reply.status, 201, reply.text)
  return reply
}

/** Each second one has every field there is; the others only what they must have. */
export function bookOf(n: number): unknown {
  const least = { slug: `b-${n}`, title: `Bücher über Ωmega ${n}` }
  if (n % 2 === 1) return least
  return {
    ...least,
    blurb: `It's "quoted" \\ and 𝄞, {braces}, NULL\nline ${n}`,
    site: `https://example.org/?n=${n}&q=%C3%BC`,
    batch: `0189aaaa-0000-7000-8000-00000000000${n % 10}`,
    pages: -9007199254740991 + n,
    weight: [0.1, -1e-300, 5e-324, 1.7976931348623157e308, 123456.789, 3][n % 6],
    price: [`9999999999999999.9${n % 10}`, '-0.01', '0.00'][n % 3],
    printed: n % 4 === 0,
    day: '2024-02-29',
    sold: `2026-01-02T03:04:05.0${n + 10}Z`,
    size: 'm',
    tags: ['a', 'a,b', '"', '\\', 'NULL', ''],
    extra: { deep: [null, true, 1.5, 'x\u0000y'], ü: {} },
  }
}

/** Requests whose answers must not change, whichever database they come from. */
export const questions: readonly (readonly [line: string, fields?: Record<string, string>])[] = [
  ...Array.from({ length: 12 }, (_, n) => [`GET /books/b-${n}`] as const),
  ['GET /books/renamed'],
  ['GET /books?similar%5Bhas%5D=b-8'],
  ['GET /books?similar.title%5Bcontains%5D=10'],
  ['GET /books/b-1', { accept: 'application/hal+json' }],
  ['GET /books/b-6', { accept: 'application/xml' }],
  ['GET /books/b-0?embed=owner'],
  ['GET /books?limit=4'],
  ['GET /books?limit=3&sort=-pages,title'],
  ['GET /books?q=bucher+omega&limit=5'],
  ['GET /books?q=quoted'],
  ['GET /books?price[lt]=0'],
  ['GET /books?tags[has]=NULL'],
  ['GET /notes?limit=2'],
  ['GET /notes?limit=2', admin],
  ['GET /users', admin],
  ['GET /tokens', admin],
  ['GET /books', { accept: 'text/csv' }],
]

interface Told {
  readonly line: string
  readonly fields: Record<string, string>
  readonly reply: Reply
}

/** Every question, and every page that follows. */
export async function told(request: SendRequest): Promise<readonly Told[]> {
  const all: Told[] = []
  for (const [line, fields = {}] of questions) {
    for (let next: string | undefined = line; next !== undefined; ) {
      const reply: Reply = await request(next, fields)
      all.push({ line: next, fields, reply })
      const link: string | undefined = /<([^>]*)>; rel="next"/.exec(String(reply.fields.link))?.[1]
      next = link === undefined ? undefined : `GET ${link}`
    }
  }
  return all
}
