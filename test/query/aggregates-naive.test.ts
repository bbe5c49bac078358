/** Aggregates are compared with naive sums in memory: the same rows in the same order, on random items. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  integer,
  number,
  ref,
  resource,
  service,
  text,
} from 'restwell'
import { formatQueryString } from '../../src/http/query-string.ts'
import { cases } from '../cases.ts'
import { handling } from '../handling.ts'
import { words } from './library.ts'

const seed = 20261116
const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const places = resource({ code: integer() }, { key: 'code', access: open })
const things = resource(
  {
    amount: decimal({ scale: 3 }).optional(),
    whole: integer().optional(),
    real: number().optional(),
    day: date().optional(),
    name: text({ max: 20 }).optional(),
    kind: choice(['a', 'b', 'c']),
    flag: boolean().optional(),
    place: ref('places').optional(),
  },
  { access: open, bulk: true },
)
const definition = service({ title: 'Things', resources: { places, things } })

type Thing = Readonly<Record<string, string | number | boolean | undefined>>

/** Exact decimals as fractions of a power of ten. */
const scale = 400n
const unit = 10n ** scale

const amounts = ['0.000', '-0.005', '0.001', '999999999999999.999', '-999999999999999.999', '1.500', '2.345']
const wholes = [0, 1, -1, 3, 2 ** 53 - 1, -(2 ** 53 - 1), 1000]
const reals = [0, 0.1, 0.2, 0.3, -1.5, 1e15, -1e15, 1e300, -1e300, 5e-324, 123456.789, 1 / 3]
const item = fc.record(
  {
    amount: fc.constantFrom(...amounts),
    whole: fc.constantFrom(...wholes),
    real: fc.oneof(
      fc.constantFrom(...reals),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    ),
    day: fc.constantFrom('2024-02-29', '2025-12-31', '2026-01-01', '0001-01-01'),
    name: fc.constantFrom(...words.slice(0, 14)),
    kind: fc.constantFrom('a', 'b', 'c'),
    flag: fc.boolean(),
    place: fc.constantFrom(2, 10, 1),
  },
  { requiredKeys: ['kind'] },
)

const groupNames = [
  'kind',
  'flag',
  'name',
  'place',
  'whole',
  'amount',
  'day',
  'day.year',
  'day.month',
  'createdAt.year',
]
const aggregateNames = [
  'count',
  ...['amount', 'whole', 'real'].flatMap((name) =>
    ['sum', 'avg', 'min', 'max'].map((one) => `${name}.${one}`),
  ),
  'day.min',
  'day.max',
]

const queries = fc
  .record({
    groups: fc.shuffledSubarray(groupNames, { maxLength: 3 }),
    aggregates: fc.shuffledSubarray(aggregateNames, { minLength: 1, maxLength: 6 }),
    kind: fc.constantFrom(undefined, 'a', 'b'),
    from: fc.nat(),
    descending: fc.boolean(),
  })
  .map(({ from, descending, ...query }) => {
    const names = [...query.groups, ...query.aggregates]
    return { ...query, sort: `${descending ? '-' : ''}${names[from % names.length]}` }
  })

it('groups, sums, averages and extremes equal those of a naive model', async () => {
  await using served = await handling(definition)
  for (const code of [1, 2, 10]) await served.handle('POST /places', {}, { code })
  const made = fc
    .sample(item, { numRuns: 120, seed })
    .map(({ place, ...rest }) => (place === undefined ? rest : { ...rest, place: String(place) }))
  const created = await served.handle('POST /things', {}, made)
  assert.equal(created.status, 201, created.text)
  const all: readonly Thing[] = created.json
  const property = fc.asyncProperty(queries, async ({ groups, aggregates, kind, sort }) => {
    const parameters: (readonly [string, string])[] = [
      ['aggregate', aggregates.join()],
      ['sort', sort],
    ]
    if (groups.length > 0) parameters.push(['group-by', groups.join()])
    if (kind !== undefined) parameters.push(['kind', kind])
    const target = `/things/-/aggregate?${formatQueryString(parameters)}`
    const response = await served.handle(`GET ${target}`)
    const matching = all.filter((one) => kind === undefined || one.kind === kind)
    const expected = summarise(matching, groups, aggregates)
    const isTooLarge = expected.some(
      (row) => Math.abs(Number(row['whole.sum'] ?? 0)) > Number.MAX_SAFE_INTEGER,
    )
    if (isTooLarge) return assert.equal(response.status, 400, target)
    assert.deepEqual(response.json, expected.toSorted(comparing([sort, ...groups])), target)
  })
  await fc.assert(property, { numRuns: cases(2000), seed })
})

type ResultRow = Readonly<Record<string, string | number | boolean>>

function summarise(items: readonly Thing[], groups: readonly string[], aggregates: readonly string[]) {
  const keyed = Map.groupBy(items, (one) => JSON.stringify(groups.map((name) => memberOf(one, name) ?? null)))
  const parts = groups.length === 0 ? [items] : [...keyed.values()]
  return parts.map((part): ResultRow => {
    const first = part[0] ?? {}
    const members = [
      ...groups.map((name) => [name, memberOf(first, name)] as const),
      ...aggregates.map((name) => [name, aggregate(part, name)] as const),
    ]
    return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as ResultRow
  })
}

function memberOf(item: Thing, name: string) {
  const [field = '', part] = name.split('.')
  const value = item[field]
  if (part === undefined || value === undefined) return value
  return String(value).slice(0, { year: 4, month: 7 }[part])
}

function aggregate(items: readonly Thing[], name: string) {
  if (name === 'count') return items.length
  const [field = '', operation] = name.split('.')
  const values = items.flatMap((one) => one[field] ?? []) as (string | number)[]
  if (operation === 'min' || operation === 'max') {
    const sorted = values.toSorted((one, other) => compareValues(field, one, other))
    return sorted.at(operation === 'min' ? 0 : -1)
  }
  const total = values.reduce((sum, value) => sum + exact(String(value)), 0n)
  if (operation === 'sum') return show(field, total, 3n)
  return values.length === 0 ? undefined : show(field, quotient(total, BigInt(values.length)), 5n)
}

/** The decimal times 10^400. */
function exact(text: string): bigint {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e\+?(-?\d+))?$/.exec(text) ?? []
  const shift = scale + BigInt(power) - BigInt(fraction.length)
  return BigInt(`${sign}${whole}${fraction}`) * 10n ** shift
}

/** Truncated: 400 digits are more than any comparison here needs, except for ties of decimals. */
function quotient(total: bigint, count: bigint): bigint {
  return total / count
}

function show(field: string, value: bigint, digits: bigint) {
  if (field !== 'amount') return Number(`${value}e-${scale}`)
  const step = unit / 10n ** digits
  const magnitude = value < 0n ? -value : value
  const [floor, rest] = [magnitude / step, magnitude % step]
  const isUp = rest * 2n > step || (rest * 2n === step && floor % 2n === 1n)
  const rounded = String(isUp ? floor + 1n : floor).padStart(Number(digits) + 1, '0')
  const text = `${rounded.slice(0, -Number(digits))}.${rounded.slice(-Number(digits))}`
  return value < 0n && /[1-9]/.test(text) ? `-${text}` : text
}

function compareValues(field: string, one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  if (typeof one === 'number' || typeof one === 'boolean' || field === 'place') {
    return Math.sign(Number(one) - Number(other))
  }
  if (field.startsWith('amount')) {
    const difference = exact(String(one)) - exact(String(other))
    return difference < 0n ? -1 : difference > 0n ? 1 : 0
  }
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

/** Missing values first ascending. */
function comparing(sort: readonly string[]) {
  return (one: ResultRow, other: ResultRow): number => {
    for (const term of sort) {
      const name = term.replace(/^-/, '')
      const order = compareValues(name, one[name], other[name])
      if (order !== 0) return term.startsWith('-') ? -order : order
    }
    return 0
  }
}
