/** Derived values in conditions and orders against a naive computation, beyond 64 bits too. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import {
  always,
  type Condition,
  type DerivedValue,
  equals,
  type Operator,
} from '../../src/store/condition.ts'
import { averageOf, sumOf } from '../../src/store/exact-total.ts'
import type { Row } from '../../src/store/row.ts'
import type { Store } from '../../src/store/store.ts'
import { addNumber, formatDecimalSum } from '../../src/tools/decimal-sum.ts'
import { cases } from '../cases.ts'
import { openTestStore } from '../database.ts'
import { insert } from './library.ts'
import { decimal, integer, real, ref, row, schema, table, text } from './tables.ts'

const projects = table('projects', [text('name')])
const entries = table('entries', [
  integer('open'),
  integer('points'),
  decimal('hours'),
  real('weight'),
  text('day'),
  ref('project', 'projects'),
])

const identities = ['p1', 'p2', 'p3', 'p4', 'p5']
const largest = 10n ** 18n - 1n
const integers = [null, 0, 1, 2, 3, -7, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]
const decimals = [null, 0n, 1n, 5n, 25n, -3n, largest, -largest]
const numbers = [null, 0, 0.1, 0.2, 0.3, -1.5, 1e300, 1.7e308, 5e-324, 2e-308, -1e-308]
const days = [null, '2026-01-01', '2026-02-01', '2025-12-31']

const entryArbitrary = fc.tuple(
  fc.constantFrom(0, 1),
  fc.constantFrom<Stored>(...integers),
  fc.constantFrom<Stored>(...decimals),
  fc.constantFrom<Stored>(...numbers),
  fc.constantFrom<Stored>(...days),
  fc.constantFrom<Stored>(...identities.slice(1), null),
)

let store: Store
let rows: readonly Row[] = []

before(async () => {
  store = await openTestStore(schema(projects, entries))
  const some =
    fc.sample(fc.array(entryArbitrary, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 7 })[0] ?? []
  rows = some.map((values, at) => row(`e${String(at).padStart(2, '0')}`, ...values))
  await store.write([
    ...identities.map((identity) => insert('projects', row(identity, identity))),
    ...rows.map((one) => insert('entries', one)),
  ])
})

after(() => store.close())

const columns = entries.columns.map(({ name }) => name)
const typeOf = (name: string) => entries.columns.find((column) => column.name === name)?.type ?? 'text'

/** The value of a project, from the values of its entries. */
function naive({ operation, column, condition }: DerivedValue, project: string): Stored {
  const own = rows.filter(
    (one) =>
      one[columns.indexOf('project')] === project &&
      (condition === always || one[columns.indexOf('open')] === 1),
  )
  if (operation === 'count' || column === undefined) return own.length
  const values = own.map((one) => one[columns.indexOf(column)] ?? null).filter((value) => value !== null)
  if (operation === 'min' || operation === 'max') return extreme(operation, values)
  const total = {
    type: typeOf(column),
    sum: values.length === 0 ? null : exactSum(values),
    count: values.length,
  }
  const value = operation === 'sum' ? sumOf(total) : averageOf(total)
  if (typeof value === 'number') return Math.abs(value) < 1e-300 ? 0 : value
  return typeOf(column) === 'decimal' && value !== null ? clamp(BigInt(value)) : value
}

function exactSum(values: readonly Exclude<Stored, null>[]): string {
  const [first] = values
  if (typeof first === 'bigint') return String(values.reduce<bigint>((sum, value) => sum + BigInt(value), 0n))
  const sum = new Map<number, bigint>()
  for (const value of values) addNumber(sum, Number(value))
  return formatDecimalSum(sum)
}

function clamp(value: bigint): bigint {
  const greatest = 2n ** 63n - 1n
  return value > greatest ? greatest : value < -greatest ? -greatest : value
}

function extreme(operation: 'min' | 'max', values: readonly Exclude<Stored, null>[]): Stored {
  const ordered = values.toSorted((a, b) => compare(a, b))
  return ordered.at(operation === 'min' ? 0 : -1) ?? null
}

/** Missing values first. */
function compare(a: Stored, b: Stored): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return a < b ? -1 : a > b ? 1 : 0
}

const valueArbitrary: fc.Arbitrary<DerivedValue> = fc
  .tuple(
    fc.constantFrom<readonly [DerivedValue['operation'], string | undefined]>(
      ['count', undefined],
      ...(['points', 'hours', 'weight'] as const).flatMap((name) =>
        (['sum', 'avg', 'min', 'max'] as const).map((operation) => [operation, name] as const),
      ),
      ['min', 'day'],
      ['max', 'day'],
    ),
    fc.constantFrom<Condition>(always, equals(['open'], 1)),
  )
  .map(([[operation, column], condition]) => ({
    operation,
    column,
    condition,
    table: 'entries',
    reference: 'project',
  }))

it('derived values order rows as a naive sort does, and pages follow each other', async () => {
  const property = fc.asyncProperty(valueArbitrary, fc.boolean(), async (derived, descending) => {
    const order = [
      { column: 'name', descending, derived },
      { column: '_identity', descending: false },
    ]
    const sorted = identities.toSorted(
      (a, b) => compare(naive(derived, a), naive(derived, b)) * (descending ? -1 : 1) || (a < b ? -1 : 1),
    )
    const listed: Stored[] = []
    let position: readonly Stored[] | undefined
    for (;;) {
      const [one] = await store.list({
        table: 'projects',
        condition: always,
        order,
        after: position,
        limit: 1,
        evaluated: [],
      })
      if (!one) break
      listed.push(one[0] ?? null)
      position = [one.at(-1) ?? null, one[0] ?? null]
    }
    assert.deepEqual(listed, sorted, JSON.stringify(derived))
  })
  await fc.assert(property, { numRuns: cases(1000) })
})

it('comparisons of derived values select the rows that a naive computation selects', async () => {
  const tests: Readonly<Record<string, (order: number) => boolean>> = {
    eq: (order) => order === 0,
    ne: (order) => order !== 0,
    lt: (order) => order < 0,
    lte: (order) => order <= 0,
    gt: (order) => order > 0,
    gte: (order) => order >= 0,
  }
  const property = fc.asyncProperty(
    valueArbitrary,
    fc.constantFrom(...identities),
    fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'missing'),
    async (value, project, operator) => {
      const wanted = naive(value, project)
      const isMissing = wanted === null || operator === 'missing'
      const expected = identities.filter((one) => {
        const own = naive(value, one)
        if (isMissing) return own === null
        return own !== null && (tests[operator] ?? tests.eq)?.(compare(own, wanted))
      })
      const condition: Condition = {
        kind: 'derived',
        value,
        operator: isMissing ? 'missing' : (operator as Operator),
        values: isMissing ? [] : [wanted],
      }
      const found = await store.list({
        table: 'projects',
        condition,
        order: [{ column: '_identity', descending: false }],
        after: undefined,
        limit: 10,
        evaluated: [condition],
      })
      assert.deepEqual(
        found.map(([identity]) => identity),
        expected,
        `${JSON.stringify(value)} ${operator} ${wanted}`,
      )
      assert.ok(found.every((one) => one.at(-1) === 1))
      assert.equal(await store.count('projects', condition), expected.length)
    },
  )
  await fc.assert(property, { numRuns: cases(2000) })
})

it('aggregates of the rows that refer to each row follow every write', async () => {
  const ask = async (condition: Condition) => {
    const rows = await store.aggregate({
      table: 'entries',
      condition,
      referringTo: { reference: 'project', to: identities },
      groups: [],
      aggregates: [{ kind: 'count', column: undefined }],
      limit: 10,
      octets: 1000,
    })
    return Object.fromEntries(rows.map(([identity, count]) => [identity, Number(count)]))
  }
  const naiveCounts = (condition: Condition) => {
    const value = {
      operation: 'count',
      column: undefined,
      condition,
      table: 'entries',
      reference: 'project',
    } as const
    return Object.fromEntries(identities.map((identity) => [identity, naive(value, identity)]))
  }
  for (const identity of ['x1', 'x2', 'x3']) {
    for (const condition of [always, equals(['open'], 1)]) {
      assert.deepEqual(await ask(condition), naiveCounts(condition))
      assert.deepEqual(await ask(condition), naiveCounts(condition))
    }
    const added = row(identity, 1, null, null, null, null, 'p1')
    await store.write([insert('entries', added)])
    rows = [...rows, added]
  }
})
