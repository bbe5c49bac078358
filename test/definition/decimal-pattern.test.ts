import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareDecimals, decimal } from '../../src/definition/kinds/decimal.ts'
import { atLeastPattern, atMostPattern } from '../../src/definition/kinds/decimal-pattern.ts'
import { cases } from '../cases.ts'
import { things } from './sample.ts'

const digits = fc.string({
  unit: fc.constantFrom('0', '1', '2', '8', '9'),
  minLength: 1,
  maxLength: 3,
})
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === null ? '' : `.${fraction}`))

test('the pattern of a bound matches exactly the decimals within it', () => {
  const property = fc.property(decimals, decimals, (limit, value) => {
    const order = compareDecimals(value, limit)
    assert.equal(new RegExp(atLeastPattern(limit)).test(value), order >= 0, atLeastPattern(limit))
    assert.equal(new RegExp(atMostPattern(limit)).test(value), order <= 0, atMostPattern(limit))
  })
  fc.assert(property, { numRuns: cases(20_000) })
})

test('the published pattern of a decimal that is not negative refuses a sign, but for zero', () => {
  const { pattern } = things({ a: decimal({ scale: 2, min: '0' }) }).fieldByName.get('a')!.schema
  const matches = (value: string) => new RegExp(pattern as string).test(value)
  assert.deepEqual(['25', '0.00', '-0', '-0.00'].filter(matches).length, 4)
  assert.deepEqual(['-25', '-0.01', '-1', '1.234', '-'].filter(matches), [])
  const positive = things({ a: decimal({ scale: 2, min: '0.01' }) }).fieldByName.get('a')!.schema
  assert.equal(new RegExp(positive.pattern as string).test('-25'), false)
})

test('a decimal beyond its bounds has one fault, which names the bound', () => {
  const { validate } = things({ a: decimal({ scale: 2, min: '0.01', max: '9.99' }) })
  for (const [value, rule] of [
    ['-25', 'minimum'],
    ['0.00', 'minimum'],
    ['10', 'maximum'],
  ]) {
    assert.deepEqual(
      validate({ a: value }).map((fault) => fault.rule),
      [rule],
    )
  }
  assert.deepEqual(
    validate({ a: '1.234' }).map((fault) => fault.rule),
    ['pattern'],
  )
})
