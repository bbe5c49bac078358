/** Orders through references against a naive sort: each row comes once, and hidden targets sort as missing. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { always, type Condition, equals, never } from '../../src/store/condition.ts'
import type { Row } from '../../src/store/row.ts'
import type { Order, Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { openTestStore } from '../database.ts'
import { insert } from './library.ts'
import { decimal, integer, ref, row, schema, table, text } from './tables.ts'

const owners = table('owners', [text('name'), integer('open')])
const groups = table('groups', [text('name'), decimal('cost'), integer('open'), ref('owner', 'owners')])
const things = table('things', [integer('size'), ref('group', 'groups')])

const ownerRows = [row('o1', 'b', 1), row('o2', 'a', 0), row('o3', null, 1)]
const groupRows = [
  row('g1', 'x', 5n, 1, 'o1'),
  row('g2', 'x', -5n, 1, 'o2'),
  row('g3', null, 999999999999999999n, 1, 'o3'),
  row('g4', 'é', null, 0, 'o1'),
  row('g5', 'w', 0n, 0, null),
]
const targets = [null, ...groupRows.map(([identity]) => identity ?? null)]
const thingRows = Array.from({ length: 40 }, (_, n) =>
  row(
    `t${String(n).padStart(2, '0')}`,
    n % 3 === 0 ? null : n % 4,
    targets[(n * 7) % targets.length] ?? null,
  ),
)

let store: Store

before(async () => {
  store = await openTestStore(schema(owners, groups, things))
  await store.write([
    ...ownerRows.map((one) => insert('owners', one)),
    ...groupRows.map((one) => insert('groups', one)),
    ...thingRows.map((one) => insert('things', one)),
  ])
})

after(() => store.close())

const conditions = fc.constantFrom<Condition>(always, equals(['open'], 1), never)
const terms: fc.Arbitrary<Order> = fc.oneof(
  fc.record({ column: fc.constant('size'), descending: fc.boolean() }),
  fc.record({
    column: fc.constantFrom('name', 'cost', 'open'),
    descending: fc.boolean(),
    through: conditions.map((condition) => [{ reference: 'group', condition }]),
  }),
  fc.record({
    column: fc.constantFrom('name', '_identity'),
    descending: fc.boolean(),
    through: fc.tuple(conditions, conditions).map(([first, second]) => [
      { reference: 'group', condition: first },
      { reference: 'owner', condition: second },
    ]),
  }),
)
const orders = fc
  .tuple(fc.array(terms, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([some, descending]) => [...some, { column: '_identity', descending }])

it('following pages gives each row once, in the order of a naive sort', async () => {
  const property = fc.asyncProperty(orders, fc.constantFrom(1, 3, 100), async (order, limit) => {
    const expected = thingRows.toSorted(comparing(order)).map(([identity]) => identity)
    assert.deepEqual(await pages(order, limit), expected)
  })
  await fc.assert(property, { numRuns: cases(200) })
})

it('a row has the values of the order through references at its end; a text has all values', async () => {
  const order: readonly Order[] = [
    { column: 'name', descending: true, through: [{ reference: 'group', condition: equals(['open'], 1) }] },
    { column: '_identity', descending: false },
  ]
  const query = {
    table: 'things',
    condition: always,
    order,
    after: undefined,
    limit: 100,
    octets: 10_000_000,
  }
  const rows = await store.list({ ...query, evaluated: [always, never] })
  const values = rows.map((one) => [one.at(-1), one[0]])
  assert.deepEqual(
    values,
    thingRows.toSorted(comparing(order)).map((one) => [sortValue(order[0] as Order, one), one[0]]),
  )
  assert.deepEqual(
    rows.map((one) => one.slice(-3, -1)),
    rows.map(() => [1, 0]),
  )
  const found = await store.list({ ...query, evaluated: [], columns: ['_identity'] })
  assert.deepEqual(
    found,
    rows.map(([identity]) => [identity]),
  )
})

async function pages(order: readonly Order[], limit: number) {
  const seen: Stored[] = []
  let position: readonly Stored[] | undefined
  for (;;) {
    const page = await store.list({
      table: 'things',
      condition: always,
      order,
      after: position,
      limit,
      evaluated: [],
    })
    seen.push(...page.map(([identity]) => identity ?? null))
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return seen
    position = positionOfRow(order, last)
  }
}

/** The values of terms through references are the last ones of the row. */
function positionOfRow(order: readonly Order[], one: Row): readonly Stored[] {
  let next = one.length - order.filter(({ through }) => through).length
  return order.map(({ column, through }) => (through ? one[next++] : one[placeIn(things, column)]) ?? null)
}

function comparing(order: readonly Order[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const term of order) {
      const compared = compareStored(sortValue(term, a), sortValue(term, b))
      if (compared !== 0) return term.descending ? -compared : compared
    }
    return 0
  }
}

function sortValue({ column, through = [] }: Order, one: Row): Stored {
  let found: Row | undefined = one
  let from = things
  for (const { reference, condition } of through) {
    const identity: Stored = found?.[placeIn(from, reference)] ?? null
    from = reference === 'group' ? groups : owners
    const rows = reference === 'group' ? groupRows : ownerRows
    found = rows.find((other) => other[0] === identity && holds(condition, other[placeIn(from, 'open')]))
  }
  return found?.[placeIn(from, column)] ?? null
}

function holds({ kind }: Condition, open: Stored | undefined): boolean {
  return kind === 'always' || (kind !== 'never' && open === 1)
}

function placeIn({ columns }: typeof things, name: string): number {
  return columns.findIndex((column) => column.name === name)
}

function compareStored(one: Stored, other: Stored): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string' || typeof other === 'string') {
    return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
  }
  return Number(one > other) - Number(one < other)
}
