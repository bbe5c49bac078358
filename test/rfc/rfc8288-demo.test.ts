/** RFC 8288 §2.1: every relation in every response of the demo is registered, or a URI with a page. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { admin, type Reply } from '../service.ts'
import { type Demo, formats, serveDemo } from './demo.ts'

let demo: Demo
before(async () => {
  demo = await serveDemo()
})
after(() => demo[Symbol.asyncDispose]())

/** The link relations that IANA has registered (RFC 8288 §2.1.1), as far as a service may use them. */
const registered = new Set(
  'about alternate api-catalog appendix archives author blocked-by bookmark canonical chapter cite-as collection contents copyright create-form current deprecation describedby describes disclosure duplicate edit edit-form edit-media enclosure external first glossary help hub icon index item last latest-version license linkset me memento monitor monitor-group next next-archive nofollow noreferrer original payment predecessor-version prev prev-archive preview previous privacy-policy profile publication related replies search section self service service-desc service-doc service-meta start status stylesheet subsection successor-version sunset tag terms-of-service timegate timemap type up version-history via working-copy working-copy-of'.split(
    ' ',
  ),
)

/** All relations of a response: of its Link field, of HAL, and of a linkset. */
function relationsOf(reply: Reply): readonly string[] {
  const inField = String(reply.fields.link ?? '').matchAll(/; rel="([^"]*)"/g)
  const relations = [...inField].flatMap(([, rel = '']) => rel.split(' '))
  const type = String(reply.fields['content-type'])
  if (/hal(?:-forms)?\+json/.test(type)) relations.push(...halRelations(reply.json))
  if (type.startsWith('application/linkset+json')) {
    for (const { anchor: _, ...links } of reply.json.linkset) relations.push(...Object.keys(links))
  }
  return relations
}

interface Hal {
  readonly _links?: Readonly<Record<string, unknown>>
  readonly _embedded?: Readonly<Record<string, Hal | readonly Hal[]>>
}

interface Curie {
  readonly name: string
  readonly href: string
}

/** Expands the relations that CURIEs abbreviate (HAL §8.2). */
function halRelations(hal: Hal, inherited: readonly Curie[] = []): readonly string[] {
  const curies = [...inherited, ...((hal._links?.curies ?? []) as readonly Curie[])]
  const embedded = Object.entries(hal._embedded ?? {})
  const names = [...Object.keys(hal._links ?? {}), ...embedded.map(([name]) => name)]
  const inner = embedded.flatMap(([, items]) => [items].flat())
  return [
    ...names.filter((name) => name !== 'curies').map((name) => expanded(name, curies)),
    ...inner.flatMap((item) => halRelations(item as Hal, curies)),
  ]
}

function expanded(name: string, curies: readonly Curie[]): string {
  const [prefix = '', rest] = name.split(':', 2)
  const curie = curies.find((one) => one.name === prefix)
  return curie && rest !== undefined ? curie.href.replace('{rel}', rest) : name
}

type Fields = Readonly<Record<string, string>>

/** Most relations are on every page: each is checked once for a caller. */
function relationsFor(credentials: Fields) {
  const checked = new Map<string, Promise<void>>()
  return (relation: string, place: string): Promise<void> => {
    const known = checked.get(relation) ?? check(relation, place, credentials)
    checked.set(relation, known)
    return known
  }
}

async function check(relation: string, place: string, credentials: Fields): Promise<void> {
  if (registered.has(relation)) return
  assert.ok(URL.canParse(relation), `'${relation}' of ${place} is neither registered nor a URI`)
  const { origin, pathname } = new URL(relation)
  assert.equal(origin, demo.url, relation)
  const page = await demo.request(`GET ${pathname}`, { ...credentials, accept: 'text/html' })
  assert.equal(page.status, 200, relation)
  assert.match(String(page.fields['content-type']), /^text\/html/)
}

for (const [name, credentials] of [
  ['nobody', {}],
  ['an admin', admin],
] as const) {
  test(`every relation that ${name} is shown is registered, or a URI with a page (RFC 8288 §2.1)`, async () => {
    const assertKnown = relationsFor(credentials)
    const queries = ['', ...formats.map((format) => `?format=${format}`)]
    let count = 0
    for (const path of demo.targets) {
      for (const query of queries) {
        const reply = await demo.request(`GET ${path}${query}`, credentials)
        const relations = relationsOf(reply)
        count += relations.length
        for (const relation of relations) await assertKnown(relation, `${path}${query}`)
      }
    }
    for (const path of ['/articles?embed=author&format=hal', '/products?limit=1&format=hal']) {
      const reply = await demo.request(`GET ${path}`, credentials)
      assert.equal(reply.status, 200)
      for (const relation of relationsOf(reply)) await assertKnown(relation, path)
    }
    assert.ok(count > 100, `${count} relations`)
  })
}

test('errors and writes have no other relations', async () => {
  const assertKnown = relationsFor(admin)
  const body = { sku: 'NEW-1', name: 'New', price: '1.00' }
  const replies = [
    await demo.request('POST /products', { ...admin, accept: 'application/hal+json' }, body),
    await demo.request('GET /products', { accept: 'image/png' }),
    await demo.request('GET /products/NONE'),
    await demo.request('QUERY /products?limit=1', admin, { stock: { gte: 0 } }),
  ]
  for (const reply of replies) {
    for (const relation of relationsOf(reply)) await assertKnown(relation, String(reply.status))
  }
})
