/** Conditions in the database against a naive evaluator, on stored rows and on would-be ones. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import {
  all,
  always,
  any,
  type Comparison,
  type Condition,
  equals,
  never,
} from '../../src/store/condition.ts'
import { evaluateCondition } from '../../src/store/evaluate-condition.ts'
import type { Row } from '../../src/store/row.ts'
import { splitWords } from '../../src/store/search-words.ts'
import type { Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { openTestStore } from '../database.ts'
import { book, books, comparisons, condition, people, tables, words } from './any-condition.ts'
import { insert } from './library.ts'
import { row } from './tables.ts'

let store: Store
const stored = new Map<string, Map<string, Row>>()

before(async () => {
  store = await openTestStore(tables)
  const seed = 20260102
  const persons = fc
    .sample(fc.tuple(fc.option(fc.constantFrom(...words)), fc.option(fc.nat(7))), {
      numRuns: 8,
      seed,
    })
    .map(([name, friend], n) => row(`p${n}`, name, friend === null ? null : `p${Math.min(friend, n)}`))
  const volumes = fc.sample(book, { numRuns: 60, seed }).map((fields, n) => row(`b${n}`, ...fields))
  for (const [name, rows] of [
    ['people', persons],
    ['books', volumes],
  ] as const) {
    const written = await store.write(rows.map((one) => insert(name, one)))
    assert.deepEqual(written, { kind: 'done' })
    stored.set(name, new Map(rows.map((one) => [String(one[0]), one])))
  }
})

after(() => store.close())

it('a condition selects, counts and answers as a naive evaluator says', async () => {
  const property = fc.asyncProperty(condition, async (asked) => {
    const rows = [...(stored.get('books')?.values() ?? [])]
    const expected = rows.filter((each) => holds(asked, each)).map(([identity]) => identity)
    const order = [{ column: '_identity', descending: false }]
    const rest = { table: 'books', order, after: undefined, limit: 99 }
    const found = await store.list({ ...rest, condition: asked, evaluated: [] })
    assert.deepEqual(found.map(([identity]) => identity).toSorted(), expected.toSorted())
    assert.equal(await store.count('books', asked), expected.length)
    const answered = await store.list({ ...rest, condition: always, evaluated: [asked] })
    const yes = answered.filter((each) => each.at(-1) === 1).map(([identity]) => identity)
    assert.deepEqual(yes.toSorted(), expected.toSorted())
    assert.ok(answered.every((each) => each.at(-1) === 1 || each.at(-1) === 0))
  })
  await fc.assert(property, { numRuns: cases(3000) })
})

it('a condition says of values that are not stored what it would say of the row', async () => {
  const property = fc.asyncProperty(condition, book, async (asked, fields) => {
    const would = row('new', ...fields)
    assert.equal(await store.satisfies('books', would, asked), holds(asked, would))
  })
  await fc.assert(property, { numRuns: cases(3000) })
})

it('words select the rows in which each begins a word, however it is written', async () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'ab', 'e', 'bb', 'ba'), { maxLength: 3 })
  const property = fc.asyncProperty(some, comparisons, async (sought, other) => {
    const asked: Condition = { kind: 'all', of: [{ kind: 'search', words: sought }, other] }
    const rows = [...(stored.get('books')?.values() ?? [])]
    const expected = rows.filter((each) => holds(asked, each))
    assert.equal(await store.count('books', asked), expected.length)
  })
  await fc.assert(property, { numRuns: cases(1000) })
})

it('a comparison with no value, or several where one is meant, is a bug', async () => {
  const asked = (values: Comparison['values']) => async () =>
    store.count('books', { kind: 'compare', path: ['title'], operator: 'eq', values })
  await assert.rejects(asked([]), /takes one value/)
  await assert.rejects(asked(['a', 'b']), /takes one value/)
})

function holds(asked: Condition, one: Row, within = 'books'): boolean {
  switch (asked.kind) {
    case 'always':
      return true
    case 'never':
      return false
    case 'all':
      return asked.of.every((each) => holds(each, one, within))
    case 'any':
      return asked.of.some((each) => holds(each, one, within))
    case 'not':
      return !holds(asked.of, one, within)
    case 'compare':
      return compares(asked, valueAt(asked.path, within, one))
    case 'reference': {
      const next = stored.get('people')?.get(String(valueAt([asked.reference], within, one)))
      return next !== undefined && holds(asked.of, next, 'people')
    }
    case 'exists': {
      const others = [...(stored.get(asked.table)?.values() ?? [])]
      return others.some(
        (other) =>
          holds(asked.of, other, asked.table) &&
          asked.pairs.every(({ path, column }) =>
            isSame(valueAt(path, within, one), valueAt([column], asked.table, other)),
          ),
      )
    }
    case 'equal-columns': {
      const [first, second] = asked.paths
      return isSame(valueAt(first, within, one), valueAt(second, within, one))
    }
    case 'derived':
      throw new Error('test/store/derived.test.ts has the derived values')
    case 'search': {
      const words = splitWords(String(valueAt(['title'], within, one) ?? ''))
      return asked.words.every((sought) => words.some((word) => word.startsWith(sought)))
    }
  }
}

function isSame(a: Stored, b: Stored): boolean {
  return a !== null && b !== null && compared(a, b) === 0
}

function valueAt([name, ...rest]: readonly string[], within: string, one: Row): Stored {
  const columns = within === 'books' ? books.columns : people.columns
  const value = one[columns.findIndex((column) => column.name === name)] ?? null
  if (rest.length === 0 || value === null) return value
  const next = stored.get('people')?.get(String(value))
  return next === undefined ? null : valueAt(rest, 'people', next)
}

function compares({ operator, values }: Comparison, value: Stored): boolean {
  if (operator === 'missing') return value === null
  if (value === null) return false
  if (operator === 'in') return values.some((each) => compared(value, each) === 0)
  const given = values[0] ?? assert.fail('a value')
  if (operator === 'contains') return new RegExp(RegExp.escape(String(given)), 'iu').test(String(value))
  if (operator === 'starts') return new RegExp(`^${RegExp.escape(String(given))}`, 'iu').test(String(value))
  if (operator === 'has') return JSON.parse(String(value)).includes(given)
  return verdicts[operator](compared(value, given))
}

const verdicts = {
  eq: (order: number) => order === 0,
  ne: (order: number) => order !== 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
}

function compared(value: Exclude<Stored, null>, given: Exclude<Stored, null>): number {
  if (typeof value === 'string') return Buffer.compare(Buffer.from(value), Buffer.from(String(given)))
  const [left, right] = [BigInt(value), BigInt(given)]
  return Number(left > right) - Number(left < right)
}

it('what always or never holds is folded away, so that its kind tells it', () => {
  const [one, other] = [equals(['name'], 'a'), equals(['name'], 'b')]
  assert.deepEqual(all([one, never, other]), never)
  assert.deepEqual(all([always, one]), one)
  assert.deepEqual(all([]), always)
  assert.deepEqual(any([one, always, other]), always)
  assert.deepEqual(any([never, one]), one)
  assert.deepEqual(any([]), never)
})

it('what can be evaluated without the database is evaluated as the database does', async () => {
  let decided = 0
  const property = fc.asyncProperty(condition, book, async (asked, fields) => {
    const would = row('new', ...fields.map((value) => (typeof value === 'bigint' ? String(value) : value)))
    const result = evaluateCondition(books, would, asked)
    if (result === undefined) return
    decided += 1
    assert.equal(result, await store.satisfies('books', would, asked))
  })
  await fc.assert(property, { numRuns: cases(5000) })
  assert.ok(decided > cases(5000) / 10)
})
