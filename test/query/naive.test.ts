/** Lists are compared with a naive filter in memory: the same rows in the same order for any query. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { formatQueryString } from '../../src/http/query-string.ts'
import { cases } from '../cases.ts'
import { type Handled, type Handling, handling, linkOf } from '../handling.ts'
import library, { book, codes, moments, prices, words } from './library.ts'
import { type Comparison, comparing, type Find, holds, type Item, type Tree } from './naive.ts'

const seed = 20260103
let library_: Handling
let people: readonly Item[]
let shelves: readonly Item[]
/** The items as the service shows them at present. */
let books: Map<string, Item>

before(async () => {
  library_ = await handling(library)
  const { handle } = library_
  shelves = await Promise.all(
    codes.map(async (code, at) => {
      const floor = at === 0 ? {} : { floor: at }
      return (await handle('POST /shelves', {}, { code, ...floor })).json
    }),
  )
  people = await Promise.all(
    ['Ada', 'Grace', 'a', '%', undefined, 'Ada'].map(async (name, at) => {
      const shelf = at < codes.length ? { shelf: codes[at] } : {}
      return (await handle('POST /people', {}, { ...(name ? { name } : {}), ...shelf })).json
    }),
  )
  books = new Map()
  for (const fields of fc.sample(book, { numRuns: 60, seed })) await makeBook(fields)
})

after(() => library_[Symbol.asyncDispose]())

async function makeBook(fields: { author?: number; editors?: readonly number[] }): Promise<Item> {
  const { author, editors = [], ...rest } = fields
  const named = { ...rest, editors: editors.map((at) => people[at]?.id) }
  const body = author === undefined ? named : { ...named, author: people[author]?.id }
  const created = await library_.handle('POST /books', {}, body)
  assert.equal(created.status, 201, created.text)
  books.set(created.json.id, created.json)
  return created.json
}

const find: Find = (relation, item) => {
  switch (relation) {
    case 'author':
      return people.filter(({ id }) => id === item.author)
    case 'shelf':
      return shelves.filter(({ id }) => id === item.shelf)
    case 'editors':
      return people.filter(({ id }) => (item.editors as readonly unknown[]).includes(id))
    case 'copies':
      return shelves.filter(({ id }) => (item.copies as readonly unknown[]).includes(id))
    case 'books':
      return [...books.values()].filter(({ author }) => author === item.id)
    case 'volumes':
      return [...books.values()].filter(({ shelf }) => shelf === item.id)
    default:
      return undefined
  }
}

const ordering = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte')
const textual = fc.constantFrom('eq', 'ne', 'lt', 'gte', 'contains', 'starts')
const texts = fc.constantFrom(...words)
const numbers = fc.integer({ min: -4, max: 4 })
const finer = fc.constantFrom(...prices, '1.505', '-1.501', '1.5', '0', '99999999999999999999')

function comparison(
  path: fc.Arbitrary<string>,
  operator: fc.Arbitrary<string>,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<Comparison> {
  return fc.record({ path, operator, value })
}

const ownComparisons = fc.oneof(
  comparison(fc.constantFrom('title', 'author.name'), textual, texts),
  comparison(fc.constantFrom('title', 'author.name'), fc.constant('in'), someOf(texts)),
  comparison(fc.constantFrom('pages', 'shelf.floor', 'author.shelf.floor'), ordering, numbers),
  comparison(fc.constant('pages'), fc.constant('in'), someOf(numbers)),
  comparison(fc.constant('price'), ordering, finer),
  comparison(fc.constant('price'), fc.constant('in'), someOf(finer)),
  comparison(fc.constant('weight'), ordering, fc.constantFrom(-1.5, 0, 0.1, 1e300, 5e-324)),
  comparison(fc.constant('lent'), fc.constantFrom('eq', 'ne'), fc.boolean()),
  comparison(fc.constant('genre'), ordering, fc.constantFrom('a', 'b', 'c')),
  comparison(
    fc.constantFrom('due', 'createdAt'),
    ordering,
    fc.constantFrom(...moments, '2026-01-01T01:00:00+01:00'),
  ),
  comparison(fc.constant('tags'), fc.constant('has'), texts),
  comparison(fc.constant('copies'), fc.constant('has'), fc.constantFrom(...codes, 'none')),
  comparison(fc.constantFrom('editors.name', 'editors.shelf'), fc.constantFrom('eq', 'ne'), texts),
  comparison(fc.constant('editors.name'), textual, texts),
  comparison(fc.constantFrom('copies.floor', 'editors.shelf.floor'), ordering, numbers),
  comparison(
    fc.constantFrom('shelf', 'author.shelf', 'shelf.code'),
    fc.constantFrom('eq', 'ne'),
    fc.constantFrom(...codes, 'none'),
  ),
  comparison(fc.constantFrom('shelf', 'shelf.id'), fc.constant('in'), someOf(fc.constantFrom(...codes))),
  comparison(
    fc.constantFrom(
      'title',
      'pages',
      'tags',
      'author',
      'author.name',
      'author.shelf.floor',
      'editors',
      'copies',
      'editors.name',
      'editors.shelf.floor',
    ),
    fc.constant('missing'),
    fc.boolean(),
  ),
)

/** Through inverses; other items decide whether an item matches. */
const inverseComparisons = fc.oneof(
  comparison(fc.constantFrom('author.books.pages', 'shelf.volumes.pages'), ordering, numbers),
  comparison(fc.constant('author.books.title'), textual, texts),
  comparison(
    fc.constantFrom('author.books', 'shelf.volumes.title', 'author.books.price'),
    fc.constant('missing'),
    fc.boolean(),
  ),
)
const comparisons = fc.oneof({ arbitrary: ownComparisons, weight: 4 }, inverseComparisons)

function someOf<T>(value: fc.Arbitrary<T>) {
  return fc.array(value, { minLength: 1, maxLength: 13 })
}

const sortPaths = ['author.name', 'author.shelf.floor', 'shelf.code', 'shelf.floor']
const sorts = fc
  .shuffledSubarray(
    ['title', 'pages', 'price', 'weight', 'lent', 'genre', 'due', 'author', 'id', ...sortPaths],
    { maxLength: 4 },
  )
  .chain((names) => fc.tuple(fc.constant(names), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })))
  .map(([names, down]) => names.map((name, at) => (down[at] ? `-${name}` : name)))

const limits = fc.constantFrom(1, 2, 3, 7, 50, 1000)

function expectedIds(tree: Tree, sort: readonly string[]): string[] {
  return [...books.values()]
    .filter((item) => holds(tree, item, find))
    .toSorted(comparing(sort, find))
    .map(({ id }) => String(id))
}

function parameterOf({ path, operator, value }: Comparison): readonly [string, string] {
  const text =
    operator === 'in'
      ? (value as unknown[]).map((one) => String(one).replace(/[\\,]/g, '\\$&')).join()
      : String(value)
  return [operator === 'eq' ? path : `${path}[${operator}]`, text]
}

function targetOf(filters: readonly Comparison[], sort: readonly string[], limit: number): string {
  const order = sort.length === 0 ? [] : [['sort', sort.join()] as const]
  const query = [...filters.map(parameterOf), ...order, ['limit', String(limit)] as const]
  return `/books?${formatQueryString(query)}`
}

type Follow = (target: string) => Promise<Handled>

const byGet: Follow = (target) => library_.handle(`GET ${target}`)

/** The ids of each page from here on, in the order the pages were reached. */
async function pagesFrom(target: string | undefined, rel: 'next' | 'prev', follow: Follow) {
  const pages: string[][] = []
  let last = target
  for (let next = target; next !== undefined; ) {
    const page: Handled = await follow(next)
    assert.equal(page.status, 200, `${next} ${page.text}`)
    pages.push(page.json.map((item: Item) => item.id))
    last = next
    next = linkOf(page, rel)
  }
  return { pages, last }
}

it('filters, order and pages equal those of a naive filter, forwards and backwards', async () => {
  const filters = fc.array(comparisons, { maxLength: 4 })
  const property = fc.asyncProperty(filters, sorts, limits, async (conditions, sort, limit) => {
    const expected = expectedIds({ all: conditions }, sort)
    const forwards = await pagesFrom(targetOf(conditions, sort, limit), 'next', byGet)
    assert.deepEqual(forwards.pages.flat(), expected)
    assert.ok(forwards.pages.every((page, at) => page.length === limit || at === forwards.pages.length - 1))
    const backwards = await pagesFrom(forwards.last, 'prev', byGet)
    assert.deepEqual(backwards.pages.toReversed().flat(), expected)
  })
  await fc.assert(property, { numRuns: cases(3000, 20), seed })
})

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    comparisons,
    fc.record({ any: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc.record({ all: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc.record({ not: tie('tree') }),
  ),
}))

function bodyOf(node: Tree): object {
  if ('any' in node) return { any: node.any.map(bodyOf) }
  if ('all' in node) return { all: node.all.map(bodyOf) }
  if ('not' in node) return { not: bodyOf(node.not) }
  return { [node.path]: node.operator === 'eq' ? node.value : { [node.operator]: node.value } }
}

function countOf(node: Tree): number {
  if ('any' in node) return node.any.reduce((sum, one) => sum + countOf(one), 0)
  if ('all' in node) return node.all.reduce((sum, one) => sum + countOf(one), 0)
  return 'not' in node ? countOf(node.not) : 1
}

it('a QUERY and its Location, if it has one, return the rows of a naive filter (RFC 10008)', async () => {
  const property = fc.asyncProperty(tree, sorts, limits, async (node, sort, limit) => {
    fc.pre(countOf(node) <= 20)
    const follow: Follow = (target) => library_.handle(`QUERY ${target}`, {}, bodyOf(node))
    const { pages } = await pagesFrom(targetOf([], sort, limit), 'next', follow)
    assert.deepEqual(pages.flat(), expectedIds(node, sort))
    const first = await follow(targetOf([], sort, limit))
    if (first.fields.location === undefined) return
    const same = await byGet(first.fields.location)
    assert.equal(same.text, first.text)
  })
  await fc.assert(property, { numRuns: cases(1000), seed })
})

it('rows created and deleted between pages neither repeat nor hide others', async () => {
  const filters = fc.array(ownComparisons, { maxLength: 2 })
  const property = fc.asyncProperty(
    filters,
    sorts,
    fc.constantFrom(1, 3, 7),
    fc.array(fc.tuple(book, fc.nat(1000)), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('next' as const, 'prev' as const),
    async (conditions, sort, limit, changes, rel) => {
      const filter = { all: conditions }
      const start = await startOf(targetOf(conditions, sort, limit), rel)
      const throughout = new Set(expectedIds(filter, sort))
      const pending = [...changes]
      const follow: Follow = async (target) => {
        const page = await byGet(target)
        const change = pending.pop()
        if (change) {
          await makeBook(change[0])
          const victim = [...books.keys()][change[1] % books.size] ?? ''
          assert.equal((await library_.handle(`DELETE /books/${victim}`)).status, 204)
          books.delete(victim)
          throughout.delete(victim)
        }
        return page
      }
      const { pages } = await pagesFrom(start, rel, follow)
      const ids = (rel === 'next' ? pages : pages.toReversed()).flat()
      assert.equal(new Set(ids).size, ids.length, 'none twice')
      const stable = ids.filter((id) => throughout.has(id))
      const expected = expectedIds(filter, sort).filter((id) => throughout.has(id))
      assert.deepEqual(stable, expected, 'all rows that existed throughout, in order')
    },
  )
  await fc.assert(property, { numRuns: cases(500), seed })
})

/** The first page; or, to go backwards, the last. */
async function startOf(target: string, rel: 'next' | 'prev'): Promise<string> {
  if (rel === 'next') return target
  return (await pagesFrom(target, 'next', byGet)).last ?? target
}

it('q selects records with words that start with all its words, ignoring case, and Prefer: count=exact counts them', async () => {
  await makeBook({ ...fc.sample(book, 1)[0], title: 'Über die Straße' } as never)
  for (const [q, expected] of [
    ['STRASSE uber', 1],
    ['strasse nothing', 0],
    ['Str Ü', 1],
    ['trasse', 0],
  ] as const) {
    const target = `/books?q=${encodeURIComponent(q)}`
    const found = await library_.handle(`GET ${target}`, { prefer: 'count=exact' })
    assert.equal(found.json.length, expected)
    assert.equal(found.fields['total-count'], String(expected))
    assert.equal(found.fields['preference-applied'], 'count=exact')
    assert.equal((await byGet(target)).fields['total-count'], undefined)
  }
})
