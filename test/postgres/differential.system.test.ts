/** The same exchanges on SQLite and on PostgreSQL give the same bytes but for ids, times and tags. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  decimal,
  integer,
  list,
  number,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  state,
  text,
} from '../../src/index.ts'
import { cases } from '../cases.ts'
import { maskPositions } from '../positions.ts'
import { postgres } from '../postgres.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const library = service({
  title: 'Library',
  accounts: { resource: 'people', login: 'name', password: 'secret', roles: 'role' },
  resources: {
    people: resource(
      {
        name: text({ min: 1, max: 20 }).unique(),
        secret: password({ min: 12 }),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { ...open, update: role('admin'), delete: role('admin') } },
    ),
    shelves: resource(
      { code: text({ pattern: '^[A-Z][0-9]$', max: 2 }), note: text({ max: 40 }).optional() },
      { key: 'code', put: 'create', tombstones: true, access: open },
    ),
    books: resource(
      {
        title: text({ min: 1, max: 20 }),
        shelf: ref('shelves').optional(),
        series: ref('books', { onDelete: 'clear' }).optional(),
        part: ref('books', { onDelete: 'cascade' }).optional(),
        pages: integer({ min: 0 }).optional(),
        price: decimal({ scale: 2 }).optional(),
        weight: number().optional(),
        lent: boolean().default(false),
        tags: list(text({ max: 5 }), { max: 3 }).default([]),
        status: state({
          initial: 'new',
          transitions: { read: { from: 'new', to: 'done' }, again: { from: 'done', to: 'new' } },
        }),
        writer: ref('people').fromPrincipal().optional(),
      },
      {
        unique: [['shelf', 'pages', 'status']],
        access: {
          read: anyone,
          create: anyone,
          update: [signedIn, owner('writer')],
          delete: anyone,
        },
      },
    ),
  },
})

/** One step: which request, on which of the items met so far, with what. */
interface Step {
  readonly method: string
  readonly collection: string
  readonly item: number
  readonly book: Readonly<Record<string, unknown>>
  readonly shelf: Readonly<Record<string, unknown>>
  readonly link: number
  readonly condition: 'none' | 'match' | 'none-match' | 'stale'
  readonly signed: boolean
  readonly limit: number
}

const good = ['a', 'A', 'é', '\u{1F600}', "'", '%', 'a b', '\u{10FFFF}', '"\\']
const bad = ['', 'x'.repeat(41), '\u0001', 5]
/** One in ten values is of no use, so that most exchanges do something. */
const value = <V>(...fine: V[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom<unknown>(...fine) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...bad) },
  )
const bookContents = fc.record(
  {
    title: value(...good),
    pages: value(0, 1, 2 ** 53 - 1),
    price: value('0', '1.50', '-3.25', '9999999999999999.99'),
    weight: value(0, -0, 0.1, 1e300, 5e-324, 123456789.125),
    lent: value(true, false),
    tags: fc.array(value('a', 'b', 'é'), { maxLength: 3 }),
    status: fc.constantFrom('new', 'new', 'done'),
  },
  { requiredKeys: ['title'] },
)
const shelfContents = fc.record(
  { code: value('A1', 'B2', 'C3', 'D4'), note: value(...good) },
  { requiredKeys: ['code'] },
)
const steps: fc.Arbitrary<Step> = fc.record({
  method: fc.constantFrom(
    'POST',
    'POST',
    'POST',
    'GET',
    'GET',
    'PUT',
    'PATCH',
    'PATCH',
    'DELETE',
    'LIST',
    'HEAD',
  ),
  collection: fc.constantFrom('books', 'books', 'shelves'),
  item: fc.nat(),
  book: bookContents,
  shelf: shelfContents,
  link: fc.nat(),
  condition: fc.constantFrom('none', 'none', 'none', 'match', 'none-match', 'stale'),
  signed: fc.boolean(),
  limit: fc.integer({ min: 1, max: 6 }),
})

/** The ids and entity tags of one side, in the order in which both sides received them. */
interface Side {
  readonly service: TestService
  readonly items: { uri: string; tag: string | undefined }[]
  next: string | undefined
}

/** Relations are absolute URIs, so both sides are served under one name. */
const publicUrl = 'https://library.example'

test('random exchanges are the same on both', async (t) => {
  const seed = Number(process.env.SEED ?? 20260103)
  t.diagnostic(`seed ${seed}`)
  await using sqlite = await serve(library, { publicUrl, database: 'file::memory:' })
  await using other = await serve(library, { publicUrl, database: (await postgres()).freshUrl() })
  const sides = [sqlite, other].map((one): Side => ({ service: one, items: [], next: undefined }))
  const statuses = new Map<number, number>()
  for (const step of fc.sample(steps, { numRuns: cases(2000), seed })) {
    const [one, two] = await Promise.all(sides.map((side) => exchange(side, step)))
    assert.deepEqual(two, one, JSON.stringify(step))
    statuses.set(one?.status ?? 0, (statuses.get(one?.status ?? 0) ?? 0) + 1)
  }
  t.diagnostic([...statuses].map(([status, count]) => `${count} × ${status}`).join(', '))
  for (const status of [200, 201, 204, 304, 404, 412, 422]) assert.ok(statuses.has(status))
  assert.ok(!statuses.has(500) && !statuses.has(503))
})

async function exchange(side: Side, step: Step) {
  const { request } = side.service
  const line = lineOf(side, step)
  const body = ['POST', 'PUT', 'PATCH'].includes(step.method) ? contentOf(side, step) : undefined
  const reply = await request(line, fieldsOf(side, step), body)
  const { location, etag, link } = reply.fields
  if (reply.status === 201 && location) side.items.push({ uri: location, tag: etag })
  const known = side.items.find(({ uri }) => line.endsWith(uri))
  if (known && etag) known.tag = etag
  side.next = /<([^>]*)>; rel="?next"?/.exec(String(link ?? ''))?.[1]
  return normal(side, reply)
}

function lineOf(side: Side, step: Step): string {
  const { method, collection, limit } = step
  if (method === 'POST') return `POST /${collection}`
  if (method === 'LIST') return `GET ${side.next ?? `/${collection}?limit=${limit}`}`
  return `${method} ${itemOf(side, step)?.uri ?? `/${collection}/nothing`}`
}

/** Sometimes the id of a deleted item. */
function itemOf({ items }: Side, { item, collection }: Step) {
  const some = items.filter(({ uri }) => uri.startsWith(`/${collection}/`))
  return some.at(-1 - (item % Math.min(some.length, 12)))
}

/** References name items by what each side calls them. */
function contentOf({ items }: Side, { book, shelf, link, collection, method }: Step) {
  const { status, ...content } = book
  if (collection === 'shelves') return shelf
  if (method === 'PATCH' && link % 4 === 0) return { status }
  if (link % 3 > 0 || items.length === 0) return content
  const uri = items[link % items.length]?.uri ?? ''
  const id = uri.slice(uri.lastIndexOf('/') + 1)
  return { ...content, [uri.startsWith('/shelves') ? 'shelf' : link % 2 ? 'series' : 'part']: id }
}

function fieldsOf(side: Side, step: Step): Record<string, string> {
  const tag = itemOf(side, step)?.tag
  const signed = step.signed ? admin : {}
  if (step.condition === 'none' || tag === undefined) return signed
  if (step.condition === 'stale') return { ...signed, 'if-match': '"stale"' }
  return { ...signed, [step.condition === 'match' ? 'if-match' : 'if-none-match']: tag }
}

const varying = new Set(['date', 'last-modified', 'etag', 'retry-after', 'content-length', 'server-timing'])

/** Replaces each side's ids by their order, and times and entity tags by placeholders. */
function normal({ items }: Side, { status, fields, text: body }: Reply) {
  const ids = new Map(
    items.map(({ uri }, at) => [uri.slice(uri.lastIndexOf('/') + 1), `item ${at}`] as const),
  )
  const named = (value: string) => {
    let shown = maskPositions(value)
      .replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replace(/(after|before)=[\w.~-]+/g, '$1=cursor')
      .replace(/\\?"[\w-]+(\.[\w-]+){1,4}\\?"/g, 'tag')
    for (const [id, name] of ids) if (id.length > 4) shown = shown.replaceAll(id, name)
    return shown.replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
  }
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    varying.has(name) ? true : named(String(value)),
  ])
  return { status, fields: Object.fromEntries(shown), body: named(body) }
}
