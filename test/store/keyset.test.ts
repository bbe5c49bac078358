/** Keyset pages against a naive sort: whatever the order, each row comes once, in its place. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { always, type Condition, equals, not } from '../../src/store/condition.ts'
import type { Row } from '../../src/store/row.ts'
import type { Order, Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { openTestStore } from '../database.ts'
import { insert } from './library.ts'
import { decimal, integer, real, row, schema, table, text } from './tables.ts'

const ROWS = 120
const columns = ['name', 'size', 'cost', 'ratio', 'kind', 'rank'] as const
const things = table('things', [
  text('name'),
  integer('size'),
  decimal('cost'),
  real('ratio'),
  text('kind', { required: true }),
  integer('rank', { required: true }),
])
const names = ['', 'a', 'A', 'ab', 'é', 'z', '\u{FF5E}', '\u{1F600}', '%', '_']

let store: Store
let rows: readonly Row[]

before(async () => {
  store = await openTestStore(schema(things))
  const seed = 20260101
  const values = fc.sample(thing, { numRuns: ROWS, seed })
  const inserted = values.map((fields, n) => row(`id${String(n).padStart(4, '0')}`, ...fields))
  await store.write(inserted.map((one) => insert('things', one)))
  rows = inserted.map((one) => one.map((value) => (typeof value === 'bigint' ? `${value}` : value)))
})

after(() => store.close())

const thing: fc.Arbitrary<Stored[]> = fc.tuple(
  fc.option(fc.constantFrom(...names)),
  fc.option(fc.integer({ min: -3, max: 3 })),
  fc.option(fc.constantFrom(0n, 5n, -5n, 999999999999999998n, 999999999999999999n)),
  fc.option(fc.constantFrom(-1.5, 0, 0.1, 0.2, 1e100)),
  fc.constantFrom('x', 'y'),
  fc.integer({ min: 0, max: 2 }),
)

const orders: fc.Arbitrary<readonly Order[]> = fc
  .tuple(
    fc
      .subarray([...columns], { maxLength: 4 })
      .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
    fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  )
  .map(([some, directions]) =>
    [...some, '_identity'].map((column, at) => ({ column, descending: directions[at] ?? false })),
  )

const conditions = fc.constantFrom<Condition>(always, equals(['kind'], 'x'), not(equals(['size'], 1)))

it('following pages gives each row that matches once, in the order of a naive sort', async () => {
  const property = fc.asyncProperty(
    orders,
    conditions,
    fc.constantFrom(1, 2, 7, 50, 200),
    async (order, condition, limit) => {
      const expected = rows.filter((one) => matches(condition, one)).toSorted(comparing(order))
      assert.deepEqual(await pages(order, condition, limit), expected)
    },
  )
  await fc.assert(property, { numRuns: cases(600) })
})

it('a position need not be that of a row that is there', async () => {
  const position = fc.tuple(thing, fc.constantFrom('', 'id0050x', 'zzz'))
  const property = fc.asyncProperty(orders, position, async (order, [fields, identity]) => {
    const shown = fields.map((value) => (typeof value === 'bigint' ? `${value}` : value))
    const here = row(identity, ...shown)
    const compare = comparing(order)
    const expected = rows.toSorted(compare).filter((one) => compare(one, here) > 0)
    const question = { table: 'things', condition: always, order, limit: ROWS, evaluated: [] }
    assert.deepEqual(await store.list({ ...question, after: positionOf(order, here) }), expected)
  })
  await fc.assert(property, { numRuns: cases(600) })
})

it('nothing follows a missing value in a descending order of one column', async () => {
  const order = [{ column: 'name', descending: true }]
  const question = { table: 'things', condition: always, order, limit: 5, evaluated: [] }
  assert.deepEqual(await store.list({ ...question, after: [null] }), [])
})

it('a position with too few values is a bug', async () => {
  const order = [{ column: 'name', descending: true }]
  const question = { table: 'things', condition: always, order, limit: 5, evaluated: [] }
  await assert.rejects(async () => store.list({ ...question, after: [] }), /for each term/)
})

async function pages(order: readonly Order[], condition: Condition, limit: number) {
  const seen: Row[] = []
  let position: readonly Stored[] | undefined
  for (;;) {
    const question = {
      table: 'things',
      condition,
      order,
      after: position,
      limit,
      evaluated: [always],
    }
    const page = await store.list(question)
    assert.ok(page.length <= limit)
    seen.push(...page.map((one) => one.slice(0, -1)))
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return seen
    position = positionOf(order, last)
  }
}

function positionOf(order: readonly Order[], one: Row): readonly Stored[] {
  return order.map(({ column }) => one[placeOf(column)] ?? null)
}

function placeOf(column: string): number {
  return things.columns.findIndex(({ name }) => name === column)
}

function matches(condition: Condition, one: Row): boolean {
  if (condition.kind === 'always') return true
  return condition.kind === 'not' ? one[placeOf('size')] !== 1 : one[placeOf('kind')] === 'x'
}

function comparing(order: readonly Order[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const { column, descending } of order) {
      const [one, other] = [a[placeOf(column)], b[placeOf(column)]]
      const compared = compareStored(column, one ?? null, other ?? null)
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  }
}

/** Missing first; text by octets of its UTF-8. */
function compareStored(column: string, one: Stored, other: Stored): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (column === 'cost') return Number(BigInt(one) > BigInt(other)) - Number(BigInt(one) < BigInt(other))
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}
