/** Link relations (RFC 8288 §2.1): each is registered, or an absolute URI with a page. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, email, password, ref, resource, role, service, text } from 'restwell'
import shop from '../../examples/shop.ts'
import { openService } from '../../src/index.ts'
import { readConfig } from '../../src/operation/configuration/config.ts'
import { freshDatabase } from '../database.ts'
import { admin, type Reply, serve } from '../service.ts'

/** The relations of the IANA registry that are used here. */
const registered = new Set(
  'self collection item first prev next alternate search describedby linkset api-catalog service-desc service-doc status monitor curies'.split(
    ' ',
  ),
)

const hal = { accept: 'application/hal+json' }
const forms = { accept: 'application/prs.hal-forms+json' }

describe('relations (RFC 8288 §2.1)', () => {
  test('every relation of the demo is registered, or an absolute URI with a page', async () => {
    await using s = await serve(shop)
    const created = await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const paths = ['/', '/articles', String(created.fields.location), '/users', '/tokens', '/problems']
    const pages = new Set<string>()
    for (const path of [...paths, '/relations', '/relations/author', '/.well-known/api-catalog']) {
      for (const format of ['application/json', hal.accept, forms.accept, 'text/html', '*/*']) {
        const accept = `${format}, */*;q=0.1`
        const target = path.startsWith('/articles') ? `${path}?embed=author` : path
        const reply = await s.request(`GET ${target}`, { ...admin, accept })
        assert.equal(reply.status, 200, path)
        for (const relation of relationsIn(reply)) {
          if (!registered.has(relation)) pages.add(relation)
        }
      }
    }
    assert.ok(pages.has(`${s.url}/relations/author`))
    assert.ok(pages.has(`${s.url}/relations/articles`))
    for (const page of pages) {
      assert.ok(page.startsWith(`${s.url}/relations/`), page)
      const { status, json } = await s.request(`GET ${page.slice(s.url.length)}`, admin)
      assert.equal(status, 200, page)
      assert.equal(json.relation, page)
      assert.ok(json.meaning.length > 0)
    }
  })

  test('HAL shortens extension relations by a CURIE, in links and in what is embedded', async () => {
    await using s = await serve(shop)
    const created = await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const uri = `${created.fields.location}?embed=author`
    const { json } = await s.request(`GET ${uri}`, { ...admin, ...hal })
    assert.deepEqual(json._links.curies, [{ name: 'rw', href: `${s.url}/relations/{rel}`, templated: true }])
    assert.equal(json._links['rw:author'].href, `/users/${created.json.author}`)
    assert.equal(json._embedded['rw:author'].id, created.json.author)
    const list = (await s.request('GET /articles', { ...admin, ...hal })).json
    assert.ok(list._links.curies)
    assert.equal(list._embedded.item[0]._links.curies, undefined)
    assert.ok(list._embedded.item[0]._links['rw:author'])
    // Unused CURIEs are not declared.
    assert.equal((await s.request('GET /problems', hal)).json._links.curies, undefined)
  })

  test('/problems links each problem type as an item (RFC 6573 §2)', async () => {
    await using s = await serve(shop)
    const { _links } = (await s.request('GET /problems', hal)).json
    const types = (await s.request('GET /problems')).json.map(({ type }: { type: string }) => type)
    assert.ok(types.length > 1)
    for (const [at, { href }] of _links.item.entries()) {
      const { json } = await s.request(`GET ${href}`)
      assert.equal(json.type, types[at], href)
    }
    assert.equal(_links.item.length, types.length)
  })

  test('the origin of the request is part of the tag where it is part of the content', async () => {
    await using s = await serve(shop)
    const created = await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const tagOf = async (target: string, host: string) => {
      const { fields } = await s.request(`GET ${target}`, { ...admin, ...hal, host })
      return fields.etag
    }
    for (const target of [String(created.fields.location), '/articles', '/']) {
      const [one, other] = [await tagOf(target, 'one.example'), await tagOf(target, 'other.example')]
      assert.notEqual(one, other, target)
      assert.equal(await tagOf(target, 'one.example'), one)
    }
  })

  test('a tag of another origin still names the version in If-Match (RFC 9110 §13.1.1)', async () => {
    await using s = await serve(shop)
    const created = await s.request('POST /articles', admin, { slug: 'a', title: 'A' })
    const uri = String(created.fields.location)
    const { fields } = await s.request(`GET ${uri}`, { ...admin, ...hal, host: 'one.example' })
    const changed = await s.request(
      `PATCH ${uri}`,
      { ...admin, 'if-match': fields.etag as string },
      { title: 'B' },
    )
    assert.equal(changed.status, 200)
  })

  test('a reference whose name is a registered relation is distinguished from it', async () => {
    const things = resource({ next: ref('things').optional() }, { access: { read: anyone, create: anyone } })
    await using s = await serve(service({ title: 'Things', resources: { things } }))
    const first = await s.request('POST /things', {}, {})
    const created = await s.request('POST /things', hal, { next: first.json.id })
    assert.equal(created.json._links.next, undefined)
    assert.equal(created.json._links['rw:next'].href, `/things/${first.json.id}`)
    assert.doesNotMatch(String(created.fields.link), /rel="next"/)
    const linkset = await s.request(`GET ${created.fields.location}/-/links`)
    assert.match(linkset.text, /"http:\/\/[^"]*\/relations\/next"/)
  })

  test('a relation that the caller may not see gets the same response as one that does not exist', async () => {
    await using s = await serve(hidden)
    const ofHidden = await s.request('GET /relations/suspect')
    const ofAbsent = await s.request('GET /relations/nothing')
    assert.equal(ofHidden.status, 404)
    const without = ({ instance, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(without(ofHidden.json), without(ofAbsent.json))
    assert.doesNotMatch((await s.request('GET /relations')).text, /suspect|cases/)
    assert.equal((await s.request('GET /relations/suspect', admin)).status, 200)
    assert.equal((await s.request('GET /relations/cases', admin)).status, 200)
  })

  test('/relations lists them, for people too', async () => {
    await using s = await serve(shop)
    const { json } = await s.request('GET /relations')
    assert.deepEqual(json.map(({ name }: { name: string }) => name).sort(), [
      ...[
        'account',
        'aggregate',
        'articles',
        'audit',
        'author',
        'batch',
        'events',
        'explain-access',
        'problems',
        'products',
        'users',
      ],
    ])
    const page = await s.request('GET /relations/author', { accept: 'text/html' })
    assert.equal(page.status, 200)
    assert.match(page.text, /The item of users that an item of articles names as author\./)
  })
})

describe('PUBLIC_URL', () => {
  test('relations are below it for any Host, and entity tags do not depend on Host', async () => {
    await using open = await openService(shop, {
      database: await freshDatabase(),
      base: '/api',
      rate: 'off',
      publicUrl: 'https://shop.example/api/',
    })
    const get = async (host: string) => {
      const headers = { accept: hal.accept }
      const response = await open.handle(new Request(`http://${host}/api`, { headers }))
      return {
        tag: response.headers.get('etag'),
        link: response.headers.get('link'),
        json: (await response.json()) as HalDocument,
      }
    }
    const one = await get('one.example')
    assert.match(one.link ?? '', /<\/api\/users>; rel="https:\/\/shop\.example\/api\/relations\/users"/)
    const curie = { name: 'rw', href: 'https://shop.example/api/relations/{rel}', templated: true }
    assert.deepEqual(one.json._links?.curies, [curie])
    assert.equal((await get('other.example')).tag, one.tag)
  })

  test('it is an absolute URL of http or https without user, query and fragment', () => {
    const read = (url: string) => readConfig([], { PUBLIC_URL: url }).publicUrl
    assert.equal(read('https://example.org/'), 'https://example.org')
    assert.equal(read('http://example.org:8080/api'), 'http://example.org:8080/api')
    assert.equal(readConfig([], {}).publicUrl, undefined)
    for (const wrong of ['example.org', 'ftp://a', 'https://a?b', 'https://a#b', 'https://u:p@a']) {
      assert.throws(() => read(wrong), /PUBLIC_URL/)
    }
  })
})

test("the first segment 'relations' is reserved", async () => {
  const relations = resource({ a: text() })
  await assert.rejects(serve(service({ title: 'x', resources: { relations } })), /reserved/)
})

const hidden = service({
  title: 'Hidden',
  accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
  resources: {
    people: resource({
      email: email().unique(),
      password: password(),
      role: choice(['admin', 'other']).default('other'),
    }),
    cases: resource({ suspect: ref('people').optional() }, { access: { read: role('admin') } }),
  },
})

/** The relations of the Link field, and of HAL with CURIEs expanded. */
function relationsIn({ fields, text }: Reply): readonly string[] {
  const linked = [...String(fields.link ?? '').matchAll(/; rel="([^"]*)"/g)].map(([, rel]) => rel)
  const type = String(fields['content-type'])
  const inHal = type.includes('hal') ? relationsOfHal(JSON.parse(text)) : []
  return [...linked, ...inHal].filter((rel) => rel !== undefined)
}

interface HalDocument {
  readonly _links?: Readonly<Record<string, unknown>>
  readonly _embedded?: Readonly<Record<string, HalDocument | readonly HalDocument[]>>
}

function relationsOfHal(document: HalDocument, outer = ''): readonly string[] {
  const [curie] = (document._links?.curies ?? []) as readonly { readonly href: string }[]
  const relations = curie?.href ?? outer
  const expand = (rel: string) => rel.replace(/^rw:(.*)$/, (_, name) => relations.replace('{rel}', name))
  const inside = Object.values(document._embedded ?? {}).flat() as readonly HalDocument[]
  return [
    ...Object.keys(document._links ?? {}).map(expand),
    ...Object.keys(document._embedded ?? {}).map(expand),
    ...inside.flatMap((one) => relationsOfHal(one, relations)),
  ]
}
