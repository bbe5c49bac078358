/** Tables, and random rows and conditions on them. */

import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import {
  always,
  type Comparison,
  type Condition,
  type EqualPair,
  existsIn,
  not,
  onReferenced,
} from '../../src/store/condition.ts'
import { decimal, integer, ref, schema, table, text } from './tables.ts'

export const people = table('people', [text('name'), ref('friend', 'people')])
export const books = table(
  'books',
  [text('title'), integer('pages'), decimal('price'), text('tags'), ref('author', 'people')],
  { search: ['title'] },
)
export const tables = schema(people, books)
export const words = [
  '',
  'a',
  'A',
  'ab',
  'b',
  '%',
  '_',
  'a%',
  '_b',
  "'",
  '"',
  '\\',
  'é',
  'e\u0301',
  '😀',
  '😀b',
]

export const texts = fc.oneof(
  fc.constantFrom(...words),
  fc.array(fc.constantFrom(...words)).map((of) => of.join('')),
)
export const prices = fc.constantFrom(0n, -1n, 100n, 999999999999999999n)
export const tags = fc.array(fc.constantFrom(...words), { maxLength: 4 })

export const book: fc.Arbitrary<Stored[]> = fc.tuple(
  fc.option(texts),
  fc.option(fc.integer({ min: -2, max: 2 })),
  fc.option(prices),
  fc.option(tags.map((of) => JSON.stringify(of))),
  fc.option(fc.nat(7).map((n) => `p${n}`)),
)

export const ordering = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte')
export const textual = fc.constantFrom('eq', 'ne', 'lt', 'gte', 'contains', 'starts')
export const textPaths = fc.constantFrom(['title'], ['author', 'name'], ['author', 'friend', 'name'])
export const anyPaths = fc.oneof(
  textPaths,
  fc.constantFrom(['pages'], ['price'], ['tags'], ['author'], ['author', 'friend']),
)

export const compare = (
  path: fc.Arbitrary<readonly string[]>,
  operator: fc.Arbitrary<Comparison['operator']>,
  values: fc.Arbitrary<Comparison['values']>,
): fc.Arbitrary<Comparison> => fc.record({ kind: fc.constant('compare'), path, operator, values })

export const one = <T>(value: fc.Arbitrary<T>) => value.map((of) => [of])

export const comparisons = fc.oneof(
  compare(textPaths, textual, one(texts)),
  compare(textPaths, fc.constant('in'), fc.array(texts, { maxLength: 13 })),
  compare(fc.constant(['pages']), ordering, one(fc.integer({ min: -2, max: 2 }))),
  compare(fc.constant(['price']), ordering, one(fc.oneof(prices, prices.map(String)))),
  compare(fc.constant(['tags']), fc.constant('has'), one(fc.constantFrom(...words))),
  compare(fc.constant(['author', '_identity']), fc.constant('eq'), one(fc.nat(7).map((n) => `p${n}`))),
  compare(anyPaths, fc.constant('missing'), fc.constant([])),
)

/** Of a person: some that an index leads to, some that none does. */
export const ofPerson: fc.Arbitrary<Condition> = fc.oneof(
  compare(fc.constantFrom(['name'], ['friend', 'name']), textual, one(texts)),
  compare(fc.constant(['_identity']), fc.constantFrom('eq', 'ne'), one(fc.constantFrom('p1', 'p2'))),
  compare(fc.constant(['friend']), fc.constant('in'), fc.constant(['p0', 'p1'])),
  compare(fc.constant(['friend']), fc.constant('missing'), fc.constant([])),
)
export const throughs: fc.Arbitrary<Condition> = fc
  .tuple(fc.constantFrom('all', 'any'), fc.array(ofPerson, { maxLength: 3 }), fc.boolean())
  .map(([kind, of, twice]) => {
    const person: Condition = { kind, of }
    return onReferenced('author', twice ? onReferenced('friend', person) : person)
  })

/** Pairs of values that a book, or a person, may share with another row. */
export const bookPairs: Readonly<Record<string, readonly EqualPair[]>> = {
  people: [
    { path: ['title'], column: 'name' },
    { path: ['author'], column: '_identity' },
    { path: ['author', 'friend'], column: 'friend' },
    { path: ['author', 'friend', 'name'], column: 'name' },
  ],
  books: [
    { path: ['author'], column: 'author' },
    { path: ['price'], column: 'price' },
    { path: ['pages'], column: 'pages' },
    { path: ['_identity'], column: '_identity' },
  ],
}
export const personPairs: readonly EqualPair[] = [
  { path: ['_identity'], column: 'author' },
  { path: ['friend', 'name'], column: 'title' },
]
/** Of a book: some that an index leads to, some that none does. */
export const ofBook = fc.oneof(
  fc.constant(always),
  compare(fc.constant(['author']), fc.constant('eq'), one(fc.constantFrom('p1', 'p2'))),
  compare(fc.constant(['pages']), ordering, one(fc.integer({ min: -2, max: 2 }))),
)
export const matchingPerson: fc.Arbitrary<Condition> = fc
  .tuple(ofBook, fc.subarray([...personPairs]))
  .map(([of, pairs]) => existsIn('books', of, pairs))
export const matches: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(fc.oneof(ofPerson, matchingPerson), fc.subarray([...(bookPairs.people ?? [])]))
    .map(([of, pairs]) => existsIn('people', of, pairs)),
  fc
    .tuple(ofBook, fc.subarray([...(bookPairs.books ?? [])]))
    .map(([of, pairs]) => existsIn('books', of, pairs)),
  matchingPerson.map((of) => onReferenced('author', of)),
)
export const sames: fc.Arbitrary<Condition> = fc
  .constantFrom<[string[], string[]]>(
    [['title'], ['author', 'name']],
    [['author'], ['author', 'friend']],
    [
      ['author', 'friend', 'name'],
      ['author', 'name'],
    ],
    [
      ['author', 'friend', 'friend', 'friend', 'name'],
      ['author', 'name'],
    ],
    [['price'], ['price']],
  )
  .map((paths) => ({ kind: 'equal-columns', paths }))

export const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    comparisons,
    throughs,
    matches,
    sames,
    fc.constant(always),
    fc.record({
      kind: fc.constantFrom('all', 'any'),
      of: fc.array(tie('condition'), { maxLength: 3 }),
    }),
    tie('condition').map(not),
    tie('condition').map((of) => ({ kind: 'not' as const, of })),
  ),
}))
