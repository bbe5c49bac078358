/** A page has an octet budget: it is cut where its items are large, and `next` continues. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyone, nobody, number, ref, resource, service, text, where } from '../../src/index.ts'
import { cases } from '../cases.ts'
import { type Handled, type Handling, handling, linkOf } from '../handling.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const authors = resource({ bio: text({ max: 1_000_000 }) }, { access: open })
const body = text({ max: 1_000_000 })
const author = ref('authors').optional()
const definition = service({
  title: 'Budget',
  resources: {
    authors,
    // The store formats the first, the service formats the second, and the third has hidden items.
    plain: resource({ body, author }, { access: open }),
    measured: resource({ body, author, weight: number().optional() }, { access: open }),
    shown: resource(
      { body, author, kind: text({ max: 10 }).default('public') },
      { access: { ...open, read: where({ kind: 'public' }) } },
    ),
  },
})
const collections = ['plain', 'measured', 'shown']
const budget = 10_000
/** The octets around the items of a page. */
const envelope = 20_000

async function fill(s: Handling, collection: string, bodies: readonly string[], author?: string) {
  for (const body of bodies) {
    const created = await s.handle(`POST /${collection}`, {}, { body, ...(author && { author }) })
    assert.equal(created.status, 201, created.text)
  }
}

/** The pages from the first on, or from the last back. */
async function walk(s: Handling, first: string, rel: 'next' | 'prev', accept: string) {
  const pages: Handled[] = []
  let uri: string | undefined = first
  while (uri !== undefined) {
    const page: Handled = await s.handle(`GET ${uri}`, { accept })
    assert.equal(page.status, 200, page.text)
    assert.ok(page.text.length > 0)
    pages.push(page)
    uri = linkOf(page, rel)
  }
  return pages
}

const idsOf = (pages: readonly Handled[]) => pages.map(({ json }) => json.map(({ id }: { id: string }) => id))

describe('a page of large items', () => {
  for (const collection of collections) {
    it(`of ${collection} is cut, and its links reach every item once, both ways`, async () => {
      await using s = await handling(definition, { limits: { page: budget } })
      const sizes = fc.oneof(fc.nat(200), fc.nat(4000), fc.constant(12_000))
      const property = fc.asyncProperty(
        fc.array(fc.tuple(sizes, fc.constantFrom('a', '"', '&', 'é', '\n', '💶')), {
          maxLength: 12,
        }),
        async (large) => {
          const bodies = large.map(([size, character]) => character.repeat(size))
          await fill(s, collection, bodies)
          const pages = await walk(s, `/${collection}?limit=5`, 'next', 'application/json')
          const all = idsOf(pages).flat()
          assert.equal(all.length, bodies.length)
          assert.deepEqual(all, [...new Set(all)].sort())
          for (const { text, json } of pages) {
            assert.ok(json.length <= 5)
            assert.ok(json.length <= 1 || Buffer.byteLength(text) <= budget + 100)
          }
          const [last] = pages.slice(-1)
          const before = last && linkOf(last, 'prev')
          assert.equal(before === undefined, pages.length < 2)
          if (last && before !== undefined) {
            const back = await walk(s, before, 'prev', 'application/json')
            assert.deepEqual([...idsOf(back).reverse(), ...idsOf([last])].flat(), all)
          }
          for (const id of all) await s.handle(`DELETE /${collection}/${id}`)
        },
      )
      await fc.assert(property, { numRuns: cases(20) })
    })
  }

  for (const accept of [
    'application/json',
    'application/hal+json',
    'application/prs.hal-forms+json',
    'application/xml',
    'text/csv',
    'application/x-ndjson',
    'text/html',
  ]) {
    it(`is within the budget as ${accept}, escapes included`, async () => {
      await using s = await handling(definition, { limits: { page: 30_000 } })
      await fill(s, 'measured', Array(40).fill('&"'.repeat(1000)))
      const pages = await walk(s, '/measured?limit=40', 'next', accept)
      assert.ok(pages.length > 1)
      for (const { text } of pages) assert.ok(Buffer.byteLength(text) <= 30_000 + envelope)
    })
  }

  it('has one item where that alone is larger than the budget', async () => {
    await using s = await handling(definition, { limits: { page: budget } })
    await fill(s, 'plain', ['a'.repeat(50_000), 'b'.repeat(50_000), 'c'])
    const pages = await walk(s, '/plain', 'next', 'application/json')
    assert.deepEqual(
      pages.map(({ json }) => json.length),
      [1, 1, 1],
    )
  })

  it('has at most 4 MB by default', async () => {
    await using s = await handling(definition)
    await fill(s, 'plain', Array(45).fill('x'.repeat(100_000)))
    const page = await s.handle('GET /plain?limit=1000')
    assert.equal(page.json.length, 39)
    assert.ok(page.text.length <= 4_000_000)
    const rest = await s.handle(`GET ${linkOf(page, 'next')}`)
    assert.equal(rest.json.length, 6)
  })

  it('has another entity tag under another budget, and the same one otherwise (RFC 9110 §8.8.3)', async () => {
    const tags = []
    for (const page of [budget, budget * 2]) {
      await using s = await handling(definition, { limits: { page } })
      await fill(s, 'plain', Array(3).fill('x'.repeat(8000)))
      const { fields, json } = await s.handle('GET /plain')
      assert.equal(json.length, page / budget)
      const again = await s.handle('GET /plain', { 'if-none-match': fields.etag ?? '' })
      assert.equal(again.status, 304)
      tags.push(fields.etag)
    }
    assert.notEqual(tags[0], tags[1])
  })

  it('is not cut if the whole collection is streamed', async () => {
    await using s = await handling(definition, { limits: { page: budget } })
    await fill(s, 'plain', Array(30).fill('x'.repeat(100_000)))
    const { text } = await s.handle('GET /plain', { accept: 'application/x-ndjson' })
    assert.equal(text.trim().split('\n').length, 30)
  })
})

describe('embedded items', () => {
  for (const collection of collections) {
    it(`count each time they are written in ${collection}`, async () => {
      await using s = await handling(definition, { limits: { page: budget } })
      const created = await s.handle('POST /authors', {}, { bio: 'x'.repeat(4000) })
      await fill(s, collection, Array(5).fill('a'), created.json.id)
      const pages = await walk(s, `/${collection}?embed=author`, 'next', 'application/json')
      assert.deepEqual(
        pages.map(({ json }) => json.length),
        [2, 2, 1],
      )
      assert.ok(pages.every(({ json }) => json[0]._embedded.author.bio.length === 4000))
    })

    it(`are loaded within the budget for ${collection}, though each is another`, async () => {
      await using s = await handling(definition, { limits: { page: 400_000 } })
      const ids: string[] = []
      for (const size of [100, 150_000, 100, 150_000, 150_000, 500_000, 100]) {
        const created = await s.handle('POST /authors', {}, { bio: 'x'.repeat(size) })
        await fill(s, collection, ['a'], created.json.id)
        ids.push(created.json.id)
      }
      const pages = await walk(s, `/${collection}?embed=author`, 'next', 'application/json')
      const authors = pages.flatMap(({ json }) =>
        json.map((item: { _embedded: { author: { id: string } } }) => item._embedded.author.id),
      )
      assert.deepEqual(authors, ids)
      for (const { json, text } of pages) assert.ok(json.length === 1 || text.length <= 400_000)
    })
  }

  it('in a stream are complete, in parts of bounded size', async () => {
    await using s = await handling(definition)
    const created = await s.handle('POST /authors', {}, { bio: 'x'.repeat(300_000) })
    await fill(s, 'plain', Array(20).fill('a'), created.json.id)
    const { text } = await s.handle('GET /plain?embed=author', { accept: 'application/x-ndjson' })
    const lines = text.trim().split('\n')
    assert.equal(lines.length, 20)
    assert.ok(lines.every((line) => JSON.parse(line)._embedded.author.bio.length === 300_000))
  })
})

describe('the end of a page', () => {
  const large = text({ max: 100_000 }).optional()
  const kind = text({ max: 10 }).default('closed')
  const hiding = service({
    title: 'Hidden',
    resources: {
      notes: resource(
        { kind, never: large.visibleTo(nobody), seldom: large.visibleTo(where({ kind: 'open' })) },
        { access: open },
      ),
      mentions: resource({ note: ref('notes') }, { access: open }),
    },
  })

  function countOf(page: Handled): number {
    if (page.fields['content-type']?.startsWith('text/html')) {
      return new Set(page.text.match(/\/notes\/[0-9a-f-]{36}/g)).size
    }
    return (page.json._embedded?.item ?? page.json).length
  }

  /** The number of items of each page, with hidden values of this length. */
  async function lengthsOf(hidden: number, first: string, accept: string) {
    await using s = await handling(hiding, { limits: { page: budget } })
    for (let at = 0; at < 60; at += 1) {
      const hiddenText = 'x'.repeat(hidden)
      const note = { kind: at % 10 === 0 ? 'open' : 'closed', never: hiddenText }
      const seldom = note.kind === 'open' ? 'y'.repeat(2000) : hiddenText
      const created = await s.handle('POST /notes', {}, { ...note, seldom })
      assert.equal(created.status, 201, created.text)
      await s.handle('POST /mentions', {}, { note: created.json.id })
    }
    const pages = await walk(s, first, 'next', accept)
    return pages.map(countOf)
  }

  for (const [first, accept] of [
    ['/notes?limit=1000', 'application/json'],
    ['/notes?limit=1000&sort=-kind', 'application/hal+json'],
    ['/notes?limit=25', 'application/prs.hal-forms+json'],
    ['/notes?limit=10', 'text/html'],
    ['/mentions?limit=1000&embed=note', 'application/json'],
  ] as const) {
    it(`of ${first} as ${accept} does not reveal the length of hidden values`, async () => {
      const short = await lengthsOf(1, first, accept)
      assert.ok(short.length > 1)
      assert.deepEqual(await lengthsOf(3000, first, accept), short)
    })
  }
})
