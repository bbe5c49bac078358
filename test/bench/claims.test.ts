/** The bench reports missed targets and refuses unknown options. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claim, claimsOf, claimTable, holds } from '../../bench/claims.ts'
import { idOf, starsOf } from '../../bench/note.ts'
import { OptionFault, readOptions } from '../../bench/options.ts'
import type { Results } from '../../bench/results.ts'
import { type Figures, median } from '../../bench/rounds.ts'

const circumstances = { machine: 'one', setting: 'quiet' }

function figures(rates: Readonly<Record<string, number>>): Figures {
  const rest = { least: 1, most: 1, p50: 1, p99: 1, processor: 1 }
  const entries = Object.entries(rates).map(([name, perSecond]) => [name, { perSecond, ...rest }])
  return Object.fromEntries(entries)
}

function throughput(workloads: Readonly<Record<string, Figures>>): Results {
  return { throughput: { ...circumstances, result: { rows: 100_000, workloads, memory: {} } } }
}

function claim(results: Results, text: string): Claim {
  const found = claimsOf(results).find((one) => one.text.startsWith(text))
  assert.ok(found, text)
  return found
}

test('a target is met at its bound and missed below it', () => {
  const item = (rate: number) => throughput({ 'item GET': figures({ restwell: rate, sqlite: 100 }) })
  assert.equal(holds(claim(item(85), 'item GET / bare')), true)
  assert.equal(holds(claim(item(84), 'item GET / bare')), false)
})

test('a target without a measurement is neither met nor missed', () => {
  const claims = claimsOf({})
  assert.ok(claims.length > 25)
  assert.deepEqual([...new Set(claims.map(holds))], [undefined])
  assert.ok(claimTable(claims).every((row, at) => at === 0 || row[3] === 'not measured'))
})

test('a target for all workloads names the worst one', () => {
  const results = throughput({
    'item GET': figures({ restwell: 300, fastify: 100 }),
    create: figures({ restwell: 99, fastify: 100 }),
    delete: figures({ restwell: 500 }),
  })
  const found = claim(results, 'Restwell / hand-written Fastify')
  assert.equal(found.text, 'Restwell / hand-written Fastify (lowest of 2: create)')
  assert.equal(found.figure, 0.99)
  assert.equal(holds(found), false)
})

test('tokens and 304 are compared with the plain item GET of the bare server', () => {
  const results = throughput({
    'item GET': figures({ restwell: 1, sqlite: 100 }),
    '304 on list': figures({ restwell: 110, sqlite: 1000 }),
  })
  assert.equal(claim(results, '304 on list').figure, 1.1)
})

test('unknown options are refused, and --rows measures throughput only', () => {
  assert.throws(() => readOptions(['--against', 'nobody']), /knows no 'nobody'/)
  assert.throws(() => readOptions(['--rows', '100']), OptionFault)
  assert.throws(() => readOptions(['--rounds', '0']), OptionFault)
  assert.deepEqual(readOptions(['--rows', '1000'])?.parts, ['throughput'])
  assert.ok((readOptions([])?.parts.length ?? 0) > 5)
})

test('the rows have ids in their order, and each number of stars once', () => {
  const numbers = Array.from({ length: 1000 }, (_, n) => n)
  const ids = numbers.map(idOf)
  assert.deepEqual(ids.toSorted(), ids)
  assert.match(ids[999] as string, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(numbers.map((n) => starsOf(n, 1000))).size, 1000)
})

test('the median is the middle, or between the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
})
